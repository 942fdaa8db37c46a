// The decisions of the manager about copies: which nodes have one of each index, and which of them is the primary.
import type { NodeInfo } from '../../cluster/membership.ts';
import { decideCopies } from '../../metadata/allocation/cluster-input.ts';
import type { AllocationNode } from '../../metadata/allocation/routing.ts';
import type { ClusterState } from '../../metadata/cluster-state.ts';
import { choosePrimaries } from '../../metadata/primaries.ts';
import type { LinkedNode } from './cluster-link.ts';

/** Sizes of copies and disks are read again after this time. */
const SIZES_MS = 30_000;

interface Surroundings {
  readonly node: () => Pick<LinkedNode, 'state' | 'command'>;
  /** `cluster.copies`: copies are allocated, instead of one on every node. */
  readonly isAllocated: boolean;
  /** Bytes of copies that each live node has, by uuid of the index. */
  readonly sizes: () => Promise<ReadonlyArray<Readonly<Record<string, number>>>>;
}

type Decision = () => Promise<unknown>;

export class CopyAllocator {
  readonly #around: Surroundings;
  #bytes: ReadonlyMap<string, number> = new Map();
  #sizesMs = Number.NEGATIVE_INFINITY;
  /** What the last decision was based on, and when it is to be made again although nothing else has changed. */
  #last: { readonly state: ClusterState; readonly nodes: string; readonly againMs: number } | null = null;

  constructor(around: Surroundings) {
    this.#around = around;
  }

  /** Whether there may be something to decide. @param nodes  the live nodes */
  isDue(nodes: readonly NodeInfo[]): boolean {
    const state = this.#around.node().state();
    if (state.copies === undefined) return this.#around.isAllocated || choosePrimaries(state, idsOf(nodes)) !== null;
    const last = this.#last;
    return last === null || last.state !== state || last.nodes !== idsOf(nodes).join() || Date.now() >= last.againMs;
  }

  /** Decides, and makes the decision part of the metadata. */
  async run(nodes: readonly NodeInfo[]): Promise<void> {
    await this.#measure();
    await this.#decide(nodes)?.();
  }

  #decide(nodes: readonly NodeInfo[]): Decision | null {
    const { node, isAllocated } = this.#around;
    const state = node().state();
    const ids = idsOf(nodes);
    if (state.copies === undefined) {
      if (isAllocated) return () => node().command('useAllocation', { nodes: ids });
      const primaries = choosePrimaries(state, ids);
      return primaries && (() => node().command('assignPrimaries', { primaries }));
    }
    const nowMs = Date.now();
    const moment = { nowMs, nodes: nodes.map(allocationNode), bytes: this.#bytes, isEverywhere: !isAllocated };
    const { changes, againMs } = decideCopies(state, moment);
    this.#last = { state, nodes: ids.join(), againMs: Math.min(againMs ?? Number.POSITIVE_INFINITY, nowMs + SIZES_MS) };
    return changes.length === 0 ? null : () => node().command('allocateCopies', { changes });
  }

  /** The copies of an index have the same documents, but not the same segments: the largest counts. */
  async #measure(): Promise<void> {
    if (this.#around.node().state().copies === undefined || performance.now() - this.#sizesMs < SIZES_MS) return;
    this.#sizesMs = performance.now();
    const bytes = new Map<string, number>();
    for (const sizes of await this.#around.sizes())
      for (const [uuid, size] of Object.entries(sizes)) bytes.set(uuid, Math.max(size, bytes.get(uuid) ?? 0));
    this.#bytes = bytes;
  }
}

function idsOf(nodes: readonly NodeInfo[]): string[] {
  return nodes.map(({ id }) => id);
}

function allocationNode({ id, name, transportAddress, attributes, disk }: NodeInfo): AllocationNode {
  const host = transportAddress.slice(0, transportAddress.lastIndexOf(':')).replace(/^\[|\]$/g, '');
  return { id, name, host, attributes: attributes ?? {}, disk: disk ?? null };
}
