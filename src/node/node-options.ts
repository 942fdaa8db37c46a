// What every thread of the node needs of the settings; plain data, given to a thread when it starts.

import type { Settings } from '../config/settings.ts';

export interface NodeOptions {
  readonly dataPath: string;
  readonly configPath: string;
  readonly clusterName: string;
  readonly nodeName: string;
  readonly nodeId: string;
  /** Bytes of an open buffer at which it becomes a segment. */
  readonly indexBufferBytes: number;
  /** Bytes of writes under way in an indexer above which more are rejected (429). */
  readonly writeQueueBytes: number;
  /** Scratch of a reader in each arena: bounds what one request may use. */
  readonly scratchBytes: number;
  /** All settings by name, for the parts that this thread runs (REST, logs, authentication). */
  readonly settings: Settings;
}
