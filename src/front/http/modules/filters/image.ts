// image_filter: tests, measures, reduces, crops and rotates images. The response is held back, header included, until the image is known.
import { custom, flag, HSL, LOCATION, type Spec, size } from '../../../config/directive.ts';
import { pendingLookups } from '../../config/addresses.ts';
import { defineModule, type HttpFrame } from '../../config/module.ts';
import type { Value } from '../../config/value.ts';
import { readSpan } from '../../files/send-file.ts';
import { type ImageKind, imageKind, imageSize, KIND_BYTES } from '../../images/dimensions.ts';
import { loadImageLibrary, type Transformation, transformImage } from '../../images/transform.ts';
import type { Request } from '../../model/types.ts';
import { ERROR, HELD, OK } from '../../request/codes.ts';
import { type BodyFlags, isFileSpan, type Piece } from '../../request/pieces.ts';
import { ResponseHead } from '../../request/response.ts';
import { weakenEtag } from './changed-body.ts';

type Mode = 'off' | 'test' | 'size' | Transformation['mode'];
/** A number of the configuration, or one that depends on the request. */
type Amount = number | Value;

interface ImageFilter {
  mode: Mode;
  width: Amount;
  height: Amount;
  angle: Amount;
}

const OFF: ImageFilter = { mode: 'off', width: 0, height: 0, angle: 0 };
const UNSUPPORTED_MEDIA_TYPE = 415;
const ANGLES: readonly number[] = [90, 180, 270];

/** A number above 0; `-` stands for no limit, 0 for anything else. */
const amountIn = (text: string): number => (text === '-' ? Number.POSITIVE_INFINITY : /^\d{1,9}$/.test(text) ? Number(text) : 0);
const amountOf = (r: Request, amount: Amount): number => (typeof amount === 'number' ? amount : amountIn(amount.eval(r)));

/** @param valid  whether a number of the configuration is */
function readAmount(f: HttpFrame, text: string, valid: (n: number) => boolean, what: string): Amount {
  const value = f.scope.value(text);
  if (value.constant === null) return value;
  const n = amountIn(value.constant);
  return valid(n) ? n : f.fail(`invalid ${what} "${text}"`);
}

function amount(fallback: number, valid: (n: number) => boolean): Spec<Amount> {
  const read = (f: HttpFrame) => readAmount(f, f.args[0], valid, 'value');
  return custom<Amount>(HSL, 1, fallback, read, { defaultText: String(fallback) });
}

function readFilter(f: HttpFrame, previous: ImageFilter = OFF): ImageFilter {
  const [mode, ...args] = f.args;
  const wrong = (): never => f.fail(`invalid parameter "${mode}"`);
  const needsLibrary = () => {
    pendingLookups(f.scope.main).push(async () => {
      await loadImageLibrary().catch((error: Error) => f.fail(`"image_filter ${mode}": ${error.message}`));
    });
  };
  if (args.length === 0) return mode === 'off' || mode === 'test' || mode === 'size' ? { ...previous, mode } : wrong();
  if (args.length === 1) {
    if (mode !== 'rotate') return wrong();
    needsLibrary();
    const angle = readAmount(f, args[0], (n) => ANGLES.includes(n), 'parameter');
    // together with `resize` or `crop` on the same level it rotates their result
    return { ...previous, mode: previous.mode === 'resize' || previous.mode === 'crop' ? previous.mode : 'rotate', angle };
  }
  if (mode !== 'resize' && mode !== 'crop') return wrong();
  needsLibrary();
  const [width, height] = args.map((text) => readAmount(f, text, (n) => n > 0, 'parameter'));
  return { ...previous, mode, width, height };
}

const positive = (n: number): boolean => n > 0 && Number.isFinite(n);

export const imageModule = defineModule(
  'image',
  {
    image_filter: custom<ImageFilter>(LOCATION, [1, 3], OFF, readFilter, { repeats: true, defaultText: 'off' }),
    image_filter_jpeg_quality: amount(75, positive),
    image_filter_webp_quality: amount(80, positive),
    image_filter_sharpen: amount(0, Number.isFinite),
    image_filter_transparency: flag(HSL, true),
    image_filter_interlace: flag(HSL, false),
    image_filter_buffer: size(HSL, '1M'),
  },
  {
    init(main) {
      main.addHeaderFilter('image', imageHeader);
    },
  },
);

/** Marks a request whose response was replaced by an error page, which is not an image. */
const REPLACED = 'replaced';
/** bit of `Request.buffered` */
const IMAGE_BIT = 4;

function imageHeader(r: Request): number {
  const c = imageModule.conf(r.loc);
  const { out } = r;
  if (c.image_filter.mode === 'off' || out.status === 304 || r.headerOnly) return OK;
  if (r.getCtx(imageModule) === REPLACED) {
    r.setCtx(imageModule, null);
    return OK;
  }
  if (/^multipart\/x-mixed-replace/i.test(out.contentType)) {
    r.log('error', 'image filter: multipart/x-mixed-replace response');
    return ERROR;
  }
  if (out.contentLength > c.image_filter_buffer) {
    r.log('error', `image filter: too big response: ${out.contentLength}`);
    forget(r);
    return UNSUPPORTED_MEDIA_TYPE;
  }
  out.set('Refresh', null);
  r.needInMemory = true;
  r.allowRanges = false;
  const body = new ImageBody(c.image_filter, out.contentLength < 0 ? c.image_filter_buffer : out.contentLength);
  r.addBodyFilter('image', (req, pieces, flags, position) => body.take(req, pieces, flags, position));
  return HELD;
}

/** Drops a response whose header was held back. */
function forget(r: Request): void {
  r.forgetResponse();
  r.setCtx(imageModule, REPLACED);
}

/** The body of one response. */
class ImageBody {
  #held: Buffer[] = [];
  #bytes = 0;
  #kind: ImageKind | null = null;
  /** `pass`: the rest passes unchanged; `refuse`: it is dropped, and an error follows; `end`: the response is complete or in progress */
  #stage: 'read' | 'pass' | 'refuse' | 'end' = 'read';

  constructor(
    readonly filter: ImageFilter,
    readonly limit: number,
  ) {}

  take(r: Request, pieces: Piece[], flags: BodyFlags, position: number): number {
    if (this.#stage === 'pass') return r.nextBody(pieces, flags, position);
    if (this.#stage === 'end') return OK;
    if (this.#stage === 'read') this.#read(r, pieces, flags.last);
    if (this.#stage === 'read' && this.#kind !== null && this.filter.mode === 'test') return this.#passOn(r, flags, position);
    return flags.last ? this.#complete(r, position) : OK;
  }

  #read(r: Request, pieces: Piece[], last: boolean): void {
    for (const piece of pieces) {
      const data = isFileSpan(piece) ? readSpan(piece) : piece;
      this.#bytes += data.length;
      this.#held.push(data);
    }
    if (this.#bytes > this.limit) {
      r.log('error', 'image filter: too big response');
      this.#refuse();
    } else if (this.#kind === null && (last || this.#bytes >= KIND_BYTES)) {
      this.#kind = imageKind(Buffer.concat(this.#held));
      if (this.#kind === null) this.#refuse();
      else r.out.contentType = `image/${this.#kind}`;
    }
  }

  #refuse(): void {
    this.#stage = 'refuse';
    this.#held = [];
  }

  #passOn(r: Request, flags: BodyFlags, position: number): number {
    this.#stage = 'pass';
    const rc = r.continueHeader();
    return rc === OK ? r.nextBody(this.#held, flags, position) : ERROR;
  }

  /** The whole body arrived. */
  #complete(r: Request, position: number): number {
    const refused = this.#stage === 'refuse';
    const image = Buffer.concat(this.#held);
    const size = refused || this.#kind === null ? null : imageSize(this.#kind, image);
    this.#stage = 'end';
    this.#held = [];
    if (this.filter.mode === 'size') {
      const found = size && { img: { width: size.width, height: size.height, type: this.#kind } };
      return found || this.#bytes <= this.limit ? this.#sendJson(r, found, position) : this.#fail(r);
    }
    if (refused || this.#kind === null) return this.#fail(r);
    const wanted = transformation(r, this.filter, this.#kind, size?.heavy === true);
    if (wanted === null) return this.#fail(r);
    const fits = size !== null && size.width <= wanted.maxWidth && size.height <= wanted.maxHeight;
    if (fits && wanted.angle === 0 && !wanted.force) return this.#send(r, image, position);
    r.buffered |= IMAGE_BIT;
    void this.#transform(r, this.#kind, image, wanted, position);
    return OK;
  }

  async #transform(r: Request, kind: ImageKind, image: Buffer, wanted: Transformation, position: number): Promise<void> {
    let made: Buffer;
    try {
      made = await transformImage(kind, image, wanted);
    } catch (error) {
      if (!isOver(r)) r.log('error', `image filter: ${(error as Error).message}`);
      this.#replace(r);
      return;
    }
    if (isOver(r)) return;
    r.buffered &= ~IMAGE_BIT;
    if (made !== image) weakenEtag(r);
    if (this.#send(r, made, position) !== OK) r.finalize(ERROR);
    else if (r.finishing || r.isSub) r.write();
  }

  #send(r: Request, body: Buffer, position: number): number {
    r.out.contentLength = body.length;
    const rc = r.continueHeader();
    return rc === OK ? r.nextBody([body], { last: true, flush: false }, position) : ERROR;
  }

  /** `{ "img" : { "width": W, "height": H, "type": "T" } }`, or `{}` if the size is not known. */
  #sendJson(r: Request, found: { img: { width: number; height: number; type: string | null } } | null, position: number): number {
    r.out = new ResponseHead();
    r.out.status = 200;
    r.out.contentType = 'application/json';
    const { width, height, type } = found?.img ?? { width: 0, height: 0, type: null };
    const text = found ? `{ "img" : { "width": ${width}, "height": ${height}, "type": "${type}" } }\r\n` : '{}\r\n';
    return this.#send(r, Buffer.from(text), position);
  }

  /** Responds with 415 once the handler that produces the body has returned. */
  #fail(r: Request): number {
    r.buffered |= IMAGE_BIT;
    setImmediate(() => this.#replace(r));
    return OK;
  }

  #replace(r: Request): void {
    if (isOver(r)) return;
    r.buffered &= ~IMAGE_BIT;
    forget(r);
    r.finalize(UNSUPPORTED_MEDIA_TYPE);
  }
}

const isOver = (r: Request): boolean => r.done || r.main.done || r.conn.error;

/** The transformation that the directives request; null if a variable makes it impossible. */
function transformation(r: Request, { mode, ...amounts }: ImageFilter, kind: ImageKind, force: boolean): Transformation | null {
  if (mode !== 'resize' && mode !== 'crop' && mode !== 'rotate') return null;
  const c = imageModule.conf(r.loc);
  const angle = amountOf(r, amounts.angle);
  const limits = mode === 'rotate' ? [Number.POSITIVE_INFINITY] : [amounts.width, amounts.height].map((side) => amountOf(r, side));
  if (limits.includes(0) || (mode === 'rotate' && !ANGLES.includes(angle))) return null;
  const quality = kind === 'jpeg' || kind === 'webp' ? amountOf(r, c[`image_filter_${kind}_quality`]) : 1;
  if (!positive(quality)) return null;
  const sharpen = amountOf(r, c.image_filter_sharpen);
  return {
    ...{ mode, angle, force, quality, maxWidth: limits[0], maxHeight: limits[1] ?? Number.POSITIVE_INFINITY },
    sharpen: Number.isFinite(sharpen) ? sharpen : 0,
    transparency: c.image_filter_transparency,
    interlace: c.image_filter_interlace,
  };
}
