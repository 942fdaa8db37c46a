// What main does with each message of an indexer, a reader or a lane. The result, or the promise of one, is the reply to a message that wants one.

import type { LogLevel } from '../../common/log/logger.ts';
import type { SnapshotDescriptor } from '../../indexing/segment-set.ts';
import type { ClusterLink } from '../cluster/cluster-link.ts';
import type { SegmentMemory } from '../memory/segment-memory.ts';
import type { ContextRequest } from '../messages/context-messages.ts';
import type { FromIndexer, FromReader } from '../messages/messages.ts';
import type { DamageReports } from './damage-reports.ts';
import type { MainLanes } from './main-lanes.ts';
import type { MergeRunner } from './merge-runner.ts';
import type { MetadataCommands } from './metadata-commands.ts';
import type { SearchContexts } from './search-contexts.ts';
import type { SecurityCommands } from './security-commands.ts';
import type { SlowLogs } from './slow-logs.ts';
import type { Snapshots } from './snapshots/snapshots.ts';
import type { Tasks } from './tasks.ts';

/** The parts of main that messages are for. */
export interface MessageTargets {
  readonly memory: SegmentMemory;
  readonly commands: MetadataCommands;
  readonly securityCommands: SecurityCommands;
  readonly merges: MergeRunner;
  readonly contexts: SearchContexts;
  readonly tasks: Tasks;
  readonly slowLogs: SlowLogs;
  readonly snapshots: Snapshots;
  readonly link: ClusterLink;
  /** null without lanes. */
  readonly lanes: () => MainLanes | null;
  /** Makes a snapshot of a shard known to all readers. */
  readonly publish: (snapshot: SnapshotDescriptor) => Promise<void>;
  readonly damage: Pick<DamageReports, 'reportShard'>;
  readonly onDamagedLog: (log: number, reason: string) => void;
  readonly log: (level: LogLevel, message: string) => void;
}

export class MainMessages {
  readonly #targets: MessageTargets;

  constructor(targets: MessageTargets) {
    this.#targets = targets;
  }

  onIndexer(message: FromIndexer): unknown {
    const { memory, commands, merges, slowLogs, link, publish, onDamagedLog, log } = this.#targets;
    switch (message.type) {
      case 'allocate':
        return memory.allocate(message.bytes, message.arena);
      case 'openFile':
        return memory.paged.open(message.file, message.isAnySize);
      case 'publish':
        return publish(message.snapshot);
      case 'updateMapping':
        return commands.updateMapping(message.uuid, message.mappings);
      case 'merge':
        return merges.merge(message.segments, message.layout, message.file);
      case 'slow':
        return slowLogs.add(message.entry);
      case 'askNode':
        return link.ask(message.node, message.request);
      case 'refreshOthers':
        return link.refreshOthers(message.uuid, message.shard);
      case 'committedOthers':
        return link.committedOthers(message.uuid, message.shard);
      case 'damaged':
        return onDamagedLog(message.log, message.reason);
      case 'log':
        return log(message.level, message.message);
    }
  }

  /** @param reader  number of the reader or lane */
  onReader(reader: number, message: FromReader): unknown {
    const { memory, commands, securityCommands, contexts, tasks, slowLogs, snapshots, link, lanes, damage, onDamagedLog, log } =
      this.#targets;
    switch (message.type) {
      case 'command':
        return spread(link, commands.run(message.name, message.args, message.checkedAnalyses));
      case 'securityCommand':
        return spread(link, securityCommands.run(message.name, message.args));
      case 'catchUp':
        return link.catchUp();
      case 'forward':
        return link.ask(message.node, { kind: 'rest', request: message.request });
      case 'askCopy':
        return link.askCopy(message.request);
      case 'context':
        return handleContext(contexts, link, message.request);
      case 'task':
        return tasks.handle(message.request);
      case 'slow':
        return slowLogs.add(message.entry);
      case 'slowEntries':
        return slowLogs.recent();
      case 'snapshots':
        return snapshots.handle(message.request);
      case 'release':
        return memory.registry.released(reader, message.extents);
      case 'lane':
        return lanes()?.run(reader, message.request);
      case 'help':
        return lanes()?.help(reader, message.request);
      case 'laneCancel':
        return lanes()?.cancel(reader, message.id);
      case 'laneBegin':
      case 'laneTimeout':
        return;
      case 'damagedSegment':
        return damage.reportShard(message, message.reason);
      case 'damaged':
        return onDamagedLog(message.log, message.reason);
      case 'log':
        return log(message.level, message.message);
    }
  }
}

/** The response to a change once every node uses it. */
async function spread<T>(link: ClusterLink, change: Promise<T>): Promise<T> {
  const response = await change;
  await link.spread();
  return response;
}

/** Scrolls and points in time are closed and listed on all nodes, and otherwise used on the node that has them. */
function handleContext(contexts: SearchContexts, link: ClusterLink, request: ContextRequest): unknown {
  const own = contexts.handle(request);
  if (request.action !== 'close' && request.action !== 'list') return own;
  return link.askContexts(request).then((others) => [own, ...others].flat());
}
