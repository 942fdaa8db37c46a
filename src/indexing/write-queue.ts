// Group commit: writes that arrive while a shard is busy share one transaction, and so one wait for the disk.
import { activeSpan, type Span } from '../common/tracing/span.ts';
import { UnknownOutcomeError } from './operation-log.ts';
import type { ShardOperation, ShardOutcome } from './shard-operation.ts';

/** Limits of one transaction: operations, and bytes of their sources. A single larger write is a transaction of its own. */
const GROUP_OPERATIONS = 5000;
const GROUP_BYTES = 2 << 20;

interface Write {
  readonly operations: readonly ShardOperation[];
  /** The request that writes them; null if it is not traced. */
  readonly span: Span | null;
  readonly resolve: (outcomes: ShardOutcome[]) => void;
  readonly reject: (error: unknown) => void;
}

/** @param spans  the traced requests among those that write the operations */
type ApplyWrites = (operations: readonly ShardOperation[], spans: readonly Span[]) => Promise<ShardOutcome[]>;

export class WriteQueue {
  readonly #waiting: Write[] = [];
  readonly #exclusive: (action: () => Promise<void>) => Promise<void>;
  readonly #apply: ApplyWrites;

  /**
   * @param exclusive  runs actions one at a time, in order
   * @param apply      applies operations in order, all or none; outcomes are parallel to them
   */
  constructor(exclusive: (action: () => Promise<void>) => Promise<void>, apply: ApplyWrites) {
    this.#exclusive = exclusive;
    this.#apply = apply;
  }

  /** Writes are applied in the order in which they are added. */
  add(operations: readonly ShardOperation[]): Promise<ShardOutcome[]> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ operations, span: activeSpan(), resolve, reject });
      if (this.#waiting.length === 1) this.#schedule();
    });
  }

  #schedule(): void {
    this.#exclusive(() => this.#applyNext());
  }

  async #applyNext(): Promise<void> {
    // Lets the event loop read the requests that arrived during the last transaction.
    await new Promise((resolve) => setImmediate(resolve));
    const group = this.#take();
    if (this.#waiting.length > 0) this.#schedule();
    if (group.length > 1) {
      try {
        const outcomes = await this.#apply(
          group.flatMap(({ operations }) => operations),
          group.flatMap(({ span }) => span ?? []),
        );
        let at = 0;
        for (const { operations, resolve } of group) resolve(outcomes.slice(at, (at += operations.length)));
        return;
      } catch (error) {
        if (error instanceof UnknownOutcomeError) {
          for (const { reject } of group) reject(error);
          return;
        }
        // Nothing of the group was applied. Applied one by one, each write gets its own result.
      }
    }
    for (const { operations, span, resolve, reject } of group)
      await this.#apply(operations, span === null ? [] : [span]).then(resolve, reject);
  }

  #take(): Write[] {
    let count = 0;
    let operations = 0;
    let bytes = 0;
    for (const write of this.#waiting) {
      operations += write.operations.length;
      for (const { source } of write.operations) bytes += source?.length ?? 0;
      if (count > 0 && (operations > GROUP_OPERATIONS || bytes > GROUP_BYTES)) break;
      count++;
    }
    return this.#waiting.splice(0, count);
  }
}
