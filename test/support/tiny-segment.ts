// A segment made by hand in kernel memory: postings of one text field through the real encoder, columns by a plain writer.
import type { SegmentColumn, SegmentPostings, TermState } from '../../src/plan/segment.ts';
import { FIELD_FREQS, FIELD_NORMS, FIELD_OFFSETS, FIELD_POSITIONS } from '../../src/wasm/generated/codec.ts';
import type { Kernels } from '../../src/wasm/kernels.ts';
import { PostingsEncoder } from '../../src/wasm/postings.ts';
import { bitset } from '../reference/codec.ts';
import type { Rng } from './rng.ts';

export interface TinyDoc {
  /** Positions per term. */
  readonly terms: ReadonlyMap<string, readonly number[]>;
  /** Length code; 0: no value. */
  readonly norm: number;
  readonly integers: readonly number[];
  readonly doubles: readonly number[];
}

export type TinyTerm = TermState & { readonly text: string };

export interface TinySegment {
  readonly docs: readonly TinyDoc[];
  readonly maxDoc: number;
  readonly postings: SegmentPostings;
  readonly integers: SegmentColumn;
  readonly doubles: SegmentColumn;
  term(text: string): TinyTerm;
}

/** Random documents over the words a, b, c, ...: frequent ones first. */
export function randomDocs(rng: Rng, count: number, words: number): TinyDoc[] {
  const often = Array.from({ length: words }, () => rng.pick([0.002, 0.02, 0.2, 0.6, 0.95]));
  return Array.from({ length: count }, () => {
    const terms = new Map<string, number[]>();
    const length = rng.skewed(60);
    for (let position = 0; position < length; position++) {
      const word = rng.int(0, words - 1);
      if (rng.float() > often[word]) continue;
      const text = String.fromCharCode(97 + word);
      const positions = terms.get(text);
      if (positions) positions.push(position);
      else terms.set(text, [position]);
    }
    const integers = Array.from({ length: rng.pick([0, 1, 1, 1, 3]) }, () => rng.int(-50, 50) * 3).sort((a, b) => a - b);
    const doubles = Array.from({ length: rng.pick([0, 1, 1, 2]) }, () => rng.int(-50, 50) / 4).sort((a, b) => a - b);
    return { terms, norm: terms.size ? Math.min(255, length + 1) : 0, integers, doubles };
  });
}

/** @param offsets  positions have offsets, too */
export function makeSegment(k: Kernels, docs: readonly TinyDoc[], offsets = false): TinySegment {
  const found = new Set<string>();
  let places = 0;
  for (const { terms } of docs) {
    for (const [text, list] of terms) {
      found.add(text);
      places += list.length + 2;
    }
  }
  const texts = [...found].sort();
  const room = 4096 + (offsets ? 64 : 32) * places;
  const [out, positions] = [k.reserve(room), k.reserve(room)];
  const normsPtr = k.copyIn(Uint8Array.from(docs, (doc) => doc.norm));
  const states = new Map<string, TinyTerm>();
  const mark = k.mark();
  const encoder = new PostingsEncoder(
    k,
    FIELD_FREQS | FIELD_POSITIONS | FIELD_NORMS | (offsets ? FIELD_OFFSETS : 0),
    docs.length,
    out,
    room,
    positions,
    room,
  );
  for (const [ord, text] of texts.entries()) {
    encoder.begin();
    for (let docId = 0; docId < docs.length; docId++) {
      const list = docs[docId].terms.get(text);
      if (!list) continue;
      encoder.addDoc(docId, list.length, docs[docId].norm);
      for (const position of list) encoder.addPosition(position, position * 5, position * 5 + 4);
    }
    const { termOff, docFreq, totalTermFreq } = encoder.finish();
    states.set(text, { text, docFreq, totalTermFreq, ord, ptr: out + termOff });
  }
  k.release(mark);
  const withTerms = docs.filter((doc) => doc.terms.size).length;
  const postings: SegmentPostings = {
    ptr: 0,
    hasFreqs: true,
    hasPositions: true,
    hasOffsets: offsets,
    recordAt: (place) => place,
    positionsAt: () => positions,
    relocate: () => undefined,
    pieces: (_from, to) => Uint32Array.of(to, 0),
    normsPtr,
    hasNorms: normsPtr !== 0,
    termCount: texts.length,
    docCount: withTerms,
    sumDocFreq: 0,
    sumTotalTermFreq: 0,
  };
  return {
    docs,
    maxDoc: docs.length,
    postings,
    integers: makeColumn(
      k,
      'i64',
      docs.map((doc) => doc.integers),
    ),
    doubles: makeColumn(
      k,
      'f64',
      docs.map((doc) => doc.doubles),
    ),
    term: (text) => states.get(text) ?? { text, docFreq: 0, totalTermFreq: 0, ord: 0, ptr: 0 },
  };
}

/** The values of all lists: Array.flat takes ten times as long. */
function joined(lists: ReadonlyArray<readonly number[]>): number[] {
  const out: number[] = [];
  for (const list of lists) for (const value of list) out.push(value);
  return out;
}

/** Writes a column as specified in docs/internals/segment-format.md; integers as (value - least) / 3. */
export function makeColumn(k: Kernels, kind: 'i64' | 'f64', values: ReadonlyArray<readonly number[]>): SegmentColumn {
  const all = joined(values);
  const docCount = values.filter((list) => list.length).length;
  const multi = values.some((list) => list.length > 1);
  const full = docCount === values.length;
  const direct = !full && docCount * 8 >= values.length;
  let [lowest, highest] = [0, 0];
  for (const value of all) {
    if (value < lowest) lowest = value;
    if (value > highest) highest = value;
  }
  const base = kind === 'f64' ? 0 : lowest;
  const multiplier = 3;
  const slots = full || !direct ? values.filter((list) => list.length) : values.map((list) => (list.length || multi ? list : [base]));
  const width = kind === 'f64' ? 8 : 2;
  const ptr = k.reserve(64, 64);
  const presence = k.copyIn(
    bitset(
      values.length,
      [...values.keys()].filter((doc) => values[doc].length),
    ),
  );
  let seen = 0;
  const before = values.map((list) => (list.length ? seen++ : seen));
  const ranks = k.copyInU32(Uint32Array.from({ length: Math.ceil(values.length / 512) + 1 }, (_, i) => before[i * 512] ?? docCount));
  let first = 0;
  const starts = k.copyInU32(Uint32Array.from([0, ...slots.map((list) => (first += list.length))]));
  const stored = joined(slots);
  const valuesPtr = k.reserve(stored.length * width + 16);
  if (kind === 'f64') k.f64.set(stored, valuesPtr >>> 3);
  else
    k.u16.set(
      stored.map((value) => (value - base) / multiplier),
      valuesPtr >>> 1,
    );
  const blocks = Math.ceil(values.length / 4096);
  const bounds = k.reserve(blocks * 16 + 16);
  for (let b = 0; b < blocks; b++) {
    const block = joined(values.slice(b * 4096, b * 4096 + 4096));
    if (kind === 'f64') {
      k.f64[(bounds >>> 3) + b * 2] = Math.min(Infinity, ...block);
      k.f64[(bounds >>> 3) + b * 2 + 1] = Math.max(-Infinity, ...block);
    } else {
      const [low, high] = block.length ? [Math.min(...block), Math.max(...block)] : [base + 3, base];
      k.view.setBigUint64(bounds + b * 16, BigInt((low - base) / multiplier), true);
      k.view.setBigUint64(bounds + b * 16 + 8, BigInt((high - base) / multiplier), true);
    }
  }
  const flags = (multi ? 1 : 0) | (full ? 2 : 0) | (direct ? 4 : 0) | (kind === 'f64' ? 8 : 0);
  k.u32.set([flags, width], ptr >>> 2);
  k.view.setBigInt64(ptr + 8, BigInt(base), true);
  k.view.setBigInt64(ptr + 16, BigInt(multiplier), true);
  const offsets = [valuesPtr, full ? ptr : presence, full || direct ? ptr : ranks, multi ? starts : ptr, bounds].map((at) => at - ptr);
  k.u32.set([all.length, docCount, ...offsets, values.length], (ptr + 24) >>> 2);
  const [min, max] = [lowest, highest];
  return {
    kind,
    ptr,
    multiValued: multi,
    docCount,
    valueCount: all.length,
    min: kind === 'f64' ? min : BigInt(min),
    max: kind === 'f64' ? max : BigInt(max),
  };
}
