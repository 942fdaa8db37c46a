// slice: assembles a response from ranges that are requested one after another.
import { HSL, size } from '../../../config/directive.ts';
import { defineModule } from '../../config/module.ts';
import type { Request } from '../../model/types.ts';
import { startClone } from '../../phases/subrequest.ts';
import { ERROR, OK } from '../../request/codes.ts';
import { type Piece, pieceLength } from '../../request/pieces.ts';
import { cutPiece } from './conditional.ts';

interface Slice {
  /** Range of the current slice, in bytes of the whole. */
  start: number;
  end: number;
  /** Value of $slice_range. */
  text: string;
  etag: string | null;
  /** Range of the whole that the client receives; known after the header filters. */
  wanted: { start: number; end: number };
}

export const sliceModule = defineModule(
  'slice',
  { slice: size(HSL, '0') },
  {
    init(main) {
      main.addHeaderFilter('slice', sliceHeader);
    },
    variables: [
      {
        name: 'slice_range',
        volatile: true,
        get: (r): string | null => {
          const unit = sliceModule.conf(r.loc).slice;
          if (unit === 0) return null;
          const state = r.getMainCtx<Slice>(sliceModule) ?? begin(r, unit);
          return state?.text ?? null;
        },
      },
    ],
  },
);

const rangeText = (start: number, unit: number): string => `bytes=${start}-${start + unit - 1}`;

/** First byte that the client asks for; 0 unless it asks unconditionally for one range that has a start. */
function requestedStart(r: Request): number {
  if (r.headerIn('if-range') !== null) return 0;
  const text = r.headerIn('range') ?? '';
  const start = text.includes(',') ? 0 : Number(/^bytes= *(\d+)/i.exec(text)?.[1] ?? 0);
  return Number.isSafeInteger(start) ? start : 0;
}

/** @returns null once the header is known: the response is complete, or is not sliced */
function begin(r: Request, unit: number): Slice | null {
  if (r.isSub || r.out.status !== 0) return null;
  const start = Math.floor(requestedStart(r) / unit) * unit;
  const wanted = { start: 0, end: 0 };
  const state: Slice = { start, end: start + unit, text: rangeText(start, unit), etag: null, wanted };
  r.setMainCtx(sliceModule, state);
  return state;
}

/** The first slice becomes the response; the others follow as subrequests. */
function sliceHeader(r: Request): number {
  const unit = sliceModule.conf(r.loc).slice;
  const state = r.getMainCtx<Slice>(sliceModule);
  if (unit === 0 || !state) return OK;
  const { out } = r;
  if (out.status !== 206) {
    if (!r.isSub) {
      r.setMainCtx(sliceModule, null);
      return OK;
    }
    r.log('error', `unexpected status code ${out.status} in slice response`);
    return ERROR;
  }
  const fail = (why: string): number => {
    r.log('error', why);
    return ERROR;
  };
  const etag = out.get('etag')?.value ?? null;
  if (r.isSub && etag !== state.etag) return fail('etag mismatch in slice response');
  const m = /^bytes *(\d+) *- *(\d+) *\/ *(\d+|\*) *$/.exec(out.get('content-range')?.value ?? '');
  if (!m || Number(m[1]) > Number(m[2])) return fail('invalid range in slice response');
  if (m[3] === '*') return fail('no complete length in slice response');
  const [first, end] = [Number(m[1]), Number(m[2]) + 1];
  const expected = Math.min(state.start + unit, Number(m[3]));
  if (first !== state.start || end !== expected) {
    return fail(`unexpected range in slice response: ${first}-${end}, expected: ${state.start}-${expected}`);
  }
  state.end = end;
  if (r.isSub) {
    let offset = state.start;
    r.addBodyFilter('slice', (req, pieces, flags, position) => {
      const kept: Piece[] = [];
      for (const piece of pieces) {
        const cut = cutPiece(piece, state.wanted.start - offset, state.wanted.end - offset);
        if (cut) kept.push(cut);
        offset += pieceLength(piece);
      }
      return req.nextBody(kept, flags, position);
    });
    return OK;
  }
  const size = Number(m[3]);
  state.etag = etag;
  out.status = 200;
  out.statusLine = '';
  out.contentLength = size;
  out.set('Content-Range', null);
  r.allowRanges = true;
  r.ranges = 'one';
  // Ranges count from the start of the whole, so skipped slices are represented by their length.
  r.rangeSkip = state.start;
  r.addBodyFilter('slice', (req, pieces, flags, position) => {
    const rc = req.nextBody(pieces, { last: false, flush: flags.flush }, position);
    if (rc === ERROR || !flags.last) return rc;
    state.wanted = out.range ?? { start: 0, end: size };
    if (state.end < state.wanted.start) state.end = Math.floor(state.wanted.start / unit) * unit;
    return nextSlice(req, state, unit, position);
  });
  return OK;
}

function nextSlice(r: Request, state: Slice, unit: number, position: number): number {
  if (state.end >= state.wanted.end) {
    r.setMainCtx(sliceModule, null);
    return r.nextBody([], { last: true, flush: false }, position);
  }
  state.start = state.end;
  state.text = rangeText(state.start, unit);
  const sub = startClone(r, {
    done: (_, rc) => {
      if (rc !== OK) return rc;
      if (state.end <= state.start) return ERROR;
      nextSlice(r, state, unit, position);
      return rc;
    },
  });
  return sub ? OK : ERROR;
}
