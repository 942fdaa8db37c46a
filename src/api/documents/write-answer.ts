// Responses to writes, the same for single requests and for items of bulk requests.
import type { IndexState } from '../core/index-state.ts';
import type { Refresh, WriteOutcome } from '../core/write.ts';
import { writeShards } from './write-target.ts';

/** The response to a write. Its keys are in Elasticsearch's order. */
export function writeBody(index: IndexState, outcome: WriteOutcome & { ok: true }, refresh: Refresh): Record<string, unknown> {
  const body: Record<string, unknown> = { _index: index.meta.name, _id: outcome.id, _version: outcome.version, result: outcome.result };
  if (outcome.result === 'noop') body._shards = { total: 0, successful: 0, failed: 0 };
  else {
    if (refresh === 'true') body.forced_refresh = true;
    body._shards = writeShards(index);
  }
  body._seq_no = outcome.seqNo;
  body._primary_term = outcome.primaryTerm;
  return body;
}

export function writeStatus(outcome: WriteOutcome & { ok: true }): number {
  if (outcome.result === 'created') return 201;
  return outcome.result === 'not_found' ? 404 : 200;
}
