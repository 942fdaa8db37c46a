// Column values and norms of the open buffer: (document, value) pairs in a list of chunks, 16 pairs first and up to 4096.
import { Region, regionAllocate } from '../mem/region';
import { CHUNK_HEADER_BYTES, ENTRY_BYTES, ValueStream } from './layout';

const FIRST_ENTRIES: u32 = 16;
const MAX_ENTRIES: u32 = 4096;

/** Adds a pair; false with the region marked as failed if memory is full. */
export function streamAdd(region: Region, stream: ValueStream, doc: u32, value: i64): bool {
  if (stream.cur == stream.end && !grow(region, stream)) return false;
  store<u32>(stream.cur, doc);
  store<i64>(stream.cur, value, 4);
  stream.cur += ENTRY_BYTES;
  stream.count++;
  return true;
}

function grow(region: Region, stream: ValueStream): bool {
  const entries = stream.chunk ? min(load<u32>(stream.chunk, 4) * 2, MAX_ENTRIES) : FIRST_ENTRIES;
  const chunk = regionAllocate(region, CHUNK_HEADER_BYTES + <usize>entries * ENTRY_BYTES);
  if (!chunk) return false;
  store<u32>(chunk, 0);
  store<u32>(chunk, entries, 4);
  if (stream.chunk) store<u32>(stream.chunk, <u32>chunk);
  else stream.head = chunk;
  stream.chunk = chunk;
  stream.cur = chunk + CHUNK_HEADER_BYTES;
  stream.end = stream.cur + <usize>entries * ENTRY_BYTES;
  return true;
}

/**
 * Copies the pairs whose document remains to parallel arrays, with documents renumbered by `docMap` (u32[], NO_DOC: dropped).
 * Returns their number. The caller provides room for `stream.count` entries.
 */
export function streamCollect(stream: ValueStream, docMap: usize, docsPtr: usize, valuesPtr: usize): u32 {
  let count: u32 = 0, left = stream.count;
  for (let chunk = stream.head; left; chunk = <usize>load<u32>(chunk)) {
    const entries = min(load<u32>(chunk, 4), left);
    left -= entries;
    let entry = chunk + CHUNK_HEADER_BYTES;
    for (const end = entry + <usize>entries * ENTRY_BYTES; entry < end; entry += ENTRY_BYTES) {
      const doc = load<u32>(docMap + ((<usize>load<u32>(entry)) << 2));
      if (doc == u32.MAX_VALUE) continue;
      store<u32>(docsPtr + ((<usize>count) << 2), doc);
      store<i64>(valuesPtr + ((<usize>count) << 3), load<i64>(entry, 4));
      count++;
    }
  }
  return count;
}
