// What a node of a cluster checks before it answers from its own metadata and copies.
import { processClockMs } from '../../common/process-clock.ts';
import { SharedCall } from '../../common/shared-call.ts';
import type { Settings } from '../../config/settings.ts';
import { ApiError } from '../../errors/api-error.ts';

/**
 * Actions on documents, and those that ask about nodes. A change of metadata is acknowledged when all nodes use it, so documents need not wait for changes that
 * are still in progress; and nodes have to answer while the metadata cannot be reached.
 */
const LOCAL_ACTIONS = [
  'none',
  'indices:data/',
  'cluster:monitor/main',
  'cluster:monitor/health',
  'cluster:monitor/nodes/',
  'cluster:monitor/stats',
  'cluster:monitor/task',
];
const DOCUMENT_READS = 'indices:data/read/';

/** Requests that come at the same time share one message to main. */
export function sharedCatchUp(catchUp: () => Promise<void>): SharedCall<void> {
  return new SharedCall(catchUp);
}

/** As `EngineContext.catchUp`. @param readableUntil  as ReadLease has it */
export function catchUpFor(
  action: string,
  readableUntil: SharedArrayBuffer,
  settings: Settings,
  catchingUp: SharedCall<void>,
): Promise<void> | null {
  if (!LOCAL_ACTIONS.some((local) => action.startsWith(local))) return catchUpOrStale(readableUntil, settings, catchingUp);
  // Metadata that is out of date may lack an index.
  if (action.startsWith(DOCUMENT_READS)) checkReadable(readableUntil);
  return null;
}

async function catchUpOrStale(readableUntil: SharedArrayBuffer, settings: Settings, catchingUp: SharedCall<void>): Promise<void> {
  try {
    await catchingUp.run();
  } catch (error) {
    if (settings['cluster.stale_reads'] === 0 || !isReadable(readableUntil)) throw error;
  }
}

function isReadable(readableUntil: SharedArrayBuffer): boolean {
  return processClockMs() < new Float64Array(readableUntil)[0];
}

/** @throws ApiError others may have gone on without this node for longer than it may be read */
export function checkReadable(readableUntil: SharedArrayBuffer): void {
  if (isReadable(readableUntil)) return;
  throw new ApiError(
    'cluster_block_exception',
    503,
    'blocked by: [SERVICE_UNAVAILABLE/2/the node has not been in touch with its cluster for longer than cluster.stale_reads];',
  );
}
