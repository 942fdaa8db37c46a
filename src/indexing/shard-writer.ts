// The writer of one shard: applies operations in order, keeps the log, makes segments searchable (refresh) and durable (flush), recovers.
//
// A batch is applied in three steps, so that a failure at any of them loses nothing and leaves nothing half done:
//   1. each operation is checked, parsed and added to the open buffer (a refused one leaves nothing behind);
//   2. the accepted ones go to the log in one transaction, on disk when it returns; if that fails the new documents are taken out again;
//   3. the versions they replace are marked dead, and the outcome is reported.
import type { IndexAnalyzer, OpenBuffer } from '../arena/open-buffer.ts';
import { ApiError } from '../errors/api-error.ts';
import { illegalArgument } from '../errors/catalog.ts';
import type { Json, MappingSnapshot } from '../mapping/mapping-snapshot.ts';
import type { SegmentReader } from '../plan/segment.ts';
import { runUpdateScript, type ScriptOutcome, type UpdateScript } from '../scripting/update-script.ts';
import type { SegmentFiles } from '../store/segment-files.ts';
import { type CommitPoint, type LogEntry, OP_DELETE, OP_INDEX, OP_NOOP, type Store } from '../store/store.ts';
import type { BufferPool } from './buffer-pool.ts';
import { findForcedMerge, findMerge } from './merge-policy.ts';
import { type Extent, type SnapshotDescriptor, WriterSegment } from './segment-set.ts';
import { parseSource, parseTypedSource, parseUpdateSource, stringifySource } from './source.ts';
import { mergeDocument, parseUpdateBody } from './update.ts';
import { DELETED, VersionMap } from './version-map.ts';
import { type CurrentVersion, nextVersion } from './versions.ts';

const PRIMARY_TERM = 1;
/** Attempts to parse a document under a mapping that changes with each; every attempt adds fields, so this bounds nothing real. */
const MAX_MAPPING_ROUNDS = 16;
/** What an update answers that did nothing to no document. */
const NO_DOCUMENT = { seqNo: -2, version: -1, primaryTerm: 0, docId: DELETED };
const NO_BYTES = new Uint8Array(0);

/** One write; see WriteOperation of src/api/context.ts, which it equals in form. */
export interface ShardOperation {
  readonly kind: 'index' | 'create' | 'delete' | 'update';
  readonly id: string;
  readonly autoId: boolean;
  readonly routing: string | null;
  readonly source: Uint8Array | null;
  readonly ifSeqNo: number | null;
  readonly ifPrimaryTerm: number | null;
  readonly version: number | null;
  readonly versionType: 'internal' | 'external' | 'external_gte';
  readonly docAsUpsert: boolean;
  readonly wantSource: boolean;
}

export type ShardOutcome =
  | {
      ok: true;
      id: string;
      result: 'created' | 'updated' | 'deleted' | 'not_found' | 'noop';
      seqNo: number;
      primaryTerm: number;
      version: number;
      source: Uint8Array | null;
    }
  | { ok: false; id: string; error: ReturnType<ApiError['toData']> };

/** The index's analyzers by name. */
export interface WriterAnalysis {
  analyzer(name: string): IndexAnalyzer;
}

/** What the writer asks of its thread. */
export interface WriterEnvironment {
  readonly store: Store;
  readonly buffers: BufferPool;
  nextSegmentId(): number;
  allocate(bytes: number): Promise<Extent>;
  free(extent: Extent): void;
  view(extent: Extent): Uint8Array;
  openSegment(id: number, extent: Extent, name: string, verify: boolean): SegmentReader;
  /** Resolves when every reader has switched to the snapshot. */
  publish(snapshot: SnapshotDescriptor): Promise<void>;
  /** Merges a dynamic mapping update into the index's mapping, everywhere. @returns the new mapping */
  updateMapping(indexUuid: string, mappings: Json): Promise<{ mapping: MappingSnapshot; analysis: WriterAnalysis }>;
  merge(segments: readonly WriterSegment[]): Promise<MergeResult>;
  mergeFailed(identity: ShardIdentity, error: unknown): void;
  nowMs(): number;
}

export interface MergeResult {
  readonly extent: Extent;
  /** Per source, in order: new doc id of each old one, or 2^32 - 1 if it was dropped. */
  readonly docMaps: readonly Uint32Array[];
}

export interface ShardIdentity {
  readonly index: string;
  readonly uuid: string;
  readonly shard: number;
  /** Number of the shard's log in the store. */
  readonly log: number;
}

interface Pending {
  readonly outcome: ShardOutcome;
  readonly entry: LogEntry | null;
  /** Root document that was added to the buffer, or -1. */
  readonly added: number;
  /** Where the version that this one replaces is. */
  readonly replaces: { readonly segment: WriterSegment | null; readonly docId: number; readonly seqNo: number } | null;
  readonly before: ReturnType<VersionMap['own']>;
}

export class ShardWriter {
  readonly identity: ShardIdentity;
  readonly counters = { indexed: 0, deleted: 0, failed: 0, refreshes: 0, flushes: 0, merges: 0 };
  readonly #env: WriterEnvironment;
  readonly #files: SegmentFiles;
  readonly #versions = new VersionMap();
  #mapping: MappingSnapshot;
  #analysis: WriterAnalysis;
  #segments: WriterSegment[] = [];
  #buffer: OpenBuffer | null = null;
  #nextSeqNo = 0;
  #generation = 0;
  #commit: CommitPoint = { generation: 0, segments: [], maxSeqNo: -1, nextSegment: 0 };
  #nextSegment = 0;
  #publishedSeqNo = -1;
  /** Resolves when every reader has switched to the newest snapshot. */
  #visible: Promise<void> = Promise.resolve();
  /** Every operation up to here is in segments. */
  #segmentsSeqNo = -1;
  /** Log records that nothing needs once the next commit is written. */
  #obsolete: number[] = [];
  /** Records of documents that a merge dropped, by the segment that held them: readers may still show them until they leave it. */
  readonly #heldBySegment = new Map<number, number[]>();
  #uncommittedOps = 0;
  #uncommittedBytes = 0;
  #deletesSinceRefresh = 0;
  #tail: Promise<unknown> = Promise.resolve();
  #merging: Promise<void> | null = null;
  #closed = false;

  constructor(identity: ShardIdentity, mapping: MappingSnapshot, analysis: WriterAnalysis, files: SegmentFiles, env: WriterEnvironment) {
    this.identity = identity;
    this.#mapping = mapping;
    this.#analysis = analysis;
    this.#files = files;
    this.#env = env;
  }

  /** From the next document on. */
  useMapping(mapping: MappingSnapshot, analysis: WriterAnalysis): void {
    this.#mapping = mapping;
    this.#analysis = analysis;
  }

  get maxSeqNo(): number {
    return this.#nextSeqNo - 1;
  }

  /** Operations that searches do not see yet. */
  get isDirty(): boolean {
    return this.#publishedSeqNo !== this.maxSeqNo || this.#deletesSinceRefresh > 0;
  }

  get uncommitted(): { operations: number; bytes: number } {
    return { operations: this.#uncommittedOps, bytes: this.#uncommittedBytes };
  }

  get segments(): readonly WriterSegment[] {
    return this.#segments;
  }

  /** Documents that live in segments and buffer, nested ones counted. */
  get liveDocs(): number {
    return this.#segments.reduce((sum, segment) => sum + segment.liveCount, 0) + (this.#buffer?.liveCount ?? 0);
  }

  // -------------------------------------------------------------------------------------------------------- writes

  /** Applies operations in order. Outcomes are parallel to them; accepted ones are on disk when this resolves. */
  apply(operations: readonly ShardOperation[]): Promise<ShardOutcome[]> {
    return this.#exclusive(async () => {
      const pending: Pending[] = [];
      try {
        for (const operation of operations) pending.push(await this.#prepare(operation));
      } catch (error) {
        // Not an answer to the user but a fault: a kernel that trapped may have left the buffer half written.
        this.#undo(pending);
        await this.#rebuildBuffer();
        throw error;
      }
      const entries = pending.flatMap(({ entry }) => (entry ? [entry] : []));
      if (entries.length > 0) {
        try {
          this.#env.store.append(this.identity.log, entries);
        } catch (error) {
          this.#undo(pending);
          throw error;
        }
      }
      for (const item of pending) this.#settle(item);
      if (this.#buffer?.isFull) await this.#makeSegment();
      return pending.map(({ outcome }) => outcome);
    });
  }

  async #prepare(operation: ShardOperation): Promise<Pending> {
    try {
      return operation.kind === 'delete' ? this.#prepareDelete(operation) : await this.#prepareIndex(operation);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this.counters.failed++;
      return { outcome: { ok: false, id: operation.id, error: error.toData() }, entry: null, added: -1, replaces: null, before: undefined };
    }
  }

  #prepareDelete(operation: ShardOperation): Pending {
    const current = this.#find(operation.id);
    const version = nextVersion(operation, current, this.identity);
    const existed = current !== null && !current.deleted;
    const before = this.#versions.own(operation.id);
    const seqNo = this.#nextSeqNo++;
    this.#versions.set(operation.id, { seqNo, version, primaryTerm: PRIMARY_TERM, docId: DELETED, at: this.#env.nowMs() });
    return {
      outcome: {
        ok: true,
        id: operation.id,
        result: existed ? 'deleted' : 'not_found',
        seqNo,
        primaryTerm: PRIMARY_TERM,
        version,
        source: null,
      },
      entry: { seqNo, op: OP_DELETE, id: operation.id, version, primaryTerm: PRIMARY_TERM, routing: operation.routing, source: null },
      added: -1,
      replaces: existed ? current : null,
      before,
    };
  }

  async #prepareIndex(operation: ShardOperation): Promise<Pending> {
    const current = operation.autoId ? null : this.#find(operation.id);
    let { source } = operation;
    let routing = operation.routing;
    let json: Json | null = null;
    if (operation.kind === 'update') {
      const updated = this.#update(operation, current);
      if (updated === 'delete') return this.#prepareDelete(operation);
      if (updated === 'noop') {
        const { seqNo, version, primaryTerm, docId } = current ?? NO_DOCUMENT;
        const noop = { ok: true, id: operation.id, result: 'noop', seqNo, primaryTerm, version } as const;
        const kept = operation.wantSource ? this.#copySource(seqNo) : null;
        return {
          outcome: { ...noop, source: kept },
          entry: null,
          added: -1,
          replaces: null,
          before: docId === DELETED ? undefined : this.#versions.own(operation.id),
        };
      }
      json = updated.json;
      routing = updated.routing;
      source = Buffer.from(stringifySource(json));
    }
    const version = nextVersion(operation, current, this.identity);
    json ??= parseSource(source ?? NO_BYTES);
    const seqNo = this.#nextSeqNo;
    const added = await this.#addToBuffer(
      operation.id,
      json,
      routing,
      seqNo,
      version,
      operation.kind === 'update' ? null : operation.source,
    );
    this.#nextSeqNo++;
    const before = this.#versions.own(operation.id);
    this.#versions.set(operation.id, { seqNo, version, primaryTerm: PRIMARY_TERM, docId: added, at: 0 });
    const existed = current !== null && !current.deleted;
    return {
      outcome: {
        ok: true,
        id: operation.id,
        result: existed ? 'updated' : 'created',
        seqNo,
        primaryTerm: PRIMARY_TERM,
        version,
        source: operation.wantSource ? source : null,
      },
      entry: { seqNo, op: OP_INDEX, id: operation.id, version, primaryTerm: PRIMARY_TERM, routing, source },
      added,
      replaces: existed ? current : null,
      before,
    };
  }

  /** Parses the document into the open buffer. @returns its root document there @throws ApiError, with nothing left in the buffer */
  async #addToBuffer(
    id: string,
    json: Json,
    routing: string | null,
    seqNo: number,
    version: number,
    source: Uint8Array | null,
  ): Promise<number> {
    const typed = source === null ? undefined : () => parseTypedSource(source);
    for (let round = 0; ; round++) {
      const buffer = this.#openBuffer();
      const encoder = buffer.encoder;
      let outcome: ReturnType<MappingSnapshot['parseDocument']>;
      try {
        outcome = this.#mapping.parseDocument(id, json, encoder, routing, typed);
      } catch (error) {
        encoder.reset();
        throw error;
      }
      if (outcome.kind === 'parsed') return buffer.add({ id, seqNo, version, primaryTerm: PRIMARY_TERM });
      encoder.reset();
      if (round === MAX_MAPPING_ROUNDS) throw illegalArgument(`mapping of [${id}] does not settle after ${round} updates`);
      const { mapping, analysis } = await this.#env.updateMapping(this.identity.uuid, outcome.update.mappings);
      this.useMapping(mapping, analysis);
    }
  }

  #openBuffer(): OpenBuffer {
    this.#buffer ??= this.#env.buffers.take();
    this.#buffer.useMapping(this.identity.uuid, this.#mapping.fields, this.#analysis);
    return this.#buffer;
  }

  #update(operation: ShardOperation, current: Found | null): 'noop' | 'delete' | { json: Json; routing: string | null } {
    const body = parseUpdateBody(parseUpdateSource(operation.source ?? NO_BYTES), operation.docAsUpsert);
    if (current === null || current.deleted) {
      const created = body.docAsUpsert ? body.doc : body.upsert;
      if (created === null || operation.ifSeqNo !== null) {
        throw new ApiError('document_missing_exception', 404, `[${operation.id}]: document missing`, {
          details: { index_uuid: this.identity.uuid, shard: String(this.identity.shard), index: this.identity.index },
        });
      }
      if (body.script === null || !body.scriptedUpsert) return { json: created, routing: operation.routing };
      return this.#runScript(body.script, operation, created, operation.routing, null);
    }
    const record = this.#env.store.read(this.identity.log, current.seqNo);
    if (record === null)
      throw new ApiError('corrupt_index_exception', 500, `operation ${current.seqNo} of document [${operation.id}] is missing in the log`);
    const json = parseSource(record.source);
    const { routing } = record;
    nextVersion(operation, current, this.identity); // a conflict counts before a noop
    if (body.script !== null) return this.#runScript(body.script, operation, json, routing, record.version);
    return mergeDocument(json, body.doc as Json, body.detectNoop) || !body.detectNoop ? { json, routing } : 'noop';
  }

  /** `version` null: the document is new. */
  #runScript(
    script: UpdateScript,
    operation: ShardOperation,
    source: Json,
    routing: string | null,
    version: number | null,
  ): 'noop' | 'delete' | { json: Json; routing: string | null } {
    const { index } = this.identity;
    const document = { source, index, id: operation.id, version, routing, nowMs: this.#env.nowMs() };
    let outcome: ScriptOutcome;
    try {
      outcome = runUpdateScript(script, document, version === null ? 'create' : 'index');
    } catch (error) {
      if (error instanceof ApiError) throw illegalArgument('failed to execute script', error);
      throw error;
    }
    if (outcome.op === 'none') return 'noop';
    return outcome.op === 'delete' ? 'delete' : { json: outcome.source, routing };
  }

  #copySource(seqNo: number): Uint8Array | null {
    const record = this.#env.store.read(this.identity.log, seqNo);
    return record === null ? null : Uint8Array.from(record.source);
  }

  #settle({ outcome, entry, replaces }: Pending): void {
    if (!outcome.ok || entry === null) return;
    if (replaces !== null) {
      if (replaces.segment === null) {
        this.#buffer?.deleteDoc(replaces.docId);
        this.#obsolete.push(replaces.seqNo); // it never was in a segment
      } else {
        replaces.segment.delete(replaces.docId);
        this.#deletesSinceRefresh++;
      }
    }
    if (entry.op === OP_DELETE) {
      this.#obsolete.push(entry.seqNo);
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
      if (added >= 0) this.#buffer?.deleteDoc(added);
      this.#versions.restore(outcome.id, before);
      this.#nextSeqNo = Math.min(this.#nextSeqNo, entry.seqNo);
    }
  }

  /** Throws the open buffer away and fills a new one from the log. */
  async #rebuildBuffer(): Promise<void> {
    if (this.#buffer !== null) this.#env.buffers.give(this.#buffer);
    this.#buffer = null;
    this.#versions.rotate(this.#env.nowMs());
    for (const { seqNo, record } of this.#env.store.replay(this.identity.log, this.#segmentsSeqNo)) await this.#replay(seqNo, record);
  }

  /** The newest version of a document, deleted ones while they are remembered. */
  #find(id: string): Found | null {
    const entry = this.#versions.get(id);
    if (entry !== undefined) return { ...entry, deleted: entry.docId === DELETED, segment: null };
    for (let at = this.#segments.length - 1; at >= 0; at--) {
      const segment = this.#segments[at];
      const docId = segment.reader.docOfId(id);
      if (docId < 0 || !segment.isLive(docId)) continue;
      const version = Number(segment.reader.values('_version', docId)[0]);
      return { seqNo: segment.reader.seqNo(docId), version, primaryTerm: PRIMARY_TERM, docId, deleted: false, segment };
    }
    return null;
  }

  /** seqNo of the newest version, refreshed or not; null: no such document. */
  locate(id: string): number | null {
    const found = this.#find(id);
    return found === null || found.deleted ? null : found.seqNo;
  }

  // ------------------------------------------------------------------------------------------------------- refresh

  /** Makes everything applied so far searchable; resolves when all readers see it. */
  async refresh(): Promise<void> {
    const published = await this.#exclusive(async () => {
      // Nothing new: but readers may still be about to switch to what was published last.
      if (this.#closed || !this.isDirty) return { done: this.#visible };
      await this.#makeSegment();
      return this.#publish();
    });
    await published.done;
    this.#scheduleMerge();
  }

  /** Turns the open buffer into a segment that is not published yet. */
  async #makeSegment(): Promise<void> {
    const buffer = this.#buffer;
    if (buffer === null) {
      this.#segmentsSeqNo = this.maxSeqNo;
      return;
    }
    if (buffer.liveCount > 0) {
      const image = buffer.flush();
      const extent = await this.#env.allocate(image.length);
      this.#env.view(extent).set(image);
      const name = `s${(this.#nextSegment++).toString(36)}`;
      this.#segments.push(this.#open(name, extent, false));
    }
    this.#versions.rotate(this.#env.nowMs());
    this.#env.buffers.give(buffer);
    this.#buffer = null;
    this.#segmentsSeqNo = this.maxSeqNo;
  }

  /** @param written the image was read from its file: its checksums are checked */
  #open(name: string, extent: Extent, written: boolean): WriterSegment {
    const id = this.#env.nextSegmentId();
    return new WriterSegment(
      id,
      name,
      extent,
      this.#env.openSegment(id, extent, written ? this.#files.fileOf(name) : name, written),
      written,
    );
  }

  /** Announces the current segments; right after `#makeSegment` alone, else a replaced document would vanish. `done` resolves when every reader has switched; the caller may go on writing before. */
  async #publish(): Promise<{ done: Promise<void> }> {
    for (const segment of this.#segments) {
      if (!segment.needsPublishing) continue;
      const bits = segment.liveBits();
      const extent = bits === null ? null : await this.#env.allocate(bits.length);
      if (extent !== null && bits !== null) this.#env.view(extent).set(bits);
      segment.published(extent);
    }
    this.#deletesSinceRefresh = 0;
    this.#publishedSeqNo = this.#segmentsSeqNo;
    this.counters.refreshes++;
    const done = this.#env.publish({
      indexUuid: this.identity.uuid,
      shard: this.identity.shard,
      generation: ++this.#generation,
      maxSeqNo: this.#publishedSeqNo,
      // Segments without a live document are of no use to readers.
      segments: this.#segments.filter((segment) => segment.liveCount > 0).map((segment) => segment.descriptor()),
    });
    this.#visible = done;
    return { done };
  }

  // --------------------------------------------------------------------------------------------------------- flush

  /** Makes everything applied so far part of the commit point, so that recovery need not replay it. */
  async flush(force = false): Promise<void> {
    await this.#exclusive(async () => {
      if (this.#closed || (!force && this.#uncommittedOps === 0 && this.#obsolete.length === 0)) return;
      await this.#makeSegment();
      this.#writeCommit();
    });
  }

  #writeCommit(): void {
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
      segments: segments.map((segment) => ({
        name: segment.name,
        bytes: segment.extent.bytes,
        maxDoc: segment.maxDoc,
        deleted: segment.deleted,
      })),
      maxSeqNo: this.maxSeqNo,
      nextSegment: this.#nextSegment,
    };
    this.#env.store.commit(this.identity.log, point, liveDocs, this.#obsolete);
    this.#commit = point;
    this.#obsolete = [];
    this.#uncommittedOps = 0;
    this.#uncommittedBytes = 0;
    this.counters.flushes++;
    for (const segment of segments) segment.committed();
    this.#files.removeOthers(new Set(segments.map(({ name }) => name)));
  }

  // --------------------------------------------------------------------------------------------------------- merge

  /** Starts background merges until the policy is content. */
  #scheduleMerge(): void {
    if (this.#merging !== null || this.#closed) return;
    const chosen = findMerge(this.#candidates());
    if (chosen === null) return;
    this.#merging = this.#merge(chosen.map((at) => this.#segments[at])).finally(() => {
      this.#merging = null;
    });
    this.#merging.then(
      () => this.#scheduleMerge(),
      (error) => this.#env.mergeFailed(this.identity, error),
    );
  }

  async forceMerge(maxNumSegments: number, onlyExpungeDeletes: boolean): Promise<void> {
    await this.refresh();
    for (;;) {
      await this.#merging;
      const chosen = findForcedMerge(this.#candidates(), Math.max(1, maxNumSegments), onlyExpungeDeletes);
      if (chosen === null || this.#closed) return;
      this.#merging = this.#merge(chosen.map((at) => this.#segments[at])).finally(() => {
        this.#merging = null;
      });
      await this.#merging;
    }
  }

  #candidates() {
    return this.#segments.map((segment) => ({
      bytes: segment.extent.bytes,
      maxDoc: segment.maxDoc,
      deleted: segment.deleted,
      merging: segment.merging,
    }));
  }

  async #merge(sources: readonly WriterSegment[]): Promise<void> {
    for (const segment of sources) segment.merging = true;
    // What is dead now is dropped; what dies while the merge runs is marked dead in its result.
    const liveAtStart = await this.#exclusive(async () => {
      await this.#makeSegment();
      await this.#publish();
      return sources.map((segment) => segment.liveBits()?.slice() ?? null);
    });
    try {
      const result = sources.some((segment) => segment.liveCount > 0) ? await this.#env.merge(sources) : null;
      const published = await this.#exclusive(async () => {
        if (this.#closed) return null;
        this.#replace(sources, result, liveAtStart);
        this.counters.merges++;
        await this.#makeSegment();
        return this.#publish();
      });
      await published?.done;
    } finally {
      for (const segment of sources) segment.merging = false;
    }
  }

  #replace(sources: readonly WriterSegment[], result: MergeResult | null, liveAtStart: readonly (Uint8Array | null)[]): void {
    const at = this.#segments.indexOf(sources[0]);
    const kept = this.#segments.filter((segment) => !sources.includes(segment));
    if (result !== null) {
      const name = `s${(this.#nextSegment++).toString(36)}`;
      const merged = this.#open(name, result.extent, false);
      sources.forEach((source, i) => {
        for (let docId = 0; docId < source.maxDoc; docId++) {
          const wasLive = isSet(liveAtStart[i], docId);
          if (wasLive && !source.isLive(docId) && source.reader.rootOf(docId) === docId) merged.delete(result.docMaps[i][docId]);
        }
      });
      kept.splice(Math.min(at, kept.length), 0, merged);
    }
    sources.forEach((source, i) => {
      const dropped: number[] = [];
      for (let docId = 0; docId < source.maxDoc; docId++) {
        if (!isSet(liveAtStart[i], docId) && source.reader.rootOf(docId) === docId) dropped.push(source.reader.seqNo(docId));
      }
      this.#heldBySegment.set(source.id, dropped);
    });
    this.#segments = kept;
  }

  /** No reader has this segment any more: the records of its dropped documents go with the next commit. */
  segmentReleased(id: number): void {
    for (const seqNo of this.#heldBySegment.get(id) ?? []) this.#obsolete.push(seqNo);
    this.#heldBySegment.delete(id);
  }

  // ------------------------------------------------------------------------------------------------------- recover

  /** Opens the committed segments and replays the log behind them. @throws ApiError corrupt_index_exception, translog_corrupted_exception */
  async recover(): Promise<void> {
    const point = this.#env.store.commitPoint(this.identity.log);
    if (point !== null) {
      this.#commit = point;
      this.#nextSegment = point.nextSegment;
      this.#nextSeqNo = point.maxSeqNo + 1;
      this.#segmentsSeqNo = point.maxSeqNo;
      for (const { name, bytes } of point.segments) {
        const size = this.#files.size(name);
        if (size !== bytes)
          throw new ApiError('corrupt_index_exception', 500, `file has ${size} bytes, not ${bytes} (resource=${this.#files.fileOf(name)})`);
        const extent = await this.#env.allocate(bytes);
        this.#files.readInto(name, this.#env.view(extent));
        const segment = this.#open(name, extent, true);
        const live = this.#env.store.liveDocs(this.identity.log, name);
        if (live !== null) segment.restoreLive(live);
        this.#segments.push(segment);
      }
    }
    for (const { seqNo, record } of this.#env.store.replay(this.identity.log, this.maxSeqNo)) await this.#replay(seqNo, record);
    await this.#exclusive(async () => {
      await this.#makeSegment();
      const { done } = await this.#publish();
      return done;
    });
  }

  async #replay(
    seqNo: number,
    record: { op: number; id: string; version: number; routing: string | null; source: Uint8Array },
  ): Promise<void> {
    this.#nextSeqNo = seqNo + 1;
    if (record.op === OP_NOOP) return;
    const current = this.#find(record.id);
    const { id, version, routing } = record;
    let added = DELETED;
    if (record.op === OP_INDEX) added = await this.#addToBuffer(id, parseSource(record.source), routing, seqNo, version, null);
    this.#versions.set(id, { seqNo, version, primaryTerm: PRIMARY_TERM, docId: added, at: this.#env.nowMs() });
    const entry: LogEntry = { seqNo, op: record.op, id, version, primaryTerm: PRIMARY_TERM, routing, source: record.source };
    const outcome = { ok: true, id, result: 'created', seqNo, primaryTerm: PRIMARY_TERM, version, source: null } as const;
    this.#settle({ outcome, entry, added, replaces: current === null || current.deleted ? null : current, before: undefined });
    if (this.#buffer?.isFull) await this.#makeSegment();
  }

  /** Ends the writer. Its buffer goes back, a merge under way ends unused. */
  async close(options: { flush: boolean }): Promise<void> {
    if (options.flush) await this.flush();
    await this.#exclusive(async () => {
      this.#closed = true;
      if (this.#buffer !== null) this.#env.buffers.give(this.#buffer);
      this.#buffer = null;
    });
    await this.#merging?.catch(() => undefined);
  }

  removeFiles(): void {
    this.#files.removeAll();
  }

  /** Runs after everything that was given before: a shard is written by one step at a time. */
  #exclusive<T>(action: () => Promise<T>): Promise<T> {
    const result = this.#tail.then(action);
    this.#tail = result.catch(() => undefined);
    return result;
  }
}

interface Found extends CurrentVersion {
  readonly docId: number;
  readonly segment: WriterSegment | null;
}

function isSet(bits: Uint8Array | null, docId: number): boolean {
  return bits === null || ((bits[docId >>> 3] >>> (docId & 7)) & 1) === 1;
}
