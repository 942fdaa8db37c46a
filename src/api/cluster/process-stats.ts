// Measurements of the machine and of this process, taken when they are requested.

import { readFileSync, statfsSync } from 'node:fs';
import os from 'node:os';
import { constants, PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics, getHeapStatistics } from 'node:v8';
import type { MutableJsonObject } from '../../common/json/json-value.ts';

export function osStats(): MutableJsonObject {
  const [load1, load5, load15] = os.loadavg();
  return {
    timestamp: Date.now(),
    cpu: {
      percent: Math.min(100, Math.round((load1 * 100) / os.availableParallelism())),
      load_average: { '1m': load1, '5m': load5, '15m': load15 },
    },
    mem: memoryOfMachine(),
    swap: swapSpace(),
  };
}

export function memoryOfMachine(): MutableJsonObject {
  const total = os.totalmem();
  const free = os.freemem();
  return {
    total_in_bytes: total,
    free_in_bytes: free,
    used_in_bytes: total - free,
    free_percent: Math.round((free * 100) / total),
    used_percent: Math.round(((total - free) * 100) / total),
  };
}

/** Zeros if the platform has no /proc. */
function swapSpace(): MutableJsonObject {
  let [total, free] = [0, 0];
  try {
    const info = readFileSync('/proc/meminfo', 'utf8');
    const bytesOf = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(info)?.[1] ?? 0) * 1024;
    [total, free] = [bytesOf('SwapTotal'), bytesOf('SwapFree')];
  } catch {
    // Not Linux.
  }
  return { total_in_bytes: total, free_in_bytes: free, used_in_bytes: total - free };
}

export function processStats(): MutableJsonObject {
  const cpu = process.cpuUsage();
  const { current, max } = fileDescriptors();
  return {
    timestamp: Date.now(),
    open_file_descriptors: current,
    max_file_descriptors: max,
    cpu: { percent: 0, total_in_millis: Math.round((cpu.user + cpu.system) / 1000) },
    mem: { total_virtual_in_bytes: process.memoryUsage().rss },
  };
}

/** Open and maximum file descriptors; -1 if the platform has no /proc. */
export function fileDescriptors(): { current: number; max: number } {
  try {
    const limits = readFileSync('/proc/self/limits', 'utf8');
    const max = /^Max open files\s+(\d+)/m.exec(limits);
    const slots = /^FDSize:\s+(\d+)/m.exec(readFileSync('/proc/self/status', 'utf8'));
    return { current: Number(slots?.[1] ?? -1), max: Number(max?.[1] ?? -1) };
  } catch {
    return { current: -1, max: -1 };
  }
}

/** Threads of this process; 0 if the platform has no /proc. */
export function threadCount(): number {
  try {
    return Number(/^Threads:\s+(\d+)/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? 0);
  } catch {
    return 0;
  }
}

const counted = {
  young: { collection_count: 0, collection_time_in_millis: 0 },
  old: { collection_count: 0, collection_time_in_millis: 0 },
};
let observer: PerformanceObserver | null = null;

/** Garbage collections of this thread since the first call, so that counting costs nothing until it is requested. */
function collections(): MutableJsonObject {
  if (observer === null) {
    observer = new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        // Node's types omit `detail`.
        const { detail } = entry as { detail?: { kind?: number } };
        const sum = detail?.kind === constants.NODE_PERFORMANCE_GC_MINOR ? counted.young : counted.old;
        sum.collection_count++;
        sum.collection_time_in_millis += Math.round(entry.duration);
      }
    });
    observer.observe({ entryTypes: ['gc'] });
  }
  return structuredClone(counted);
}

/** JavaScript heap of this thread, in bytes. `max` is its limit. */
export function heap(): { used: number; committed: number; max: number; usedPercent: number } {
  const { used_heap_size: used, total_heap_size: committed, heap_size_limit: max } = getHeapStatistics();
  return { used, committed, max, usedPercent: Math.round((used * 100) / max) };
}

export function heapStats(startedMs: number): MutableJsonObject {
  const { used, committed, max, usedPercent } = heap();
  const { external, arrayBuffers } = process.memoryUsage();
  return {
    timestamp: Date.now(),
    uptime_in_millis: Date.now() - startedMs,
    mem: {
      heap_used_in_bytes: used,
      heap_used_percent: usedPercent,
      heap_committed_in_bytes: committed,
      heap_max_in_bytes: max,
      non_heap_used_in_bytes: external,
      non_heap_committed_in_bytes: external,
      pools: Object.fromEntries(
        getHeapSpaceStatistics().map(({ space_name, space_used_size, space_size }) => [
          space_name,
          {
            used_in_bytes: space_used_size,
            max_in_bytes: 0,
            peak_used_in_bytes: space_used_size,
            peak_max_in_bytes: space_size,
          },
        ]),
      ),
    },
    threads: { count: threadCount(), peak_count: threadCount() },
    gc: { collectors: collections() },
    buffer_pools: { direct: { count: 0, used_in_bytes: arrayBuffers, total_capacity_in_bytes: arrayBuffers } },
    classes: { current_loaded_count: 0, total_loaded_count: 0, total_unloaded_count: 0 },
  };
}

/** Space of the file system that holds the data. */
export function diskSpace(dataPath: string): { totalBytes: number; freeBytes: number; availableBytes: number } {
  const { blocks, bfree, bavail, bsize } = statfsSync(dataPath);
  return { totalBytes: blocks * bsize, freeBytes: bfree * bsize, availableBytes: bavail * bsize };
}

/** Where the file system of a folder is mounted, and its type; null if the platform has no /proc. */
function mountOf(folder: string): { mount: string | null; type: string | null } {
  let best: { mount: string; type: string; at: string } | null = null;
  try {
    for (const line of readFileSync('/proc/self/mounts', 'utf8').split('\n')) {
      const [device, at, type] = line.split(' ');
      if (at === undefined || !(folder === at || folder.startsWith(at.endsWith('/') ? at : `${at}/`))) continue;
      if (best === null || at.length >= best.at.length) best = { mount: `${at} (${device})`, type, at };
    }
  } catch {
    // Not Linux.
  }
  return { mount: best?.mount ?? null, type: best?.type ?? null };
}

export function fsStats(dataPath: string): MutableJsonObject {
  const { totalBytes, freeBytes, availableBytes } = diskSpace(dataPath);
  const total = { total_in_bytes: totalBytes, free_in_bytes: freeBytes, available_in_bytes: availableBytes };
  return { timestamp: Date.now(), total, data: [{ path: dataPath, ...mountOf(dataPath), ...total }] };
}
