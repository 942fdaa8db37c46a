// Index blocks: rejects the requests that they block.
import { ApiError } from '../../errors/api-error.ts';
import type { IndexMeta } from '../../metadata/cluster-state.ts';
import { blockedError, DISK_IS_FULL } from '../../metadata/indices/metadata-blocks.ts';
import type { IndexState } from './index-state.ts';

/** @throws ApiError cluster_block_exception (403, 429): writes are blocked; index_closed_exception */
export function checkWritable(index: IndexState): void {
  const { settings, name, state, uuid } = index.meta;
  if (state === 'close') throw new ApiError('index_closed_exception', 400, 'closed', { details: { index: name, index_uuid: uuid } });
  if (settings['index.blocks.read_only'] === 'true') throw blockedError(name, 403, 'FORBIDDEN/5/index read-only (api)');
  if (settings['index.blocks.write'] === 'true') throw blockedError(name, 403, 'FORBIDDEN/8/index write (api)');
  // Clients retry later: the block is set while the disk is full.
  if (settings['index.blocks.read_only_allow_delete'] === 'true') throw blockedError(name, 429, `TOO_MANY_REQUESTS/12/${DISK_IS_FULL}`);
}

/** @throws ApiError cluster_block_exception (403): reads are blocked */
export function checkReadable({ settings, name }: IndexMeta): void {
  if (settings['index.blocks.read'] !== 'true') return;
  throw blockedError(name, 403, 'FORBIDDEN/7/index read (api)');
}
