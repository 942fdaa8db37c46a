// The copies and bytes of each node while allocation decides, and the cost by which nodes are compared.
//
// The cost of an arrangement is a sum of squares: of the copies of each node, of their bytes in units of the mean shard, and of the copies of each
// index on each node. A copy goes where it adds least, and is moved only if that lowers the cost by more than a threshold. So moves end, and nothing
// moves back while the input stays the same.

import type { ShardRouting } from '../copy-routing.ts';
import type { AllocationIndex, AllocationNode } from './routing.ts';
import type { AllocationRules } from './rules.ts';

/** The index of a copy, and what the copy counts. */
export type Counted = Pick<AllocationIndex, 'uuid' | 'weight'>;

export class ClusterLoad {
  readonly nodes: readonly AllocationNode[];
  readonly at: ReadonlyMap<string, number>;
  readonly counts: Int32Array;
  readonly incoming: Int32Array;
  readonly outgoing: Int32Array;
  readonly #bytes: Float64Array;
  /** Bytes that copies in progress will take on the disk, less those that will leave it. */
  readonly #planned: Float64Array;
  /** Nodes by their number of copies. */
  readonly #byCount: Array<Set<number>>;
  readonly #ofIndex = new Map<string, Map<number, number>>();
  readonly #rules: AllocationRules;
  readonly #meanBytes: number;

  constructor(nodes: readonly AllocationNode[], indices: readonly AllocationIndex[], rules: AllocationRules) {
    this.nodes = nodes;
    this.at = new Map(nodes.map(({ id }, at) => [id, at]));
    this.counts = new Int32Array(nodes.length);
    this.incoming = new Int32Array(nodes.length);
    this.outgoing = new Int32Array(nodes.length);
    this.#bytes = new Float64Array(nodes.length);
    this.#planned = new Float64Array(nodes.length);
    this.#byCount = [new Set(nodes.keys())];
    this.#rules = rules;
    let total = 0;
    let shards = 0;
    for (const index of indices) {
      for (const { bytes } of index.shards) {
        total += bytes;
        shards++;
      }
    }
    this.#meanBytes = Math.max(1, total / Math.max(1, shards));
  }

  /** Adds the copies of a shard on live nodes, and what is being filled. */
  count(index: Counted, bytes: number, { primary, copies }: ShardRouting): void {
    const source = primary === null ? undefined : this.at.get(primary);
    for (const { node, isStarted } of copies) {
      const at = this.at.get(node);
      if (at === undefined) continue;
      this.add(at, index, bytes, !isStarted);
      // A copy that moves counts on its new node only.
      if (copies.some(({ replaces }) => replaces === node)) this.remove(at, index, bytes);
      if (isStarted || source === at) continue;
      this.incoming[at]++;
      if (source !== undefined) this.outgoing[source]++;
    }
  }

  /** @param isNew  the copy is not on the disk yet */
  add(node: number, { uuid, weight }: Counted, bytes: number, isNew: boolean): void {
    this.#recount(node, weight);
    this.#bytes[node] += bytes / this.#meanBytes;
    if (isNew) this.#planned[node] += bytes;
    let ofIndex = this.#ofIndex.get(uuid);
    if (ofIndex === undefined) {
      ofIndex = new Map();
      this.#ofIndex.set(uuid, ofIndex);
    }
    ofIndex.set(node, (ofIndex.get(node) ?? 0) + weight);
  }

  remove(node: number, { uuid, weight }: Counted, bytes: number): void {
    this.#recount(node, -weight);
    this.#bytes[node] -= bytes / this.#meanBytes;
    this.#planned[node] -= bytes;
    const ofIndex = this.#ofIndex.get(uuid);
    ofIndex?.set(node, (ofIndex.get(node) ?? weight) - weight);
  }

  #recount(node: number, by: number): void {
    this.#byCount[this.counts[node]].delete(node);
    this.counts[node] += by;
    this.#byCount[this.counts[node]] ??= new Set();
    this.#byCount[this.counts[node]].add(node);
  }

  /** Nodes in groups, those with the fewest copies first, each with a cost that no copy of this weight on them falls below. */
  *groups(weight: number): Generator<{ readonly least: number; readonly nodes: ReadonlySet<number> }> {
    for (const [count, nodes] of this.#byCount.entries())
      if (nodes !== undefined && nodes.size > 0) yield { least: 2 * weight * this.#rules.shardWeight * count, nodes };
  }

  countOf(node: number, uuid: string): number {
    return this.#ofIndex.get(uuid)?.get(node) ?? 0;
  }

  /** What a copy adds to the cost of all nodes, up to a constant of the copy. */
  costOf(node: number, { uuid, weight }: Counted, bytes: number): number {
    const { shardWeight, indexWeight, bytesWeight } = this.#rules;
    const size = bytes / this.#meanBytes;
    const counted = weight * (shardWeight * this.counts[node] + indexWeight * this.countOf(node, uuid));
    return 2 * (counted + bytesWeight * size * this.#bytes[node]);
  }

  /** No move to one of these nodes lowers the cost by more. @param cost  of the copy where it is */
  mostGain(cost: number, targets: { readonly count: number; readonly bytes: number }, { weight }: Counted, bytes: number): number {
    const { shardWeight, bytesWeight } = this.#rules;
    const size = bytes / this.#meanBytes;
    const least = 2 * (weight * shardWeight * targets.count + bytesWeight * size * targets.bytes);
    return cost - least - this.#ownCost(weight, size);
  }

  /** What the cost of a copy on its node contains because of itself. */
  #ownCost(weight: number, size: number): number {
    const { shardWeight, indexWeight, bytesWeight } = this.#rules;
    return 2 * (weight * weight * (shardWeight + indexWeight) + bytesWeight * size * size);
  }

  /** The nodes with the least load, and the smallest number of copies and of bytes that one of them has. */
  lightest(limit: number): { readonly nodes: readonly number[]; readonly count: number; readonly bytes: number } {
    const nodes = [...this.nodes.keys()].sort((a, b) => this.#loadOf(a) - this.#loadOf(b)).slice(0, limit);
    return {
      nodes,
      count: Math.min(...nodes.map((at) => this.counts[at])),
      bytes: Math.min(...nodes.map((at) => this.#bytes[at])),
    };
  }

  /** By how much the cost falls if a copy moves. */
  gainOf(from: number, to: number, index: Counted, bytes: number): number {
    return this.costOf(from, index, bytes) - this.costOf(to, index, bytes) - this.#ownCost(index.weight, bytes / this.#meanBytes);
  }

  /** Load of a node without regard to indices. */
  #loadOf(node: number): number {
    return this.#rules.shardWeight * this.counts[node] + this.#rules.bytesWeight * this.#bytes[node];
  }

  /** Free bytes once all that is planned is there; infinite if the disk is not known. */
  freeBytes(node: number): number {
    const { disk } = this.nodes[node];
    return disk === null ? Number.POSITIVE_INFINITY : disk.freeBytes - this.#planned[node];
  }
}
