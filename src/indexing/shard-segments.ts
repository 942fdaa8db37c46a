// The segments of one shard: the current list, the snapshot last announced to readers, and the commit point on disk.
//   add, load, adopt    create segments from an image, a commit point, a snapshot of another thread
//   publish, announce   make the list visible to readers
//   commit              writes segment files and the commit point
//   replace             swaps the sources of a merge for its result
// These must not overlap: the writer runs them one at a time.
import { ApiError } from '../errors/api-error.ts';
import type { SegmentFiles } from '../store/segment-files.ts';
import { type CommitPoint, NO_COMMIT, type ShardCheckpoint } from '../store/store.ts';
import { type Extent, type SegmentLocation, type SnapshotDescriptor, WriterSegment } from './segment-set.ts';
import type { MergeResult, SegmentFile, ShardIdentity, WriterEnvironment } from './writer-environment.ts';

/** Smaller segments stay in memory. */
const MIN_PAGED_OUT_BYTES = 256 << 10;

export type SegmentsEnvironment = Pick<
  WriterEnvironment,
  'store' | 'nextSegmentId' | 'allocate' | 'openFile' | 'view' | 'openSegment' | 'publish' | 'isHeld'
>;

export class ShardSegments {
  readonly #identity: Omit<ShardIdentity, 'index'>;
  readonly #env: SegmentsEnvironment;
  readonly #files: SegmentFiles;
  #segments: WriterSegment[] = [];
  #generation: number;
  #commit = NO_COMMIT;
  #nextSegment = 0;
  #publishedSeqNo = -1;
  #deletesSincePublished = 0;
  /** Resolves when all readers have switched to the newest snapshot. */
  #visible: Promise<void> = Promise.resolve();
  /** seqNos of log records that are no longer needed once the next commit is written. */
  #obsolete: number[] = [];
  /** Names given to merges, which may write their files before they end. */
  readonly #promised = new Set<string>();
  /** seqNos of documents that a merge dropped, by the id of their segment: readers may fetch them until they release the segment. */
  readonly #heldBySegment = new Map<number, number[]>();

  /** @param generation  of the last snapshot that readers have; caches of searches tell snapshots apart by it */
  constructor(identity: Omit<ShardIdentity, 'index'>, files: SegmentFiles, env: SegmentsEnvironment, generation = 0) {
    this.#generation = generation;
    this.#identity = identity;
    this.#files = files;
    this.#env = env;
  }

  /** Of the newest snapshot. */
  get generation(): number {
    return this.#generation;
  }

  get all(): readonly WriterSegment[] {
    return this.#segments;
  }

  /** Every operation up to this seqNo is in the newest snapshot, unless `hasUnpublishedDeletes`. */
  get publishedSeqNo(): number {
    return this.#publishedSeqNo;
  }

  get hasUnpublishedDeletes(): boolean {
    return this.#deletesSincePublished > 0;
  }

  get hasObsoleteRecords(): boolean {
    return this.#obsolete.length > 0;
  }

  get visible(): Promise<void> {
    return this.#visible;
  }

  /** The live document with this id, null if no segment has one. */
  find(id: string): { segment: WriterSegment; docId: number } | null {
    for (let at = this.#segments.length - 1; at >= 0; at--) {
      const segment = this.#segments[at];
      const docId = segment.reader.docOfId(id);
      if (docId >= 0 && segment.isLive(docId)) return { segment, docId };
    }
    return null;
  }

  delete(segment: WriterSegment, docId: number): void {
    segment.delete(docId);
    this.#deletesSincePublished++;
  }

  /** Removes the record from the log with the next commit. */
  discard(seqNo: number): void {
    this.#obsolete.push(seqNo);
  }

  /** Adds a segment, which is not published yet. */
  async add(image: Uint8Array): Promise<void> {
    const extent = await this.#env.allocate(image.length);
    this.#env.view(extent).set(image);
    this.#segments.push(this.#open(this.#newName(), wholeImage(extent), false));
  }

  /** Opens the segments of a commit point. @throws ApiError corrupt_index_exception */
  async load(point: CommitPoint): Promise<void> {
    this.#commit = point;
    this.#nextSegment = point.nextSegment;
    for (const { name, bytes } of point.segments) {
      const size = this.#files.size(name);
      if (size !== bytes)
        throw new ApiError('corrupt_index_exception', 500, `file has ${size} bytes, not ${bytes} (resource=${this.#files.nameOf(name)})`);
      const paged = await this.#env.openFile({ path: this.#files.fileOf(name), name: this.#files.nameOf(name), bytes });
      const segment = this.#open(name, paged ?? (await this.#readWhole(name, bytes)), true);
      const live = this.#env.store.liveDocs(this.#identity.log, name);
      if (live !== null) segment.restoreLive(live);
      this.#segments.push(segment);
    }
  }

  async #readWhole(name: string, bytes: number): Promise<SegmentLocation> {
    const extent = await this.#env.allocate(bytes);
    this.#files.readInto(name, this.#env.view(extent));
    return wholeImage(extent);
  }

  /** Takes over the segments of this commit point from the thread that loaded and published them. */
  adopt(point: CommitPoint, snapshot: SnapshotDescriptor): void {
    this.#commit = point;
    this.#nextSegment = point.nextSegment;
    this.#generation = snapshot.generation;
    this.#publishedSeqNo = snapshot.maxSeqNo;
    for (const { liveDocs, ...descriptor } of snapshot.segments) {
      const { id, name } = descriptor;
      const segment = new WriterSegment(id, name, descriptor, this.#env.openSegment(id, descriptor, this.#files.nameOf(name), false), true);
      if (liveDocs !== null) segment.restoreLive(this.#env.view(liveDocs));
      segment.published(liveDocs);
      segment.isAnnounced = true;
      this.#segments.push(segment);
    }
  }

  /**
   * Announces the segments with their current live docs. Must directly follow the flush of the open buffer: otherwise readers would lose the old
   * version of a replaced document before they see the new one.
   * @returns `done` resolves when all readers have switched; writes may continue before
   */
  async publish(maxSeqNo: number): Promise<{ done: Promise<void> }> {
    this.#dropDead();
    for (const segment of this.#segments) {
      segment.isAnnounced = true;
      if (!segment.needsPublishing) continue;
      await this.#publishLive(segment);
    }
    this.#deletesSincePublished = 0;
    this.#publishedSeqNo = maxSeqNo;
    return this.announce();
  }

  /** Announces the segments with the live docs published last, so readers see no write made since. */
  announce(): { done: Promise<void> } {
    const done = this.#env.publish({
      indexUuid: this.#identity.uuid,
      shard: this.#identity.shard,
      generation: ++this.#generation,
      maxSeqNo: this.#publishedSeqNo,
      // Every segment that readers may use: the memory of a segment missing here is freed.
      segments: this.#segments.filter((segment) => segment.isAnnounced).map((segment) => segment.descriptor()),
    });
    this.#visible = done;
    return { done };
  }

  /** Reopens segments that are wholly in memory from their files, which frees their memory. @returns null if there was nothing to do */
  async pageOut(): Promise<{ done: Promise<void> } | null> {
    let isChanged = false;
    for (const [at, segment] of this.#segments.entries()) {
      const { name, sizeBytes: bytes, paging, written, isAnnounced, merging } = segment;
      if (paging !== null || !written || !isAnnounced || merging || bytes < MIN_PAGED_OUT_BYTES) continue;
      const file = this.#files.nameOf(name);
      const image = await this.#env.openFile({ path: this.#files.fileOf(name), name: file, bytes }, true);
      if (image === null) continue;
      const id = this.#env.nextSegmentId();
      const live = this.publishedLive(segment);
      const published = live && (await this.#copied(live, image.extent.arena));
      this.#segments[at] = segment.movedTo(id, image, this.#env.openSegment(id, image, file, false), published);
      isChanged = true;
    }
    return isChanged ? this.announce() : null;
  }

  async #copied(bytes: Uint8Array, arena: number): Promise<Extent> {
    const extent = await this.#env.allocate(bytes.length, arena);
    this.#env.view(extent).set(bytes);
    return extent;
  }

  /** Bitset of the documents that readers see, null if they see all. */
  publishedLive(segment: WriterSegment): Uint8Array | null {
    const { liveDocs } = segment.descriptor();
    return liveDocs === null ? null : this.#env.view(liveDocs);
  }

  async #publishLive(segment: WriterSegment): Promise<void> {
    const bits = segment.liveBits();
    segment.published(bits && (await this.#copied(bits, segment.extent.arena)));
  }

  /** Drops segments without live documents, except those that a merge reads and those that were never announced. */
  #dropDead(): void {
    const isKept = ({ liveCount, merging, isAnnounced }: WriterSegment): boolean => liveCount > 0 || merging || !isAnnounced;
    for (const segment of this.#segments) if (!isKept(segment)) this.#holdRecords(segment, () => false);
    this.#segments = this.#segments.filter(isKept);
  }

  /** Keeps the records of the segment's dropped documents until no reader uses the segment any longer. */
  #holdRecords(segment: WriterSegment, isKept: (docId: number) => boolean): void {
    const dropped: number[] = [];
    for (let docId = 0; docId < segment.maxDoc; docId++)
      if (!isKept(docId) && segment.reader.rootOf(docId) === docId) dropped.push(segment.reader.seqNo(docId));
    this.#heldBySegment.set(segment.id, dropped);
  }

  /** Writes the segments that are not on disk yet, then the commit point that names them. */
  commit(maxSeqNo: number, primaryTerm: number): void {
    const segments = this.#segments.filter((segment) => segment.liveCount > 0);
    for (const segment of segments) {
      if (segment.written) continue;
      this.#files.write(segment.name, this.#env.view(segment.extent));
      segment.written = true;
    }
    const committed = new Set(this.#commit.segments.map(({ name }) => name));
    const liveDocs = new Map<string, Uint8Array>();
    for (const segment of segments) {
      const bits = segment.liveBits();
      if (bits !== null && (segment.needsCommit || !committed.has(segment.name))) liveDocs.set(segment.name, bits);
    }
    const point: CommitPoint = {
      generation: this.#commit.generation + 1,
      segments: segments.map(({ name, sizeBytes, maxDoc, deleted }) => ({ name, bytes: sizeBytes, maxDoc, deleted })),
      maxSeqNo,
      nextSegment: this.#nextSegment,
      primaryTerm,
    };
    const isHeld = this.#env.isHeld(this.#identity);
    this.#env.store.commit(this.#identity.log, point, liveDocs, isHeld ? [] : this.#obsolete);
    this.#commit = point;
    for (const segment of segments) segment.committed();
    if (isHeld) return;
    this.#obsolete = [];
    this.#files.removeOthers(new Set([...segments.map(({ name }) => name), ...this.#promised]));
  }

  /** True if the commit point on disk has exactly these segments and operations. */
  isCommitted(maxSeqNo: number): boolean {
    const segments = this.#segments.filter(({ liveCount }) => liveCount > 0);
    const { generation, segments: committed, maxSeqNo: committedSeqNo } = this.#commit;
    return (
      generation > 0 &&
      committedSeqNo === maxSeqNo &&
      segments.length === committed.length &&
      segments.every((segment, i) => segment.name === committed[i].name && !segment.needsCommit)
    );
  }

  /** The last commit, for a snapshot of the shard. */
  checkpoint(): ShardCheckpoint {
    const obsolete = [...this.#obsolete, ...[...this.#heldBySegment.values()].flat()];
    return { ...this.#env.store.checkpoint(this.#identity.log), obsolete };
  }

  /**
   * Replaces the sources of a merge by its result. Readers see the same documents as before: deletions that are not published yet are marked in the
   * result without being published.
   * @param name         from `promiseName`
   * @param result       null if no document was left
   * @param liveAtStart  per source, the documents that readers saw when the merge began (null: all)
   */
  async replace(
    name: string,
    sources: readonly WriterSegment[],
    result: MergeResult | null,
    liveAtStart: readonly (Uint8Array | null)[],
  ): Promise<void> {
    const at = this.#segments.indexOf(sources[0]);
    const kept = this.#segments.filter((segment) => !sources.includes(segment));
    if (result !== null) {
      const merged = this.#open(name, result.image, result.image.paging !== null);
      const deleteWhere = (isDead: (source: number, docId: number) => boolean): void => {
        sources.forEach((source, i) => {
          for (let docId = 0; docId < source.maxDoc; docId++) {
            if (!isSet(liveAtStart[i], docId) || !isDead(i, docId)) continue;
            if (source.reader.rootOf(docId) === docId) merged.delete(result.docMaps[i][docId]);
          }
        });
      };
      const seen = sources.map((source) => this.publishedLive(source));
      deleteWhere((i, docId) => !isSet(seen[i], docId));
      await this.#publishLive(merged);
      merged.isAnnounced = true;
      deleteWhere((i, docId) => !sources[i].isLive(docId));
      kept.splice(Math.min(at, kept.length), 0, merged);
    }
    sources.forEach((source, i) => {
      this.#holdRecords(source, (docId) => isSet(liveAtStart[i], docId));
    });
    this.#segments = kept;
  }

  /** To be called when no reader uses the segment any longer: the next commit removes the records of its dropped documents. */
  released(id: number): void {
    for (const seqNo of this.#heldBySegment.get(id) ?? []) this.#obsolete.push(seqNo);
    this.#heldBySegment.delete(id);
  }

  /** A name for the result of a merge. Its file is kept until `forgetName`. */
  promiseName(): { readonly name: string; readonly file: SegmentFile } {
    const name = this.#newName();
    this.#promised.add(name);
    return { name, file: { path: this.#files.fileOf(name), name: this.#files.nameOf(name), bytes: 0 } };
  }

  forgetName(name: string): void {
    this.#promised.delete(name);
  }

  #newName(): string {
    return `s${(this.#nextSegment++).toString(36)}`;
  }

  /** @param written  the image was read from its file, so its checksums are verified */
  #open(name: string, image: SegmentLocation, written: boolean): WriterSegment {
    const id = this.#env.nextSegmentId();
    const file = written ? this.#files.nameOf(name) : name;
    return new WriterSegment(id, name, image, this.#env.openSegment(id, image, file, written), written);
  }
}

/** An image that is in memory as a whole. */
export function wholeImage(extent: Extent): SegmentLocation {
  return { extent, sizeBytes: extent.bytes, paging: null };
}

function isSet(bits: Uint8Array | null, docId: number): boolean {
  return bits === null || ((bits[docId >>> 3] >>> (docId & 7)) & 1) === 1;
}
