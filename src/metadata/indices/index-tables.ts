// What is looked up in all indices or data streams of a state: which of them a name refers to, and how many shards they have. Each creation of an
// index and each write to a new name asks for it, so one `_bulk` with many new names would read all metadata once per item. The tables are kept for
// the newest state, to which commands carry them over (`carryTables`); other states make their own when they are asked.
import type { ClusterState, IndexMeta } from '../cluster-state.ts';

type Indices = ClusterState['indices'];
type Streams = NonNullable<ClusterState['dataStreams']>;

interface IndexTables {
  /** Indices by their aliases. */
  readonly byAlias: Map<string, Set<string>>;
  /** Shards of open indices, with replicas. */
  openShards: number;
}

const indexTables = new WeakMap<Indices, IndexTables>();
const streamTables = new WeakMap<Streams, Map<string, Set<string>>>();

/** The indices that a name other than their own reaches: members of an alias, a data stream, or an alias of data streams. In the order of the state. */
export function membersOfName({ indices, dataStreams }: Pick<ClusterState, 'indices' | 'dataStreams'>, name: string): IndexMeta[] {
  const own = tablesOf(indices).byAlias.get(name) ?? NONE;
  // Commands ask for each alias that they change.
  if (dataStreams === undefined && own.size < 2) return [...own].map((member) => indices[member]);
  const found = new Set(own);
  if (dataStreams !== undefined) {
    const streams = [...streamsOfAlias(dataStreams, name)].map((stream) => dataStreams[stream]);
    if (Object.hasOwn(dataStreams, name)) streams.push(dataStreams[name]);
    for (const stream of streams)
      for (const member of stream.indices)
        if (Object.hasOwn(indices, member) && indices[member].dataStream === stream.name) found.add(member);
  }
  const members = [...found];
  if (members.length < 2) return members.map((member) => indices[member]);
  return Object.keys(indices).flatMap((member) => (found.has(member) ? [indices[member]] : []));
}

/** Names of the data streams that have an alias. */
export function streamsOfAlias(streams: Streams, alias: string): ReadonlySet<string> {
  let table = streamTables.get(streams);
  if (!table) {
    streamTables.set(streams, (table = new Map()));
    for (const name in streams) for (const key in streams[name].aliases) link(table, key, name);
  }
  return table.get(alias) ?? NONE;
}

const NONE: ReadonlySet<string> = new Set();

/** Number of shards of open indices, with replicas. */
export function openShards({ indices }: Pick<ClusterState, 'indices'>): number {
  return tablesOf(indices).openShards;
}

/** Number of shards of an index, with replicas. */
export function shardsOf(settings: IndexMeta['settings']): number {
  return Number(settings['index.number_of_shards'] ?? 1) * (1 + Number(settings['index.number_of_replicas'] ?? 1));
}

/** Makes the tables of `before` those of `after`, which differs from it by indices of these names. */
export function carryTables(before: Indices, after: Indices, changed: Iterable<string>): void {
  const tables = indexTables.get(before);
  if (!tables) return;
  indexTables.delete(before);
  for (const name of new Set(changed)) {
    if (Object.hasOwn(before, name)) removeIndex(tables, before[name]);
    if (Object.hasOwn(after, name)) addIndex(tables, after[name]);
  }
  indexTables.set(after, tables);
}

/** The same for data streams. */
export function carryStreamTables(before: Streams, after: Streams, changed: Iterable<string>): void {
  const table = streamTables.get(before);
  if (!table) return;
  streamTables.delete(before);
  for (const name of new Set(changed)) {
    if (Object.hasOwn(before, name)) for (const alias in before[name].aliases) unlink(table, alias, name);
    if (Object.hasOwn(after, name)) for (const alias in after[name].aliases) link(table, alias, name);
  }
  streamTables.set(after, table);
}

function tablesOf(indices: Indices): IndexTables {
  let tables = indexTables.get(indices);
  if (!tables) {
    tables = { byAlias: new Map(), openShards: 0 };
    for (const name in indices) addIndex(tables, indices[name]);
    indexTables.set(indices, tables);
  }
  return tables;
}

function addIndex(tables: IndexTables, { name, state, settings, aliases }: IndexMeta): void {
  for (const alias in aliases) link(tables.byAlias, alias, name);
  if (state === 'open') tables.openShards += shardsOf(settings);
}

function removeIndex(tables: IndexTables, { name, state, settings, aliases }: IndexMeta): void {
  for (const alias in aliases) unlink(tables.byAlias, alias, name);
  if (state === 'open') tables.openShards -= shardsOf(settings);
}

function link(table: Map<string, Set<string>>, alias: string, name: string): void {
  const names = table.get(alias);
  if (names) names.add(name);
  else table.set(alias, new Set([name]));
}

function unlink(table: Map<string, Set<string>>, alias: string, name: string): void {
  const names = table.get(alias);
  names?.delete(name);
  if (names?.size === 0) table.delete(alias);
}
