// Opens segments that benches have kept as files next to their corpora.
import { readFileSync } from 'node:fs';
import { openSegment, type SegmentImageReader } from '../../src/arena/segment-reader.ts';
import { compileEngine, createMemory, Kernels, staticBytes } from '../../src/wasm/kernels.ts';

const SCRATCH_BYTES = 2 ** 30;

/** Opens the image that a file holds in an arena of its own, with 1 GiB of scratch. */
export function openSegmentFile(file: string): { k: Kernels; segment: SegmentImageReader } {
  const bytes = readFileSync(file);
  const module = compileEngine();
  const start = staticBytes(module);
  const k = new Kernels(module, createMemory(65536), start, SCRATCH_BYTES);
  const ptr = start + SCRATCH_BYTES;
  k.u8.set(bytes, ptr);
  return { k, segment: openSegment(k, ptr, bytes.length, { id: 1, file, verify: true }) };
}
