// Memory of the process that the system cannot drop: heaps, buffers, kernels and dirty pages, but not mapped files, which the system can
// read again.
import { readFileSync } from 'node:fs';

let pageBytes = 0;

/** Anonymous memory in bytes. On systems without /proc, all resident memory. A call takes about 15 µs. */
export function anonymousBytes(): number {
  if (process.platform !== 'linux') return process.memoryUsage.rss();
  try {
    // In pages: total, resident, resident and backed by a file.
    const [, resident, shared] = readFileSync('/proc/self/statm', 'latin1').split(' ').map(Number);
    if (pageBytes === 0) pageBytes = nearestPowerOfTwo(process.memoryUsage.rss() / resident);
    return (resident - shared) * pageBytes;
  } catch {
    return process.memoryUsage.rss();
  }
}

function nearestPowerOfTwo(value: number): number {
  return 2 ** Math.round(Math.log2(value));
}
