// Writes the inverted index of one field into an image: term dictionary, postings and positions grow side by side in the free space, and
// are moved together when the field is complete. Used by flush and merge, which differ in the source of terms and postings.
//   image.cur ├ terms, up to their limit ┬ postings, up to two fifths of the rest ┬ positions ┤ image.end
import { FIELD_DOCS, FIELD_NORMS, FIELD_POSITIONS } from '../codec/field-flags';
import {
  PostingsEncoder,
  encoderAddDoc,
  encoderAddPosition,
  encoderBegin,
  encoderBytes,
  encoderFinish,
  encoderInit,
} from '../postings/encoder';
import { Region, regionAllocate } from '../mem/region';
import { E_NO_SPACE } from '../mem/status';
import { TermsHeader } from '../terms/dictionary';
import { TERMS_WRITER_BYTES, TermsWriter, termsBytesLimit, writerAdd, writerFinish, writerOpen } from '../terms/writer';
import { ImageWriter, SectionKind, imageFree, imageSection } from './image';
import { RANGE_ENTRY_BYTES, RangeList, rangesBegin, rangesEnd, rangesOpen, rangesWrite } from './ranges';

// @ts-ignore: decorator
@unmanaged
export class FieldOutput {
  image: ImageWriter;
  terms: TermsWriter;
  encoder: PostingsEncoder;
  ranges: RangeList;
  maxDoc: u32;
  fieldOrd: u32;
  flags: u32;
  /** Norms of the field in this image, 0 without. */
  norms: usize;
  /** Start of the postings and positions that are being written. */
  postings: usize;
  positions: usize;
  // State of the current term.
  docFreq: u32;
  totalTermFreq: u64;
}

/** Scratch of an output for segments of at most `maxDoc` documents whose fields have up to `ranges` ranges, besides the side buffer of its terms. */
export function outputBytes(maxDoc: u32, ranges: u32): usize {
  return RECORD_BYTES + TERMS_WRITER_BYTES + encoderBytes(maxDoc) + <usize>ranges * RANGE_ENTRY_BYTES;
}

const RECORD_BYTES: usize = 128;
const RANGES_OFF: usize = 96;

/** Creates an output in scratch memory, to be used for one field after another; null if scratch is full. */
export function outputCreate(scratch: Region, image: ImageWriter, maxDoc: u32, ranges: u32): FieldOutput | null {
  assert(offsetof<FieldOutput>() <= RANGES_OFF && RANGES_OFF + offsetof<RangeList>() <= RECORD_BYTES);
  const at = (regionAllocate(scratch, outputBytes(maxDoc, ranges) + 8) + 15) & ~15;
  if (at < 16) return null;
  const output = changetype<FieldOutput>(at);
  output.image = image;
  output.terms = changetype<TermsWriter>(at + RECORD_BYTES);
  output.encoder = changetype<PostingsEncoder>(at + RECORD_BYTES + TERMS_WRITER_BYTES);
  output.ranges = changetype<RangeList>(at + RANGES_OFF);
  output.ranges.entries = changetype<usize>(output.encoder) + encoderBytes(maxDoc);
  output.ranges.capacity = ranges;
  output.maxDoc = maxDoc;
  return output;
}

/**
 * Starts a field of at most `terms` terms with `termBytes` bytes. `flags`: the dictionary's; `norms`: u8[maxDoc] or 0;
 * `side`: termsSideBytes(terms). Returns 0 or E_NO_SPACE.
 */
export function outputOpen(output: FieldOutput, fieldOrd: u32, flags: u32, terms: u32, termBytes: u64, side: usize, norms: usize): i32 {
  const image = output.image, limit = termsBytesLimit(terms, termBytes) + 127;
  if (limit > <u64>imageFree(image)) return E_NO_SPACE;
  const termsEnd = image.cur + <usize>limit;
  output.fieldOrd = fieldOrd;
  output.flags = flags;
  output.norms = norms;
  output.postings = (termsEnd + 63) & ~63;
  if (output.postings > image.end) return E_NO_SPACE;
  const rest = image.end - output.postings;
  output.positions = (output.postings + (flags & FIELD_POSITIONS ? rest / 5 * 2 : rest)) & ~63;
  const encoderFlags = norms ? flags | FIELD_NORMS : flags;
  encoderInit(changetype<usize>(output.encoder), output.maxDoc, encoderFlags, output.postings, output.positions, output.positions, image.end);
  rangesOpen(output.ranges);
  return writerOpen(output.terms, image.cur, termsEnd, side, flags);
}

/** Starts a term. Its documents follow in ascending order, each with its positions. */
// @ts-ignore: decorator
@inline
export function outputBegin(output: FieldOutput): void {
  output.docFreq = 0;
  output.totalTermFreq = 0;
  if (!(output.flags & FIELD_DOCS)) return;
  rangesBegin(output.ranges, output.encoder, nextOrd(output));
  encoderBegin(changetype<usize>(output.encoder));
}

/** Ordinal of the term that is being written. */
// @ts-ignore: decorator
@inline
function nextOrd(output: FieldOutput): u32 {
  return changetype<TermsHeader>(output.terms.section).termCount;
}

// @ts-ignore: decorator
@inline
export function outputDoc(output: FieldOutput, docId: u32, freq: u32): void {
  output.docFreq++;
  output.totalTermFreq += freq;
  if (output.flags & FIELD_DOCS) encoderAddDoc(changetype<usize>(output.encoder), docId, freq, output.norms ? <u32>load<u8>(output.norms + docId) : 1);
}

/** Next occurrence in the document of the last `outputDoc`. */
// @ts-ignore: decorator
@inline
export function outputPosition(output: FieldOutput, position: u32, startOffset: u32, endOffset: u32): void {
  encoderAddPosition(changetype<usize>(output.encoder), position, startOffset, endOffset);
}

/** Ends a term that has at least one document. Returns 0 or E_NO_SPACE. */
export function outputEnd(output: FieldOutput, termPtr: usize, termLen: u32): i32 {
  let postingsOff: u32 = 0;
  if (output.flags & FIELD_DOCS) {
    const status = encoderFinish(changetype<usize>(output.encoder));
    if (status < 0) return status;
    rangesEnd(output.ranges, output.encoder, nextOrd(output));
    postingsOff = output.encoder.termOff;
  }
  return writerAdd(output.terms, termPtr, termLen, output.docFreq, output.totalTermFreq, postingsOff);
}

/** Ends the field: dictionary, postings, positions and their ranges become sections of the image. None if no term was written. Returns 0 or E_NO_SPACE. */
export function outputFinish(output: FieldOutput, docCount: u32): i32 {
  const image = output.image, header = output.terms.section;
  if (changetype<TermsHeader>(header).termCount == 0) return 0;
  const bytes = writerFinish(output.terms);
  if (!bytes) return E_NO_SPACE;
  changetype<TermsHeader>(header).docCount = docCount;
  if (output.norms) changetype<TermsHeader>(header).normsBase = <u32>(output.norms - header);
  if (!imageSection(image, SectionKind.TERMS, output.fieldOrd, bytes)) return E_NO_SPACE;
  if (!(output.flags & FIELD_DOCS)) return 0;
  const postings = image.cur, postingsBytes = output.encoder.cur - output.postings;
  memory.copy(postings, output.postings, postingsBytes);
  changetype<TermsHeader>(header).postingsBase = <u32>(postings - header);
  if (!imageSection(image, SectionKind.POSTINGS, output.fieldOrd, postingsBytes)) return E_NO_SPACE;
  const positions = image.cur;
  let positionsBytes: usize = 0;
  if (output.flags & FIELD_POSITIONS) {
    positionsBytes = output.encoder.positionsCur - output.positions;
    memory.copy(positions, output.positions, positionsBytes);
    changetype<TermsHeader>(header).positionsBase = <u32>(positions - header);
    if (!imageSection(image, SectionKind.POSITIONS, output.fieldOrd, positionsBytes)) return E_NO_SPACE;
  }
  const ranges = output.ranges;
  if (ranges.count < 2) return 0;
  if (<usize>ranges.count * RANGE_ENTRY_BYTES > imageFree(image)) return E_NO_SPACE;
  const rangesBytes = rangesWrite(ranges, image.cur, postings, postingsBytes, positions, positionsBytes);
  return imageSection(image, SectionKind.RANGES, output.fieldOrd, rangesBytes) ? 0 : E_NO_SPACE;
}
