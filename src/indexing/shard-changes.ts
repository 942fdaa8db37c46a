// Changes of a shard on their way from an operation to a logged version: each is checked against the newest version of its document and added to the
// open buffer, settled once the log has it, and undone if the log fails. shard-writer.ts says in which order.
import type { JsonObject } from '../common/json/json-value.ts';
import { ApiError } from '../errors/api-error.ts';
import { documentError } from '../mapping/core/document-error.ts';
import type { LogRecord } from '../store/log-record.ts';
import { type LogEntry, OP_DELETE, OP_INDEX, OP_NOOP } from '../store/store.ts';
import type { NewestDocuments, NewestVersion } from './newest-documents.ts';
import type { WriterSegment } from './segment-set.ts';
import type { ShardBuffer } from './shard-buffer.ts';
import type { ShardOperation, ShardOutcome } from './shard-operation.ts';
import type { ShardSegments } from './shard-segments.ts';
import { parseSource, stringifySource } from './source.ts';
import { type StoredVersion, updateDocument } from './update-operation.ts';
import { DELETED, type VersionMap } from './version-map.ts';
import { nextVersion } from './versions.ts';
import type { ShardIdentity, WriterEnvironment } from './writer-environment.ts';

/** Result of a no-op update of a missing document. */
const NO_DOCUMENT = { seqNo: -2, version: -1, primaryTerm: 0 };
const NO_BYTES = new Uint8Array(0);

/** An operation that is in the buffer, if accepted, and not in the log yet. */
export interface PendingChange {
  readonly outcome: ShardOutcome;
  readonly entry: LogEntry | null;
  /** The root document added to the buffer, -1 if none. */
  readonly added: number;
  /** The version that this one replaces, null if there is none. */
  readonly replaces: { readonly segment: WriterSegment | null; readonly docId: number; readonly seqNo: number } | null;
  readonly before: ReturnType<VersionMap['own']>;
}

/** The result of an operation that changes nothing. */
function unwritten(outcome: ShardOutcome): PendingChange {
  return { outcome, entry: null, added: -1, replaces: null, before: undefined };
}

/** Counts of what the operations did. */
export const NO_CHANGES = { indexed: 0, deleted: 0, failed: 0, noops: 0 };

/** The parts of the shard that changes read and write. */
interface ShardParts {
  readonly buffer: ShardBuffer;
  readonly segments: ShardSegments;
  readonly versions: VersionMap;
  readonly documents: NewestDocuments;
}

export class ShardChanges {
  nextSeqNo = 0;
  /** Increases each time the shard is opened after it was written to. */
  primaryTerm = 1;
  /** Settled since the last commit point. */
  uncommitted = { operations: 0, bytes: 0 };
  readonly #identity: ShardIdentity;
  readonly #buffer: ShardBuffer;
  readonly #segments: ShardSegments;
  readonly #versions: VersionMap;
  readonly #documents: NewestDocuments;
  readonly #counters: typeof NO_CHANGES;
  readonly #env: WriterEnvironment;

  constructor(identity: ShardIdentity, parts: ShardParts, counters: typeof NO_CHANGES, env: WriterEnvironment) {
    this.#identity = identity;
    this.#buffer = parts.buffer;
    this.#segments = parts.segments;
    this.#versions = parts.versions;
    this.#documents = parts.documents;
    this.#counters = counters;
    this.#env = env;
  }

  /** Checks an operation and adds its document to the buffer. A refused one leaves no trace. */
  async prepare(operation: ShardOperation): Promise<PendingChange> {
    try {
      return operation.kind === 'delete' ? this.#prepareDelete(operation) : await this.#prepareIndex(operation);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this.#counters.failed++;
      return unwritten({ ok: false, id: operation.id, error: documentError(error, this.#buffer.mapping.dialect).toData() });
    }
  }

  #prepareDelete(operation: ShardOperation): PendingChange {
    const current = this.#documents.find(operation.id);
    const version = nextVersion(operation, current, this.#identity);
    const existed = current !== null && !current.deleted;
    const before = this.#versions.own(operation.id);
    const seqNo = this.nextSeqNo++;
    this.#versions.set(operation.id, { seqNo, version, primaryTerm: this.primaryTerm, docId: DELETED, at: this.#env.nowMs() });
    return {
      outcome: {
        ok: true,
        id: operation.id,
        result: existed ? 'deleted' : 'not_found',
        seqNo,
        primaryTerm: this.primaryTerm,
        version,
        source: null,
      },
      entry: { seqNo, op: OP_DELETE, id: operation.id, version, primaryTerm: this.primaryTerm, routing: operation.routing, source: null },
      added: -1,
      replaces: existed ? current : null,
      before,
    };
  }

  async #prepareIndex(operation: ShardOperation): Promise<PendingChange> {
    const current = operation.autoId ? null : this.#documents.find(operation.id);
    let { source } = operation;
    let routing = operation.routing;
    let json: JsonObject | null = null;
    let typedSource = operation.source;
    if (operation.kind === 'update') {
      const updated = updateDocument(
        operation,
        this.#currentReader(operation, current),
        this.#identity,
        this.#env,
        this.#buffer.mapping.source.enabled,
      );
      if (updated === 'delete') return this.#prepareDelete(operation);
      if (updated === 'noop') {
        this.#counters.noops++;
        const { seqNo, version, primaryTerm } = current ?? NO_DOCUMENT;
        const source = operation.wantSource ? this.#documents.copySource(seqNo) : null;
        return unwritten({ ok: true, id: operation.id, result: 'noop', seqNo, primaryTerm, version, source });
      }
      json = updated.json;
      routing = updated.routing;
      source = updated.source ?? Buffer.from(stringifySource(json));
      typedSource = updated.source;
    }
    json ??= parseSource(source ?? NO_BYTES);
    const document = { id: operation.id, json, routing, source: typedSource, templates: operation.dynamicTemplates };
    const version = await this.#versionOf(operation, current, document);
    const seqNo = this.nextSeqNo;
    const added = await this.#buffer.add({ ...document, seqNo, version, primaryTerm: this.primaryTerm });
    const synthetic = this.#buffer.mapping.syntheticSource(json);
    if (synthetic !== null) source = Buffer.from(stringifySource(synthetic));
    this.nextSeqNo++;
    const before = this.#versions.own(operation.id);
    this.#versions.set(operation.id, { seqNo, version, primaryTerm: this.primaryTerm, docId: added, at: 0 });
    const existed = current !== null && !current.deleted;
    return {
      outcome: {
        ok: true,
        id: operation.id,
        result: existed ? 'updated' : 'created',
        seqNo,
        primaryTerm: this.primaryTerm,
        version,
        source: operation.wantSource ? source : null,
      },
      entry: { seqNo, op: OP_INDEX, id: operation.id, version, primaryTerm: this.primaryTerm, routing, source },
      added,
      replaces: existed ? current : null,
      before,
    };
  }

  /** The version that a document gets. One that the mapping refuses is reported as such, even if there is a conflict. */
  async #versionOf(
    operation: ShardOperation,
    current: NewestVersion | null,
    document: Parameters<ShardBuffer['check']>[0],
  ): Promise<number> {
    try {
      return nextVersion(operation, current, this.#identity);
    } catch (conflict) {
      if (operation.kind !== 'update') await this.#buffer.check(document);
      throw conflict;
    }
  }

  /** Reads the document to update; null if there is none. A version conflict is reported even if the update would change nothing. */
  #currentReader(operation: ShardOperation, current: NewestVersion | null): (() => StoredVersion) | null {
    if (current === null || current.deleted) return null;
    return () => {
      const record = this.#documents.read(operation.id, current.seqNo);
      nextVersion(operation, current, this.#identity);
      return record;
    };
  }

  /** Marks what the change replaces deleted, once it is in the log. */
  settle({ outcome, entry, replaces }: PendingChange): void {
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
      this.#counters.deleted++;
    } else {
      this.#counters.indexed++;
    }
    this.uncommitted.operations++;
    this.uncommitted.bytes += 64 + (entry.source?.length ?? 0);
  }

  /** Removes changes that did not reach the log. */
  undo(pending: readonly PendingChange[]): void {
    for (const { outcome, entry, added, before } of [...pending].reverse()) {
      if (entry === null) continue;
      if (added >= 0) this.#buffer.delete(added);
      this.#versions.restore(outcome.id, before);
      this.nextSeqNo = Math.min(this.nextSeqNo, entry.seqNo);
    }
  }

  /** Applies an operation of the log again. */
  async replay(seqNo: number, record: LogRecord): Promise<void> {
    if (record.op === OP_NOOP) {
      this.nextSeqNo = seqNo + 1;
      return;
    }
    const current = this.#documents.find(record.id);
    const { id, version, primaryTerm, routing } = record;
    let added = DELETED;
    if (record.op === OP_INDEX) {
      const json = parseSource(record.source);
      added = await this.#buffer.add({ id, seqNo, version, primaryTerm: this.primaryTerm, json, routing, source: null });
    }
    // An operation that failed above may be replayed again.
    this.nextSeqNo = seqNo + 1;
    this.#versions.set(id, { seqNo, version, primaryTerm, docId: added, at: this.#env.nowMs() });
    const entry: LogEntry = { seqNo, op: record.op, id, version, primaryTerm, routing, source: record.source };
    const outcome = { ok: true, id, result: 'created', seqNo, primaryTerm, version, source: null } as const;
    this.settle({ outcome, entry, added, replaces: current === null || current.deleted ? null : current, before: undefined });
  }
}
