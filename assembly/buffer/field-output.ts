// Writes the inverted index of one field into an image: term dictionary, postings and positions grow side by side in the free space, and
// are moved together when the field is complete. Used by flush and merge, which differ in where terms and postings come from.
//   image.cur ├ terms, up to their limit ┬ postings, up to two fifths of the rest ┬ positions ┤ image.end
import {
  ENCODER_BYTES,
  PostingsEncoder,
  encoderAddDoc,
  encoderAddPosition,
  encoderBegin,
  encoderFinish,
  encoderInit,
  encoderScratchBytes,
} from '../postings/encoder';
import { WITH_FREQS, WITH_NORMS, WITH_OFFSETS, WITH_POSITIONS } from '../postings/format';
import { Region, regionAllocate } from '../mem/region';
import { E_NO_SPACE } from '../mem/status';
import { TERMS_DOCS, TERMS_FREQS, TERMS_OFFSETS, TERMS_POSITIONS, TermsHeader } from '../terms/dictionary';
import { TERMS_WRITER_BYTES, TermsWriter, termsBytesLimit, writerAdd, writerFinish, writerOpen } from '../terms/writer';
import { ImageWriter, SectionKind, imageFree, imageSection } from './image';

// @ts-ignore: decorator
@unmanaged
export class FieldOutput {
  image: ImageWriter;
  terms: TermsWriter;
  encoder: PostingsEncoder;
  encoderScratch: usize;
  encoderScratchEnd: usize;
  fieldOrd: u32;
  flags: u32;
  /** Norms of the field in this image, 0 without. */
  norms: usize;
  /** Where postings and positions grow. */
  postings: usize;
  positions: usize;
  /** Of the term being written. */
  docFreq: u32;
  totalTermFreq: u64;
}

/** Scratch of an output for segments of at most `maxDoc` documents, besides the side buffer of its terms. */
export function outputBytes(maxDoc: u32): usize {
  return RECORD_BYTES + TERMS_WRITER_BYTES + ENCODER_BYTES + encoderScratchBytes(maxDoc);
}

const RECORD_BYTES: usize = 128;

/** An output in scratch memory, to be used for one field after the other; null if scratch is full. */
export function outputCreate(scratch: Region, image: ImageWriter, maxDoc: u32): FieldOutput | null {
  const at = (regionAllocate(scratch, outputBytes(maxDoc) + 8) + 15) & ~15;
  if (at < 16) return null;
  const output = changetype<FieldOutput>(at);
  output.image = image;
  output.terms = changetype<TermsWriter>(at + RECORD_BYTES);
  output.encoder = changetype<PostingsEncoder>(at + RECORD_BYTES + TERMS_WRITER_BYTES);
  output.encoderScratch = at + RECORD_BYTES + TERMS_WRITER_BYTES + ENCODER_BYTES;
  output.encoderScratchEnd = output.encoderScratch + encoderScratchBytes(maxDoc);
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
  output.positions = (output.postings + (flags & TERMS_POSITIONS ? rest / 5 * 2 : rest)) & ~63;
  encoderInit(
    changetype<usize>(output.encoder),
    encoderFlags(flags, norms != 0),
    output.postings,
    output.positions,
    output.positions,
    image.end,
    output.encoderScratch,
    output.encoderScratchEnd,
  );
  return writerOpen(output.terms, image.cur, termsEnd, side, flags);
}

function encoderFlags(flags: u32, hasNorms: bool): u32 {
  let result: u32 = hasNorms ? WITH_NORMS : 0;
  if (flags & TERMS_FREQS) result |= WITH_FREQS;
  if (flags & TERMS_POSITIONS) result |= WITH_POSITIONS;
  if (flags & TERMS_OFFSETS) result |= WITH_OFFSETS;
  return result;
}

/** Starts a term. Its documents follow in ascending order, each with its positions. */
// @ts-ignore: decorator
@inline
export function outputBegin(output: FieldOutput): void {
  output.docFreq = 0;
  output.totalTermFreq = 0;
  if (output.flags & TERMS_DOCS) encoderBegin(changetype<usize>(output.encoder));
}

// @ts-ignore: decorator
@inline
export function outputDoc(output: FieldOutput, docId: u32, freq: u32): void {
  output.docFreq++;
  output.totalTermFreq += freq;
  if (output.flags & TERMS_DOCS) encoderAddDoc(changetype<usize>(output.encoder), docId, freq, output.norms ? <u32>load<u8>(output.norms + docId) : 1);
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
  if (output.flags & TERMS_DOCS) {
    const status = encoderFinish(changetype<usize>(output.encoder));
    if (status < 0) return status;
    postingsOff = output.encoder.termOff;
  }
  return writerAdd(output.terms, termPtr, termLen, output.docFreq, output.totalTermFreq, postingsOff);
}

/** Ends the field: dictionary, postings and positions become sections of the image. None if no term was written. Returns 0 or E_NO_SPACE. */
export function outputFinish(output: FieldOutput, docCount: u32): i32 {
  const image = output.image, header = output.terms.section;
  if (changetype<TermsHeader>(header).termCount == 0) return 0;
  const bytes = writerFinish(output.terms);
  if (!bytes) return E_NO_SPACE;
  changetype<TermsHeader>(header).docCount = docCount;
  if (output.norms) changetype<TermsHeader>(header).normsBase = <u32>(output.norms - header);
  if (!imageSection(image, SectionKind.TERMS, output.fieldOrd, bytes)) return E_NO_SPACE;
  if (!(output.flags & TERMS_DOCS)) return 0;
  const postingsBytes = output.encoder.cur - output.postings;
  memory.copy(image.cur, output.postings, postingsBytes);
  changetype<TermsHeader>(header).postingsBase = <u32>(image.cur - header);
  if (!imageSection(image, SectionKind.POSTINGS, output.fieldOrd, postingsBytes)) return E_NO_SPACE;
  if (!(output.flags & TERMS_POSITIONS)) return 0;
  const positionsBytes = output.encoder.positionsCur - output.positions;
  memory.copy(image.cur, output.positions, positionsBytes);
  changetype<TermsHeader>(header).positionsBase = <u32>(image.cur - header);
  return imageSection(image, SectionKind.POSITIONS, output.fieldOrd, positionsBytes) ? 0 : E_NO_SPACE;
}
