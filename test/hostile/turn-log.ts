// Long turns of the event loops of a service's listeners, as turn-probe.cjs writes them. Unlike the canary's latencies they do not depend on
// other processes of the machine.
import { closeSync, mkdtempSync, openSync, readSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const PROBE = path.join(import.meta.dirname, 'turn-probe.cjs');

export class TurnLog {
  readonly #folder = mkdtempSync(path.join(tmpdir(), 'gannet-turns-'));
  readonly #file = path.join(this.#folder, 'turns');
  readonly #fd = openSync(this.#file, 'a+');
  #readBytes = 0;

  /** Calls `start` so that a service that it starts writes its turns here. */
  async observe<T>(start: () => Promise<T>): Promise<T> {
    const { env } = process;
    const { NODE_OPTIONS } = env;
    try {
      env.NODE_OPTIONS = `${NODE_OPTIONS ?? ''} --require ${PROBE}`;
      env.GANNET_TURN_FILE = this.#file;
      return await start();
    } finally {
      delete env.GANNET_TURN_FILE;
      if (NODE_OPTIONS === undefined) delete env.NODE_OPTIONS;
      else env.NODE_OPTIONS = NODE_OPTIONS;
    }
  }

  /** Processor times in milliseconds of the long turns since the last call. */
  take(): number[] {
    const buffer = Buffer.alloc(64 << 10);
    let text = '';
    for (let bytes = -1; bytes !== 0; ) {
      bytes = readSync(this.#fd, buffer, 0, buffer.length, this.#readBytes);
      this.#readBytes += bytes;
      text += buffer.toString('latin1', 0, bytes);
    }
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => Number.parseFloat(line));
  }

  close(): void {
    closeSync(this.#fd);
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
