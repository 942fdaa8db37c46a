// Compares a shard's commit point, segment files and log: each live document of a segment must have its record in the log.
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import type { SegmentImageReader } from '../arena/segment-reader.ts';
import { OP_INDEX } from '../store/log-record.ts';
import { SegmentFiles } from '../store/segment-files.ts';
import type { CommitPoint } from '../store/store.ts';
import type { LogIndex } from './log-index.ts';
import type { SegmentBox } from './segment-box.ts';
import type { StoreContents } from './store-contents.ts';

export interface ShardPlace {
  readonly index: string;
  readonly uuid: string;
  readonly shard: number;
  readonly log: number;
}

/** A document that was acknowledged and cannot be read. */
export interface LostDocument {
  readonly index: string;
  readonly shard: number;
  /** null if its record is all there is and cannot be read. */
  readonly id: string | null;
  readonly seqNo: number;
}

export interface ShardResult {
  readonly damage: string[];
  readonly lost: LostDocument[];
  /** True if the segments do not fit the log: the shard is to be rebuilt from its records. */
  needsRebuild: boolean;
  /** seqNos of records up to the commit point whose documents are live. */
  readonly live: Set<number>;
  /** Records with greater seqNos are replayed in any case. */
  maxSeqNo: number;
  /** Segments whose documents are only known from the log. */
  readonly unreadable: string[];
  readonly documents: number;
  /** For the commit point of a shard that is rebuilt. */
  nextSegment: number;
  primaryTerm: number;
}

export class ShardCheck {
  readonly #directory: string;
  readonly #contents: StoreContents;
  readonly #box: SegmentBox;

  constructor(directory: string, contents: StoreContents, box: SegmentBox) {
    this.#directory = directory;
    this.#contents = contents;
    this.#box = box;
  }

  check(place: ShardPlace): ShardResult {
    const result = {
      damage: [],
      lost: [],
      needsRebuild: false,
      live: new Set<number>(),
      maxSeqNo: -1,
      unreadable: [],
      documents: 0,
      nextSegment: 0,
      primaryTerm: 0,
    } as {
      -readonly [K in keyof ShardResult]: ShardResult[K];
    };
    const files = new SegmentFiles(this.#directory, place.uuid, place.shard);
    const point = this.#commitPoint(place, files, result);
    result.maxSeqNo = point.maxSeqNo;
    result.nextSegment = point.nextSegment;
    result.primaryTerm = point.primaryTerm;
    const log = this.#contents.logs.get(place.log) ?? null;
    for (const segment of point.segments) {
      const file = path.relative(this.#directory, files.fileOf(segment.name));
      const opened = this.#open(files.fileOf(segment.name), file, segment.bytes, result);
      const bits = this.#liveDocs(place, segment, result);
      if (opened !== null) {
        result.documents += this.#compare(place, file, opened, bits, log, result);
        continue;
      }
      result.needsRebuild = true;
      const live = this.#documentsOf(files.fileOf(segment.name), bits, log);
      if (live === null) result.unreadable.push(segment.name);
      for (const seqNo of live ?? []) result.live.add(seqNo);
      result.documents += live?.length ?? 0;
    }
    return result;
  }

  #commitPoint(place: ShardPlace, files: SegmentFiles, result: ShardResult): CommitPoint {
    const bytes = this.#contents.commits.get(String(place.log));
    if (bytes !== undefined) return JSON.parse(bytes.toString()) as CommitPoint;
    const names = segmentsIn(files.folder);
    const empty = { generation: 0, segments: [], maxSeqNo: -1, nextSegment: 0, primaryTerm: 0 };
    // A shard that was never flushed has no commit point and no files.
    if (names.length === 0) return empty;
    result.damage.push(
      `commit point of [${place.index}][${place.shard}] (log ${place.log}) is missing, but there are segments: ${names.join(', ')}`,
    );
    result.needsRebuild = true;
    const segments = names.map((name) => ({ name, bytes: -1, maxDoc: -1, deleted: 0 }));
    return { ...empty, segments, nextSegment: Math.max(...names.map((name) => Number.parseInt(name.slice(1), 36))) + 1 };
  }

  #open(file: string, name: string, bytes: number, result: ShardResult): SegmentImageReader | null {
    try {
      const segment = this.#box.open(file, true);
      if (bytes < 0 || segment.bytes === bytes) return segment;
      result.damage.push(`${name}: ${segment.bytes} bytes instead of ${bytes}`);
    } catch (error) {
      result.damage.push(`${name}: ${(error as Error).message}`);
    }
    return null;
  }

  /**
   * The live documents of a segment with damage elsewhere: their ids and seqNos are believed if the log has every one of them.
   * @returns their seqNos; null if they are not known
   */
  #documentsOf(file: string, bits: Buffer | null, log: LogIndex | null): number[] | null {
    try {
      const segment = this.#box.open(file, false);
      const live: number[] = [];
      for (let docId = 0; docId < segment.maxDoc; docId++) {
        if (segment.rootOf(docId) !== docId || !isLive(bits, docId)) continue;
        const seqNo = segment.seqNo(docId);
        if (!log?.isOf(seqNo, segment.idOf(docId), OP_INDEX)) return null;
        live.push(seqNo);
      }
      return live;
    } catch {
      return null;
    }
  }

  #liveDocs(place: ShardPlace, segment: { name: string; deleted: number }, result: ShardResult): Buffer | null {
    const key = `${place.log}/${segment.name}`;
    const bits = this.#contents.commits.get(key) ?? null;
    if (bits === null && segment.deleted > 0) {
      result.damage.push(
        `live documents of [${place.index}][${place.shard}], segment ${segment.name} are missing: ${segment.deleted} are deleted`,
      );
      result.needsRebuild = true;
    }
    return bits;
  }

  #compare(
    place: ShardPlace,
    file: string,
    segment: SegmentImageReader,
    bits: Buffer | null,
    log: LogIndex | null,
    result: ShardResult,
  ): number {
    let documents = 0;
    for (let docId = 0; docId < segment.maxDoc; docId++) {
      if (segment.rootOf(docId) !== docId) continue;
      const seqNo = segment.seqNo(docId);
      if (this.#contents.commits.get(String(place.log)) === undefined) result.maxSeqNo = Math.max(result.maxSeqNo, seqNo);
      if (!isLive(bits, docId)) continue;
      documents++;
      const id = segment.idOf(docId);
      if (log?.isOf(seqNo, id, OP_INDEX)) {
        result.live.add(seqNo);
        continue;
      }
      result.needsRebuild = true;
      result.lost.push({ index: place.index, shard: place.shard, id, seqNo });
      if (log?.has(seqNo))
        result.damage.push(`${file}: document [${id}] is operation ${seqNo} in the segment, which the log has for another document`);
    }
    return documents;
  }
}

function isLive(bits: Buffer | null, docId: number): boolean {
  return bits === null || ((bits[docId >>> 3] >>> (docId & 7)) & 1) === 1;
}

function segmentsIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .flatMap((name) => (/^s[0-9a-z]+\.seg$/.test(name) ? [name.slice(0, -4)] : []))
    .sort();
}
