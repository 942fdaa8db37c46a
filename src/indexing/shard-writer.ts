// The writer of one shard: applies operations in order, writes the log, makes segments searchable (refresh) and durable (flush), recovers.
// The open buffer is in shard-buffer.ts, segments and commit points in shard-segments.ts, merges in shard-merges.ts, lookups of current versions in
// newest-documents.ts.
//
// A batch is applied in three steps, so that a failure in any of them loses nothing and leaves nothing half done:
//   1. each operation is checked, parsed and added to the open buffer (a refused one leaves no trace);
//   2. the accepted ones are appended to the log in one transaction, durable when it returns; if it fails, the new documents are removed again;
//   3. the versions they replace are marked deleted, and the outcomes are reported.
// The steps read and change the same few fields of the shard in this order, which is why they are in one class.
import type { JsonObject } from '../common/json/json-value.ts';
import { ApiError } from '../errors/api-error.ts';
import { documentError } from '../mapping/core/document-error.ts';
import type { IndexSortKey } from '../mapping/core/index-sort.ts';
import type { MappingSnapshot } from '../mapping/core/mapping-snapshot.ts';
import { type SegmentLayout, vectorGraphsOf } from '../mapping/segment-layout.ts';
import type { SegmentFiles } from '../store/segment-files.ts';
import { type LogEntry, NO_COMMIT, OP_DELETE, OP_INDEX, OP_NOOP, type ShardCheckpoint } from '../store/store.ts';
import type { MergePolicyOptions } from './merge-policy.ts';
import { NewestDocuments, type NewestVersion } from './newest-documents.ts';
import type { OperationLog } from './operation-log.ts';
import type { SnapshotDescriptor, WriterSegment } from './segment-set.ts';
import { ShardBuffer } from './shard-buffer.ts';
import { type MergingWriter, ShardMerges } from './shard-merges.ts';
import type { ShardOperation, ShardOutcome } from './shard-operation.ts';
import { ShardSegments } from './shard-segments.ts';
import { DEFAULT_SHARD_SETTINGS, type ShardSettings } from './shard-settings.ts';
import { slowWrite } from './slow-writes.ts';
import { parseSource, stringifySource } from './source.ts';
import { type StoredVersion, updateDocument } from './update-operation.ts';
import { DELETED, VersionMap } from './version-map.ts';
import { nextVersion } from './versions.ts';
import { WriteQueue } from './write-queue.ts';
import type { ShardIdentity, WriterAnalysis, WriterEnvironment } from './writer-environment.ts';

/** Result of a no-op update of a missing document. */
const NO_DOCUMENT = { seqNo: -2, version: -1, primaryTerm: 0 };
const NO_BYTES = new Uint8Array(0);

interface Pending {
  readonly outcome: ShardOutcome;
  readonly entry: LogEntry | null;
  /** The root document added to the buffer, -1 if none. */
  readonly added: number;
  /** The version that this one replaces, null if there is none. */
  readonly replaces: { readonly segment: WriterSegment | null; readonly docId: number; readonly seqNo: number } | null;
  readonly before: ReturnType<VersionMap['own']>;
}

/** The result of an operation that changes nothing. */
function unwritten(outcome: ShardOutcome): Pending {
  return { outcome, entry: null, added: -1, replaces: null, before: undefined };
}

export class ShardWriter implements MergingWriter {
  readonly identity: ShardIdentity;
  readonly counters = { indexed: 0, deleted: 0, failed: 0, noops: 0, refreshes: 0, flushes: 0, bulks: 0, bulkBytes: 0 };
  readonly #env: WriterEnvironment;
  readonly #log: OperationLog;
  readonly #segments: ShardSegments;
  readonly #merges: ShardMerges;
  readonly #versions = new VersionMap();
  readonly #documents: NewestDocuments;
  readonly #buffer: ShardBuffer;
  #settings: ShardSettings = DEFAULT_SHARD_SETTINGS;
  #nextSeqNo = 0;
  /** Increases each time the shard is opened after it was written to. */
  #primaryTerm = 1;
  /** Every operation up to this seqNo is in segments. */
  #segmentsSeqNo = -1;
  #uncommittedOps = 0;
  #uncommittedBytes = 0;
  #tail: Promise<unknown> = Promise.resolve();
  readonly #writes = new WriteQueue(
    (action) => this.exclusive(action),
    (operations) => this.#applyNow(operations),
  );
  #closed = false;

  constructor(
    identity: ShardIdentity,
    mapping: MappingSnapshot,
    analysis: WriterAnalysis,
    storage: { readonly files: SegmentFiles; readonly log: OperationLog },
    env: WriterEnvironment,
  ) {
    this.identity = identity;
    this.#log = storage.log;
    this.#env = env;
    this.#buffer = new ShardBuffer(identity, mapping, analysis, env);
    this.#segments = new ShardSegments(identity, storage.files, env);
    this.#merges = new ShardMerges(this, this.#segments, env);
    this.#documents = new NewestDocuments(identity.log, this.#versions, this.#segments, env.store);
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
    return { sort: this.#settings.sort, vectors: vectorGraphsOf(this.#buffer.mapping) };
  }

  get mergeCount(): number {
    return this.#merges.count;
  }

  /** True if the uncommitted operations have reached the flush threshold. */
  get isFlushDue(): boolean {
    return this.#uncommittedBytes >= this.#settings.flushBytes;
  }

  get maxSeqNo(): number {
    return this.#nextSeqNo - 1;
  }

  /** True if there are operations that searches do not see yet. */
  get isDirty(): boolean {
    return this.#segments.publishedSeqNo !== this.maxSeqNo || this.#segments.hasUnpublishedDeletes;
  }

  get uncommitted(): { operations: number; bytes: number } {
    return { operations: this.#uncommittedOps, bytes: this.#uncommittedBytes };
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

  /** Applies all operations or, if it throws, none. */
  async #applyNow(operations: readonly ShardOperation[]): Promise<ShardOutcome[]> {
    // Runs before the write, so that the whole write is rejected if there is no memory for a segment.
    if (this.#buffer.isFull) await this.#makeSegment();
    const pending: Pending[] = [];
    const entries: LogEntry[] = [];
    this.#documents.unlogged = { entries, firstSeqNo: this.#nextSeqNo };
    try {
      for (const operation of operations) {
        const started = this.#settings.slow === null ? 0 : performance.now();
        const item = await this.#prepare(operation);
        if (this.#settings.slow !== null) {
          const slow = slowWrite(this.#settings.slow, item.entry, performance.now() - started);
          if (slow !== null) this.#env.slowWrite(this.identity, slow);
        }
        pending.push(item);
        if (item.entry) entries.push(item.entry);
      }
    } catch (error) {
      // An internal error: a kernel that trapped may have left the buffer half written.
      this.#undo(pending);
      await this.#rebuildBuffer();
      throw error;
    } finally {
      this.#documents.unlogged = null;
    }
    if (entries.length > 0) {
      try {
        // Not awaited if the log is only the store: a turn of the event loop for each batch is saved.
        const appended = this.#log.append(entries);
        if (appended !== undefined) await appended;
      } catch (error) {
        this.#undo(pending);
        throw error;
      }
    }
    for (const item of pending) this.#settle(item);
    return pending.map(({ outcome }) => outcome);
  }

  async #prepare(operation: ShardOperation): Promise<Pending> {
    try {
      return operation.kind === 'delete' ? this.#prepareDelete(operation) : await this.#prepareIndex(operation);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this.counters.failed++;
      return unwritten({ ok: false, id: operation.id, error: documentError(error, this.#buffer.mapping.dialect).toData() });
    }
  }

  #prepareDelete(operation: ShardOperation): Pending {
    const current = this.#documents.find(operation.id);
    const version = nextVersion(operation, current, this.identity);
    const existed = current !== null && !current.deleted;
    const before = this.#versions.own(operation.id);
    const seqNo = this.#nextSeqNo++;
    this.#versions.set(operation.id, { seqNo, version, primaryTerm: this.#primaryTerm, docId: DELETED, at: this.#env.nowMs() });
    return {
      outcome: {
        ok: true,
        id: operation.id,
        result: existed ? 'deleted' : 'not_found',
        seqNo,
        primaryTerm: this.#primaryTerm,
        version,
        source: null,
      },
      entry: { seqNo, op: OP_DELETE, id: operation.id, version, primaryTerm: this.#primaryTerm, routing: operation.routing, source: null },
      added: -1,
      replaces: existed ? current : null,
      before,
    };
  }

  async #prepareIndex(operation: ShardOperation): Promise<Pending> {
    const current = operation.autoId ? null : this.#documents.find(operation.id);
    let { source } = operation;
    let routing = operation.routing;
    let json: JsonObject | null = null;
    let typedSource = operation.source;
    if (operation.kind === 'update') {
      const updated = updateDocument(
        operation,
        this.#currentReader(operation, current),
        this.identity,
        this.#env,
        this.#buffer.mapping.source.enabled,
      );
      if (updated === 'delete') return this.#prepareDelete(operation);
      if (updated === 'noop') {
        this.counters.noops++;
        const { seqNo, version, primaryTerm } = current ?? NO_DOCUMENT;
        const source = operation.wantSource ? this.#documents.copySource(seqNo) : null;
        return unwritten({ ok: true, id: operation.id, result: 'noop', seqNo, primaryTerm, version, source });
      }
      json = updated.json;
      routing = updated.routing;
      source = updated.source ?? Buffer.from(stringifySource(json));
      typedSource = updated.source;
    }
    const version = nextVersion(operation, current, this.identity);
    json ??= parseSource(source ?? NO_BYTES);
    const seqNo = this.#nextSeqNo;
    const added = await this.#buffer.add({
      id: operation.id,
      seqNo,
      version,
      primaryTerm: this.#primaryTerm,
      json,
      routing,
      source: typedSource,
      templates: operation.dynamicTemplates,
    });
    const synthetic = this.#buffer.mapping.syntheticSource(json);
    if (synthetic !== null) source = Buffer.from(stringifySource(synthetic));
    this.#nextSeqNo++;
    const before = this.#versions.own(operation.id);
    this.#versions.set(operation.id, { seqNo, version, primaryTerm: this.#primaryTerm, docId: added, at: 0 });
    const existed = current !== null && !current.deleted;
    return {
      outcome: {
        ok: true,
        id: operation.id,
        result: existed ? 'updated' : 'created',
        seqNo,
        primaryTerm: this.#primaryTerm,
        version,
        source: operation.wantSource ? source : null,
      },
      entry: { seqNo, op: OP_INDEX, id: operation.id, version, primaryTerm: this.#primaryTerm, routing, source },
      added,
      replaces: existed ? current : null,
      before,
    };
  }

  /** Reads the document to update; null if there is none. A version conflict is reported even if the update would change nothing. */
  #currentReader(operation: ShardOperation, current: NewestVersion | null): (() => StoredVersion) | null {
    if (current === null || current.deleted) return null;
    return () => {
      const record = this.#documents.read(operation.id, current.seqNo);
      nextVersion(operation, current, this.identity);
      return record;
    };
  }

  #settle({ outcome, entry, replaces }: Pending): void {
    if (!outcome.ok || entry === null) return;
    if (replaces !== null) {
      if (replaces.segment === null) {
        this.#buffer.delete(replaces.docId);
        this.#segments.discard(replaces.seqNo); // it was never in a segment
      } else {
        this.#segments.delete(replaces.segment, replaces.docId);
      }
    }
    if (entry.op === OP_DELETE) {
      this.#segments.discard(entry.seqNo);
      this.counters.deleted++;
    } else {
      this.counters.indexed++;
    }
    this.#uncommittedOps++;
    this.#uncommittedBytes += 64 + (entry.source?.length ?? 0);
  }

  #undo(pending: readonly Pending[]): void {
    for (const { outcome, entry, added, before } of [...pending].reverse()) {
      if (entry === null) continue;
      if (added >= 0) this.#buffer.delete(added);
      this.#versions.restore(outcome.id, before);
      this.#nextSeqNo = Math.min(this.#nextSeqNo, entry.seqNo);
    }
  }

  /** Discards the open buffer and fills a new one from the log. */
  async #rebuildBuffer(): Promise<void> {
    this.#buffer.discard();
    this.#versions.rotate(this.#env.nowMs(), this.#settings.gcDeletesMs);
    for (const { seqNo, record } of this.#env.store.replay(this.identity.log, this.#segmentsSeqNo)) await this.#replay(seqNo, record);
  }

  /** seqNo of the newest version, refreshed or not; null if the document does not exist. */
  locate(id: string): number | null {
    const found = this.#documents.find(id);
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
      if (!force && this.#uncommittedOps === 0 && !this.#segments.hasObsoleteRecords) return;
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
    this.#segments.commit(this.maxSeqNo, this.#primaryTerm);
    this.#uncommittedOps = 0;
    this.#uncommittedBytes = 0;
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
    this.#nextSeqNo = point.maxSeqNo + 1;
    this.#segmentsSeqNo = point.maxSeqNo;
    if (published === null) await this.#segments.load(point);
    else this.#segments.adopt(point, published);
    for (const { seqNo, record } of store.replay(this.identity.log, this.maxSeqNo)) {
      lastTerm = Math.max(lastTerm, record.primaryTerm);
      await this.#replay(seqNo, record);
    }
    this.#primaryTerm = lastTerm + 1;
    if (published !== null && !this.isDirty) return;
    await this.exclusive(async () => {
      const { done } = await this.#publishAll();
      return done;
    });
  }

  async #replay(
    seqNo: number,
    record: { op: number; id: string; version: number; primaryTerm: number; routing: string | null; source: Uint8Array },
  ): Promise<void> {
    this.#nextSeqNo = seqNo + 1;
    if (record.op === OP_NOOP) return;
    const current = this.#documents.find(record.id);
    const { id, version, primaryTerm, routing } = record;
    let added = DELETED;
    if (record.op === OP_INDEX) {
      const json = parseSource(record.source);
      added = await this.#buffer.add({ id, seqNo, version, primaryTerm: this.#primaryTerm, json, routing, source: null });
    }
    this.#versions.set(id, { seqNo, version, primaryTerm, docId: added, at: this.#env.nowMs() });
    const entry: LogEntry = { seqNo, op: record.op, id, version, primaryTerm, routing, source: record.source };
    const outcome = { ok: true, id, result: 'created', seqNo, primaryTerm, version, source: null } as const;
    this.#settle({ outcome, entry, added, replaces: current === null || current.deleted ? null : current, before: undefined });
    if (this.#buffer.isFull) await this.#makeSegment();
  }

  /** Gives this primary term to the operations that are accepted from now on. */
  lead(primaryTerm: number): void {
    this.#primaryTerm = primaryTerm;
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
