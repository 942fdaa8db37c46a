// Blocks of an index that refuse changes of its metadata, or all looks at it.
import { ApiError } from '../../errors/api-error.ts';
import type { IndexMeta } from '../cluster-state.ts';

/** Description of the block `read_only_allow_delete`. */
export const DISK_IS_FULL = 'disk usage exceeded flood-stage watermark, index has read-only-allow-delete block';

export function blockedError(index: string, status: number, block: string): ApiError {
  return new ApiError('cluster_block_exception', status, `index [${index}] blocked by: [${block}];`);
}

const READ_ONLY = 'FORBIDDEN/5/index read-only (api)';
const METADATA = 'FORBIDDEN/9/index metadata (api)';

/** @throws ApiError cluster_block_exception (403): aliases, mapping, settings and state of the index may not change, nor may it be deleted */
export function checkMetadataWritable({ name, settings }: IndexMeta): void {
  const blocks = [
    ...(settings['index.blocks.metadata'] === 'true' ? [METADATA] : []),
    ...(settings['index.blocks.read_only'] === 'true' ? [READ_ONLY] : []),
  ];
  if (blocks.length > 0) throw blockedError(name, 403, blocks.join(', '));
}

/** @throws ApiError cluster_block_exception (403): the block `metadata` hides mapping, settings and statistics */
export function checkMetadataReadable({ name, settings }: IndexMeta): void {
  if (settings['index.blocks.metadata'] === 'true') throw blockedError(name, 403, METADATA);
}
