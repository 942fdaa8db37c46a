// Where this module's static data ends (the host keeps everything it hands out above it), and where its memory does.

/** First byte behind static data. Constant of the build. */
export function heapBase(): usize {
  return __heap_base;
}

/** Last address at which so many bytes can be read, whatever stands there. */
export function lastReadable(bytes: usize): usize {
  return <usize>((<u64>memory.size() << 16) - bytes);
}
