// Checks of a write before it is sent to its shard: routing, versions, sequence numbers.

import { ApiError } from '../../errors/api-error.ts';
import { illegalArgumentError, validationFailedError } from '../../errors/catalog.ts';
import type { IndexState } from '../core/index-state.ts';
import type { WriteConditions, WriteOperation } from '../core/write.ts';

/** @throws ApiError routing_missing_exception */
export function checkRouting(index: IndexState, id: string, routing: string | null): void {
  if (routing !== null || !index.mapping.routingRequired) return;
  const { name, uuid } = index.meta;
  throw new ApiError('routing_missing_exception', 400, `routing is required for [${name}]/[${id}]`, {
    details: { index: name, index_uuid: uuid },
  });
}

/** Invalid conditions of a write, for `validationError`. @throws ApiError illegal_argument_exception: negative numbers */
export function conditionProblems(
  kind: WriteOperation['kind'],
  id: string | null,
  { ifSeqNo, ifPrimaryTerm, version, versionType }: WriteConditions,
  retryOnConflict = 0,
): (string | null)[] {
  if (ifSeqNo !== null && ifSeqNo < 0) throw illegalArgumentError(`sequence numbers must be non negative. got [${ifSeqNo}].`);
  if (ifPrimaryTerm !== null && ifPrimaryTerm < 0) throw illegalArgumentError(`primary term must be non negative. got [${ifPrimaryTerm}]`);
  const term = ifPrimaryTerm ?? 0;
  const created = kind === 'create' ? creationProblem(versionType, version, ifSeqNo !== null || term > 0) : null;
  if (created !== null) return [created];
  return [
    id === null && (versionType !== 'internal' || version !== null) ? 'an id must be provided if version type or value are set' : null,
    isWritable(versionType, version)
      ? null
      : `illegal version value [${version ?? ANY_VERSION}] for version type [${versionType.toUpperCase()}]`,
    versionType === 'internal' && version !== null
      ? 'internal versioning can not be used for optimistic concurrency control. Please use `if_seq_no` and `if_primary_term` instead'
      : null,
    ifSeqNo !== null && version !== null ? 'compare and write operations can not use versioning' : null,
    ifSeqNo !== null && term === 0 ? 'ifSeqNo is set, but primary term is [0]' : null,
    ifSeqNo === null && term > 0 ? `ifSeqNo is unassigned, but primary term is [${term}]` : null,
    ifSeqNo !== null && retryOnConflict > 0 ? 'compare and write operations can not be retried' : null,
  ];
}

export const EMPTY_PIPELINE = 'pipeline cannot be an empty string';

/** How the servers write a version that was not given. */
const ANY_VERSION = -3;

/** Why a document cannot be created under conditions; null if it can. */
function creationProblem(versionType: WriteConditions['versionType'], version: number | null, isCompared: boolean): string | null {
  const never = (what: string): string => `create operations ${what}. use index instead`;
  if (versionType !== 'internal') return never('only support internal versioning');
  if (version !== null) return never('do not support explicit versions');
  return isCompared ? never('do not support compare and set') : null;
}

function isWritable(versionType: WriteConditions['versionType'], version: number | null): boolean {
  return version === null ? versionType === 'internal' : version >= 0;
}

/** @throws ApiError action_request_validation_exception: no document can have the version */
export function checkReadVersion(versionType: WriteConditions['versionType'], version: number | null): void {
  if (version === null || version > 0 || (version === 0 && versionType !== 'internal')) return;
  throw validationFailedError([`illegal version value [${version}] for version type [${versionType.toUpperCase()}]`]);
}
