// A seeded random source, so that a failing property test can be run again by its seed.

export class Rng {
  readonly seed: number;
  private state: number;

  constructor(seed: number) {
    this.seed = seed;
    this.state = (seed * 0x9e3779b1 + 0x85ebca6b) >>> 0;
  }

  /** Uniform u32 (mulberry32). */
  u32(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let t = this.state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return (t ^ (t >>> 14)) >>> 0;
  }

  /** Uniform in [0, 1). */
  float(): number {
    return this.u32() / 2 ** 32;
  }

  /** Uniform integer in [low, high], both included. */
  int(low: number, high: number): number {
    return low + Math.floor(this.float() * (high - low + 1));
  }

  bool(probability = 0.5): boolean {
    return this.float() < probability;
  }

  pick<T>(items: readonly T[]): T {
    return items[this.int(0, items.length - 1)];
  }

  /** Small numbers are frequent, large ones rare: magnitudes are uniform up to `max`. */
  skewed(max: number): number {
    return Math.min(max, Math.floor(2 ** (this.float() * Math.log2(max + 1))) - 1 + (this.bool() ? 1 : 0));
  }

  bytes(count: number): Uint8Array {
    return Uint8Array.from({ length: count }, () => this.int(0, 255));
  }

  /** `count` strictly ascending integers from 0 on, each at most `maxGap` above the one before. */
  ascending(count: number, maxGap: number): number[] {
    const values: number[] = [];
    let value = -1;
    for (let i = 0; i < count; i++) {
      value += this.int(1, maxGap);
      values.push(value);
    }
    return values;
  }

  shuffle<T>(items: T[]): T[] {
    for (let i = items.length - 1; i > 0; i--) {
      const j = this.int(0, i);
      [items[i], items[j]] = [items[j], items[i]];
    }
    return items;
  }

  /** Lower-case ASCII word; short words repeat often. */
  word(maxLength = 8, alphabet = 'abcdefghijklmnopqrstuvwxyz'): string {
    return Array.from({ length: this.int(1, maxLength) }, () => this.pick([...alphabet])).join('');
  }
}

/**
 * Runs a property for seeds 0..count-1. A failure names its seed; GANNET_SEED=n runs only that one.
 */
export function forSeeds(count: number, property: (rng: Rng) => void): void {
  const only = process.env.GANNET_SEED;
  const seeds = only === undefined ? Array.from({ length: count }, (_, seed) => seed) : [Number(only)];
  for (const seed of seeds) {
    try {
      property(new Rng(seed));
    } catch (error) {
      if (error instanceof Error) error.message = `seed ${seed}: ${error.message}`;
      throw error;
    }
  }
}

/** `forSeeds` for asynchronous properties. */
export async function forSeedsAsync(count: number, property: (rng: Rng) => Promise<void>): Promise<void> {
  const only = process.env.GANNET_SEED;
  const seeds = only === undefined ? Array.from({ length: count }, (_, seed) => seed) : [Number(only)];
  for (const seed of seeds) {
    try {
      await property(new Rng(seed));
    } catch (error) {
      if (error instanceof Error) error.message = `seed ${seed}: ${error.message}`;
      throw error;
    }
  }
}
