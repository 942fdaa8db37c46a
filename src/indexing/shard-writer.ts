// The writer of one shard: applies operations in order, writes the log, makes segments searchable (refresh) and durable (flush), recovers.
// The open buffer is in shard-buffer.ts, segments and commit points in shard-segments.ts, merges in shard-merges.ts, lookups of current versions in
// newest-documents.ts.
//
// A batch is applied in three steps, so that a failure in any of them loses nothing and leaves nothing half done:
//   1. each operation is checked, parsed and added to the open buffer (a refused one leaves no trace);
//   2. the accepted ones are appended to the log in one transaction, durable when it returns; if it fails, the new documents are removed again;
//   3. the versions they replace are marked deleted, and the outcomes are reported.
// Steps 1 and 3, and the way back, are in shard-changes.ts.
import type { Span } from '../common/tracing/span.ts';
import { ApiError } from '../errors/api-error.ts';
import type { IndexSortKey } from '../mapping/core/index-sort.ts';
import type { MappingSnapshot } from '../mapping/core/mapping-snapshot.ts';
import { type SegmentLayout, vectorGraphsOf } from '../mapping/segment-layout.ts';
import type { LogRecord } from '../store/log-record.ts';
import type { SegmentFiles } from '../store/segment-files.ts';
import { type LogEntry, NO_COMMIT, type ShardCheckpoint } from '../store/store.ts';
import type { MergePolicyOptions } from './merge-policy.ts';
import { NewestDocuments } from './newest-documents.ts';
import type { OperationLog } from './operation-log.ts';
import type { SnapshotDescriptor, WriterSegment } from './segment-set.ts';
import { ShardBuffer } from './shard-buffer.ts';
import { NO_CHANGES, type PendingChange, ShardChanges } from './shard-changes.ts';
import { type MergingWriter, ShardMerges } from './shard-merges.ts';
import type { ShardOperation, ShardOutcome } from './shard-operation.ts';
import { ShardSegments } from './shard-segments.ts';
import { DEFAULT_SHARD_SETTINGS, type ShardSettings } from './shard-settings.ts';
import { slowWrite } from './slow-writes.ts';
import { VersionMap } from './version-map.ts';
import { WriteQueue } from './write-queue.ts';
import type { ShardIdentity, WriterAnalysis, WriterEnvironment } from './writer-environment.ts';

const NO_BYTES = new Uint8Array(0);

export class ShardWriter implements MergingWriter {
  readonly identity: ShardIdentity;
  readonly counters = { ...NO_CHANGES, refreshes: 0, flushes: 0, bulks: 0, bulkBytes: 0 };
  readonly #env: WriterEnvironment;
  readonly #log: OperationLog;
  readonly #segments: ShardSegments;
  readonly #merges: ShardMerges;
  readonly #versions = new VersionMap();
  readonly #documents: NewestDocuments;
  readonly #buffer: ShardBuffer;
  readonly #changes: ShardChanges;
  #settings: ShardSettings = DEFAULT_SHARD_SETTINGS;
  /** Every operation up to this seqNo is in segments. */
  #segmentsSeqNo = -1;
  #tail: Promise<unknown> = Promise.resolve();
  readonly #writes = new WriteQueue(
    (action) => this.exclusive(action),
    (operations, spans) => this.#applyGuarded(operations, spans),
  );
  #closed = false;
  /** Settles when the write that is being applied is in the log, or was undone. */
  #applying: Promise<unknown> | null = null;
  /** Later operations are not in the log yet. */
  #loggedSeqNo = Number.POSITIVE_INFINITY;

  constructor(
    identity: ShardIdentity,
    mapping: MappingSnapshot,
    analysis: WriterAnalysis,
    /** `generation`: of the last snapshot that readers have, if an earlier writer made one. */
    storage: { readonly files: SegmentFiles; readonly log: OperationLog; readonly generation?: number },
    env: WriterEnvironment,
  ) {
    this.identity = identity;
    this.#log = storage.log;
    this.#env = env;
    this.#buffer = new ShardBuffer(identity, mapping, analysis, env);
    this.#segments = new ShardSegments(identity, storage.files, env, storage.generation);
    this.#merges = new ShardMerges(this, this.#segments, env);
    this.#documents = new NewestDocuments(identity.log, this.#versions, this.#segments, env.store);
    const parts = { buffer: this.#buffer, segments: this.#segments, versions: this.#versions, documents: this.#documents };
    this.#changes = new ShardChanges(identity, parts, this.counters, env);
  }

  /** Takes effect with the next document. */
  useMapping(mapping: MappingSnapshot, analysis: WriterAnalysis): void {
    this.#buffer.useMapping(mapping, analysis);
  }

  useSettings(settings: ShardSettings): void {
    this.#settings = settings;
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  get mergePolicy(): MergePolicyOptions {
    return this.#settings.mergePolicy;
  }

  get indexSort(): readonly IndexSortKey[] {
    return this.#settings.sort;
  }

  get segmentLayout(): SegmentLayout {
    const { sort, reorder } = this.#settings;
    return { sort, reorder, vectors: vectorGraphsOf(this.#buffer.mapping) };
  }

  get mergeCount(): number {
    return this.#merges.count;
  }

  /** True if the uncommitted operations have reached the flush threshold. */
  get isFlushDue(): boolean {
    return this.#changes.uncommitted.bytes >= this.#settings.flushBytes;
  }

  get maxSeqNo(): number {
    return this.#changes.nextSeqNo - 1;
  }

  /** True if there are operations that searches do not see yet. */
  get isDirty(): boolean {
    return this.#segments.publishedSeqNo !== this.maxSeqNo || this.#segments.hasUnpublishedDeletes;
  }

  get uncommitted(): { readonly operations: number; readonly bytes: number } {
    return this.#changes.uncommitted;
  }

  /** Generation of the newest snapshot. */
  get generation(): number {
    return this.#segments.generation;
  }

  get segments(): readonly WriterSegment[] {
    return this.#segments.all;
  }

  /** Number of live documents in segments and buffer, nested ones included. */
  get liveDocs(): number {
    return this.#segments.all.reduce((sum, segment) => sum + segment.liveCount, 0) + this.#buffer.liveCount;
  }

  // -------------------------------------------------------------------------------------------------------- writes

  /** Applies operations in order. @returns outcomes parallel to them; accepted operations are durable when the promise resolves */
  apply(operations: readonly ShardOperation[]): Promise<ShardOutcome[]> {
    this.counters.bulks++;
    for (const { source } of operations) this.counters.bulkBytes += source?.length ?? 0;
    return this.#writes.add(operations);
  }

  /** Lets reads recognize operations that are applied and not yet in the log. */
  async #applyGuarded(operations: readonly ShardOperation[], spans: readonly Span[]): Promise<ShardOutcome[]> {
    const applied = this.#applyNow(operations, spans);
    this.#applying = applied.catch(() => undefined);
    try {
      return await applied;
    } finally {
      this.#applying = null;
      this.#loggedSeqNo = Number.POSITIVE_INFINITY;
    }
  }

  /** Applies all operations or, if it throws, none. @param spans  requests to which the phases are reported */
  async #applyNow(operations: readonly ShardOperation[], spans: readonly Span[]): Promise<ShardOutcome[]> {
    // Runs before the write, so that the whole write is rejected if there is no memory for a segment.
    if (this.#buffer.isFull) await this.#makeSegment();
    const begun = performance.now();
    const pending: PendingChange[] = [];
    const entries: LogEntry[] = [];
    this.#documents.unlogged = { entries, firstSeqNo: this.#changes.nextSeqNo };
    this.#loggedSeqNo = this.maxSeqNo;
    try {
      for (const operation of operations) {
        const started = this.#settings.slow === null ? 0 : performance.now();
        const item = await this.#changes.prepare(operation);
        if (this.#settings.slow !== null) {
          const slow = slowWrite(this.#settings.slow, item.entry, performance.now() - started);
          if (slow !== null) this.#env.slowWrite(this.identity, slow);
        }
        pending.push(item);
        if (item.entry) entries.push(item.entry);
      }
    } catch (error) {
      // An internal error: a kernel that trapped may have left the buffer half written.
      this.#changes.undo(pending);
      await this.#rebuildBuffer();
      throw error;
    } finally {
      this.#documents.unlogged = null;
    }
    const parsed = performance.now();
    if (entries.length > 0) {
      try {
        // Not awaited if the log is only the store: a turn of the event loop for each batch is saved.
        const appended = this.#log.append(entries);
        if (appended !== undefined) await appended;
      } catch (error) {
        this.#changes.undo(pending);
        throw error;
      }
    }
    const logged = performance.now();
    for (const span of spans) {
      const attributes = {
        'db.collection.name': this.identity.index,
        'gannet.shard': this.identity.shard,
        'gannet.operations': entries.length,
      };
      span.phase('parse', begun, parsed, attributes);
      if (entries.length > 0) span.phase('log', parsed, logged, attributes);
    }
    for (const item of pending) this.#changes.settle(item);
    return pending.map(({ outcome }) => outcome);
  }

  /** Discards the open buffer and fills a new one from the log. */
  async #rebuildBuffer(): Promise<void> {
    this.#buffer.discard();
    this.#versions.rotate(this.#env.nowMs(), this.#settings.gcDeletesMs);
    for (const { seqNo, record } of this.#env.store.replay(this.identity.log, this.#segmentsSeqNo)) await this.#replay(seqNo, record);
  }

  /** seqNo of the newest version in the log, refreshed or not; null if the document does not exist. */
  locate(id: string): number | null | Promise<number | null> {
    const found = this.#documents.find(id);
    // The append may fail, and then the document is as before.
    if (found !== null && found.seqNo > this.#loggedSeqNo && this.#applying !== null) return this.#applying.then(() => this.locate(id));
    return found === null || found.deleted ? null : found.seqNo;
  }

  // ------------------------------------------------------------------------------------------------------- refresh

  /** Makes all applied operations searchable; resolves when all readers see them. */
  async refresh(): Promise<void> {
    const published = await this.exclusive(async () => {
      // Nothing is new, but readers may still be switching to the last snapshot.
      if (this.#closed || !this.isDirty) return { done: this.#segments.visible };
      return this.#publishAll();
    });
    await published.done;
    this.#merges.schedule();
  }

  /** Turns the open buffer into a segment and announces all segments. Runs inside `exclusive`. */
  async #publishAll(): Promise<{ done: Promise<void> }> {
    await this.#makeSegment();
    this.counters.refreshes++;
    return this.#segments.publish(this.#segmentsSeqNo);
  }

  /** Turns the open buffer into a segment that is not published yet. */
  async #makeSegment(): Promise<void> {
    if (this.#buffer.isOpen) {
      const image = this.#buffer.flush();
      if (image !== null) await this.#segments.add(this.indexSort.length === 0 ? image : this.#env.sortSegment(image, this.indexSort));
      this.#versions.rotate(this.#env.nowMs(), this.#settings.gcDeletesMs);
      this.#buffer.discard();
    }
    this.#segmentsSeqNo = this.maxSeqNo;
  }

  async forceMerge(maxNumSegments: number, onlyExpungeDeletes: boolean): Promise<void> {
    await this.refresh();
    await this.#merges.force(maxNumSegments, onlyExpungeDeletes);
  }

  /** To be called when no reader uses the segment any longer. */
  segmentReleased(id: number): void {
    this.#segments.released(id);
  }

  // --------------------------------------------------------------------------------------------------------- flush

  /** Writes a commit point with all applied operations, so that recovery need not replay them. */
  async flush(force = false): Promise<void> {
    await this.exclusive(async () => {
      if (this.#closed) return;
      this.counters.flushes++;
      if (!force && this.#changes.uncommitted.operations === 0 && !this.#segments.hasObsoleteRecords) return;
      await this.#makeSegment();
      this.#commit();
    });
  }

  /** Frees memory of segments that are on disk; requests read what they need from there. */
  async pageOut(): Promise<void> {
    await this.exclusive(async () => {
      if (!this.#closed) await this.#segments.pageOut();
    });
  }

  #commit(): void {
    this.#segments.commit(this.maxSeqNo, this.#changes.primaryTerm);
    this.#changes.uncommitted = { operations: 0, bytes: 0 };
  }

  /** Commits all applied operations. @returns the commit, whose files and records stay while `isHeld` of the environment is true */
  checkpoint(): Promise<ShardCheckpoint> {
    return this.exclusive(async () => {
      if (this.#closed) throw new ApiError('alreadyclosed_exception', 503, `[${this.identity.index}][${this.identity.shard}] is closed`);
      await this.#makeSegment();
      if (!this.#segments.isCommitted(this.maxSeqNo)) this.#commit();
      return this.#segments.checkpoint();
    });
  }

  // ------------------------------------------------------------------------------------------------------- recover

  /**
   * Opens the committed segments and replays the rest of the log; readers see all of it when the promise resolves.
   * @param published  the snapshot of the committed segments, if readers have it already
   * @throws ApiError corrupt_index_exception, translog_corrupted_exception
   */
  async recover(published: SnapshotDescriptor | null = null): Promise<void> {
    const { store } = this.#env;
    const point = store.commitPoint(this.identity.log) ?? NO_COMMIT;
    let lastTerm = point.primaryTerm;
    this.#changes.nextSeqNo = point.maxSeqNo + 1;
    this.#segmentsSeqNo = point.maxSeqNo;
    if (published === null) await this.#segments.load(point);
    else this.#segments.adopt(point, published);
    for (const { seqNo, record } of store.replay(this.identity.log, this.maxSeqNo)) {
      lastTerm = Math.max(lastTerm, record.primaryTerm);
      await this.#replay(seqNo, record);
    }
    this.#changes.primaryTerm = lastTerm + 1;
    if (published !== null && !this.isDirty) return;
    await this.exclusive(async () => {
      const { done } = await this.#publishAll();
      return done;
    });
  }

  async #replay(seqNo: number, record: LogRecord): Promise<void> {
    await this.#changes.replay(seqNo, record);
    if (this.#buffer.isFull) await this.#makeSegment();
  }

  /** Gives this primary term to the operations that are accepted from now on. */
  lead(primaryTerm: number): void {
    this.#changes.primaryTerm = primaryTerm;
  }

  /** Stores and applies operations that another node accepted, in order. Operations that the shard already has are skipped. */
  replicate(entries: readonly LogEntry[]): Promise<void> {
    return this.exclusive(async () => {
      const missing = this.#closed ? [] : entries.filter(({ seqNo }) => seqNo > this.maxSeqNo);
      if (missing.length === 0) return;
      this.#env.store.append(this.identity.log, missing);
      for (const entry of missing) await this.#replay(entry.seqNo, { ...entry, source: entry.source ?? NO_BYTES });
    });
  }

  /** Closes the writer and returns its buffer to the pool; the result of a running merge is discarded. */
  async close(options: { flush: boolean }): Promise<void> {
    if (options.flush) await this.flush();
    await this.exclusive(async () => {
      this.#closed = true;
      this.#buffer.discard();
    });
    await this.#merges.settled();
  }

  /** Runs actions one at a time, in the order of the calls. */
  exclusive<T>(action: () => Promise<T>): Promise<T> {
    const result = this.#tail.then(action);
    this.#tail = result.catch(() => undefined);
    return result;
  }
}
