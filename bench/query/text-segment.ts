// Texts as one segment of one field in a fresh arena, written by the real open buffer and merge: the content of an index after a force merge.
import { chainBlob, words } from '../../src/analysis/blob.ts';
import { mergeSegments } from '../../src/arena/merge.ts';
import { type IndexAnalyzer, OpenBuffer } from '../../src/arena/open-buffer.ts';
import type { FieldSpec } from '../../src/mapping/core/document-sink.ts';
import { StageId } from '../../src/wasm/generated/analysis.ts';
import { compileEngine } from '../../src/wasm/kernels.ts';

const GIB = 2 ** 30;
/** Lucene's StandardAnalyzer without stop words. */
const STANDARD: IndexAnalyzer = {
  kernelBlob: chainBlob([{ id: StageId.STANDARD, config: words([255, 1]) }]),
  isKernelChain: true,
  kernelInput: (text) => Buffer.from(text),
};
export const FIELD = 'body';
const FIELDS: readonly FieldSpec[] = [
  { name: FIELD, postings: 'positions', norms: true, analyzer: 'standard', positionIncrementGap: 100, column: 'none' },
];

export interface IndexFigures {
  readonly docs: number;
  readonly seconds: number;
  readonly mergeSeconds: number;
  readonly sizeBytes: number;
}

export interface TextDocument {
  readonly id: string;
  readonly text: string;
}

/** The image of all documents, as one segment. @param reorder  similar documents become neighbours (`index.merge.reorder`) */
export async function buildTextSegment(
  documents: AsyncIterable<TextDocument>,
  reorder = false,
): Promise<{ image: Uint8Array; figures: IndexFigures }> {
  const started = performance.now();
  const buffer = new OpenBuffer(compileEngine(), GIB / 2);
  const useMapping = (): void => buffer.useMapping('texts', FIELDS, { analyzer: () => STANDARD });
  useMapping();
  const parts: Uint8Array[] = [];
  let seqNo = 0;
  const flush = (): void => {
    parts.push(buffer.flush().slice());
    buffer.reset();
    useMapping();
  };
  for await (const { id, text } of documents) {
    buffer.encoder.begin(null);
    buffer.encoder.text(0, text);
    buffer.encoder.end();
    buffer.add({ id, seqNo: seqNo++, version: 1, primaryTerm: 1 });
    if (buffer.isFull) flush();
  }
  if (buffer.docCount > 0 || parts.length === 0) flush();
  const merging = performance.now();
  const inputs = parts.map((image, i) => ({ image, liveDocs: null, file: `part ${i}` }));
  const image = parts.length === 1 && !reorder ? parts[0] : mergeSegments(compileEngine(), inputs, { reorder }).image;
  const done = performance.now();
  return {
    image,
    figures: { docs: seqNo, seconds: (done - started) / 1e3, mergeSeconds: (done - merging) / 1e3, sizeBytes: image.length },
  };
}
