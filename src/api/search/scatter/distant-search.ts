// The asked node's side of a search over several nodes: sends each of them the part for its shards, and repeats a part elsewhere if a node does not
// answer or has lost a copy in the meantime.
import { setTimeout as sleep } from 'node:timers/promises';
import { deserialize } from 'node:v8';
import { present } from '../../../common/present.ts';
import { ApiError } from '../../../errors/api-error.ts';
import { toApiError } from '../../../errors/error-body.ts';
import { DEFAULT_PRE_FILTER_SHARDS } from '../../../search/run/can-match.ts';
import type { DistantOutcome, DistantReads, DistantShards } from '../../../search/run/distant-shards.ts';
import type { EngineContext } from '../../core/context.ts';
import type { SearchCall } from '../search-call.ts';
import { type DistantTarget, holdersOf, readMetadata, type SpreadTargets } from './acquire-spread.ts';
import { type CloseRequest, decodeReply, type PartRequest, type ReadReply, type ReadRequest } from './part-messages.ts';

/** How long a part is repeated on other nodes. */
const RETRY_MS = 10_000;
const PAUSE_MS = 100;

/** The search as each node receives it. */
export type SearchOfParts = Omit<PartRequest, 'kind' | 'shards'>;

interface PartContext {
  readonly node: string;
  readonly context: string;
  /** Position of the shard in its part. */
  readonly at: number;
}

type Pending = readonly [position: number, target: DistantTarget];

class DistantSearch implements DistantShards {
  readonly #ctx: EngineContext;
  readonly #distant: ReadonlyMap<number, DistantTarget>;
  readonly #call: SearchOfParts;
  /** Where each shard was searched, and what keeps its segments. */
  readonly #contexts = new Map<number, PartContext>();

  constructor(ctx: EngineContext, distant: ReadonlyMap<number, DistantTarget>, call: SearchOfParts) {
    this.#ctx = ctx;
    this.#distant = distant;
    this.#call = call;
  }

  has(position: number): boolean {
    return this.#distant.has(position);
  }

  async search(): Promise<readonly DistantOutcome[]> {
    const until = performance.now() + RETRY_MS;
    const outcomes: DistantOutcome[] = [];
    let pending: readonly Pending[] = [...this.#distant];
    let lastError: ApiError | null = null;
    const tried = new Set<string>();
    while (pending.length > 0) {
      const { groups, homeless } = this.#group(pending, tried);
      const asked = await Promise.all([...groups].map(([node, part]) => this.#ask(node, part)));
      pending = homeless;
      for (const answer of asked) {
        outcomes.push(...answer.outcomes);
        if (answer.error) lastError = answer.error;
        pending = [...pending, ...answer.again];
      }
      if (pending.length === 0) break;
      if (performance.now() > until) {
        outcomes.push(...pending.map(([position]) => failed(position, lastError ?? NO_SHARD)));
        break;
      }
      if (groups.size === 0) {
        // All nodes were tried: what failed for a moment is tried again.
        tried.clear();
        await sleep(PAUSE_MS);
      }
      await readMetadata(this.#ctx);
    }
    return outcomes.sort((a, b) => a.position - b.position);
  }

  /** Divides shards among as few nodes as possible. @param tried  receives the nodes @returns homeless: no node that was not tried has them */
  #group(pending: readonly Pending[], tried: Set<string>): { groups: Map<string, Pending[]>; homeless: Pending[] } {
    const groups = new Map<string, Pending[]>();
    const ranks = new Map(this.#ctx.nodes.map(({ id }) => [id, this.#rank(id)]));
    const rankOf = (node: string) => ranks.get(node) ?? 0;
    let left = [...pending];
    for (;;) {
      const byNode = new Map<string, Pending[]>();
      for (const one of left)
        for (const id of holdersOf(this.#ctx, one[1].uuid)) if (!tried.has(id)) byNode.set(id, [...(byNode.get(id) ?? []), one]);
      const [best] = [...byNode].sort(([a, own], [b, other]) => other.length - own.length || rankOf(a) - rankOf(b));
      if (best === undefined) break;
      groups.set(...best);
      left = left.filter((one) => !best[1].includes(one));
    }
    for (const node of groups.keys()) tried.add(node);
    return { groups, homeless: left };
  }

  /** Order among nodes with as many shards: of a session always the same, otherwise any. */
  #rank(node: string): number {
    const { preference } = this.#call.parameters;
    if (preference === undefined || preference.startsWith('_')) return Math.random();
    let hash = 0;
    for (const char of `${preference} ${node}`) hash = (hash * 31 + char.charCodeAt(0)) % 1_000_003;
    return hash;
  }

  async read(wanted: readonly DistantReads[]): Promise<ReadReply> {
    const byContext = new Map<string, { node: string; numbers: number[]; reads: DistantReads[] }>();
    for (const [number, { position, ...reads }] of wanted.entries()) {
      const { node, context, at } = present(this.#contexts.get(position));
      const group = byContext.get(context) ?? { node, numbers: [], reads: [] };
      byContext.set(context, group);
      group.numbers.push(number);
      group.reads.push({ ...reads, position: at });
    }
    const results: ReadReply[number][] = [];
    const asked = [...byContext].map(async ([context, { node, numbers, reads }]) => {
      const request: ReadRequest = { kind: 'read', ...this.#call, context, wanted: reads };
      const reply = deserialize(await this.#ctx.askNode(node, request)) as ReadReply;
      for (const [i, number] of numbers.entries()) results[number] = reply[i];
    });
    await Promise.all(asked);
    return results;
  }

  close(): void {
    const contexts = new Map([...this.#contexts.values()].map(({ node, context }) => [context, node]));
    this.#contexts.clear();
    for (const [context, node] of contexts) {
      const request: CloseRequest = { kind: 'close', context };
      // One that is not closed expires.
      this.#ctx.askNode(node, request).catch(() => undefined);
    }
  }

  async #ask(node: string, part: readonly Pending[]): Promise<{ outcomes: DistantOutcome[]; again: Pending[]; error: ApiError | null }> {
    const positions = part.map(([position]) => position);
    const shards = part.map(([, { uuid, shard }]) => ({ uuid, shard }));
    try {
      const reply = decodeReply(await this.#ctx.askNode(node, { kind: 'search', ...this.#call, shards }), positions, node);
      if ('outcomes' in reply) {
        const { context } = reply;
        if (context !== null) for (const [at, position] of positions.entries()) this.#contexts.set(position, { node, context, at });
        return { outcomes: [...reply.outcomes], again: [], error: null };
      }
      return { outcomes: [], again: [...part], error: null };
    } catch (thrown) {
      const error = toApiError(thrown);
      if (error.status === 503) return { outcomes: [], again: [...part], error };
      return { outcomes: positions.map((position) => failed(position, error, node)), again: [], error: null };
    }
  }
}

/** The shards that other nodes search; undefined if all are on this node. @param body  as text */
export function distantSearch(
  ctx: EngineContext,
  { indices, parameters, opaqueId }: Pick<SearchCall, 'indices' | 'parameters' | 'opaqueId'>,
  { targets, distant }: SpreadTargets,
  body: string,
  nowMs: number,
): DistantSearch | undefined {
  if (distant === undefined) return undefined;
  const isFiltered = targets.length > (parameters.preFilterShardSize ?? DEFAULT_PRE_FILTER_SHARDS);
  return new DistantSearch(ctx, distant, { indices, parameters, body, isFiltered, nowMs, opaqueId: opaqueId?.() ?? null });
}

const NO_SHARD = new ApiError('no_shard_available_action_exception', 503, null);

function failed(position: number, error: ApiError, node: string | null = null): DistantOutcome {
  return { position, kind: 'failed', node, error };
}
