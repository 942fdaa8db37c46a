// Rows of the `_cat` tables about indices: indices, shards, segments, counts, recoveries, field data.
import { sumShards } from '../../api/cluster/node-totals.ts';
import { indexHealth, shardCounts } from '../../api/cluster/shard-counts.ts';
import { fielddataOf } from '../../api/cluster/stats-sections.ts';
import { addressOf } from '../../api/cluster/this-node.ts';
import type { EngineContext } from '../../api/core/context.ts';
import { type CopyPlace, copyPlaces, delayedCopies } from '../../api/core/copies.ts';
import { type IndexTarget, TARGETS, targetMetas } from '../../api/core/index-names.ts';
import type { IndexState } from '../../api/core/index-state.ts';
import { SEGMENT_VERSION } from '../../api/core/segment-version.ts';
import { statsOf } from '../../api/indices/index-stats.ts';
import { isCopied, percentRecovered, recoveries } from '../../api/indices/recovery.ts';
import { pitSegments, segmentBytes, segmentsOf } from '../../api/indices/segments.ts';
import { count } from '../../api/search/count.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';
import { IndicesApart } from '../../errors/indices-apart.ts';
import type { RestContext } from '../core/api.ts';
import { readTarget } from '../core/params/index-expression.ts';
import type { ApiRequest } from '../core/request.ts';
import { clockCells } from './cat-nodes.ts';
import { statCells } from './cat-stats.ts';
import type { Row } from './cat-table.ts';

type IndexMeta = EngineContext['cluster']['indices'][string];

export async function indexRows(request: ApiRequest, { engine }: RestContext): Promise<Row[]> {
  const target = { expandWildcards: ['open', 'closed'], ...definedOnly(readTarget(request)) };
  const wanted = request.string('health')?.toLowerCase();
  if (wanted !== undefined && !['green', 'yellow', 'red'].includes(wanted))
    throw illegalArgumentError(`unknown cluster health status [${wanted}]`);
  const rows: Row[] = [];
  for (const meta of targetMetas(engine, target, TARGETS.any)) {
    if (wanted === undefined || indexHealth(engine, meta) === wanted) rows.push(await indexRow(engine, meta));
  }
  return rows;
}

/** The target without its undefined options, which would override the defaults of a table. */
function definedOnly({ index, ...options }: IndexTarget): IndexTarget {
  return { index, ...Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) };
}

async function indexRow(engine: EngineContext, meta: IndexMeta): Promise<Row> {
  const { primaries, replicas } = shardCounts(engine, meta);
  const row: Record<string, Row[string]> = {
    health: indexHealth(engine, meta),
    status: meta.state,
    index: meta.name,
    uuid: meta.uuid,
    pri: primaries,
    rep: replicas,
    'creation.date': meta.creationDateMs,
    'creation.date.string': new Date(meta.creationDateMs).toISOString(),
  };
  const state = engine.index(meta.name);
  if (state === null || meta.state !== 'open') return row;
  const totals = sumShards(await engine.shardStats(state));
  const counts: Row = {
    'docs.count': totals.docs,
    'docs.deleted': totals.deleted,
    'store.size': { bytes: totals.sizeBytes },
    'pri.store.size': { bytes: totals.sizeBytes },
    'dataset.size': { bytes: totals.sizeBytes },
    'memory.total': { bytes: totals.sizeBytes },
    'pri.memory.total': { bytes: totals.sizeBytes },
    'search.throttled': false,
  };
  Object.assign(row, counts);
  for (const [name, cell] of Object.entries(statCells(totals, engine.dialect))) {
    row[name] = cell;
    row[`pri.${name}`] = cell;
  }
  return row;
}

export async function shardRows(request: ApiRequest, { engine, settings }: RestContext): Promise<Row[]> {
  const target = { expandWildcards: ['open', 'closed', 'hidden'], ...definedOnly(readTarget(request)) };
  const { host } = addressOf(engine);
  const rows: Row[] = [];
  for (const meta of targetMetas(engine, target, TARGETS.any)) {
    const state = engine.index(meta.name);
    const stats = state !== null && meta.state === 'open' ? await engine.shardStats(state) : [];
    const { primaries, replicas } = shardCounts(engine, meta);
    for (let shard = 0; shard < primaries; shard++) {
      const own = stats.find((entry) => entry.shard === shard);
      const started: Record<string, Row[string]> = {
        index: meta.name,
        shard,
        prirep: 'p',
        ...stateCells(engine, meta, shard, host),
      };
      if (own) {
        Object.assign(started, statCells(sumShards([own]), engine.dialect), {
          docs: own.docs,
          'docs.deleted': own.deleted,
          store: { bytes: own.sizeBytes },
          dataset: { bytes: own.sizeBytes },
          'seq_no.max': own.maxSeqNo,
          'seq_no.local_checkpoint': own.maxSeqNo,
          'seq_no.global_checkpoint': own.maxSeqNo,
          'path.data': settings['path.data'],
          'path.state': settings['path.data'],
        });
      }
      rows.push(started);
      const others = engine.primaryNodeOf(meta) === null ? [] : copyPlaces(engine, meta, shard).filter(({ isPrimary }) => !isPrimary);
      for (const place of others) rows.push({ index: meta.name, shard, prirep: 'r', ...placeCells(place) });
      for (let copy = others.length; copy < replicas; copy++) rows.push(missingRow(engine, meta, shard, copy - others.length));
    }
  }
  return rows;
}

export async function segmentRows(request: ApiRequest, { engine }: RestContext): Promise<Row[]> {
  const rows: Row[] = [];
  for (const { index, shards } of await statsOf(engine, readTarget(request))) {
    for (const { shard, sizeBytes } of shards)
      rows.push(...segmentRowsOf(engine, index.meta.name, shard, sizeBytes, segmentsOf(engine, index, shard)));
  }
  return rows;
}

function segmentRowsOf(
  engine: EngineContext,
  index: string,
  shard: number,
  sizeBytes: number,
  segments: ReturnType<typeof segmentsOf>,
): Row[] {
  const { host } = addressOf(engine);
  return segments.map((segment, i) => ({
    index,
    shard,
    prirep: 'p',
    ip: host,
    id: engine.nodeId,
    segment: segment.name,
    generation: segment.generation,
    'docs.count': segment.docs,
    'docs.deleted': segment.deleted,
    // An estimate: the bytes of the shard times the segment's share of its documents, since sizes are known per shard only.
    size: { bytes: segmentBytes(segments, i, sizeBytes) },
    'size.memory': segment.residentBytes,
    committed: true,
    searchable: true,
    version: SEGMENT_VERSION,
    compound: true,
  }));
}

/** Segments of points in time. @throws ApiError illegal_argument_exception, search_phase_execution_exception: no such point in time */
export async function pitSegmentRows({ engine }: RestContext, ids: readonly string[] | null): Promise<Row[]> {
  const rows: Row[] = [];
  for (const { index, shard, segments } of await pitSegments(engine, ids)) {
    const sizeBytes = (await engine.shardStats(index)).find((stats) => stats.shard === shard)?.sizeBytes ?? 0;
    rows.push(...segmentRowsOf(engine, index.meta.name, shard, sizeBytes, segments));
  }
  return rows;
}

/** Number of root documents, as a search counts them. */
export async function countRows(request: ApiRequest, { engine }: RestContext): Promise<Row[]> {
  const indices = targetMetas(engine, readTarget(request), TARGETS.open).flatMap(({ name }) => engine.index(name) ?? []);
  return [{ ...clockCells(Date.now()), count: await countOf(engine, indices) }];
}

async function countOf(engine: RestContext['engine'], indices: readonly IndexState[]): Promise<number> {
  let sum = 0;
  try {
    engine.requireTogether(indices);
  } catch (error) {
    if (!(error instanceof IndicesApart)) throw error;
    const expressions = indices.map(({ meta }) => meta.name);
    return Number((await count(engine, { indices: { expressions }, parameters: {}, body: null }))['count']);
  }
  for (const index of indices) {
    for (let shard = 0; shard < index.numberOfShards; shard++) {
      const snapshot = engine.acquire(index, shard);
      for (const segment of snapshot.segments) sum += segment.numRootDocs;
      snapshot.release();
    }
  }
  return sum;
}

export async function recoveryRows(request: ApiRequest, { engine }: RestContext): Promise<Row[]> {
  const { host } = addressOf(engine);
  const rows: Row[] = [];
  for (const [index, shards] of await recoveries(engine, readTarget(request), request.boolean('active_only') ?? false)) {
    for (const recovery of shards) {
      const { shard, type, stage, startMs, stopMs, source, files, bytes, operations } = recovery;
      const end = stopMs === 0 ? Date.now() : stopMs;
      rows.push({
        index,
        shard,
        start_time: new Date(startMs).toISOString(),
        start_time_millis: startMs,
        stop_time: stopMs === 0 ? null : new Date(stopMs).toISOString(),
        stop_time_millis: stopMs === 0 ? null : stopMs,
        time: { ms: Math.max(0, end - startMs) },
        type: type.toLowerCase(),
        stage: stage.toLowerCase(),
        source_host: 'n/a',
        source_node: 'n/a',
        target_host: host,
        target_node: engine.nodeName,
        repository: source?.repository ?? 'n/a',
        snapshot: source?.snapshot ?? 'n/a',
        files: files.total - files.reused,
        files_recovered: files.recovered,
        files_percent: isCopied(recovery) ? percentRecovered(files) : '0.0%',
        files_total: files.total,
        bytes: { bytes: bytes.total - bytes.reused },
        bytes_recovered: { bytes: bytes.recovered },
        bytes_percent: isCopied(recovery) ? percentRecovered(bytes) : '0.0%',
        bytes_total: { bytes: bytes.total },
        translog_ops: operations,
        translog_ops_recovered: operations,
        translog_ops_percent: '100.0%',
      });
    }
  }
  return rows;
}

export async function fielddataRows(request: ApiRequest, { engine }: RestContext): Promise<Row[]> {
  const { host } = addressOf(engine);
  const patterns = request.list('fields') ?? ['*'];
  return (await fielddataOf(engine, patterns)).map(([field, bytes]) => ({
    id: engine.nodeId,
    host,
    ip: host,
    node: engine.nodeName,
    field,
    size: { bytes },
  }));
}

/** A replica without a node. @param copy  number among those */
function missingRow(engine: EngineContext, meta: IndexMeta, shard: number, copy: number): Row {
  const left = delayedCopies(engine, meta).at(copy);
  const atMs = left?.leftMs ?? meta.creationDateMs;
  return {
    index: meta.name,
    shard,
    prirep: 'r',
    state: 'UNASSIGNED',
    'unassigned.reason': left === undefined ? 'INDEX_CREATED' : 'NODE_LEFT',
    'unassigned.at': new Date(atMs).toISOString(),
    'unassigned.for': { ms: Date.now() - atMs },
    'recoverysource.type': 'peer',
  };
}

function placeCells({ node, state, relocatingTo }: CopyPlace): Record<string, Row[string]> {
  const { host: ip } = addressOf(node);
  if (relocatingTo === null) return { state, ip, id: node.id, node: node.name };
  return { state, ip, id: node.id, node: `${node.name} -> ${addressOf(relocatingTo).host} ${relocatingTo.id} ${relocatingTo.name}` };
}

function stateCells(engine: EngineContext, meta: IndexMeta, shard: number, host: string): Record<string, Row[string]> {
  const damage = engine.damageOf(meta, shard);
  const primary = copyPlaces(engine, meta, shard).find(({ isPrimary }) => isPrimary);
  if (damage === null && primary !== undefined) {
    const cells = placeCells(primary);
    return primary.node.id === engine.nodeId ? { ...cells, ip: host } : cells;
  }
  return {
    state: 'UNASSIGNED',
    'unassigned.reason': 'ALLOCATION_FAILED',
    'unassigned.details': damage ?? 'no live node has the primary',
    'recoverysource.type': 'existing_store',
  };
}
