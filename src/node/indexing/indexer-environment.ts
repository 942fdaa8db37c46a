// What the writers of an indexer get from the node: memory, merges and mapping updates from main, and the state of the thread.
import type { SegmentSorter } from '../../arena/segment-sorter.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { BufferPool } from '../../indexing/buffer-pool.ts';
import type { MergeResult, WriterEnvironment } from '../../indexing/writer-environment.ts';
import type { Store } from '../../store/store.ts';
import type { ThreadArenas } from '../memory/arenas.ts';
import type { Channel } from '../messages/channel.ts';
import type { FromIndexer, ToIndexer } from '../messages/messages.ts';
import type { IndexStates } from '../metadata/index-states.ts';
import { type ShardHolds, shardKey } from './open-shard.ts';

/** The parts of an indexer that its writers use. */
interface IndexerParts {
  readonly store: Store;
  readonly main: Channel<FromIndexer, ToIndexer>;
  readonly arenas: ThreadArenas;
  readonly states: IndexStates;
  readonly holds: ShardHolds;
  readonly buffers: BufferPool;
  readonly sorter: SegmentSorter;
  readonly nextSegmentId: () => number;
  readonly logError: (message: string, error: unknown) => void;
}

export function writerEnvironment(parts: IndexerParts): WriterEnvironment {
  const { store, main, arenas, states, holds, buffers, sorter, nextSegmentId, logError } = parts;
  return {
    store,
    buffers,
    nextSegmentId,
    allocate: (bytes, arena) => main.request({ type: 'allocate', bytes, arena }),
    openFile: (file, isAnySize = false) => main.request({ type: 'openFile', file, isAnySize }),
    view: (extent) => arenas.view(extent),
    openSegment: (id, image, name, verify) => arenas.openForTurns(id, image, name, verify),
    publish: (snapshot) => main.request({ type: 'publish', snapshot }),
    updateMapping: async (uuid, mappings) => {
      await main.request({ type: 'updateMapping', uuid, mappings });
      const state = states.byUuid(uuid);
      if (!state) throw new ApiError('index_not_found_exception', 404, `no such index [${uuid}]`);
      return state;
    },
    merge: async (segments, layout, file): Promise<MergeResult> => {
      const reply = await main.request({
        type: 'merge',
        segments: segments.map((segment) => segment.descriptor()),
        layout,
        file,
      });
      return { image: reply.image, docMaps: reply.docMaps };
    },
    sortSegment: (image, sort) => sorter.sort(image, sort),
    isHeld: ({ uuid, shard }) => holds.isHeld(shardKey(uuid, shard)),
    slowWrite: ({ index, uuid, shard }, write) =>
      main.notify({ type: 'slow', entry: { timeMs: Date.now(), phase: 'index', index, indexUuid: uuid, shard, ...write } }),
    mergeFailed: (identity, error) => logError(`[${identity.index}][${identity.shard}] merge failed`, error),
    storedScript: (id) => {
      const { scripts } = states.cluster;
      const script = Object.hasOwn(scripts, id) ? scripts[id] : null;
      return script && { lang: String(script['lang']), source: String(script['source']) };
    },
    nowMs: () => Date.now(),
  };
}
