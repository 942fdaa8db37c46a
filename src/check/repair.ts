// Makes a data directory usable again after `directory-check.ts` has found what is wrong:
//   - a store with damaged pages is rewritten from every record that can be read; the damaged one is kept next to it;
//   - records that cannot be read are removed;
//   - a shard whose segments do not fit its log is rebuilt from its records by the next start, without the documents that were deleted before;
//   - documents of an index without metadata are written to a file that `_bulk` accepts.
// It removes nothing that could be read.
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import path from 'node:path';
import { OP_DELETE, OP_INDEX } from '../store/log-record.ts';
import { newestMeta, PageFile } from '../store/page-file.ts';
import { walkPages } from '../store/page-walk.ts';
import { storeFileOf } from '../store/store-check.ts';
import { StoreFiles } from '../store/store-files.ts';
import type { CheckedShard, DirectoryCheck } from './directory-check.ts';
import type { StoreContents } from './store-contents.ts';

export interface Repair {
  /** Repairs that were made, one line each. */
  readonly actions: readonly string[];
  /** Documents that may be there although they were deleted, or in an earlier version. */
  readonly uncertain: readonly { readonly index: string; readonly id: string }[];
  /** Remaining damage. */
  readonly remaining: readonly string[];
}

/** Needs the lock of the directory. @throws Error the disk is full or cannot be written; the damaged store is then still in its place */
export async function repairDirectory(directory: string, checked: DirectoryCheck): Promise<Repair> {
  const actions: string[] = [];
  const remaining: string[] = [];
  const uncertain: { index: string; id: string }[] = [];
  const { contents } = checked;
  if (contents.isBroken) await rewriteStore(directory, checked, actions);
  const files = StoreFiles.open(path.join(directory, 'store'));
  try {
    for (const { log, seqNo } of contents.damagedRecords) files.remove(log, [seqNo]);
    if (contents.damagedRecords.length > 0) actions.push(`removed ${contents.damagedRecords.length} records that cannot be read`);
    for (const { table, key } of contents.lostKeys) files.putValue(table, key, null);
    restoreMetadata(files, checked, actions, remaining);
    for (const shard of checked.shards) if (shard.result.needsRebuild) rebuildShard(files, shard, contents, actions, uncertain);
    for (const [uuid, logs] of checked.nameless) {
      const name = `lost-${uuid}.ndjson`;
      const documents = writeDocuments(files, logs, path.join(directory, name));
      files.putValue('meta', `logs/${uuid}`, null);
      actions.push(`wrote the ${documents} documents of index [${uuid}], whose metadata is lost, to ${name} for _bulk`);
    }
  } finally {
    await files.close();
  }
  return { actions, uncertain, remaining };
}

/** Copies every record that can be read into a new store, which then takes the place of the damaged one. */
async function rewriteStore(directory: string, { contents, shards }: DirectoryCheck, actions: string[]): Promise<void> {
  const fresh = path.join(directory, 'store-repair');
  rmSync(fresh, { recursive: true, force: true });
  mkdirSync(fresh);
  const files = StoreFiles.open(fresh);
  let records = 0;
  try {
    const damaged = new Set(contents.damagedRecords.map(({ log, seqNo }) => `${log}/${seqNo}`));
    let batch: { key: Buffer; value: Buffer }[] = [];
    let batchBytes = 0;
    const write = (): void => {
      files.putRecords(batch);
      records += batch.length;
      batch = [];
      batchBytes = 0;
    };
    const add = (key: Buffer, value: Buffer): void => {
      batch.push({ key: Buffer.from(key), value: Buffer.from(value) });
      batchBytes += value.length;
      if (batchBytes > 8 << 20) write();
    };
    walkRecords(storeFileOf(directory), (key, value) => {
      const isDamaged = damaged.has(`${key.readUInt32BE(0)}/${key.readUIntBE(4, 6)}`);
      if (!isDamaged && !contents.salvaged.has(key.toString('hex'))) add(key, value);
    });
    for (const [hex, value] of contents.salvaged) {
      const key = Buffer.from(hex, 'hex');
      if (!isObsolete(shards, key.readUInt32BE(0), key.readUIntBE(4, 6))) add(key, value);
    }
    write();
    for (const table of ['commits', 'meta'] as const) for (const [key, value] of contents[table]) files.putValue(table, key, value);
  } finally {
    await files.close();
  }
  const store = path.join(directory, 'store');
  if (existsSync(store)) {
    let kept = 'store-damaged';
    for (let i = 2; existsSync(path.join(directory, kept)); i++) kept = `store-damaged-${i}`;
    renameSync(store, path.join(directory, kept));
    actions.push(`kept the damaged store as ${kept}; remove it when nothing is missing`);
  }
  renameSync(fresh, store);
  actions.push(`wrote a new store with ${records} operations`);
}

/** Whether a record from a page that is no longer in use had been removed from the log. */
function isObsolete(shards: readonly CheckedShard[], log: number, seqNo: number): boolean {
  const shard = shards.find(({ place }) => place.log === log);
  return shard !== undefined && shard.result.unreadable.length === 0 && seqNo <= shard.result.maxSeqNo && !shard.result.live.has(seqNo);
}

/** Calls `onRecord` with each record of the log that the trees of pages reach; the buffers are valid during the call. */
function walkRecords(file: string, onRecord: (key: Buffer, value: Buffer) => void): void {
  let pages: PageFile;
  try {
    pages = PageFile.open(file);
  } catch {
    return;
  }
  try {
    const { metas } = pages.metas();
    if (metas.length === 0) return;
    walkPages(pages, newestMeta(metas), {
      countsPages: true,
      onRecord(table, key, value) {
        if (table === 'log' && key.length === 10) onRecord(key, value());
      },
    });
  } finally {
    pages.close();
  }
}

function restoreMetadata(files: StoreFiles, checked: DirectoryCheck, actions: string[], remaining: string[]): void {
  const { meta, logs } = checked.contents;
  const numbers = [...meta].flatMap(([key, value]) => (key.startsWith('logs/') ? (JSON.parse(value.toString()) as number[]) : []));
  let next = Math.max(0, ...numbers, ...logs.keys()) + 1;
  const stored = meta.get('next-log');
  if (stored === undefined ? numbers.length > 0 : Number(stored.toString()) < next) {
    files.putValue('meta', 'next-log', Buffer.from(String(next)));
    actions.push(`set the number of the next log to ${next}`);
  } else if (stored !== undefined) next = Number(stored.toString());
  for (const { index, uuid, shards } of checked.logless) {
    const fresh = Array.from({ length: shards }, () => next++);
    files.putValue('meta', `logs/${uuid}`, Buffer.from(JSON.stringify(fresh)));
    files.putValue('meta', 'next-log', Buffer.from(String(next)));
    actions.push(`gave index [${index}] new, empty logs`);
    remaining.push(`all documents of index [${index}] are lost`);
  }
  if (!meta.has('cluster'))
    remaining.push('templates, pipelines, scripts and cluster settings are lost: the next start begins without any');
}

/** Leaves only the live records in the log and takes its commit point away, so that the next start makes the shard's segments from them. */
function rebuildShard(
  files: StoreFiles,
  { place, result }: CheckedShard,
  contents: StoreContents,
  actions: string[],
  uncertain: { index: string; id: string }[],
): void {
  const log = contents.logs.get(place.log);
  const guessed = result.unreadable.length === 0 ? [] : newestOf(files, place.log, result);
  const live = new Set([...result.live, ...guessed.map(({ seqNo }) => seqNo)]);
  for (const { id } of guessed) uncertain.push({ index: place.index, id });
  const dead: number[] = [];
  for (const seqNo of log?.seqNos() ?? []) if (seqNo <= result.maxSeqNo && !live.has(seqNo)) dead.push(seqNo);
  files.remove(place.log, dead);
  files.resetCommit(place.log, result.nextSegment, result.primaryTerm);
  actions.push(`[${place.index}][${place.shard}]: the next start makes its segments from the log`);
}

/**
 * Documents that an unreadable segment may have contained: of the records that no readable segment accounts for, the newest of each
 * document, unless a later operation on it is known.
 */
function newestOf(files: StoreFiles, log: number, result: CheckedShard['result']): { id: string; seqNo: number }[] {
  const newest = new Map<string, { seqNo: number; op: number }>();
  for (const { seqNo, record } of files.records(log)) newest.set(record.id, { seqNo, op: record.op });
  return [...newest].flatMap(([id, { seqNo, op }]) =>
    op === OP_INDEX && seqNo <= result.maxSeqNo && !result.live.has(seqNo) ? [{ id, seqNo }] : [],
  );
}

/** @returns the number of documents */
function writeDocuments(files: StoreFiles, logs: readonly number[], target: string): number {
  const handle = openSync(target, 'w', 0o600);
  try {
    let documents = 0;
    for (const log of logs) {
      const newest = new Map<string, number>();
      for (const { seqNo, record } of files.records(log)) newest.set(record.id, seqNo);
      for (const { seqNo, record } of files.records(log)) {
        if (record.op === OP_DELETE || newest.get(record.id) !== seqNo) continue;
        const action = { index: { _id: record.id, ...(record.routing === null ? {} : { routing: record.routing }) } };
        writeSync(
          handle,
          `${JSON.stringify(action)}\n${Buffer.from(record.source)
            .toString()
            .replaceAll(/[\r\n]/g, ' ')}\n`,
        );
        documents++;
      }
    }
    fsyncSync(handle);
    return documents;
  } finally {
    closeSync(handle);
  }
}
