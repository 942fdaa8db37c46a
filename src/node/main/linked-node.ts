// The node as its cluster link sees it: applies the entries of other nodes to this node's metadata and users, and passes their requests to shards.
import type { LogLevel } from '../../common/log/logger.ts';
import { ApiError } from '../../errors/api-error.ts';
import { hasCopy } from '../../metadata/copies.ts';
import type { ClusterLink, LinkedNode } from '../cluster/cluster-link.ts';
import type { ToReader, WriterStats } from '../messages/messages.ts';
import type { MetadataStore } from '../metadata/metadata-store.ts';
import type { CommandQueue } from './command-queue.ts';
import type { Indexers } from './indexers.ts';
import type { MetadataCommands } from './metadata-commands.ts';
import type { SearchContexts } from './search-contexts.ts';
import type { SecurityCommands } from './security-commands.ts';
import type { ShardPlacements } from './shard-placements.ts';

/** The parent process does not start the service again, because it would fail the same way. */
const EXIT_FATAL = 78;

/** The parts of main that other nodes may reach. */
export interface LinkedParts {
  /** Id of this node. */
  readonly nodeId: string;
  readonly metadata: MetadataStore;
  readonly commands: MetadataCommands;
  readonly securityCommands: SecurityCommands;
  readonly placements: ShardPlacements;
  readonly indexers: Indexers;
  readonly queue: CommandQueue;
  readonly link: ClusterLink;
  readonly contexts: SearchContexts;
  readonly serve: LinkedNode['serve'];
  readonly broadcast: (message: ToReader) => Promise<void>;
  readonly log: (level: LogLevel, message: string) => void;
}

export function linkedNode({
  nodeId,
  metadata,
  commands,
  securityCommands,
  placements,
  indexers,
  queue,
  link,
  contexts,
  serve,
  broadcast,
  log,
}: LinkedParts): LinkedNode {
  const fail = (error: Error): void => {
    log('error', `the node stops: ${error.message}`);
    process.exit(EXIT_FATAL);
  };
  return {
    state: () => metadata.state,
    position: metadata.position,
    replay: (entry) => {
      if (entry.kind === 'command') commands.replay(entry);
      else if (entry.kind === 'security') securityCommands.replay(entry.changes);
      else metadata.save({ ...metadata.state, clusterUuid: entry.clusterUuid }, link.metadataLog.position);
    },
    apply: async (entry) => {
      try {
        if (entry.kind === 'command') await commands.apply(entry);
        else if (entry.kind === 'security') await securityCommands.apply(entry.changes);
      } catch (error) {
        if (!(error instanceof ApiError)) fail(error as Error);
        throw error;
      }
    },
    security: () => securityCommands.all(),
    adopt: async (state, security, isStarted) => {
      // The position is stored with the state, so the users come first.
      await securityCommands.adopt(security, isStarted);
      if (isStarted) await commands.adopt(state);
      else metadata.save(state, link.metadataLog.position);
    },
    inQueue: (change) => queue.run(change),
    command: (name, args) => commands.run(name, args),
    askShard: async (request) => {
      const { uuid, shard } = request;
      const placement = placements.of(metadata.state).find((candidate) => candidate.uuid === uuid && candidate.shard === shard);
      // What is not here cannot lag behind; once it is, it catches up before it is searched.
      const isAbsent = metadata.state.copies !== undefined && !hasCopy(metadata.state, uuid, nodeId);
      if (isAbsent && (request.kind === 'refresh' || request.kind === 'committed')) return null;
      if (placement === undefined)
        throw new ApiError('shard_not_in_primary_mode_exception', 503, `no shard [${shard}] of [${uuid}] is open`);
      // Searches of a damaged copy fail.
      if (request.kind === 'refresh' && placement.damage !== null) return null;
      return indexers.channel(placement.indexer).request({ type: 'peer', request });
    },
    sizes: async () => {
      const sizes: Record<string, number> = {};
      const asked = placements.of(metadata.state).map(async ({ uuid, shard, indexer }) => {
        const request = { kind: 'request', uuid, shard, request: { type: 'stats', uuid, shard } } as const;
        const stats = (await indexers.channel(indexer).request({ type: 'peer', request })) as WriterStats;
        sizes[uuid] = (sizes[uuid] ?? 0) + stats.sizeBytes;
      });
      // What cannot be read counts as nothing.
      await Promise.allSettled(asked);
      return sizes;
    },
    serve,
    contexts: (request) => contexts.handle(request),
    broadcast,
    log,
    fail,
  };
}
