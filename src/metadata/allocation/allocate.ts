// The allocation of shards as a pure function of the state: which copies are promoted, assigned, moved or removed. The same input gives the same
// decision, and a decision whose changes are done gives no further one.
//   1. copies that nobody needs are removed, and primaries without a live node are replaced;
//   2. missing copies are assigned, primaries first, where they cost least (cluster-load.ts);
//   3. copies that must not remain where they are begin to move;
//   4. if all copies are there, some move to where they cost less.
import { type CopyRouting, isSameRouting, type ShardRouting } from '../copy-routing.ts';
import { ClusterLoad } from './cluster-load.ts';
import { type Candidate, Deciders } from './deciders.ts';
import type { AllocationDecision, AllocationIndex, AllocationInput } from './routing.ts';
import { type AllocationRules, allocationRules, type IndexRules, indexRules } from './rules.ts';

/** Nodes that are tried for a move: those with the least load. */
const MOVE_TARGETS = 8;

/** A shard while it is decided. */
interface Shard {
  readonly index: AllocationIndex;
  readonly rules: IndexRules;
  readonly number: number;
  readonly bytes: number;
  readonly before: ShardRouting;
  primary: string | null;
  copies: CopyRouting[];
}

export function allocate(input: AllocationInput): AllocationDecision {
  return new Allocator(input).run();
}

class Allocator {
  readonly #nowMs: number;
  readonly #rules: AllocationRules;
  readonly #load: ClusterLoad;
  readonly #deciders: Deciders;
  readonly #shards: Shard[] = [];
  #againMs: number | null = null;

  constructor({ nowMs, nodes, indices, settings }: AllocationInput) {
    this.#nowMs = nowMs;
    this.#rules = allocationRules(settings);
    this.#load = new ClusterLoad(nodes, indices, this.#rules);
    this.#deciders = new Deciders(this.#rules, this.#load);
    const byPriority = [...indices].sort(
      (a, b) => priorityOf(b) - priorityOf(a) || b.creationDateMs - a.creationDateMs || (a.name < b.name ? 1 : -1),
    );
    for (const index of byPriority) {
      const rules = indexRules(index.settings);
      for (const [number, { routing, bytes }] of index.shards.entries())
        this.#shards.push({ index, rules, number, bytes, before: routing, primary: routing.primary, copies: [...routing.copies] });
    }
  }

  run(): AllocationDecision {
    for (const shard of this.#shards) this.#tidy(shard);
    for (const { index, bytes, primary, copies } of this.#shards) this.#load.count(index, bytes, { primary, copies });
    for (const shard of this.#shards) if (shard.primary === null) this.#assignPrimary(shard);
    for (const shard of this.#shards) this.#assignReplicas(shard);
    for (const shard of this.#shards) this.#moveAway(shard);
    const unassigned = this.#missing();
    if (unassigned === 0 || this.#rules.allowsRebalance === 'always') this.#rebalance();
    const changes = this.#shards.flatMap(({ index, number, before, primary, copies }) =>
      isSameRouting(before, { primary, copies }) ? [] : [{ uuid: index.uuid, shard: number, routing: { primary, copies } }],
    );
    return { changes, unassigned, againMs: this.#againMs };
  }

  #isLive({ node }: CopyRouting): boolean {
    return this.#load.at.has(node);
  }

  // ------------------------------------------------------------------------------------------------------- 1. remove

  #tidy(shard: Shard): void {
    shard.copies = shard.copies.flatMap((copy) => this.#present(shard, copy));
    // A copy that was to replace one that is gone is an ordinary one.
    const nodes = new Set(shard.copies.map(({ node }) => node));
    shard.copies = shard.copies.map((copy) => (copy.replaces === null || nodes.has(copy.replaces) ? copy : { ...copy, replaces: null }));
    this.#promote(shard);
    this.#endMoves(shard);
    this.#removeSurplus(shard);
  }

  /** Notes when the node of a copy left; without its delay, the copy is forgotten. */
  #present({ rules }: Shard, copy: CopyRouting): CopyRouting[] {
    if (this.#isLive(copy)) return [copy.leftMs === null ? copy : { ...copy, leftMs: null }];
    if (!copy.isStarted || copy.replaces !== null) return [];
    const leftMs = copy.leftMs ?? this.#nowMs;
    if (this.#nowMs >= leftMs + rules.delayMs) return [];
    this.#againMs = Math.min(this.#againMs ?? Number.POSITIVE_INFINITY, leftMs + rules.delayMs);
    return [{ ...copy, leftMs }];
  }

  /** The log has every acknowledged write, so any copy may become the primary; one that is started has least to read. */
  #promote(shard: Shard): void {
    const current = shard.copies.find(({ node }) => node === shard.primary);
    if (current !== undefined && this.#isLive(current)) return;
    const live = shard.copies.filter((copy) => this.#isLive(copy));
    shard.primary = (live.find(({ isStarted }) => isStarted) ?? live[0])?.node ?? null;
  }

  /** Removes the copies that started ones have replaced. A primary first becomes a replica, which passes writes on to the new one. */
  #endMoves(shard: Shard): void {
    for (const moved of shard.copies.filter(({ isStarted, replaces }) => isStarted && replaces !== null)) {
      if (shard.primary === moved.replaces) {
        shard.primary = moved.node;
        continue;
      }
      shard.copies = shard.copies.flatMap((copy) =>
        copy.node === moved.replaces ? [] : [copy.node === moved.node ? { ...copy, replaces: null } : copy],
      );
    }
  }

  /** Never the primary; first what is not there, then what is being filled, then the last one. */
  #removeSurplus(shard: Shard): void {
    const rank = (copy: CopyRouting): number => (this.#isLive(copy) ? (copy.isStarted ? 2 : 1) : 0);
    while (shard.copies.filter(({ replaces }) => replaces === null).length > 1 + shard.index.replicas) {
      const removable = shard.copies.filter(({ node, replaces }) => node !== shard.primary && replaces === null);
      const least = removable.reduce((a, b) => (rank(b) <= rank(a) ? b : a));
      shard.copies = shard.copies.filter(({ node, replaces }) => node !== least.node && replaces !== least.node);
    }
  }

  // ------------------------------------------------------------------------------------------------------- 2. assign

  /** @param without  a copy that does not count, since it is the one to be moved */
  #candidate(shard: Shard, without: string | null = null): Candidate {
    const { index, rules, bytes, primary } = shard;
    return {
      uuid: index.uuid,
      weight: index.weight,
      rules,
      bytes,
      others: shard.copies.filter(({ node }) => node !== without),
      copies: 1 + index.replicas,
      source: primary === null ? null : (this.#load.at.get(primary) ?? null),
      isEmpty: bytes === 0,
    };
  }

  #cheapest(candidate: Candidate): number | null {
    let best: number | null = null;
    let least = Number.POSITIVE_INFINITY;
    for (const group of this.#load.groups(candidate.weight)) {
      if (group.least >= least) break;
      for (const at of group.nodes) {
        const cost = this.#load.costOf(at, candidate, candidate.bytes);
        if (cost >= least || this.#deciders.allocate(candidate, at) !== null) continue;
        if (cost <= group.least) return at;
        best = at;
        least = cost;
      }
    }
    return best;
  }

  #place(shard: Shard, at: number, source: number | null, replaces: string | null): void {
    const { index, bytes } = shard;
    shard.copies.push({ node: this.#load.nodes[at].id, id: 0, isStarted: false, leftMs: null, replaces });
    this.#load.add(at, index, bytes, true);
    if (source === null && bytes === 0) return;
    this.#load.incoming[at]++;
    if (source !== null) this.#load.outgoing[source]++;
  }

  /** A primary that is lost for good is filled from JetStream. Before that, its node may return within the delay. */
  #assignPrimary(shard: Shard): void {
    const candidate = this.#candidate(shard);
    const isExpected = shard.copies.length > 0;
    const at = isExpected || this.#deciders.enable(candidate) !== null ? null : this.#cheapest(candidate);
    if (at === null) return;
    this.#place(shard, at, null, null);
    shard.primary = this.#load.nodes[at].id;
  }

  #assignReplicas(shard: Shard): void {
    const present = shard.copies.filter(({ replaces }) => replaces === null);
    let missing = 1 + shard.index.replicas - Math.max(1, present.length);
    if (shard.primary === null) return;
    for (; missing > 0; missing--) {
      const candidate = this.#candidate(shard);
      const { source } = candidate;
      const isThrottled = source !== null && this.#load.outgoing[source] >= this.#rules.outgoingRecoveries;
      const at = isThrottled || this.#deciders.enable(candidate) !== null ? null : this.#cheapest(candidate);
      if (at === null) return;
      this.#place(shard, at, source, null);
    }
  }

  /** Copies that no live node has. */
  #missing(): number {
    let missing = 0;
    for (const { index, copies } of this.#shards)
      missing += Math.max(0, 1 + index.replicas - copies.filter((copy) => copy.replaces === null && this.#isLive(copy)).length);
    return missing;
  }

  // --------------------------------------------------------------------------------------------------------- 3. move

  #moveAway(shard: Shard): void {
    for (const copy of shard.copies.filter((each) => this.#isMovable(shard, each))) {
      const at = this.#load.at.get(copy.node) ?? 0;
      const candidate = this.#candidate(shard, copy.node);
      if (this.#deciders.remain(candidate, at) === null || this.#deciders.enable(candidate) !== null) continue;
      // The copy itself does not count against its new node, which is another one: this one refuses it.
      const to = this.#cheapest(candidate);
      if (to === null || shard.copies.some(({ node }) => node === this.#load.nodes[to].id)) continue;
      this.#startMove(shard, copy, to);
    }
  }

  /** A started copy on a live node that is not being replaced already. */
  #isMovable({ copies }: Shard, copy: CopyRouting): boolean {
    return copy.isStarted && this.#isLive(copy) && !copies.some(({ replaces }) => replaces === copy.node);
  }

  #startMove(shard: Shard, copy: CopyRouting, to: number): void {
    const source = shard.primary === null ? null : (this.#load.at.get(shard.primary) ?? null);
    this.#place(shard, to, source, copy.node);
  }

  // ---------------------------------------------------------------------------------------------------- 4. rebalance

  #rebalance(): void {
    const { rebalance, allowsRebalance, concurrentRebalances, threshold } = this.#rules;
    const isActive = (shard: Shard) => shard.copies.every((copy) => copy.isStarted || copy.replaces !== null);
    if (rebalance === 'none' || (allowsRebalance !== 'always' && !this.#shards.every(isActive))) return;
    const moving = this.#shards.reduce((sum, { copies }) => sum + copies.filter(({ replaces }) => replaces !== null).length, 0);
    const limit = concurrentRebalances < 0 ? Number.POSITIVE_INFINITY : concurrentRebalances;
    for (let moves = moving; moves < limit; moves++) {
      const best = this.#bestMove(threshold);
      if (best === null) return;
      this.#startMove(best.shard, best.copy, best.to);
      this.#load.remove(this.#load.at.get(best.copy.node) ?? 0, best.shard.index, best.shard.bytes);
    }
  }

  #bestMove(threshold: number): { shard: Shard; copy: CopyRouting; to: number } | null {
    const lightest = this.#load.lightest(MOVE_TARGETS);
    let best: { shard: Shard; copy: CopyRouting; to: number } | null = null;
    let most = threshold;
    for (const shard of this.#shards) {
      for (const copy of shard.copies) {
        const from = this.#load.at.get(copy.node);
        if (from === undefined) continue;
        const cost = this.#load.costOf(from, shard.index, shard.bytes);
        if (this.#load.mostGain(cost, lightest, shard.index, shard.bytes) <= most || !this.#mayRebalance(shard, copy)) continue;
        for (const to of lightest.nodes) {
          const gain = this.#load.gainOf(from, to, shard.index, shard.bytes);
          if (gain <= most || !this.#mayMove(shard, copy, to)) continue;
          best = { shard, copy, to };
          most = gain;
        }
      }
    }
    return best;
  }

  #mayRebalance(shard: Shard, copy: CopyRouting): boolean {
    const isPrimary = copy.node === shard.primary;
    const allows = (enable: string) => enable === 'all' || enable === (isPrimary ? 'primaries' : 'replicas');
    return allows(this.#rules.rebalance) && allows(shard.rules.rebalance);
  }

  #mayMove(shard: Shard, copy: CopyRouting, to: number): boolean {
    if (!this.#isMovable(shard, copy) || shard.copies.some(({ node }) => node === this.#load.nodes[to].id)) return false;
    const candidate = this.#candidate(shard, copy.node);
    return this.#deciders.enable(candidate) === null && this.#deciders.allocate(candidate, to) === null;
  }
}

function priorityOf({ settings }: AllocationIndex): number {
  return Number(settings['index.priority'] ?? 1);
}
