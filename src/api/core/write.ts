// A single write: its operation, the conditions that it must meet, and when it becomes searchable.
import type { ShardOperation, ShardOutcome } from '../../indexing/shard-operation.ts';

/** `refresh` of a write: refresh at once, or respond after the next refresh. */
export type Refresh = 'false' | 'true' | 'wait_for';

export type VersionType = ShardOperation['versionType'];

/** Optimistic concurrency control: required properties of the stored document. null members are not checked. */
export type WriteConditions = Pick<ShardOperation, 'ifSeqNo' | 'ifPrimaryTerm' | 'version' | 'versionType'>;

export const NO_CONDITIONS: WriteConditions = { ifSeqNo: null, ifPrimaryTerm: null, version: null, versionType: 'internal' };

/** A write as it is sent to the indexer that owns its shard. */
export interface WriteOperation extends ShardOperation {
  readonly retryOnConflict: number;
}

export type WriteOutcome = ShardOutcome;

export function makeOperation(
  kind: WriteOperation['kind'],
  id: string,
  routing: string | null,
  conditions: WriteConditions,
): WriteOperation {
  return { kind, id, autoId: false, routing, source: null, ...conditions, retryOnConflict: 0, docAsUpsert: false, wantSource: false };
}
