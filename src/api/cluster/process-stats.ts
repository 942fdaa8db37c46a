// Measurements of the machine and of this process, taken when they are requested.

import { readFileSync, statfsSync } from 'node:fs';
import os from 'node:os';
import { getHeapStatistics } from 'node:v8';
import type { MutableJsonObject } from '../../common/json-value.ts';

export function osStats(): MutableJsonObject {
  const total = os.totalmem();
  const free = os.freemem();
  const [load1, load5, load15] = os.loadavg();
  return {
    timestamp: Date.now(),
    cpu: {
      percent: Math.min(100, Math.round((load1 * 100) / os.availableParallelism())),
      load_average: { '1m': load1, '5m': load5, '15m': load15 },
    },
    mem: {
      total_in_bytes: total,
      free_in_bytes: free,
      used_in_bytes: total - free,
      free_percent: Math.round((free * 100) / total),
      used_percent: Math.round(((total - free) * 100) / total),
    },
  };
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

/** JavaScript heap of this thread, in bytes. `max` is its limit. */
export function heap(): { used: number; committed: number; max: number; usedPercent: number } {
  const { used_heap_size: used, total_heap_size: committed, heap_size_limit: max } = getHeapStatistics();
  return { used, committed, max, usedPercent: Math.round((used * 100) / max) };
}

export function heapStats(startedMs: number): MutableJsonObject {
  const { used, committed, max, usedPercent } = heap();
  const { external } = process.memoryUsage();
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
    },
  };
}

/** Space of the file system that holds the data. */
export function diskSpace(dataPath: string): { totalBytes: number; freeBytes: number; availableBytes: number } {
  const { blocks, bfree, bavail, bsize } = statfsSync(dataPath);
  return { totalBytes: blocks * bsize, freeBytes: bfree * bsize, availableBytes: bavail * bsize };
}

export function fsStats(dataPath: string): MutableJsonObject {
  const { totalBytes, freeBytes, availableBytes } = diskSpace(dataPath);
  const total = { total_in_bytes: totalBytes, free_in_bytes: freeBytes, available_in_bytes: availableBytes };
  return { timestamp: Date.now(), total, data: [{ path: dataPath, ...total }] };
}
