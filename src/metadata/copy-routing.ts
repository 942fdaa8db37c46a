// Where the copies of a shard are.

/** A copy of a shard on a node. */
export interface CopyRouting {
  readonly node: string;
  /** Different for each time that the node gets a copy; 0 until the decision is part of the metadata. */
  readonly id: number;
  /** False while it is being filled. */
  readonly isStarted: boolean;
  /** When its node was first missing; null while the node lives. */
  readonly leftMs: number | null;
  /** The node whose copy this one replaces once it is started; null for an additional copy. */
  readonly replaces: string | null;
}

/** The copies of a shard. The primary is one of their nodes; null if no live node has a copy that may become it. */
export interface ShardRouting {
  readonly primary: string | null;
  readonly copies: readonly CopyRouting[];
}

export const NOT_ROUTED: ShardRouting = { primary: null, copies: [] };

export function isSameRouting(a: ShardRouting, b: ShardRouting): boolean {
  return (
    a.primary === b.primary &&
    a.copies.length === b.copies.length &&
    a.copies.every((copy, i) => {
      const other = b.copies[i];
      return (
        copy.node === other.node &&
        copy.id === other.id &&
        copy.isStarted === other.isStarted &&
        copy.leftMs === other.leftMs &&
        copy.replaces === other.replaces
      );
    })
  );
}
