// How many threads of each kind the settings ask for.
import os from 'node:os';
import type { Settings } from '../../config/settings.ts';
import { isShareable } from '../../http/create-listener.ts';

const MAX_HTTP_WORKERS = 8;
const MAX_INDEXERS = 4;
const MAX_LANES = 4;

export interface ThreadCounts {
  /** threads that answer searches */
  readonly httpWorkers: number;
  /** http workers that listen: one where threads cannot share a port */
  readonly listeners: number;
  readonly indexers: number;
  /** threads that run what is too heavy for an http worker */
  readonly lanes: number;
  /** everything else runs in the main thread */
  readonly inProcess: boolean;
}

export function threadCounts(settings: Settings): ThreadCounts {
  const cores = os.availableParallelism();
  const httpWorkers = settings.threads > 0 ? settings.threads : Math.min(cores, MAX_HTTP_WORKERS);
  const indexers = settings.indexers > 0 ? settings.indexers : Math.max(1, Math.min(httpWorkers >> 1, MAX_INDEXERS));
  return {
    httpWorkers,
    listeners: isShareable(settings['http.listener']) ? httpWorkers : 1,
    indexers: httpWorkers === 1 ? 1 : indexers,
    lanes: settings['thread_pool.heavy.size'] || Math.max(2, Math.min(MAX_LANES, cores >> 1)),
    inProcess: httpWorkers === 1,
  };
}
