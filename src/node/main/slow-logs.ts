// The slow logs of the node: JSON lines in the form and the files of Elasticsearch 8, and the last entries in memory.
import path from 'node:path';
import type { SlowEntry } from '../../api/core/slow-log.ts';
import { type LineSink, LogFile } from '../../common/log/log-file.ts';

const MAX_RECENT = 500;
/** Recent entries contain only the beginning of large bodies; the file contains them whole. */
const RECENT_SOURCE_CHARS = 2000;

/** Properties of the node in log lines. */
export interface SlowLogNode {
  readonly clusterName: string;
  readonly clusterUuid: string;
  readonly nodeId: string;
  readonly nodeName: string;
}

export class SlowLogs {
  readonly #folder: string;
  readonly #node: () => SlowLogNode;
  /** Opened with the first line. */
  readonly #files = new Map<string, LineSink | null>();
  readonly #onError: (message: string) => void;
  readonly #recent: SlowEntry[] = [];

  /**
   * @param folder   `path.logs`; empty: nothing is written
   * @param onError  called once for a file that cannot be opened, and is not written then
   */
  constructor(folder: string, node: () => SlowLogNode, onError: (message: string) => void) {
    this.#folder = folder;
    this.#node = node;
    this.#onError = onError;
  }

  add(entry: SlowEntry): void {
    this.#recent.push(
      entry.source.length > RECENT_SOURCE_CHARS ? { ...entry, source: `${entry.source.slice(0, RECENT_SOURCE_CHARS)}…` } : entry,
    );
    if (this.#recent.length > MAX_RECENT) this.#recent.shift();
    if (this.#folder === '') return;
    const name = entry.phase === 'index' ? 'index_indexing_slowlog' : 'index_search_slowlog';
    if (!this.#files.has(name)) this.#files.set(name, this.#open(`${name}.json`));
    this.#files.get(name)?.write(slowLine(entry, this.#node()));
  }

  #open(name: string): LineSink | null {
    try {
      return new LogFile(path.join(this.#folder, name));
    } catch (error) {
      this.#onError(`slow searches and writes are not logged: ${(error as Error).message}`);
      return null;
    }
  }

  /** The newest first. */
  recent(): readonly SlowEntry[] {
    return this.#recent.toReversed();
  }

  /** Continues in new files of the same names after a rotation (SIGUSR1). */
  reopen(): void {
    for (const file of this.#files.values()) file?.reopen();
  }

  close(): void {
    for (const file of this.#files.values()) file?.close();
    this.#files.clear();
  }
}

/** A line as Elasticsearch 8 writes it, with the names of the Elastic Common Schema. */
function slowLine(entry: SlowEntry, node: SlowLogNode): string {
  const { search, phase } = entry;
  return JSON.stringify({
    '@timestamp': new Date(entry.timeMs).toISOString(),
    'log.level': entry.level.toUpperCase(),
    'elasticsearch.slowlog.id': entry.id ?? undefined,
    'elasticsearch.slowlog.message': phase === 'index' ? `[${entry.index}/${entry.indexUuid}]` : `[${entry.index}][${entry.shard}]`,
    'elasticsearch.slowlog.routing': entry.routing ?? undefined,
    'elasticsearch.slowlog.search_type': search?.type,
    'elasticsearch.slowlog.source': entry.source,
    'elasticsearch.slowlog.stats': search && '[]',
    'elasticsearch.slowlog.took': tookText(entry.tookMs),
    'elasticsearch.slowlog.took_millis': String(Math.floor(entry.tookMs)),
    'elasticsearch.slowlog.total_hits': search && hitsText(search.totalHits),
    'elasticsearch.slowlog.total_shards': search && String(search.totalShards),
    'user.name': search?.user ?? undefined,
    'ecs.version': '1.2.0',
    'service.name': 'ES_ECS',
    'event.dataset': phase === 'index' ? 'elasticsearch.index_indexing_slowlog' : 'elasticsearch.index_search_slowlog',
    'log.logger': phase === 'index' ? 'index.indexing.slowlog.index' : `index.search.slowlog.${phase}`,
    'elasticsearch.cluster.uuid': node.clusterUuid,
    'elasticsearch.node.id': node.nodeId,
    'elasticsearch.node.name': node.nodeName,
    'elasticsearch.cluster.name': node.clusterName,
  });
}

/** `747.3micros`, `1.2ms`, `3s`: one decimal, without a zero. */
function tookText(ms: number): string {
  const [value, unit] = ms < 1 ? [ms * 1000, 'micros'] : ms < 1000 ? [ms, 'ms'] : ms < 60_000 ? [ms / 1000, 's'] : [ms / 60_000, 'm'];
  return `${Math.floor(value * 10) / 10}${unit}`;
}

const hitsText = (total: NonNullable<SlowEntry['search']>['totalHits']): string =>
  total === null ? '-1' : `${total.value}${total.relation === 'gte' ? '+' : ''} hits`;
