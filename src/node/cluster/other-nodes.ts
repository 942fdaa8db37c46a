// Requests to the other nodes of the cluster, and what all of them have to do before a request is answered.
import { setTimeout as sleep } from 'node:timers/promises';
import { logUnreachableError } from '../../cluster/log-subject.ts';
import type { Membership, NodeInfo } from '../../cluster/membership.ts';
import { NOT_SENT, type PeerClient } from '../../cluster/peers.ts';
import { processClockMs } from '../../common/process-clock.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { PeerRequest } from '../messages/peer-messages.ts';

const RETRY_MS = 100;
/** How long a change of metadata waits for nodes that do not confirm it although they are in the cluster. */
const SPREAD_MS = 30_000;
/** After this time without heartbeats this node knows nothing of the other nodes. */
export const OUT_OF_TOUCH_MS = 3000;

interface Surroundings {
  readonly client: PeerClient;
  /** null: the node has not joined yet. */
  readonly membership: () => Membership | null;
  readonly isLeaving: () => boolean;
}

export class OtherNodes {
  readonly #around: Surroundings;

  constructor(around: Surroundings) {
    this.#around = around;
  }

  async ask(node: string, request: PeerRequest): Promise<unknown> {
    const info = this.#around.membership()?.nodes.find(({ id }) => id === node);
    if (info === undefined) throw new ApiError(NOT_SENT, 503, `node [${node}] is not in the cluster`);
    return this.#send(info, request);
  }

  #send({ transportAddress }: NodeInfo, request: PeerRequest): Promise<unknown> {
    return this.#around.client.ask(transportAddress, request);
  }

  /** Replies of all other nodes that this one has heard of; null: one did not answer. @param own  id of this node */
  async askAll(own: string, request: PeerRequest): Promise<readonly unknown[] | null> {
    const membership = this.#around.membership();
    if (membership === null || membership.silentMs > OUT_OF_TOUCH_MS) return null;
    const others = membership.nodes.filter(({ id }) => id !== own);
    try {
      return await Promise.all(others.map((other) => this.#send(other, request)));
    } catch {
      return null;
    }
  }

  /** Replies of those other nodes that answer. @param nodes  ids; null for all that this one has heard of */
  async askSome(own: string, nodes: ReadonlySet<string> | null, request: PeerRequest): Promise<unknown[]> {
    const live = this.#around.membership()?.nodes ?? [];
    const asked = live.filter(({ id }) => id !== own && (nodes === null || nodes.has(id)));
    const replies = await Promise.allSettled(asked.map((other) => this.#send(other, request)));
    return replies.flatMap((reply) => (reply.status === 'fulfilled' ? [reply.value] : []));
  }

  /**
   * Resolves when every node whose copies may be read has done what is asked, or it is no longer needed.
   * @throws ApiError it is not known which nodes these are
   */
  async askReadable(request: PeerRequest, isNeeded: () => boolean): Promise<void> {
    const membership = this.#around.membership();
    if (membership === null) return;
    const others = await membership.live();
    await Promise.all(others.map((other) => this.#insist(membership, other, request, isNeeded)));
  }

  /** Bytes of the copies of each other node, by uuid of the index. */
  async sizesOfCopies(own: string): Promise<ReadonlyArray<Readonly<Record<string, number>>>> {
    return (await this.askSome(own, null, { kind: 'sizes' })) as Readonly<Record<string, number>>[];
  }

  /** Resolves when every other node whose copies may be read uses the metadata up to a position, or after half a minute. */
  async spread(position: number): Promise<void> {
    const until = processClockMs() + SPREAD_MS;
    const isInTime = () => processClockMs() < until;
    while (!this.#around.isLeaving() && isInTime()) {
      try {
        await this.askReadable({ kind: 'metadata', position }, isInTime);
        return;
      } catch {
        // JetStream elects a leader, or this node is cut off: then it does not know whether others have the change.
        await sleep(RETRY_MS);
      }
    }
  }

  /** Repeats a request until the node confirms, or its session has ended. */
  async #insist(membership: Membership, { id, session }: NodeInfo, request: PeerRequest, isNeeded: () => boolean): Promise<void> {
    let info = membership.nodes.find((node) => node.id === id);
    while (!this.#around.isLeaving() && isNeeded()) {
      if (info !== undefined) {
        if (info.session !== session) return;
        try {
          await this.#send(info, request);
          return;
        } catch {
          await sleep(RETRY_MS);
        }
      }
      if (membership.silentMs > OUT_OF_TOUCH_MS) throw logUnreachableError('NATS');
      const live = await membership.live().catch(() => null);
      if (live === null) await sleep(RETRY_MS);
      else {
        info = live.find((node) => node.id === id);
        if (info === undefined) return;
      }
    }
  }
}
