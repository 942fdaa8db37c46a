// Scrolls and points in time of the node, held by main so that any http worker can serve any page: their snapshots, expiry times and the
// positions of scrolls. A worker borrows a context for a request; until it returns the context, its snapshots stay in memory even if the
// context is closed.
//   open ──► key     use(key) ──► loan, snapshots, state     endUse(loan, state)     close(keys)     expiry by a timer
import { randomBytes } from 'node:crypto';
import type { ContextKind, ContextState } from '../../api/core/search-context.ts';
import type { ApiError } from '../../errors/api-error.ts';
import { rejectedExecutionError } from '../../errors/catalog.ts';
import type { SnapshotDescriptor } from '../../indexing/segment-set.ts';
import type { SnapshotRegistry } from '../memory/snapshot-registry.ts';
import type { BorrowedContext, ContextInfo, ContextReplies, ContextRequest } from '../messages/context-messages.ts';

interface Context {
  readonly key: string;
  readonly kind: ContextKind;
  readonly snapshots: readonly SnapshotDescriptor[];
  readonly createdMs: number;
  readonly release: () => void;
  state: ContextState;
  keepAliveMs: number;
  expiresMs: number;
  /** Number of requests that use it now; it does not expire while there are any. */
  uses: number;
}

interface Loan {
  readonly context: Context;
  readonly release: () => void;
}

const SWEEP_MS = 1000;

export class SearchContexts {
  readonly #registry: SnapshotRegistry;
  readonly #nodeId: string;
  readonly #nowMs: () => number;
  readonly #contexts = new Map<string, Context>();
  readonly #loans = new Map<number, Loan>();
  #nextLoan = 0;
  #sweeper: NodeJS.Timeout | null = null;

  /** @param nodeId  of this node, which the keys name */
  constructor(registry: SnapshotRegistry, nodeId: string, nowMs: () => number = Date.now) {
    this.#registry = registry;
    this.#nodeId = nodeId;
    this.#nowMs = nowMs;
  }

  /** @throws ApiError es_rejected_execution_exception: too many contexts */
  handle(request: ContextRequest): ContextReplies[keyof ContextReplies] {
    switch (request.action) {
      case 'open':
        return this.#open(request);
      case 'use':
        return this.#use(request.kind, request.key, request.keepAliveMs);
      case 'endUse':
        this.#endUse(request.loan, request.state);
        return undefined;
      case 'close': {
        const keys = request.keys ?? [...this.#contexts.keys()];
        return keys.filter((key) => this.#close(request.kind, key));
      }
      case 'list':
        return this.#list(request.kind);
    }
  }

  /** Closes expired contexts. */
  sweep(): void {
    const now = this.#nowMs();
    for (const [key, { kind, expiresMs, uses }] of this.#contexts) if (uses === 0 && expiresMs < now) this.#close(kind, key);
    if (this.#contexts.size > 0 || this.#sweeper === null) return;
    clearInterval(this.#sweeper);
    this.#sweeper = null;
  }

  #open({ kind, snapshots, keepAliveMs, limit, state }: Extract<ContextRequest, { action: 'open' }>): string {
    const open = [...this.#contexts.values()].filter((context) => context.kind === kind).length;
    if (open >= limit) throw tooManyContextsError(kind, limit);
    const now = this.#nowMs();
    const key = randomBytes(16).toString('base64url') + this.#nodeId;
    const release = this.#registry.hold(snapshots.flatMap(({ segments }) => segments));
    this.#contexts.set(key, { key, kind, snapshots, createdMs: now, release, state, keepAliveMs, expiresMs: now + keepAliveMs, uses: 0 });
    this.#sweeper ??= setInterval(() => this.sweep(), SWEEP_MS).unref();
    return key;
  }

  #use(kind: ContextKind, key: string, keepAliveMs: number | null): BorrowedContext | null {
    const context = this.#contexts.get(key);
    const now = this.#nowMs();
    if (!context || context.kind !== kind || (context.uses === 0 && context.expiresMs < now)) return null;
    // A shorter time to live does not reduce the longer one granted before.
    if (keepAliveMs !== null) context.keepAliveMs = Math.max(context.keepAliveMs, keepAliveMs);
    context.uses++;
    const loan = this.#nextLoan++;
    this.#loans.set(loan, { context, release: this.#registry.hold(context.snapshots.flatMap(({ segments }) => segments)) });
    return { loan, snapshots: context.snapshots, state: context.state };
  }

  #endUse(number: number, state: ContextState | undefined): void {
    const loan = this.#loans.get(number);
    if (!loan) return;
    this.#loans.delete(number);
    const { context } = loan;
    if (state !== undefined) context.state = state;
    context.uses--;
    context.expiresMs = this.#nowMs() + context.keepAliveMs;
    loan.release();
  }

  #close(kind: ContextKind, key: string): boolean {
    const context = this.#contexts.get(key);
    if (!context || context.kind !== kind) return false;
    this.#contexts.delete(key);
    context.release();
    return true;
  }

  #list(kind: ContextKind): ContextInfo[] {
    return [...this.#contexts.values()]
      .filter((context) => context.kind === kind)
      .map(({ key, createdMs, keepAliveMs, snapshots, state }) => ({
        key,
        createdMs,
        keepAliveMs,
        owner: state.opened?.owner ?? null,
        indexUuids: [...new Set(snapshots.map(({ indexUuid }) => indexUuid))],
      }));
  }
}

function tooManyContextsError(kind: ContextKind, limit: number): ApiError {
  const [what, setting] = kind === 'scroll' ? ['scroll', 'search.max_open_scroll_context'] : ['PIT', 'search.max_open_pit_context'];
  return rejectedExecutionError(
    `Trying to create too many ${what} contexts. Must be less than or equal to: [${limit}]. This limit can be set by changing the [${setting}] setting.`,
  );
}
