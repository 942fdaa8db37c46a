// Opens a node with a reader in this thread, for the library.
import type { EngineContext } from '../api/core/context.ts';
import type { Settings } from '../config/settings.ts';
import { illegalArgumentError } from '../errors/catalog.ts';
import { newLoginMemory } from '../rest/auth/login-memory.ts';
import { newMetricsMemory } from '../rest/core/request-metrics.ts';
import { MainNode, type MainOptions } from './main/main-node.ts';
import { newBreakerMemory } from './memory/memory-breaker.ts';
import type { LogNotice } from './messages/messages.ts';
import { Reader } from './reading/reader.ts';
import { threadCounts } from './threads/thread-counts.ts';

/** Size at which an index buffer is written as a segment: larger segments mean fewer merges, smaller ones less memory. */
const INDEX_BUFFER_BYTES = 128 << 20;
/** Light requests need little; what needs more runs in a lane. */
const READER_SCRATCH_BYTES = 64 << 20;
const MIN_READER_SCRATCH_BYTES = 32 << 20;
const LONE_READER_SCRATCH_BYTES = 512 << 20;
/** Share of memory.limit for writes in flight. */
const WRITE_QUEUE_SHARE = 0.1;

export interface OpenNode {
  readonly context: EngineContext;
  close(): Promise<void>;
}

export function mainOptions(
  settings: Settings,
  inProcess: boolean,
  onLog: (level: LogNotice['level'], message: string) => void,
  lanes = 0,
): MainOptions {
  const limit = settings['memory.limit'];
  return {
    dataPath: settings['path.data'],
    configPath: settings['path.config'],
    clusterName: settings['cluster.name'],
    nodeName: settings['node.name'],
    // Derived from directory and name, so that the id is the same after a restart.
    nodeId: stableId(`${settings['path.data']}\0${settings['node.name']}`),
    indexBufferBytes: Math.min(INDEX_BUFFER_BYTES, Math.max(1 << 20, Math.floor(limit / 8))),
    writeQueueBytes: Math.max(1 << 20, Math.floor(limit * WRITE_QUEUE_SHARE)),
    scratchBytes:
      lanes === 0 ? LONE_READER_SCRATCH_BYTES : Math.max(MIN_READER_SCRATCH_BYTES, Math.min(READER_SCRATCH_BYTES, Math.floor(limit / 64))),
    breakers: lanes === 0 ? null : newBreakerMemory(),
    metrics: lanes === 0 ? null : newMetricsMemory(threadCounts(settings).httpWorkers),
    logins: lanes === 0 ? null : newLoginMemory(),
    settings,
    indexers: threadCounts(settings).indexers,
    inProcess,
    lanes,
    memoryLimitBytes: limit,
    onLog,
  };
}

/** @throws ApiError: the directory is in use, or its metadata is corrupt */
export async function openNode(
  settings: Settings,
  onLog: (level: LogNotice['level'], message: string) => void = (level, message) => process.stderr.write(`${level}: ${message}\n`),
): Promise<OpenNode> {
  if (settings['cluster.nats.servers'].length > 0)
    throw illegalArgumentError('[cluster.nats.servers] is not supported in a program that uses the engine as a library');
  const { inProcess } = threadCounts(settings);
  const options = mainOptions(settings, inProcess, onLog);
  const main = new MainNode(options);
  try {
    const readers: Reader[] = [];
    await main.start(() =>
      main.startReader((parts) => {
        const own = { ...parts, module: main.module, options: main.threadOptions, store: main.store };
        readers.push(new Reader(own, () => undefined, true));
        return null;
      }),
    );
    const [reader] = readers;
    return {
      context: reader.context,
      async close() {
        await reader.stopLifecycles();
        await main.stop();
        reader.close();
      },
    };
  } catch (error) {
    await main.stop();
    throw error;
  }
}

/** 128-bit FNV-1a (draft-eastlake-fnv). The id need not be secret, so no cryptography is loaded for it at each start. */
function stableId(text: string): string {
  let hash = 0x6c62272e07bb014262b821756295c58dn;
  for (const byte of Buffer.from(text)) hash = BigInt.asUintN(128, (hash ^ BigInt(byte)) * 0x1000000000000000000013bn);
  return Buffer.from(hash.toString(16).padStart(32, '0'), 'hex').toString('base64url');
}
