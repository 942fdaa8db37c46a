// A program that sends plain searches on a schedule and records how long each takes, in a process of its own so that building large bodies in
// the harness does not delay it. Latency counts from the scheduled time: searches that wait for a blocked connection count as well.
//   messages: `ready` to the parent; `take` from it, which is answered with the samples since the last one and the age of the oldest
//   unanswered search
import http from 'node:http';

export interface CanaryReport {
  /** Milliseconds. */
  readonly samples: readonly number[];
  readonly oldestMs: number;
}

/** Enough connections that each http worker has some. */
const CONNECTIONS = 8;
const INTERVAL_MS = 40;
const FAILED_MS = 60_000;
const BODY = JSON.stringify({ query: { match: { text: 'w7' } } });

const url = new URL(process.argv[2]);
let samples: number[] = [];

class Connection {
  readonly #agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  #dueMs: number;
  #isBusy = false;

  constructor(firstMs: number) {
    this.#dueMs = firstMs;
  }

  get ageMs(): number {
    return this.#isBusy ? performance.now() - this.#dueMs : 0;
  }

  tick(): void {
    if (this.#isBusy || performance.now() < this.#dueMs) return;
    this.#isBusy = true;
    const options = { method: 'POST', agent: this.#agent, headers: { 'content-type': 'application/json' }, timeout: FAILED_MS };
    const request = http.request(url, options, (response) => {
      response.resume();
      response.once('end', () => this.#done());
      response.once('error', () => this.#done());
    });
    request.once('error', () => this.#done());
    request.once('timeout', () => request.destroy());
    request.end(BODY);
  }

  /** Records this search and those that were due while it ran. */
  #done(): void {
    const now = performance.now();
    for (; this.#dueMs < now; this.#dueMs += INTERVAL_MS) samples.push(now - this.#dueMs);
    this.#isBusy = false;
  }
}

const startMs = performance.now();
const connections = Array.from({ length: CONNECTIONS }, (_, i) => new Connection(startMs + (i * INTERVAL_MS) / CONNECTIONS));
setInterval(() => connections.forEach((connection) => connection.tick()), 2);

process.on('message', () => {
  const report: CanaryReport = { samples, oldestMs: Math.max(...connections.map((connection) => connection.ageMs)) };
  samples = [];
  process.send?.(report);
});
process.on('disconnect', () => process.exit(0));
process.send?.('ready');
