// The prose corpus (675 k documents, NDJSON) as one segment in a fresh arena, written by the real open buffer and merge. The image is kept
// beside the corpus and made anew when it is older, or with --rebuild.
import { createReadStream, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { chainBlob, words } from '../../src/analysis/blob.ts';
import { mergeSegments } from '../../src/arena/merge.ts';
import { type IndexAnalyzer, OpenBuffer } from '../../src/arena/open-buffer.ts';
import type { SegmentImageReader } from '../../src/arena/segment-reader.ts';
import { openSegment } from '../../src/arena/segment-reader.ts';
import type { FieldSpec } from '../../src/mapping/core/document-sink.ts';
import { StageId } from '../../src/wasm/generated/analysis.ts';
import { compileEngine, createMemory, Kernels, staticBytes } from '../../src/wasm/kernels.ts';

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

/** @param corpus path of prose.ndjson */
export async function loadProse(
  corpus: string,
  rebuild: boolean,
): Promise<{ k: Kernels; segment: SegmentImageReader; figures: IndexFigures | null }> {
  const file = `${corpus}.segment`;
  let figures: IndexFigures | null = null;
  if (rebuild || !existsSync(file) || statSync(file).mtimeMs < statSync(corpus).mtimeMs) {
    const built = await buildImage(corpus);
    figures = built.figures;
    writeFileSync(file, built.image);
  }
  const bytes = readFileSync(file);
  const module = compileEngine();
  const start = staticBytes(module);
  const k = new Kernels(module, createMemory(65536), start, GIB);
  const ptr = start + GIB;
  k.u8.set(bytes, ptr);
  return { k, segment: openSegment(k, ptr, bytes.length, { id: 1, file, verify: true }), figures };
}

async function buildImage(corpus: string): Promise<{ image: Uint8Array; figures: IndexFigures }> {
  const started = performance.now();
  const buffer = new OpenBuffer(compileEngine(), GIB / 2);
  buffer.useMapping('prose', FIELDS, { analyzer: () => STANDARD });
  const parts: Uint8Array[] = [];
  let seqNo = 0;
  const flush = (): void => {
    parts.push(buffer.flush().slice());
    buffer.reset();
    buffer.useMapping('prose', FIELDS, { analyzer: () => STANDARD });
  };
  for await (const line of createInterface({ input: createReadStream(corpus, { highWaterMark: 1 << 20 }) })) {
    if (line === '') continue;
    const { id, body } = JSON.parse(line) as { id: string; body: string };
    buffer.encoder.begin(null);
    buffer.encoder.text(0, body);
    buffer.encoder.end();
    buffer.add({ id, seqNo: seqNo++, version: 1, primaryTerm: 1 });
    if (buffer.isFull) flush();
  }
  if (buffer.docCount > 0) flush();
  const merging = performance.now();
  const inputs = parts.map((image, i) => ({ image, liveDocs: null, file: `part ${i}` }));
  const image = parts.length === 1 ? parts[0] : mergeSegments(compileEngine(), inputs).image;
  const done = performance.now();
  return {
    image,
    figures: { docs: seqNo, seconds: (done - started) / 1e3, mergeSeconds: (done - merging) / 1e3, sizeBytes: image.length },
  };
}
