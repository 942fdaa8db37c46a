// End of this module's static data (the host allocates only above it), and end of its memory.

/** First byte after the static data. Constant of the build. */
export function heapBase(): usize {
  return __heap_base;
}

/** Last address at which this many bytes can be read. */
export function lastReadable(bytes: usize): usize {
  return <usize>((<u64>memory.size() << 16) - bytes);
}
