// Where this module's static data ends: the host keeps everything it hands out above it.

/** First byte behind static data. Constant of the build. */
export function heapBase(): usize {
  return __heap_base;
}
