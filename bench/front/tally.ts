// One kind of work done against each server in turns, so that other load on the machine affects all of them.
import { cpuSeconds, type Running } from './servers.ts';

const TURNS = 2;
const WARM_UP_MS = 2000;

export interface Work {
  /** @throws Error the answer is wrong */
  check(server: Running): Promise<void>;
  /** Works until then. @param times  gets the ms that each step took @returns units of work done, such as requests or bytes */
  load(server: Running, untilMs: number, times: number[]): Promise<number>;
}

export interface Results {
  /** of work per CPU second, the first server's to the second's */
  ratio: Record<string, number>;
  results: Record<string, Record<string, unknown>>;
}

/** Work of one kind against one server, added up over its turns. */
class Tally {
  readonly #times: number[] = [];
  #units = 0;
  #cpu = 0;
  #wallMs = 0;
  readonly #server: Running;
  readonly #work: Work;

  constructor(server: Running, work: Work) {
    this.#server = server;
    this.#work = work;
  }

  async warmUp(): Promise<void> {
    await this.#work.check(this.#server);
    await this.#work.load(this.#server, Date.now() + WARM_UP_MS, []);
  }

  async turn(seconds: number): Promise<void> {
    const cpu = cpuSeconds(this.#server.worker);
    const start = Date.now();
    this.#units += await this.#work.load(this.#server, start + seconds * 1000, this.#times);
    this.#cpu += cpuSeconds(this.#server.worker) - cpu;
    this.#wallMs += Date.now() - start;
  }

  figures(): { perCpuSecond: number; perSecond: number; p99Ms: number } {
    const times = this.#times.sort((a, b) => a - b);
    return {
      perCpuSecond: Math.round(this.#units / this.#cpu),
      perSecond: Math.round((this.#units * 1000) / this.#wallMs),
      p99Ms: Math.round(times[Math.floor(times.length * 0.99)] * 100) / 100,
    };
  }
}

/** Measures one kind of work and adds its figures to the results. */
export async function compare(servers: readonly Running[], title: string, work: Work, seconds: number, out: Results): Promise<void> {
  const tallies = servers.map((server) => new Tally(server, work));
  for (const tally of tallies) await tally.warmUp();
  for (let turn = 0; turn < TURNS; turn++) for (const tally of tallies) await tally.turn(seconds);
  const figures = tallies.map((tally) => tally.figures());
  servers.forEach(({ name }, n) => {
    out.results[name] = { ...out.results[name], [title]: figures[n] };
  });
  if (figures.length === 2) out.ratio[title] = Math.round((figures[0].perCpuSecond / figures[1].perCpuSecond) * 100) / 100;
}
