// How long the copies of this node may be read without asking another node.
//
// A refresh and a change of metadata end when every node has them whose copies may be read (Membership.live). A node is left out once its key has not been
// renewed for NODE_GONE_MS. So a node may be read for less than that after it has sent a renewal that was confirmed. If more time passes between two
// renewals, others may have been left without it: it has to catch up, after the renewal that makes the others wait for it again.
//
//   renewal sent ──────────── LEASE_MS: searches ────────────┤ NODE_GONE_MS: others go on without this node
//
// The deadline is in shared memory, because a message to the readers takes time, and a stopped process cannot send one.
import { processClockMs } from '../common/process-clock.ts';

/** A node that has not renewed its key for this long counts as gone. */
export const NODE_GONE_MS = 2500;
/** The rest allows for clocks that run at different speeds. */
const LEASE_MS = 2300;

export class ReadLease {
  /** f64[1]: until when copies may be read, by processClockMs. */
  readonly shared = new SharedArrayBuffer(8);
  readonly #untilMs = new Float64Array(this.shared);
  readonly #heldMs: number;
  #sentMs = Number.NEGATIVE_INFINITY;
  #isCurrent = false;
  #lapses = 0;

  /** @param staleMs  how long copies may be read that others have gone on without; negative: always */
  constructor(staleMs: number) {
    this.#heldMs = staleMs < 0 ? Number.POSITIVE_INFINITY : Math.max(staleMs, LEASE_MS);
    this.#untilMs[0] = staleMs < 0 ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY;
  }

  /** Whether copies of this node may be read at this moment. */
  get isReadable(): boolean {
    return processClockMs() < this.#untilMs[0];
  }

  /** How often others may have gone on without this node. */
  get lapses(): number {
    return this.#lapses;
  }

  get isCurrent(): boolean {
    return this.#isCurrent;
  }

  /**
   * A renewal was confirmed. Times are of processClockMs.
   * @returns false: this node has to catch up with the others, and then to call `caughtUp`
   */
  renewed(sentMs: number, confirmedMs: number): boolean {
    // The key was stored after the previous renewal was sent, and before this one was confirmed.
    if (confirmedMs - this.#sentMs >= NODE_GONE_MS) {
      this.#isCurrent = false;
      this.#lapses++;
    }
    this.#sentMs = sentMs;
    if (this.#isCurrent) this.#extend();
    return this.#isCurrent;
  }

  /**
   * The node has everything that was acknowledged before it began to catch up.
   * @param lapses  value of `lapses` at that time
   * @returns false: it has to catch up again
   */
  caughtUp(lapses: number): boolean {
    if (lapses !== this.#lapses) return false;
    this.#isCurrent = true;
    this.#extend();
    return true;
  }

  #extend(): void {
    this.#untilMs[0] = this.#sentMs + this.#heldMs;
  }
}
