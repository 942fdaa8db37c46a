// Merges the inverted index of one field: walks the term dictionaries of the inputs side by side, decodes postings and encodes them again without
// the dropped documents. Runs in slices, so that an indexer stays responsive.
//   work ├ MergeTerms ┬ per input: MergeInput, buffer for its current term ┤
// Pre: documents are numbered in the order of the inputs, so that postings stay ascending; or there is only one input, with an area.
import { FIELD_DOCS, FIELD_FREQS, FIELD_NORMS, FIELD_POSITIONS } from '../codec/field-flags';
import { bitsetCount, bitsetSet } from '../codec/bitset';
import { CURSOR_BYTES, PostingsCursor, cursorFreq, cursorNext as nextDoc, cursorOpen as openPostings } from '../postings/cursor';
import { cursorNextPosition, cursorStartPositions } from '../postings/cursor-positions';
import { NO_MORE_DOCS } from '../postings/format';
import { E_CORRUPT } from '../mem/status';
import { TERMS_CURSOR_BYTES, TermsCursor, cursorNext, cursorOpen } from '../terms/cursor';
import { TermsHeader, compareBytes, prefixOf } from '../terms/dictionary';
import { FieldOutput, outputBegin, outputDoc, outputEnd, outputFinish, outputOpen, outputPosition } from './field-output';
import { NO_DOC } from './layout';
import { reorderPostings } from './reorder';
import { SegmentWriter } from './segment-writer';

/** An input that has the field; written by the host. */
// @ts-ignore: decorator
@unmanaged
export class MergeSource {
  /** Address of its term dictionary. */
  terms: usize;
  /** Norms and positions section, 0 without. */
  norms: usize;
  positions: usize;
  /** u32[maxDoc]: new doc id, NO_DOC if the document is dropped. */
  docMap: usize;
  /** u32[termCount], filled: new ordinal of each remaining term. 0: not needed. */
  ordMap: usize;
  /** u32[termCount]: remaining documents of each term, for fields without postings; 0 otherwise. */
  docFreqs: usize;
}

/** A field to be merged; written by the host. */
// @ts-ignore: decorator
@unmanaged
export class MergeField {
  /** MergeSource[count] */
  sources: usize;
  count: u32;
  fieldOrd: u32;
  /** Sums over the sources. */
  terms: u32;
  termBytes: u64;
  /** termsSideBytes(terms) */
  side: usize;
  /** Norms in the new segment, 0 without. */
  norms: usize;
  /** Zeroed bitset of the new segment's documents; 0 if no document is dropped. */
  present: usize;
  /** Area of reorderAreaBytes to sort postings in, if the documents of the only source are put in another order; else 0. */
  area: usize;
}

// @ts-ignore: decorator
@unmanaged
class MergeInput {
  source: MergeSource;
  cursor: TermsCursor;
  postings: usize;
  /** FIELD_* flags of its postings. */
  flags: u32;
  prefix: u64;
  ended: u32;
}

const INPUT_BYTES: usize = 32;

// @ts-ignore: decorator
@unmanaged
class MergeTerms {
  writer: SegmentWriter;
  inputs: usize;
  count: u32;
  nextOrd: u32;
  /** Bitset of documents that have a term; 0 if no document is dropped. */
  present: usize;
  docCount: u32;
  /** See MergeField. */
  area: usize;
}

const STATE_BYTES: usize = 64;

/** Bytes of work memory for `count` inputs with terms of at most `longestTerm` bytes. */
export function mergeTermsBytes(count: u32, longestTerm: u32): usize {
  return STATE_BYTES + <usize>count * (INPUT_BYTES + TERMS_CURSOR_BYTES + CURSOR_BYTES + ((<usize>longestTerm + 31) & ~15));
}

/** Starts a field in mergeTermsBytes(count, longestTerm) of `work` memory. Returns 0 or a status. */
export function mergeTermsOpen(work: usize, writerPtr: usize, fieldPtr: usize): i32 {
  const state = changetype<MergeTerms>(work), writer = changetype<SegmentWriter>(writerPtr), field = changetype<MergeField>(fieldPtr);
  const sources = field.sources, count = field.count;
  state.writer = writer;
  state.inputs = work + STATE_BYTES;
  state.count = count;
  state.nextOrd = 0;
  state.present = field.present;
  state.docCount = 0;
  state.area = field.area;
  let cur = work + STATE_BYTES + <usize>count * INPUT_BYTES;
  const flags = changetype<TermsHeader>(changetype<MergeSource>(sources).terms).flags;
  for (let i: u32 = 0; i < count; i++) {
    const input = inputAt(state, i), source = changetype<MergeSource>(sources + <usize>i * offsetof<MergeSource>());
    const header = changetype<TermsHeader>(source.terms);
    if (header.flags != flags) return E_CORRUPT;
    input.source = source;
    input.flags = source.norms ? flags | FIELD_NORMS : flags;
    state.docCount += header.docCount;
    cur = (cur + 15) & ~15;
    input.postings = cur;
    cur += CURSOR_BYTES;
    input.cursor = changetype<TermsCursor>(cur);
    cur += TERMS_CURSOR_BYTES;
    cursorOpen(input.cursor, source.terms, 0, cur);
    cur += <usize>header.longestTerm + 8;
    advance(input);
  }
  return outputOpen(writer.output, field.fieldOrd, flags, field.terms, field.termBytes, field.side, field.norms);
}

// @ts-ignore: decorator
@inline
function inputAt(state: MergeTerms, index: u32): MergeInput {
  return changetype<MergeInput>(state.inputs + <usize>index * INPUT_BYTES);
}

function advance(input: MergeInput): void {
  input.ended = cursorNext(input.cursor) ? 0 : 1;
  if (!input.ended) input.prefix = prefixOf(input.cursor.termPtr, input.cursor.termLen);
}

/** Merges until about `budget` postings are written. Returns 1 if there is more to do, 0 at the end of the field, or a status. */
export function mergeTermsStep(work: usize, budget: u32): i32 {
  const state = changetype<MergeTerms>(work), output = state.writer.output;
  let spent: u32 = 0;
  while (spent < budget) {
    const least = leastInput(state);
    if (!least) return finish(state, output);
    spent += 8;
    const cursor = least.cursor;
    let begun = false;
    for (let i: u32 = 0; i < state.count; i++) {
      const input = inputAt(state, i);
      if (input.ended || input.prefix != least.prefix) continue;
      if (changetype<usize>(input) != changetype<usize>(least)) {
        const other = input.cursor;
        if (compareBytes(other.termPtr, other.termLen, cursor.termPtr, cursor.termLen) != 0) continue;
      }
      const ordMap = input.source.ordMap;
      if (ordMap) store<u32>(ordMap + ((<usize>input.cursor.ord) << 2), state.nextOrd);
      spent += input.cursor.docFreq;
      begun = copyPostings(state, output, input, begun);
    }
    if (begun) {
      const status = outputEnd(output, cursor.termPtr, cursor.termLen);
      if (status != 0) return status;
      state.nextOrd++;
    }
    advanceEqual(state, least);
  }
  return 1;
}

/** First input whose current term is the smallest; null at the end of all. */
function leastInput(state: MergeTerms): MergeInput | null {
  let least: MergeInput | null = null;
  for (let i: u32 = 0; i < state.count; i++) {
    const input = inputAt(state, i);
    if (input.ended) continue;
    if (least) {
      if (input.prefix > least.prefix) continue;
      if (input.prefix == least.prefix) {
        const a = input.cursor, b = least.cursor;
        if (compareBytes(a.termPtr, a.termLen, b.termPtr, b.termLen) >= 0) continue;
      }
    }
    least = input;
  }
  return least;
}

/** Advances all inputs whose current term is that of `least`, itself last. */
function advanceEqual(state: MergeTerms, least: MergeInput): void {
  const term = least.cursor;
  for (let i: u32 = 0; i < state.count; i++) {
    const input = inputAt(state, i), cursor = input.cursor;
    if (input.ended || changetype<usize>(input) == changetype<usize>(least) || input.prefix != least.prefix) continue;
    if (compareBytes(cursor.termPtr, cursor.termLen, term.termPtr, term.termLen) == 0) advance(input);
  }
  advance(least);
}

/** Passes the remaining postings of the input's current term to the output. Returns whether the term has been begun. */
function copyPostings(state: MergeTerms, output: FieldOutput, input: MergeInput, begun: bool): bool {
  const cursor = input.cursor, source = input.source;
  if (source.docFreqs) {
    const docFreq = load<u32>(source.docFreqs + ((<usize>cursor.ord) << 2));
    if (docFreq == 0) return begun;
    if (!begun) outputBegin(output);
    output.docFreq += docFreq;
    output.totalTermFreq += docFreq;
    return true;
  }
  const flags = input.flags, at = input.postings, postings = changetype<PostingsCursor>(at);
  const hasFreqs = (flags & FIELD_FREQS) != 0, hasPositions = (flags & FIELD_POSITIONS) != 0;
  openPostings(at, cursor.postingsPtr, cursor.docFreq, flags, source.positions);
  if (state.area) {
    reorderPostings(output, at, source.docMap, state.area, state.writer.maxDoc, hasFreqs, hasPositions);
    return true;
  }
  for (let doc = nextDoc(at); doc != NO_MORE_DOCS; doc = nextDoc(at)) {
    const docId = load<u32>(source.docMap + ((<usize>doc) << 2));
    if (docId == NO_DOC) continue;
    if (!begun) {
      outputBegin(output);
      begun = true;
    }
    const freq = hasFreqs ? cursorFreq(at) : 1;
    outputDoc(output, docId, freq);
    if (state.present) bitsetSet(state.present, docId);
    if (!hasPositions) continue;
    cursorStartPositions(at);
    for (let i: u32 = 0; i < freq; i++) {
      const position = cursorNextPosition(at);
      outputPosition(output, position, postings.startOffset, postings.endOffset);
    }
  }
  return begun;
}

function finish(state: MergeTerms, output: FieldOutput): i32 {
  const writer = state.writer;
  const noPostings = (output.flags & FIELD_DOCS) == 0;
  return outputFinish(output, state.present && !noPostings ? bitsetCount(state.present, writer.maxDoc) : state.docCount);
}
