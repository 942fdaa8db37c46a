// Version checks of writes: optimistic concurrency by seqNo and primary term, external versions, op_type create.
import { ApiError } from '../errors/api-error.ts';

export interface CurrentVersion {
  readonly seqNo: number;
  readonly version: number;
  readonly primaryTerm: number;
  readonly deleted: boolean;
}

export interface VersionDemand {
  readonly kind: 'index' | 'create' | 'delete' | 'update';
  readonly id: string;
  readonly ifSeqNo: number | null;
  readonly ifPrimaryTerm: number | null;
  readonly version: number | null;
  readonly versionType: 'internal' | 'external' | 'external_gte';
}

/** @returns the version that the write gets @throws ApiError version_conflict_engine_exception (409) */
export function nextVersion(
  demand: VersionDemand,
  current: CurrentVersion | null,
  where: { index: string; uuid: string; shard: number },
): number {
  const { id } = demand;
  const exists = current !== null && !current.deleted;
  const conflict = (text: string) =>
    new ApiError('version_conflict_engine_exception', 409, `[${id}]: version conflict, ${text}`, {
      details: { index: where.index, shard: String(where.shard), index_uuid: where.uuid },
    });
  if (demand.ifSeqNo !== null) {
    const required = `required seqNo [${demand.ifSeqNo}], primary term [${demand.ifPrimaryTerm}].`;
    if (!exists) throw conflict(`${required} but no document was found`);
    if (current.seqNo !== demand.ifSeqNo || current.primaryTerm !== demand.ifPrimaryTerm) {
      throw conflict(`${required} current document has seqNo [${current.seqNo}] and primary term [${current.primaryTerm}]`);
    }
  }
  if (demand.versionType !== 'internal' && demand.version !== null) {
    if (current !== null) {
      if (demand.versionType === 'external' && current.version >= demand.version) {
        throw conflict(`current version [${current.version}] is higher or equal to the one provided [${demand.version}]`);
      }
      if (demand.versionType === 'external_gte' && current.version > demand.version) {
        throw conflict(`current version [${current.version}] is higher than the one provided [${demand.version}]`);
      }
    }
    return demand.version;
  }
  if (demand.kind === 'create' && exists) {
    throw conflict(`document already exists (current version [${current.version}])`);
  }
  return current === null ? 1 : current.version + 1;
}
