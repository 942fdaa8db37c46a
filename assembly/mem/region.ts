// A region: bump allocation inside one extent of the host, with free lists of power-of-two blocks for tables that grow.
//   recordPtr ├ cur u32 │ end u32 │ start u32 │ failed u32 │ free lists u32[32] (by log2 of the size) ┤  REGION_BYTES
// Nothing is freed individually except by `regionFree`; `regionReset` frees everything at once.
// Memory is not zeroed.

// @ts-ignore: decorator
@unmanaged
export class Region {
  /** Next free byte. */
  cur: usize;
  /** One past the extent. */
  end: usize;
  start: usize;
  /** Set after an allocation failed; the owner checks it when convenient. */
  failed: u32;
}

const LISTS_OFF: usize = 16;
export const REGION_BYTES: usize = LISTS_OFF + 32 * 4;
const SMALLEST_LOG2: u32 = 4;

/** Makes `region` allocate from [start, end). */
export function regionInit(region: Region, start: usize, end: usize): void {
  region.start = start;
  region.end = end;
  regionReset(region);
}

export function regionReset(region: Region): void {
  region.cur = region.start;
  region.failed = 0;
  memory.fill(changetype<usize>(region) + LISTS_OFF, 0, 32 * 4);
}

/** `bytes` at a multiple of 8, or 0 with `failed` set when the extent is full. */
// @ts-ignore: decorator
@inline
export function regionAllocate(region: Region, bytes: usize): usize {
  const ptr = (region.cur + 7) & ~7;
  if (ptr > region.end || bytes > region.end - ptr) return regionFail(region);
  region.cur = ptr + bytes;
  return ptr;
}

function regionFail(region: Region): usize {
  region.failed = 1;
  return 0;
}

/** log2 of the block size of `regionAllocateBlock(bytes)`. */
// @ts-ignore: decorator
@inline
function blockLog2(bytes: usize): u32 {
  return bytes <= 1 << SMALLEST_LOG2 ? SMALLEST_LOG2 : 32 - clz<u32>(<u32>bytes - 1);
}

/** A block of at least `bytes` (the next power of two), reused from the free lists if possible; 0 when the extent is full. */
export function regionAllocateBlock(region: Region, bytes: usize): usize {
  if (bytes > 1 << 31) return regionFail(region);
  const log2 = blockLog2(bytes);
  const list = changetype<usize>(region) + LISTS_OFF + ((<usize>log2) << 2);
  const head = load<u32>(list);
  if (head) {
    store<u32>(list, load<u32>(head));
    return head;
  }
  return regionAllocate(region, (<usize>1) << log2);
}

/** Frees what `regionAllocateBlock(region, bytes)` returned for the same `bytes`. */
export function regionFree(region: Region, ptr: usize, bytes: usize): void {
  if (!ptr) return;
  const list = changetype<usize>(region) + LISTS_OFF + ((<usize>blockLog2(bytes)) << 2);
  store<u32>(ptr, load<u32>(list));
  store<u32>(list, <u32>ptr);
}
