// Small segments for tests: an open buffer on a small memory, its image opened in another one.
import { chainBlob, words } from '../../src/analysis/blob.ts';
import { type IndexAnalyzer, OpenBuffer } from '../../src/arena/open-buffer.ts';
import type { SegmentImageReader } from '../../src/arena/segment-reader.ts';
import { openSegment } from '../../src/arena/segment-reader.ts';
import type { FieldSpec } from '../../src/mapping/core/document-sink.ts';
import { StageId } from '../../src/wasm/generated/analysis.ts';
import { compileEngine, type Kernels } from '../../src/wasm/kernels.ts';
import type { KernelBuild } from './kernels.ts';

/** Standard tokenizer (tokens of at most 255 units) that lower-cases. */
const STANDARD_BLOB = chainBlob([{ id: StageId.STANDARD, config: words([255, 1]) }]);
const standard: IndexAnalyzer = { kernelBlob: STANDARD_BLOB, isKernelChain: true, kernelInput: (text) => Buffer.from(text) };
/** Every analyzer name is the standard one. */
export const ANALYSIS = { analyzer: () => standard };

export function textField(name: string, more: Partial<FieldSpec> = {}): FieldSpec {
  return { name, postings: 'positions', norms: true, analyzer: 'standard', positionIncrementGap: 100, column: 'none', ...more };
}

export function keywordField(name: string, more: Partial<FieldSpec> = {}): FieldSpec {
  return { name, postings: 'docs', norms: false, analyzer: null, positionIncrementGap: 0, column: 'ordinals', ...more };
}

export function columnField(name: string, column: FieldSpec['column']): FieldSpec {
  return { name, postings: 'none', norms: false, analyzer: null, positionIncrementGap: 0, column };
}

/** An open buffer of `pages` pages with these fields; texts are split by the standard tokenizer and lower-cased. */
export function createOpenBuffer(build: KernelBuild, fields: readonly FieldSpec[], pages = 512): OpenBuffer {
  const buffer = new OpenBuffer(compileEngine(build), 4 * 1024 * 1024, pages);
  buffer.useMapping('test', fields, ANALYSIS);
  return buffer;
}

let nextSegmentId = 1;

/** Copies an image into scratch of `k` (released with it) and opens it with all checks. */
export function openImage(k: Kernels, image: Uint8Array, verify = true): SegmentImageReader {
  const ptr = k.reserve(image.length + 64, 64);
  k.u8.set(image, ptr);
  return openSegment(k, ptr, image.length, { id: nextSegmentId++, file: 's0.seg', verify });
}
