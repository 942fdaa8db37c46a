// The open buffer as the host uses it: created in an extent, given fields, emptied.
import { BATCH } from '../analysis/stage';
import { regionAllocate, regionAllocateBlock, regionInit, regionReset } from '../mem/region';
import { E_NO_SPACE } from '../mem/status';
import {
  BUFFER_BYTES,
  Buffer,
  FIELD_BYTES,
  Field,
  MAX_PATHS,
  NO_DOC,
  REGION_OFF,
  checkLayout,
  fieldAt,
  growArray,
  regionOf,
} from './layout';

/**
 * Makes an open buffer in [ptr, extentEnd); documents go to [ptr + BUFFER_BYTES, regionEnd), flush uses the rest.
 * Pre: ptr is a multiple of 64.
 */
export function bufferInit(ptr: usize, regionEnd: usize, extentEnd: usize, seedLow: u32, seedHigh: u32): i32 {
  checkLayout();
  const buffer = changetype<Buffer>(ptr);
  memory.fill(ptr, 0, BUFFER_BYTES);
  buffer.extentEnd = extentEnd;
  buffer.hashSeed = <u64>seedLow | (<u64>seedHigh << 32);
  regionInit(regionOf(buffer), ptr + BUFFER_BYTES, regionEnd);
  return bufferReset(ptr);
}

/** Drops all documents and fields. Returns 0 or E_NO_SPACE. */
export function bufferReset(ptr: usize): i32 {
  const buffer = changetype<Buffer>(ptr), region = regionOf(buffer);
  regionReset(region);
  memory.fill(ptr + offsetof<Buffer>('fieldCount'), 0, offsetof<Buffer>() - offsetof<Buffer>('fieldCount'));
  buffer.paths = regionAllocate(region, <usize>MAX_PATHS * 4);
  buffer.found = regionAllocate(region, <usize>BATCH * 8);
  return buffer.paths && buffer.found ? 0 : E_NO_SPACE;
}

/** Adds a field; its number is the count of earlier fields. `chain`: region of its analysis chain, or 0. Returns the number or E_NO_SPACE. */
export function bufferAddField(ptr: usize, flags: u32, positionGap: u32, chain: usize, namePtr: usize, nameLen: u32): i32 {
  const buffer = changetype<Buffer>(ptr), region = regionOf(buffer);
  if (buffer.fieldCount == buffer.fieldCapacity) {
    const capacity = max<u32>(16, buffer.fieldCapacity * 2);
    const grown = growArray(region, buffer.fields, <usize>buffer.fieldCapacity << 2, <usize>capacity << 2);
    if (!grown) return E_NO_SPACE;
    buffer.fields = grown;
    buffer.fieldCapacity = capacity;
  }
  const at = regionAllocate(region, FIELD_BYTES + <usize>nameLen);
  if (!at) return E_NO_SPACE;
  memory.fill(at, 0, FIELD_BYTES);
  const field = changetype<Field>(at);
  field.flags = flags;
  field.positionGap = positionGap;
  field.chain = chain;
  field.name = at + FIELD_BYTES;
  field.nameLength = nameLen;
  field.doc = NO_DOC;
  field.number = buffer.fieldCount;
  memory.copy(field.name, namePtr, nameLen);
  store<u32>(buffer.fields + ((<usize>buffer.fieldCount) << 2), <u32>at);
  return buffer.fieldCount++;
}

/** Memory of the buffer's region that lasts as long as its content, for analysis chains; 0 if it is full. */
export function bufferAllocate(ptr: usize, bytes: usize): usize {
  return regionAllocateBlock(regionOf(changetype<Buffer>(ptr)), bytes);
}

/** Gives a field another region for its analysis chain. */
export function bufferSetChain(ptr: usize, number: u32, chain: usize): void {
  fieldAt(changetype<Buffer>(ptr), number).chain = chain;
}

/** Bytes of the region in use. */
export function bufferUsedBytes(ptr: usize): usize {
  const region = regionOf(changetype<Buffer>(ptr));
  return region.cur - region.start;
}
