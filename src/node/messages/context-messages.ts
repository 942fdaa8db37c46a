// Messages about scrolls and points in time, which main holds (src/node/main/search-contexts.ts) and readers use.
import type { ContextKind, ContextState } from '../../api/core/search-context.ts';
import type { SnapshotDescriptor } from '../../indexing/segment-set.ts';

export type ContextRequest =
  | {
      readonly action: 'open';
      readonly kind: ContextKind;
      readonly snapshots: readonly SnapshotDescriptor[];
      readonly keepAliveMs: number;
      /** Largest number of contexts of this kind in the node. */
      readonly limit: number;
      readonly state: ContextState;
    }
  | { readonly action: 'use'; readonly kind: ContextKind; readonly key: string; readonly keepAliveMs: number | null }
  /** `state` undefined leaves the stored state. */
  | { readonly action: 'endUse'; readonly loan: number; readonly state?: ContextState }
  /** `keys` null for all. */
  | { readonly action: 'close'; readonly kind: ContextKind; readonly keys: readonly string[] | null }
  | { readonly action: 'list'; readonly kind: ContextKind };

export interface BorrowedContext {
  readonly loan: number;
  readonly snapshots: readonly SnapshotDescriptor[];
  readonly state: ContextState;
}

export interface ContextInfo {
  readonly key: string;
  readonly createdMs: number;
  readonly keepAliveMs: number;
  readonly owner: string | null;
  readonly indexUuids: readonly string[];
}

/** Results of the requests, by action. */
export interface ContextReplies {
  open: string;
  use: BorrowedContext | null;
  endUse: undefined;
  /** Keys of the contexts that were open. */
  close: string[];
  list: ContextInfo[];
}
