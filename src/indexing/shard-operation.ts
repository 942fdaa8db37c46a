// The operations that a shard's writer applies, and their outcomes.
import type { ApiError } from '../errors/api-error.ts';
import type { NamedTemplates } from '../mapping/core/mapping-snapshot.ts';

/** One write operation. */
export interface ShardOperation {
  readonly kind: 'index' | 'create' | 'delete' | 'update';
  readonly id: string;
  /** The id was generated, so that no document can have it yet (kinds `index` and `create`). */
  readonly autoId: boolean;
  readonly routing: string | null;
  /** UTF-8 JSON: the document, or the body of the update request; null for a deletion. */
  readonly source: Uint8Array | null;
  readonly ifSeqNo: number | null;
  readonly ifPrimaryTerm: number | null;
  readonly version: number | null;
  readonly versionType: 'internal' | 'external' | 'external_gte';
  readonly docAsUpsert: boolean;
  /** Return the source of the updated document (`_source` parameter). */
  readonly wantSource: boolean;
  /** Names of dynamic templates by field, for fields that the document adds. */
  readonly dynamicTemplates?: NamedTemplates;
}

export type ShardOutcome =
  | {
      ok: true;
      id: string;
      result: 'created' | 'updated' | 'deleted' | 'not_found' | 'noop';
      seqNo: number;
      primaryTerm: number;
      version: number;
      source: Uint8Array | null;
    }
  | { ok: false; id: string; error: ReturnType<ApiError['toData']> };
