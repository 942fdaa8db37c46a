// Load of this process and its machine, as nodes tell each other.
import { statfsSync } from 'node:fs';
import os from 'node:os';
import type { NodeInfo } from '../../cluster/membership.ts';

const MEBIBYTE = 2 ** 20;
/** The processor's load is measured over at least this time. */
const CPU_MS = 1000;
/** The disk is measured again after this time. */
const DISK_MS = 10_000;

export class ProcessLoad {
  readonly #dataPath: string;
  #disk: { readonly atMs: number; readonly space: NodeInfo['disk'] } = { atMs: Number.NEGATIVE_INFINITY, space: null };
  #cpu = { usedMs: 0, atMs: 0, percent: 0 };

  constructor(dataPath: string) {
    this.#dataPath = dataPath;
  }

  now(): Pick<NodeInfo, 'pid' | 'heapPercent' | 'cpuPercent' | 'ramPercent' | 'load' | 'disk'> {
    const { heapUsed, heapTotal } = process.memoryUsage();
    return {
      pid: process.pid,
      heapPercent: Math.round((heapUsed * 100) / Math.max(heapTotal, MEBIBYTE)),
      cpuPercent: this.#cpuPercent(),
      ramPercent: Math.round(((os.totalmem() - os.freemem()) * 100) / os.totalmem()),
      load: os.loadavg(),
      disk: this.#diskSpace(),
    };
  }

  #diskSpace(): NodeInfo['disk'] {
    const nowMs = performance.now();
    if (nowMs - this.#disk.atMs > DISK_MS) this.#disk = { atMs: nowMs, space: spaceOf(this.#dataPath) };
    return this.#disk.space;
  }

  /** Mean load of all cores since the last measurement. */
  #cpuPercent(): number {
    const { user, system } = process.cpuUsage();
    const usedMs = (user + system) / 1000;
    const atMs = performance.now();
    if (atMs - this.#cpu.atMs > CPU_MS) {
      const share = (usedMs - this.#cpu.usedMs) / (atMs - this.#cpu.atMs) / os.availableParallelism();
      this.#cpu = { usedMs, atMs, percent: Math.min(100, Math.round(share * 100)) };
    }
    return this.#cpu.percent;
  }
}

function spaceOf(folder: string): NodeInfo['disk'] {
  try {
    const { bsize, blocks, bavail } = statfsSync(folder);
    return { totalBytes: blocks * bsize, freeBytes: bavail * bsize };
  } catch {
    return null;
  }
}
