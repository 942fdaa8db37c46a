// Conditional requests (304, 412) and byte ranges (206, 416).

import { core } from '../../config/core.ts';
import { defineModule } from '../../config/module.ts';
import type { Request } from '../../model/types.ts';
import { OK } from '../../request/codes.ts';
import { parseHttpDate } from '../../request/http-date.ts';
import { type BodyFlags, isFileSpan, type Piece, pieceLength } from '../../request/pieces.ts';

export const conditionalModule = defineModule(
  'conditional',
  {},
  {
    init(main) {
      main.addHeaderFilter('not_modified', notModified);
      main.addHeaderFilter('range_header', rangeHeader);
    },
  },
);

// ---------------------------------------------------------------- 304 and 412

function notModified(r: Request): number {
  if (r.out.status !== 200 || r.isSub || r.disableNotModified) return OK;
  const unmodifiedSince = r.headerIn('if-unmodified-since');
  if (unmodifiedSince !== null && changedSince(r, unmodifiedSince)) return failed(r);
  const ifMatch = r.headerIn('if-match');
  if (ifMatch !== null && !etagListed(r, ifMatch, false)) return failed(r);
  const modifiedSince = r.headerIn('if-modified-since');
  const noneMatch = r.headerIn('if-none-match');
  if (modifiedSince === null && noneMatch === null) return OK;
  if (modifiedSince !== null && isModified(r, modifiedSince)) return OK;
  if (noneMatch !== null && !etagListed(r, noneMatch, true)) return OK;
  const { out } = r;
  out.status = 304;
  out.statusLine = '';
  out.contentType = '';
  out.contentLength = -1;
  out.set('Accept-Ranges', null);
  out.set('Content-Encoding', null);
  r.allowRanges = false;
  r.headerOnly = true;
  return OK;
}

/** Replaces the response by a 412 page. */
function failed(r: Request): number {
  r.forgetResponse();
  return 412;
}

function changedSince(r: Request, text: string): boolean {
  const { lastModified } = r.out;
  if (lastModified < 0) return true;
  const since = parseHttpDate(text);
  return !(since >= 0 && lastModified <= since);
}

function isModified(r: Request, text: string): boolean {
  const { lastModified } = r.out;
  if (lastModified < 0) return true;
  const mode = core.conf(r.loc).if_modified_since;
  if (mode === 'off') return true;
  const since = parseHttpDate(text);
  if (since === lastModified) return false;
  return mode === 'exact' || since < lastModified;
}

function etagListed(r: Request, list: string, weak: boolean): boolean {
  if (list === '*') return true;
  const full = r.out.get('etag')?.value;
  if (full === undefined) return false;
  const bare = (tag: string) => (weak && tag.length > 2 && tag.startsWith('W/') ? tag.slice(2) : tag);
  const own = bare(full);
  // A comma inside a tag ends it, unless the whole tag equals the response's.
  for (let rest = list; rest !== ''; rest = rest.replace(/^[^,]*[ \t,]*/, '')) {
    rest = bare(rest);
    if (rest.startsWith(own) && /^[ \t]*(?:,|$)/.test(rest.slice(own.length))) return true;
  }
  return false;
}

// ---------------------------------------------------------------- ranges

interface Range {
  start: number;
  end: number;
  /** Header of a part of a multi-range response. */
  head: Buffer;
}

/** Default of `max_ranges`, with which the ranges may hardly exceed the whole. */
const UNLIMITED = 0x7fffffff;

let boundaryCount = Math.floor(Math.random() * 1e9);

function rangeHeader(r: Request): number {
  const { out } = r;
  const accept = (): number => {
    out.add('Accept-Ranges', 'bytes');
    return OK;
  };
  if (r.version < 1000 || out.status !== 200 || r.isSub || out.contentLength === -1 || !r.allowRanges) return OK;
  const maxRanges = core.conf(r.loc).max_ranges;
  if (maxRanges === 0) return OK;
  const text = r.headerIn('range');
  if (text === null || text.length < 7 || !/^bytes=/i.test(text) || !ifRangeHolds(r)) {
    return accept();
  }
  const ranges = parseRanges(text.slice(6), out.contentLength, r.ranges === 'one' ? 1 : maxRanges);
  if (ranges === 'none' || (r.ranges === 'ascending' && !areAscending(ranges))) return accept();
  if (ranges === 'invalid') {
    out.status = 416;
    out.set('Content-Range', `bytes */${out.contentLength}`);
    r.headerSent = false;
    out.contentLength = -1;
    out.lastModified = -1;
    return 416;
  }
  out.status = 206;
  out.statusLine = '';
  if (ranges.length === 1) singleRange(r, ranges[0]);
  else multiRange(r, ranges);
  return OK;
}

function ifRangeHolds(r: Request): boolean {
  const text = r.headerIn('if-range');
  if (text === null) return true;
  if (text.endsWith('"') && text.length >= 2) return r.out.get('etag')?.value === text;
  if (r.out.lastModified < 0) return false;
  return parseHttpDate(text) === r.out.lastModified;
}

/** Ranges inside `size`, in the requested order. 'none' if there are more than allowed, so that the whole is sent. */
function parseRanges(text: string, size: number, max: number): { start: number; end: number }[] | 'invalid' | 'none' {
  const ranges: { start: number; end: number }[] = [];
  const unlimited = max === UNLIMITED;
  let total = 0;
  for (const part of text.split(',')) {
    const m = /^ *(\d*) *- *(\d*) *$/.exec(part);
    if (!m || (m[1] === '' && m[2] === '')) return 'invalid';
    if (m[1].length > 15 || m[2].length > 15) return 'invalid';
    let start: number;
    let end: number;
    if (m[1] === '') {
      start = Math.max(0, size - Number(m[2]));
      end = size;
    } else {
      start = Number(m[1]);
      end = m[2] === '' ? size : Math.min(size, Number(m[2]) + 1);
    }
    if (start >= end) {
      // No range was requested.
      if (start === 0) return 'none';
      continue;
    }
    if (ranges.length >= max) return 'none';
    ranges.push({ start, end });
    total += end - start;
  }
  if (ranges.length === 0) return 'invalid';
  if (ranges.length > 1 && (total > size || (unlimited && total + ranges.length * 256 > size + 4096))) return 'none';
  return ranges;
}

function singleRange(r: Request, range: { start: number; end: number }): void {
  const { out } = r;
  const size = out.contentLength;
  out.set('Content-Range', `bytes ${range.start}-${range.end - 1}/${size}`);
  out.contentLength = range.end - range.start;
  out.range = range;
  rangeBody(r, [{ ...range, head: Buffer.alloc(0) }], Buffer.alloc(0));
}

function multiRange(r: Request, ranges: { start: number; end: number }[]): void {
  const { out } = r;
  const size = out.contentLength;
  const boundary = String(++boundaryCount).padStart(20, '0');
  const charset = out.charset ? `; charset=${out.charset}` : '';
  const type = out.contentType ? `Content-Type: ${out.contentType}${charset}\r\n` : '';
  const parts = ranges.map((range) => ({
    ...range,
    head: Buffer.from(`\r\n--${boundary}\r\n${type}Content-Range: bytes ${range.start}-${range.end - 1}/${size}\r\n\r\n`, 'latin1'),
  }));
  const tail = Buffer.from(`\r\n--${boundary}--\r\n`, 'latin1');
  out.contentType = `multipart/byteranges; boundary=${boundary}`;
  out.charset = '';
  out.contentLength = parts.reduce((sum, part) => sum + part.head.length + part.end - part.start, tail.length);
  out.set('Content-Range', null);
  rangeBody(r, parts, tail);
}

/** Whether each range starts at or after the end of the previous one, so that the body can be passed as it arrives. */
function areAscending(ranges: 'invalid' | readonly { start: number; end: number }[]): boolean {
  return ranges === 'invalid' || ranges.every(({ start }, n) => n === 0 || start >= ranges[n - 1].end);
}

/** Passes only the ranges. */
function rangeBody(r: Request, ranges: Range[], tail: Buffer): void {
  if (areAscending(ranges)) passRanges(r, ranges, tail);
  else collectRanges(r, ranges, tail);
}

/** Ranges in the order of the body: its pieces are passed as they arrive. */
function passRanges(r: Request, ranges: Range[], tail: Buffer): void {
  let offset = 0;
  let current = 0;
  let begun = false;
  r.addBodyFilter('range_body', (req: Request, pieces: Piece[], flags: BodyFlags, position: number) => {
    offset += req.rangeSkip;
    req.rangeSkip = 0;
    const out: Piece[] = [];
    for (const piece of pieces) {
      const end = offset + pieceLength(piece);
      while (current < ranges.length && ranges[current].start < end) {
        const range = ranges[current];
        if (!begun && range.head.length > 0) out.push(range.head);
        begun = true;
        const cut = cutPiece(piece, range.start - offset, range.end - offset);
        if (cut) out.push(cut);
        if (range.end > end) break;
        current++;
        begun = false;
        if (current === ranges.length && tail.length > 0) out.push(tail);
      }
      offset = end;
    }
    return req.nextBody(out, { last: flags.last, flush: flags.flush }, position);
  });
}

/** Ranges out of order: they need the whole body, which is a file or in memory already. */
function collectRanges(r: Request, ranges: Range[], tail: Buffer): void {
  const held: Piece[] = [];
  r.addBodyFilter('range_body', (req: Request, pieces: Piece[], flags: BodyFlags, position: number) => {
    held.push(...pieces);
    if (!flags.last) return OK;
    const out: Piece[] = [];
    for (const range of ranges) {
      out.push(range.head);
      let at = 0;
      for (const piece of held) {
        const cut = cutPiece(piece, range.start - at, range.end - at);
        if (cut) out.push(cut);
        at += pieceLength(piece);
      }
    }
    out.push(tail);
    return req.nextBody(out, flags, position);
  });
}

/** The part of a piece inside [start, end), relative to its first byte. */
export function cutPiece(piece: Piece, start: number, end: number): Piece | null {
  const from = Math.max(0, start);
  const to = Math.min(pieceLength(piece), end);
  if (from >= to) return null;
  return isFileSpan(piece) ? { fd: piece.fd, start: piece.start + from, end: piece.start + to } : piece.subarray(from, to);
}
