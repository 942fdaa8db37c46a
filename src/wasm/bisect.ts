// Host side of assembly/buffer/bisect.ts: an order of a segment's documents in which similar ones are neighbours.
import { Bisect, LOG_ENTRIES, MAX_RANGES } from './generated/buffer.ts';
import { TermsHeader } from './generated/terms.ts';
import type { Kernels } from './kernels.ts';
import { getU32, setU32 } from './records.ts';

/** Terms are numbered by u16. */
const MAX_TERMS = 65536;
/** Terms that occur in fewer than one of so many documents do not decide where these go: with 1,024 the prose corpus becomes 0.1 % smaller. */
const DOCS_PER_TERM = 256;
const FEWEST_DOCS = 8;
/** Terms of documents, and ordinals of a dictionary, between two yields: about ten milliseconds. */
const STEP_TERMS = 4_000_000;
const STEP_ORDS = 20_000;
const ALIGN = 64;

/** A field with postings: addresses in kernel memory. */
export interface BisectField {
  /** Its dictionary. */
  readonly terms: number;
  /** FIELD_* flags of its postings. */
  readonly flags: number;
}

export interface BisectPlan {
  readonly fields: readonly BisectField[];
  readonly maxDoc: number;
  readonly leastDocs: number;
  readonly terms: number;
  /** Postings of these terms. */
  readonly entries: number;
  /** Memory that the order needs while it is computed. */
  readonly bytes: number;
}

/** Chooses the terms by which documents are compared. */
export function planBisection(k: Kernels, fields: readonly BisectField[], maxDoc: number): BisectPlan {
  let leastDocs = Math.max(FEWEST_DOCS, Math.floor(maxDoc / DOCS_PER_TERM));
  for (;;) {
    const { terms, entries } = measure(k, fields, leastDocs);
    if (terms <= MAX_TERMS) {
      const bytes =
        maxDoc * 12 + entries * 2 + terms * 14 + LOG_ENTRIES * 4 + Bisect.sizeof + MAX_RANGES * 8 + workBytes(k, fields) + 16 * ALIGN;
      return { fields, maxDoc, leastDocs, terms, entries, bytes };
    }
    leastDocs *= 2;
  }
}

function workBytes(k: Kernels, fields: readonly BisectField[]): number {
  const longest = Math.max(0, ...fields.map(({ terms }) => getU32(k, terms, TermsHeader.longestTerm)));
  return k.exports.bisectTermsBytes(longest);
}

function measure(k: Kernels, fields: readonly BisectField[], leastDocs: number): { terms: number; entries: number } {
  return k.scoped(() => {
    const work = k.reserve(workBytes(k, fields), ALIGN);
    const out = k.reserve(16);
    let terms = 0;
    let entries = 0;
    for (const field of fields) {
      k.exports.bisectMeasure(field.terms, leastDocs, work, out);
      terms += k.u32[out >>> 2];
      entries += k.f64[(out + 8) >>> 3];
    }
    return { terms, entries };
  });
}

/**
 * Computes the order in slices of some ten milliseconds.
 * @param allocate  memory that stays until the order has been used, zeroed on request
 * @param order     u32[maxDoc], filled: the old document of each new one
 * @param docMap    u32[maxDoc], filled: the reverse
 */
export function* bisectDocuments(
  k: Kernels,
  plan: BisectPlan,
  allocate: (bytes: number, zero?: boolean) => number,
  { order, docMap }: { readonly order: number; readonly docMap: number },
): Generator<void, void> {
  const { fields, maxDoc, leastDocs, terms, entries } = plan;
  const state = allocate(Bisect.sizeof, true);
  setU32(k, state, Bisect.maxDoc, maxDoc);
  setU32(k, state, Bisect.leastDocs, leastDocs);
  setU32(k, state, Bisect.keys, allocate(maxDoc * 8));
  setU32(k, state, Bisect.starts, allocate((maxDoc + 2) * 4, true));
  setU32(k, state, Bisect.docTerms, allocate(entries * 2));
  setU32(k, state, Bisect.left, allocate(terms * 4, true));
  setU32(k, state, Bisect.right, allocate(terms * 4, true));
  setU32(k, state, Bisect.biases, allocate(terms * 4));
  setU32(k, state, Bisect.seen, allocate(terms * 2));
  setU32(k, state, Bisect.ranges, allocate(MAX_RANGES * 8));
  const logs = allocate(LOG_ENTRIES * 4);
  setU32(k, state, Bisect.logs, logs);
  k.f32.set(logarithms(), logs >>> 2);
  const work = allocate(workBytes(k, fields));
  for (const fill of [0, 1]) {
    for (const field of fields) {
      const count = getU32(k, field.terms, TermsHeader.termCount);
      for (let ord = 0; ord < count; ord += STEP_ORDS) {
        k.exports.bisectAdd(state, field.terms, field.flags, ord, Math.min(ord + STEP_ORDS, count), fill, work);
        yield;
      }
    }
    if (fill === 0) k.exports.bisectStarts(state);
  }
  while (k.exports.bisectStep(state, STEP_TERMS) === 1) yield;
  k.exports.bisectFinish(state, order, docMap);
}

/** log2 of the numbers below LOG_ENTRIES, 0 for 0. */
function logarithms(): Float32Array {
  return Float32Array.from({ length: LOG_ENTRIES }, (_, i) => (i === 0 ? 0 : Math.log2(i)));
}
