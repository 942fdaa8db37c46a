// Options for every thread of the node. Plain data, sent to a thread when it starts.

import type { Settings } from '../../config/settings.ts';

export interface NodeOptions {
  readonly dataPath: string;
  readonly configPath: string;
  readonly clusterName: string;
  readonly nodeName: string;
  readonly nodeId: string;
  /** Size at which an index buffer is written as a segment. */
  readonly indexBufferBytes: number;
  /** Limit for the writes in flight to one indexer; more are rejected (429). */
  readonly writeQueueBytes: number;
  /** Scratch region of a reader in each arena, which limits the memory of one request. */
  readonly scratchBytes: number;
  /** Memory of the circuit breakers (src/node/memory/memory-breaker.ts); null in a program that uses the engine as a library, whose memory is its own. */
  readonly breakers: SharedArrayBuffer | null;
  /** Where http workers count requests (src/rest/core/request-metrics.ts); null in a program that uses the engine as a library. */
  readonly metrics: SharedArrayBuffer | null;
  /** What http workers share of failed logins (src/rest/auth/login-memory.ts); null in a program that uses the engine as a library. */
  readonly logins: SharedArrayBuffer | null;
  /** All settings by name, for REST, logs and authentication. */
  readonly settings: Settings;
}

/** The options alone, without what a subtype adds to them, which may not be sendable. */
export function nodeOptionsOf({
  dataPath,
  configPath,
  clusterName,
  nodeName,
  nodeId,
  indexBufferBytes,
  writeQueueBytes,
  scratchBytes,
  breakers,
  metrics,
  logins,
  settings,
}: NodeOptions): NodeOptions {
  return {
    dataPath,
    configPath,
    clusterName,
    nodeName,
    nodeId,
    indexBufferBytes,
    writeQueueBytes,
    scratchBytes,
    breakers,
    metrics,
    logins,
    settings,
  };
}
