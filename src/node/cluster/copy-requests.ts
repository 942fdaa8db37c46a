// Passes requests of readers for shards without a copy on this node on to nodes that have one.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Membership } from '../../cluster/membership.ts';
import { NOT_SENT } from '../../cluster/peers.ts';
import { ApiError } from '../../errors/api-error.ts';
import { indexNotFoundError } from '../../errors/catalog.ts';
import type { ClusterState } from '../../metadata/cluster-state.ts';
import { hasStartedCopy } from '../../metadata/copies.ts';
import type { ShardRequest } from '../messages/messages.ts';
import type { PeerRequest } from '../messages/peer-messages.ts';

/** How long a request waits for a primary. */
const WAIT_MS = 30_000;
const PAUSE_MS = 50;
/** Errors after which nothing was done. */
const NOTHING_DONE = ['shard_not_in_primary_mode_exception', NOT_SENT];
/** Requests that may be repeated, because they change nothing; any copy can answer them. */
const READS: readonly ShardRequest['type'][] = ['document', 'stats'];

interface Surroundings {
  readonly state: () => ClusterState;
  readonly membership: () => Membership | null;
  readonly isLeaving: () => boolean;
  /** Sends a request to another node. */
  readonly ask: (node: string, request: PeerRequest) => Promise<unknown>;
}

export class CopyRequests {
  readonly #around: Surroundings;

  constructor(around: Surroundings) {
    this.#around = around;
  }

  /** @throws ApiError index_not_found_exception; unavailable_shards_exception: no copy can be reached in time; the error of the request */
  async ask(request: ShardRequest): Promise<unknown> {
    const { uuid, shard } = request;
    const until = performance.now() + WAIT_MS;
    const isRead = READS.includes(request.type);
    for (let attempt = 0; ; attempt++) {
      const node = this.#choose(uuid, isRead ? attempt : 0);
      if (node !== null) {
        try {
          return await this.#around.ask(node, { kind: 'request', uuid, shard, request });
        } catch (error) {
          if (!(error instanceof ApiError) || !(isRead ? error.status === 503 : NOTHING_DONE.includes(error.type))) throw error;
        }
      }
      const index = Object.values(this.#around.state().indices).find((meta) => meta.uuid === uuid);
      if (index === undefined) throw indexNotFoundError(uuid);
      if (performance.now() > until || this.#around.isLeaving())
        throw new ApiError('unavailable_shards_exception', 503, `[${index.name}][${shard}] primary shard is not active Timeout: [30s]`, {
          details: { index: index.name, shard: String(shard), index_uuid: uuid },
        });
      await sleep(PAUSE_MS);
    }
  }

  /** The primary first, then the other copies in turn; null: no node is known to have one. */
  #choose(uuid: string, attempt: number): string | null {
    const state = this.#around.state();
    const primary = state.primaries?.[uuid];
    const live = this.#around.membership()?.nodes.map(({ id }) => id) ?? [];
    const started = live.filter((id) => hasStartedCopy(state, uuid, id));
    const holders = [...started.filter((id) => id === primary), ...(attempt === 0 ? [] : started.filter((id) => id !== primary))];
    return holders.length === 0 ? null : holders[attempt % holders.length];
  }
}
