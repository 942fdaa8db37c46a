// gzip, gunzip, gzip_static, brotli, gzip_vary.
import { statSync } from 'node:fs';
import * as zlib from 'node:zlib';
import type { HeaderField } from '../../../../http/wire/header.ts';
import { ANY_COUNT, buffers, checked, custom, flag, HSL, HSLI, num, oneOf, size, within, wordsOf } from '../../../config/directive.ts';
import type { Regex } from '../../../config/regex.ts';
import { fsPath } from '../../../fs-path.ts';
import { compileRegex } from '../../config/compile-regex.ts';
import { mediaTypes, typeMatches } from '../../config/mime-types.ts';
import { defineModule, type HttpFrame } from '../../config/module.ts';
import { type Coding, formOf, holdsForms } from '../../files/coded-bodies.ts';
import { type OpenedFile, openFile } from '../../files/open-files.ts';
import { mapUri } from '../../files/paths.ts';
import { readSpan, sendFile } from '../../files/send-file.ts';
import { SyncZlib } from '../../files/sync-zlib.ts';
import type { BodyFilter, Request } from '../../model/types.ts';
import { DECLINED, ERROR, OK } from '../../request/codes.ts';
import { parseHttpDate } from '../../request/http-date.ts';
import { isFileSpan, type Piece, pieceLength } from '../../request/pieces.ts';
import { weakenEtag } from './changed-body.ts';

const EMPTY = Buffer.alloc(0);
const PROXIED = ['off', 'expired', 'no-cache', 'no-store', 'private', 'no_last_modified', 'no_etag', 'auth', 'any'];

/** Converts a size to the exponent that zlib needs. */
const powerSize = (defaultText: string, least: number, most: number, list: string) =>
  checked(size(HSL, defaultText), (bytes) => (bytes < least || bytes > most || (bytes & (bytes - 1)) !== 0 ? `must be ${list}` : null));

export const gzipModule = defineModule(
  'gzip',
  {
    gzip: flag(HSLI, false),
    gzip_types: mediaTypes(),
    gzip_comp_level: within(num(HSL, 1), (n) => (n < 1 || n > 9 ? 'value must be between 1 and 9' : null)),
    gzip_min_length: size(HSL, '20'),
    gzip_window: powerSize('32k', 512, 32_768, '512, 1k, 2k, 4k, 8k, 16k, or 32k'),
    gzip_hash: powerSize('64k', 512, 131_072, '512, 1k, 2k, 4k, 8k, 16k, 32k, 64k, or 128k'),
    // Accepted without effect: output is never postponed or buffered here, which is what these settings ask for.
    postpone_gzipping: size(HSL, '0'),
    gzip_no_buffer: flag(HSL, false),
    gzip_buffers: buffers(HSL, '32 4k'),
    gzip_vary: flag(HSL, false),
    gzip_http_version: oneOf(HSL, ['1.0', '1.1'], '1.1'),
    gzip_proxied: wordsOf(HSL, PROXIED, ['off']),
    gzip_disable: custom<Regex[] | null>(
      HSL,
      [1, ANY_COUNT],
      null,
      (f: HttpFrame, previous = []) => [
        ...previous,
        ...f.args.map((word) => compileRegex(f, word === 'msie6' ? 'MSIE [4-6]\\.(?!.*SV1)' : word, true)),
      ],
      { repeats: true },
    ),
    gzip_static: oneOf(HSL, ['off', 'on', 'always'], 'off'),
    gunzip: flag(HSL, false),
    gunzip_buffers: buffers(HSL, '32 4k'),
    brotli: flag(HSLI, false),
    brotli_types: mediaTypes(),
    brotli_comp_level: num(HSL, 6),
    brotli_min_length: size(HSL, '20'),
    brotli_static: oneOf(HSL, ['off', 'on', 'always'], 'off'),
  },
  {
    init(main) {
      main.addHeaderFilter('gunzip', gunzipHeader);
      main.addHeaderFilter('gzip', gzipHeader);
      main.phases.content.push(gzipStatic);
    },
    variables: [
      {
        name: 'gzip_ratio',
        volatile: true,
        get: (r): string | null => {
          const ctx = r.main.getCtx<{ in: number; out: number }>(gzipModule);
          if (!ctx || ctx.out === 0) return null;
          const ratio = Math.floor((ctx.in * 1000) / ctx.out);
          const rounded = Math.floor((ctx.in * 100 * 10) / ctx.out) / 10;
          return (Math.round(rounded) / 100 || ratio / 1000).toFixed(2);
        },
      },
    ],
  },
);

/** True if the Accept-Encoding field accepts the coding. */
function acceptsCoding(field: string | null, coding: string): boolean {
  if (field === null) return false;
  // The first occurrence decides; `*` does not count.
  const m = new RegExp(`(?:^|[, ])${coding}(.*)$`, 'is').exec(field);
  const rest = m && /^ *(?:$|,| *; *(?:$|q=(.*)$))/is.exec(m[1]);
  return rest !== null && (rest[1] === undefined || quality(rest[1]) > 0);
}

/** A `q` value in hundredths; 0 if it has more than three digits or exceeds 1. */
function quality(text: string): number {
  const m = /^([01])(?:\.(\d*))?(?:[, ]|$)/.exec(text);
  if (!m || (m[2] ?? '').length > 3) return 0;
  const q = Number(m[1]) * 100 + [...(m[2] ?? '')].reduce((sum, digit) => sum + Number(digit), 0);
  return q > 100 ? 0 : q;
}

/** True if this client may get compressed responses. gzip_http_version, gzip_disable and gzip_proxied concern gzip only. */
function gzipOk(r: Request, coding: Coding = 'gzip'): boolean {
  const c = gzipModule.conf(r.loc);
  if (r !== r.main || !acceptsCoding(r.headerIn('accept-encoding'), coding)) return false;
  if (coding === 'br') return true;
  if (c.gzip_disable?.some((regex) => regex.test(r.headerIn('user-agent') ?? ''))) return false;
  if (r.version < (c.gzip_http_version === '1.0' ? 1000 : 1001)) return false;
  return r.headerIn('via') === null || proxiedOk(r, c.gzip_proxied);
}

function proxiedOk(r: Request, allowed: ReadonlySet<string>): boolean {
  if (allowed.has('off')) return false;
  if (allowed.has('any')) return true;
  if (r.headerIn('authorization') !== null && allowed.has('auth')) return true;
  const { out } = r;
  const expires = out.get('expires')?.value;
  if (expires !== undefined) {
    if (!allowed.has('expired')) return false;
    const at = parseHttpDate(expires);
    const date = out.get('date')?.value;
    return at >= 0 && at <= (date === undefined ? Date.now() / 1000 : parseHttpDate(date));
  }
  const control = out.get('cache-control')?.value.toLowerCase();
  if (control !== undefined) {
    return ['no-cache', 'no-store', 'private'].some((word) => allowed.has(word) && control.includes(word));
  }
  // As in nginx, these two only restrict: any other word permits responses without Cache-Control.
  if (allowed.has('no_last_modified') && out.lastModified >= 0) return false;
  return !(allowed.has('no_etag') && out.get('etag') !== null);
}

// ---------------------------------------------------------------- content codings

function toMemory(piece: Piece): Buffer {
  return isFileSpan(piece) ? readSpan(piece) : piece;
}

/** A content coding. */
interface Codec {
  /** Identifies the results of `make` in the cache. */
  kind: string;
  make(): zlib.Gzip | zlib.Gunzip | zlib.BrotliCompress;
  flags: { none: number; flush: number; end: number };
  /** Tells by an error whether the input ended early, after all that could be decoded was returned. */
  check?: number;
}

const ZLIB_FLAGS = { none: zlib.constants.Z_NO_FLUSH, flush: zlib.constants.Z_SYNC_FLUSH, end: zlib.constants.Z_FINISH };
const GUNZIP: Codec = {
  kind: 'gunzip',
  make: () => zlib.createGunzip(),
  flags: { ...ZLIB_FLAGS, end: zlib.constants.Z_SYNC_FLUSH },
  check: zlib.constants.Z_FINISH,
};
const BROTLI_FLAGS = {
  none: zlib.constants.BROTLI_OPERATION_PROCESS,
  flush: zlib.constants.BROTLI_OPERATION_FLUSH,
  end: zlib.constants.BROTLI_OPERATION_FINISH,
};

function brotliCodec(quality: number): Codec {
  const params = { [zlib.constants.BROTLI_PARAM_QUALITY]: quality };
  return { kind: `br ${quality}`, make: () => zlib.createBrotliCompress({ params }), flags: BROTLI_FLAGS };
}

/** @param length  length of the body, -1 if unknown */
function gzipCodec(c: ReturnType<typeof gzipModule.conf>, length: number): Codec {
  const level = c.gzip_comp_level;
  const { windowBits, memLevel } = deflateSize(length, Math.log2(c.gzip_window), Math.log2(c.gzip_hash) - 8);
  return {
    kind: `gzip ${level} ${windowBits} ${memLevel}`,
    make: () => zlib.createGzip({ level, windowBits, memLevel }),
    flags: ZLIB_FLAGS,
  };
}

/** Short bodies get a small window, whose tables are cheaper to clear. @param length  -1 if unknown; @param bits, mem  upper limits */
function deflateSize(length: number, bits: number, mem: number): { windowBits: number; memLevel: number } {
  let windowBits = bits;
  let memLevel = mem;
  // The usable window is 262 bytes smaller; zlib turns 8 bits into 9.
  while (length > 0 && windowBits > 9 && length < (1 << (windowBits - 1)) - 262) {
    windowBits--;
    memLevel = Math.max(1, memLevel - 1);
  }
  return { windowBits, memLevel };
}

/** @param compressed  cache of the compressed form of bodies that stay in memory */
function codingFilter(
  r: Request,
  { kind, make, flags, check }: Codec,
  compressed?: { coding: Coding; count: { in: number; out: number } },
): BodyFilter {
  let ended = false;
  let stream: SyncZlib | null = null;
  const run = (data: Buffer, flush: number): Buffer[] => {
    if (!stream) {
      const opened = SyncZlib.open(kind, make);
      stream = opened;
      r.cleanups.push(() => opened.close());
    }
    return stream.run(data, flush);
  };
  const code = (pieces: Piece[], finish: number): Buffer[] => {
    if (pieces.length === 0) return finish === flags.none ? [] : run(EMPTY, finish);
    const [first] = pieces;
    if (compressed && !stream && ended && pieces.length === 1 && !isFileSpan(first) && holdsForms(first))
      return [formOf(first, compressed.coding, kind, () => Buffer.concat(run(first, finish)))];
    const out: Buffer[] = [];
    pieces.forEach((piece, n) => {
      out.push(...run(toMemory(piece), n === pieces.length - 1 ? finish : flags.none));
    });
    return out;
  };
  return (req, pieces, flag, position) => {
    if (ended) return req.nextBody(pieces, flag, position);
    ended = flag.last;
    let out: Buffer[];
    try {
      out = code(pieces, flag.last ? flags.end : flag.flush ? flags.flush : flags.none);
    } catch (error) {
      req.log('error', `inflate() failed: ${flags.none}, ${(error as NodeJS.ErrnoException).errno}`);
      return ERROR;
    }
    if (ended && check !== undefined) {
      try {
        run(EMPTY, check);
      } catch (error) {
        req.nextBody(out, { last: false, flush: true }, position);
        req.log('error', `inflate() returned ${(error as NodeJS.ErrnoException).errno} on response end`);
        return ERROR;
      }
    }
    if (compressed) {
      for (const piece of pieces) compressed.count.in += pieceLength(piece);
      for (const piece of out) compressed.count.out += piece.length;
    }
    if (out.length === 0 && pieces.length > 0 && !flag.last && !flag.flush) return OK;
    return req.nextBody(out, flag, position);
  };
}

/** Makes a tag weak: the bytes differ, the meaning does not. */
const VARY: HeaderField = { name: 'Vary', lname: 'vary', value: 'Accept-Encoding' };
/** Added to the `Vary` of the response, if any. */
function setVary(r: Request): void {
  if (!r.out.fields.includes(VARY)) r.out.fields.unshift(VARY);
}

function gzipHeader(r: Request): number {
  const c = gzipModule.conf(r.loc);
  const { out } = r;
  if (!c.gzip && !c.brotli) return OK;
  if (r.headerOnly || r.isSub || (out.status !== 200 && out.status !== 403 && out.status !== 404)) return OK;
  if (out.get('content-encoding')) return OK;
  const brotli =
    c.brotli && typeMatches(c.brotli_types, out.contentType) && (out.contentLength < 0 || out.contentLength >= c.brotli_min_length);
  const gzip = c.gzip && typeMatches(c.gzip_types, out.contentType) && (out.contentLength < 0 || out.contentLength >= c.gzip_min_length);
  if (!brotli && !gzip) return OK;
  if (c.gzip_vary) setVary(r);
  if (brotli && gzipOk(r, 'br')) start(r, 'br', brotliCodec(c.brotli_comp_level));
  else if (gzip && gzipOk(r)) start(r, 'gzip', gzipCodec(c, out.contentLength));
  return OK;
}

function start(r: Request, coding: Coding, codec: Codec): void {
  const { out } = r;
  const count = { in: 0, out: 0 };
  r.setCtx(gzipModule, count);
  out.add('Content-Encoding', coding);
  r.needInMemory = true;
  out.contentLength = -1;
  out.set('Accept-Ranges', null);
  r.allowRanges = false;
  weakenEtag(r);
  r.addBodyFilter('gzip', codingFilter(r, codec, { coding, count }), true);
}

// ---------------------------------------------------------------- gunzip

function gunzipHeader(r: Request): number {
  const c = gzipModule.conf(r.loc);
  const { out } = r;
  const coding = out.get('content-encoding')?.value.toLowerCase();
  if (!c.gunzip || coding !== 'gzip') return OK;
  if (c.gzip_vary && !r.isSub) setVary(r);
  if (!r.needGunzip && gzipOk(r)) return OK;
  out.set('Content-Encoding', null);
  out.contentLength = -1;
  out.set('Accept-Ranges', null);
  r.allowRanges = false;
  weakenEtag(r);
  if (r.headerOnly) return OK;
  r.needInMemory = true;
  r.addBodyFilter('gunzip', codingFilter(r, GUNZIP), true);
  return OK;
}

// ---------------------------------------------------------------- gzip_static

function gzipStatic(r: Request): number {
  const c = gzipModule.conf(r.loc);
  if (c.gzip_static === 'off' && c.brotli_static === 'off') return DECLINED;
  if ((r.method !== 'GET' && r.method !== 'HEAD') || r.uri.endsWith('/')) return DECLINED;
  const brotli = c.brotli_static === 'always' || (c.brotli_static === 'on' && gzipOk(r, 'br'));
  if (brotli) {
    const rc = sendStatic(r, '.br', 'br');
    if (rc !== DECLINED) return rc;
  }
  if (c.gzip_static === 'off') return DECLINED;
  const accepted = c.gzip_static === 'always' || gzipOk(r);
  if (!accepted && !c.gzip_vary) return DECLINED;
  if (!accepted) {
    try {
      if (statSync(fsPath(`${mapUri(r)}.gz`)).isFile()) setVary(r);
    } catch {
      // There is no compressed file.
    }
    return DECLINED;
  }
  return sendStatic(r, '.gz', 'gzip');
}

function sendStatic(r: Request, suffix: string, coding: string): number {
  let file: OpenedFile;
  try {
    file = openFile(r, mapUri(r) + suffix);
  } catch {
    return DECLINED;
  }
  if (!file.stat.isFile()) return DECLINED;
  const discarded = r.conn.discardBody(r);
  if (discarded !== OK) return discarded;
  const c = gzipModule.conf(r.loc);
  if (c.gzip_vary) setVary(r);
  return sendFile(r, file, coding);
}
