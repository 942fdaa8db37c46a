// Type and size of an image, read from its first bytes without decoding it, as nginx's image filter reads them.

export type ImageKind = 'jpeg' | 'gif' | 'png' | 'webp';

export interface ImageSize {
  width: number;
  height: number;
  /** more than a twentieth of a JPEG is application data, such as EXIF and thumbnails */
  heavy: boolean;
}

/** bytes that `imageKind` needs */
export const KIND_BYTES = 16;

/** The type of an image of at least KIND_BYTES bytes; null if the filter does not support it. */
export function imageKind(image: Buffer): ImageKind | null {
  if (image.length < KIND_BYTES) return null;
  if (image[0] === 0xff && image[1] === 0xd8) return 'jpeg';
  const start = image.latin1Slice(0, 12);
  if (/^GIF8[79]a/.test(start)) return 'gif';
  if (start.startsWith('\x89PNG\r\n\x1a\n')) return 'png';
  if (start.startsWith('RIFF') && start.endsWith('WEBP')) return 'webp';
  return null;
}

/** Width and height as the image states them; null if the part that states them is missing or malformed. */
export function imageSize(kind: ImageKind, image: Buffer): ImageSize | null {
  switch (kind) {
    case 'jpeg':
      return jpegSize(image);
    case 'gif':
      return sized(image.readUInt16LE(6), image.readUInt16LE(8));
    case 'png':
      return image.length < 24 ? null : sized(image.readUInt16BE(18), image.readUInt16BE(22));
    case 'webp':
      return webpSize(image);
  }
}

const sized = (width: number, height: number): ImageSize => ({ width, height, heavy: false });

/** Start of frame: baseline, progressive or lossless, with Huffman or arithmetic coding. */
const FRAMES = new Set([0xc0, 0xc1, 0xc2, 0xc3, 0xc9, 0xca, 0xcb]);
const FIRST_APPLICATION = 0xe1;
const LAST_APPLICATION = 0xef;

function jpegSize(image: Buffer): ImageSize | null {
  let width = 0;
  let height = 0;
  let application = 0;
  const end = image.length - 10;
  for (let at = 2; at < end; ) {
    if (image[at] !== 0xff || image[at + 1] === 0xff) {
      at++;
      continue;
    }
    const marker = image[at + 1];
    const length = image.readUInt16BE(at + 2);
    if (FRAMES.has(marker) && (width === 0 || height === 0)) {
      height = image.readUInt16BE(at + 5);
      width = image.readUInt16BE(at + 7);
    }
    if (marker >= FIRST_APPLICATION && marker <= LAST_APPLICATION) application += length;
    at += 1 + length;
  }
  return width === 0 || height === 0 ? null : { width, height, heavy: Math.floor(image.length / 20) < application };
}

/** Sizes of the lossy (`VP8 `), lossless (`VP8L`) and extended (`VP8X`) form. */
function webpSize(image: Buffer): ImageSize | null {
  if (image.length < 30) return null;
  switch (image.latin1Slice(12, 16)) {
    case 'VP8 ': {
      const isKeyFrame = (image[20] & 1) === 0 && image.readUIntBE(23, 3) === 0x9d012a;
      return isKeyFrame ? sized(image.readUInt16LE(26) & 0x3fff, image.readUInt16LE(28) & 0x3fff) : null;
    }
    case 'VP8L': {
      if (image[20] !== 0x2f) return null;
      const bits = image.readUInt32LE(21);
      return sized((bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1);
    }
    case 'VP8X':
      return sized(image.readUIntLE(24, 3) + 1, image.readUIntLE(27, 3) + 1);
  }
  return null;
}
