// What a shard's writer is asked to do, and what it answers.

import type { ApiError } from '../errors/api-error.ts';
import type { NamedTemplates } from '../mapping/mapping-snapshot.ts';

/** One write. */
export interface ShardOperation {
  readonly kind: 'index' | 'create' | 'delete' | 'update';
  readonly id: string;
  /** null: the indexer gives one (only kind `index` and `create`). */
  readonly autoId: boolean;
  readonly routing: string | null;
  /** UTF-8 JSON: the document, or the body of an update. */
  readonly source: Uint8Array | null;
  readonly ifSeqNo: number | null;
  readonly ifPrimaryTerm: number | null;
  readonly version: number | null;
  readonly versionType: 'internal' | 'external' | 'external_gte';
  readonly docAsUpsert: boolean;
  /** `_source` parameter of update: return the document. */
  readonly wantSource: boolean;
  /** Dynamic templates for new fields, by field. */
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
