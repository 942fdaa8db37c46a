// Parameters of all writes.
import { type ActiveShards, readActiveShards } from '../../../api/documents/active-shards.ts';
import type { ApiRequest } from '../request.ts';

const DEFAULT_TIMEOUT_MS = 60_000;

/** `wait_for_active_shards` with its timeout. */
export function activeShardsOf(request: ApiRequest, defaultTimeoutMs = DEFAULT_TIMEOUT_MS): ActiveShards {
  return { count: readActiveShards(request.string('wait_for_active_shards')), timeoutMs: request.timeMs('timeout') ?? defaultTimeoutMs };
}
