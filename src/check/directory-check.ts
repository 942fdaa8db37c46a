// Reads all of a data directory that no service uses: pages and records of the store, metadata, commit points, segments, and what refers to what.
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { storeFileOf } from '../store/store-check.ts';
import { SegmentBox } from './segment-box.ts';
import { type LostDocument, ShardCheck, type ShardPlace, type ShardResult } from './shard-check.ts';
import { readStore, type StoreContents } from './store-contents.ts';

export interface CheckedShard {
  readonly place: ShardPlace;
  readonly result: ShardResult;
}

export interface DirectoryCheck {
  readonly contents: StoreContents;
  readonly shards: readonly CheckedShard[];
  /** Lines of the report. Nothing here is harmless. */
  readonly damage: readonly string[];
  /** Lines about things that are odd but lose nothing. */
  readonly notes: readonly string[];
  readonly lost: readonly LostDocument[];
  /** Indices without metadata, by uuid: their documents are in these logs. */
  readonly nameless: ReadonlyMap<string, readonly number[]>;
  /** Shards whose log numbers are unknown. */
  readonly logless: readonly { readonly index: string; readonly uuid: string; readonly shards: number }[];
  readonly segments: number;
  readonly documents: number;
}

interface IndexRecord {
  readonly name: string;
  readonly uuid: string;
  readonly settings: Readonly<Record<string, unknown>>;
}

/** @param onProgress  share of the work, and records or documents so far */
export function checkDirectory(directory: string, onProgress: (share: number, count: number) => void): DirectoryCheck {
  const file = storeFileOf(directory);
  const contents = readStore(file, path.relative(directory, file), (share, records) => onProgress(share / 2, records));
  const damage = [...contents.damage];
  const notes = [...contents.notes];
  const lost: LostDocument[] = [];
  const indices = [...contents.meta].flatMap(([key, value]) =>
    key.startsWith('index/') ? [JSON.parse(value.toString()) as IndexRecord] : [],
  );
  if (!contents.meta.has('cluster') && contents.records + contents.meta.size > 0)
    damage.push('metadata [cluster] is missing: templates, pipelines, scripts and cluster settings');
  const logs = new Map<string, number[]>();
  for (const [key, value] of contents.meta)
    if (key.startsWith('logs/')) logs.set(key.slice('logs/'.length), JSON.parse(value.toString()) as number[]);

  const places: ShardPlace[] = [];
  const logless: { index: string; uuid: string; shards: number }[] = [];
  for (const { name, uuid, settings } of indices) {
    const count = Number(settings['index.number_of_shards'] ?? 1);
    const own = logs.get(uuid) ?? logsFromFolders(directory, uuid, count, contents, logs);
    if (own === null) {
      damage.push(`the logs of index [${name}] are unknown: metadata [logs/${uuid}] is missing`);
      logless.push({ index: name, uuid, shards: count });
      continue;
    }
    if (!logs.has(uuid)) {
      damage.push(`metadata [logs/${uuid}] of index [${name}] is missing; its logs must be ${own.join(', ')}`);
      contents.meta.set(`logs/${uuid}`, Buffer.from(JSON.stringify(own)));
      contents.isBroken = true;
    }
    own.forEach((log, shard) => places.push({ index: name, uuid, shard, log }));
  }
  const shards = checkShards(directory, contents, places, damage, lost, onProgress);
  addDamagedRecords(contents, shards, lost);
  if (contents.isBroken) addGaps(contents, shards, lost);

  const known = new Set(indices.map(({ uuid }) => uuid));
  const nameless = new Map<string, readonly number[]>();
  for (const [uuid, own] of logs) {
    if (known.has(uuid)) continue;
    // A deleted index leaves this only temporarily, damage permanently.
    if (damage.length === 0) notes.push(`index [${uuid}] was deleted; the next start removes the rest of it`);
    else nameless.set(uuid, own);
  }
  for (const folder of foldersIn(path.join(directory, 'indices')))
    if (!known.has(folder) && !logs.has(folder)) notes.push(`indices/${folder} belongs to no index`);
  return {
    contents,
    shards,
    damage,
    notes,
    lost,
    nameless,
    logless,
    segments: shards.reduce((sum, { result }) => sum + result.unreadable.length, 0),
    documents: shards.reduce((sum, { result }) => sum + result.documents, 0),
  };
}

function checkShards(
  directory: string,
  contents: StoreContents,
  places: readonly ShardPlace[],
  damage: string[],
  lost: LostDocument[],
  onProgress: (share: number, count: number) => void,
): CheckedShard[] {
  const check = new ShardCheck(directory, contents, new SegmentBox());
  let documents = 0;
  return places.map((place, i) => {
    const result = check.check(place);
    for (const line of result.damage) damage.push(line);
    for (const document of result.lost) lost.push(document);
    documents += result.documents;
    onProgress(0.5 + (i + 1) / places.length / 2, contents.records + documents);
    return { place, result };
  });
}

/** Damaged records after the commit point: operations that were to be replayed. Those before it are found through their documents. */
function addDamagedRecords(contents: StoreContents, shards: readonly CheckedShard[], lost: LostDocument[]): void {
  for (const { log, seqNo, id } of contents.damagedRecords) {
    const shard = shards.find(({ place }) => place.log === log);
    if (!shard) continue;
    const { place, result } = shard;
    // A segment that cannot be read does not say which of its records are live.
    if (seqNo > result.maxSeqNo || result.unreadable.length > 0) lost.push({ index: place.index, shard: place.shard, id, seqNo });
    else if (!lost.some((document) => document.index === place.index && document.shard === place.shard && document.seqNo === seqNo))
      contents.notes.push(`log ${log}, operation ${seqNo}: nothing refers to the damaged record any more`);
  }
}

/** Operations after the commit point follow each other without gaps: what damaged pages have taken from them is missing between the others. */
function addGaps(contents: StoreContents, shards: readonly CheckedShard[], lost: LostDocument[]): void {
  const damaged = new Set(contents.damagedRecords.map(({ log, seqNo }) => `${log}/${seqNo}`));
  for (const { place, result } of shards) {
    let next = result.maxSeqNo + 1;
    for (const seqNo of contents.logs.get(place.log)?.seqNos() ?? []) {
      if (seqNo < next) continue;
      for (; next < seqNo; next++)
        if (!damaged.has(`${place.log}/${next}`)) lost.push({ index: place.index, shard: place.shard, id: null, seqNo: next });
      next = seqNo + 1;
    }
  }
}

/** The logs of an index whose record of them is missing: those that no other index has, if their number is that of the shards. */
function logsFromFolders(
  directory: string,
  uuid: string,
  count: number,
  contents: StoreContents,
  logs: ReadonlyMap<string, readonly number[]>,
): number[] | null {
  const taken = new Set([...logs.values()].flat());
  const free = [...new Set([...contents.logs.keys(), ...[...contents.commits.keys()].map((key) => Number(key.split('/')[0]))])]
    .filter((log) => !taken.has(log))
    .sort((a, b) => a - b);
  const isOwn = (log: number, shard: number): boolean => {
    const bytes = contents.commits.get(String(log));
    if (bytes === undefined) return true;
    const { segments } = JSON.parse(bytes.toString()) as { segments: { name: string }[] };
    return segments.every(({ name }) => existsSync(path.join(directory, 'indices', uuid, String(shard), `${name}.seg`)));
  };
  for (let at = 0; at + count <= free.length; at++) {
    const own = free.slice(at, at + count);
    // The logs of an index are numbered in a row.
    if (own[count - 1] - own[0] === count - 1 && own.every((log, shard) => isOwn(log, shard))) return own;
  }
  return null;
}

function foldersIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
