// Parts of one search that several threads search together: segments, and ranges of documents in large ones (document-ranges.ts). The thread
// that was asked claims them from the first one on and reduces the results; helpers claim them from the last one on. What a thread finds in
// a part does not depend on who searches it, and the results are reduced in the order of the parts, so that the response is the same to the bit
// as that of one thread.
//   asked thread   claim ─► 0 1 2 ──────┐       adopt 3 4 5 ─► reduce
//   helper         claim ─► 5 4 3 ─► PartOutcome[] ─┘
import type { AggResult } from '../../plan/agg-plan.ts';
import type { SegmentHits } from '../../plan/query-plan.ts';

/** What a helper receives. A type, not an interface: it is the part of a request (src/rest/core/lane.ts). */
export type SharedSegments = {
  /** i32: whether the search has ended, then for each part whether it is claimed. */
  readonly claims: SharedArrayBuffer;
  /** The value of `now`. */
  readonly nowMs: number;
  /** In the order of the search. */
  readonly shards: readonly SharedShard[];
};

export interface SharedShard {
  readonly uuid: string;
  readonly shard: number;
  readonly generation: number;
  /** The number of ranges of each segment. */
  readonly ranges: readonly number[];
}

/** A part of a search. */
export interface SearchPart {
  /** Position of the shard in the search. */
  readonly position: number;
  /** Position of the segment in the shard. */
  readonly index: number;
  /** Number of the range in the segment. */
  readonly range: number;
}

/** What was found in one part. */
export interface PartOutcome extends SearchPart {
  readonly hits: SegmentHits;
  /** By the children of the tree of aggregations; null without aggregations. */
  readonly results: readonly AggResult[] | null;
}

const HEADER_WORDS = 1;

export function shareSegments(shards: readonly SharedShard[], nowMs: number): SharedSegments {
  const parts = shards.reduce((sum, { ranges }) => sum + numberOfParts(ranges), 0);
  return { claims: new SharedArrayBuffer(4 * (HEADER_WORDS + parts)), nowMs, shards };
}

function numberOfParts(ranges: readonly number[]): number {
  return ranges.reduce((sum, number) => sum + number, 0);
}

/** The table of claims, as each of the threads sees it. */
export class SegmentClaims {
  readonly #words: Int32Array;
  readonly #shards: readonly SharedShard[];
  /** Word of the first part of each shard. */
  readonly #bases: readonly number[];

  constructor({ claims, shards }: SharedSegments) {
    this.#words = new Int32Array(claims);
    this.#shards = shards;
    let base = HEADER_WORDS;
    this.#bases = shards.map(({ ranges }) => {
      const own = base;
      base += numberOfParts(ranges);
      return own;
    });
  }

  /** The parts of a shard, in order. */
  partsOf(position: number): SearchPart[] {
    return this.#shards[position].ranges.flatMap((number, index) =>
      Array.from({ length: number }, (_, range) => ({ position, index, range })),
    );
  }

  /** The number of ranges of a segment. */
  rangesOf({ position, index }: SearchPart): number {
    return this.#shards[position].ranges[index];
  }

  /** @returns false if another thread has the part */
  claim({ position, index, range }: SearchPart): boolean {
    const word = this.#bases[position] + numberOfParts(this.#shards[position].ranges.slice(0, index)) + range;
    return Atomics.compareExchange(this.#words, word, 0, 1) === 0;
  }

  /** Nobody waits for outcomes any more. */
  end(): void {
    Atomics.store(this.#words, 0, 1);
  }

  get hasEnded(): boolean {
    return Atomics.load(this.#words, 0) !== 0;
  }
}

/** Interval at which a thread that waits for helpers checks whether its own request has ended. */
const POLL_MS = 10;

/** The search of the thread that was asked. */
export class SegmentSharing {
  readonly claims: SegmentClaims;
  readonly #outcomes = new Map<string, PartOutcome>();
  readonly #helped: Promise<void>;
  #isDone = false;

  /** @param helped  what the helpers have found; a helper that fails has found nothing */
  constructor(shared: SharedSegments, helped: Promise<readonly PartOutcome[]>) {
    this.claims = new SegmentClaims(shared);
    this.#helped = helped
      .then((outcomes) => {
        for (const outcome of outcomes) this.#outcomes.set(keyOf(outcome), outcome);
      })
      .catch(() => undefined)
      .finally(() => {
        this.#isDone = true;
      });
  }

  /** Whether the helpers have sent what they found. */
  get isDone(): boolean {
    return this.#isDone;
  }

  /** Resolves when the helpers have sent what they found, and after a short time otherwise. */
  async wait(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const passed = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, POLL_MS);
    });
    await Promise.race([this.#helped, passed]);
    clearTimeout(timer);
  }

  /** null if no helper has searched the part to its end. */
  outcome(part: SearchPart): PartOutcome | null {
    return this.#outcomes.get(keyOf(part)) ?? null;
  }
}

function keyOf({ position, index, range }: SearchPart): string {
  return `${position} ${index} ${range}`;
}
