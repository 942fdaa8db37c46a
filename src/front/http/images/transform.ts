// Reduces, crops, rotates and encodes an image by sharp, an optional package, with the geometry of nginx's image filter.
import type { Sharp, SharpOptions } from 'sharp';
import type { ImageKind } from './dimensions.ts';

type Library = typeof import('sharp')['default'];

export interface Transformation {
  mode: 'resize' | 'crop' | 'rotate';
  /** Infinity: not limited */
  maxWidth: number;
  maxHeight: number;
  /** degrees counter-clockwise; other values than 90, 180 and 270 do not rotate */
  angle: number;
  /** encode the image again even if it is small enough */
  force: boolean;
  /** from 1 */
  quality: number;
  /** percent, 0: none */
  sharpen: number;
  /** keep the transparency of images with a palette */
  transparency: boolean;
  interlace: boolean;
}

const PACKAGE = 'sharp';
/** An image that states more pixels is not decoded: 4 bytes of memory each, while a million of them compress into a kilobyte. */
const MAX_PIXELS = 64_000_000;
const MAX_SECONDS = 30;

let library: Library | null = null;

/** Loads the package, once. @throws Error it is not installed, or has no binary for this platform */
export async function loadImageLibrary(): Promise<void> {
  if (library) return;
  const { default: sharp } = await import('sharp').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new Error(`needs the package ${PACKAGE} ("npm install ${PACKAGE}")`);
  });
  // each image is seen once
  sharp.cache(false);
  library = sharp;
}

/** The transformed image, or the given bytes if nothing is to be done. @throws Error it cannot be decoded or is too large */
export async function transformImage(kind: ImageKind, image: Buffer, wanted: Transformation): Promise<Buffer> {
  if (!library) throw new Error('the library of the image filter is not loaded');
  // libjpeg completes damaged images; the libraries of other formats reject them
  const options: SharpOptions = { limitInputPixels: MAX_PIXELS, failOn: kind === 'jpeg' ? 'none' : 'truncated' };
  const source = library(image, options).timeout({ seconds: MAX_SECONDS });
  const { width, height, isPalette } = await source.metadata();
  const fits = width <= wanted.maxWidth && height <= wanted.maxHeight;
  if (!wanted.force && wanted.angle === 0 && fits) return image;
  const palette = kind === 'gif' || isPalette === true;
  if (palette && !wanted.transparency) source.removeAlpha();
  const size = reducedSize({ width, height }, wanted);
  if (size.width !== width || size.height !== height) source.resize({ ...size, fit: 'fill' });
  const turned = await turn(library, source, wanted.angle);
  const upright = wanted.angle === 90 || wanted.angle === 270 ? { width: size.height, height: size.width } : size;
  if (wanted.mode === 'crop') cutCentre(turned, upright, wanted);
  if (wanted.sharpen > 0 && !palette) turned.convolve(sharpeningKernel(wanted.sharpen));
  return encode(turned, kind, palette, wanted).toBuffer();
}

interface Size {
  width: number;
  height: number;
}

/**
 * The size to which an image is reduced. `resize`: the largest with the same proportions within the limits; `crop`: the smallest that
 * fills them, as far as the image does; `rotate`: unchanged.
 */
function reducedSize(
  { width, height }: Size,
  { mode, maxWidth, maxHeight }: Pick<Transformation, 'mode' | 'maxWidth' | 'maxHeight'>,
): Size {
  const toWidth = (s: Size): Size =>
    s.width > maxWidth ? { width: maxWidth, height: Math.max(1, Math.floor((s.height * maxWidth) / s.width)) } : s;
  const toHeight = (s: Size): Size =>
    s.height > maxHeight ? { width: Math.max(1, Math.floor((s.width * maxHeight) / s.height)), height: maxHeight } : s;
  const size = { width, height };
  if (mode === 'rotate') return size;
  if (mode === 'resize') return toHeight(toWidth(size));
  return width / height < maxWidth / maxHeight ? toWidth(size) : toHeight(size);
}

/** The operations so far, then a rotation: within one chain the library would rotate first. */
async function turn(sharp: Library, source: Sharp, angle: number): Promise<Sharp> {
  if (angle !== 90 && angle !== 180 && angle !== 270) return source;
  const { data, info } = await source.raw().toBuffer({ resolveWithObject: true });
  const { width, height, channels } = info;
  return sharp(data, { raw: { width, height, channels } })
    .rotate(360 - angle)
    .timeout({ seconds: MAX_SECONDS });
}

function cutCentre(image: Sharp, { width, height }: Size, { maxWidth, maxHeight }: Transformation): void {
  const left = Math.max(0, width - maxWidth);
  const top = Math.max(0, height - maxHeight);
  if (left > 0 || top > 0) image.extract({ left: left >> 1, top: top >> 1, width: width - left, height: height - top });
}

/** The library's counterpart of libgd's two passes, one along each axis, with weights that add up to one. */
function sharpeningKernel(percent: number): { width: number; height: number; kernel: number[] } {
  const outer = -percent / 400;
  const pass = [outer, 1 - 2 * outer, outer];
  return { width: 3, height: 3, kernel: pass.flatMap((y) => pass.map((x) => x * y)) };
}

function encode(image: Sharp, kind: ImageKind, palette: boolean, { quality, interlace }: Transformation): Sharp {
  switch (kind) {
    case 'jpeg':
      return image.jpeg({ quality: Math.min(quality, 100), progressive: interlace });
    case 'png':
      return image.png({ palette, progressive: interlace });
    case 'gif':
      return image.gif({ progressive: interlace });
    case 'webp':
      // libgd encodes without loss from 101 up
      return quality > 100 ? image.webp({ lossless: true }) : image.webp({ quality });
  }
}
