// The open buffer of a shard: documents that are indexed and not yet in a segment. Parses documents into it, with as many mapping updates as a
// document needs. Buffers come from a pool: a shard without such documents has none.
import type { OpenBuffer } from '../arena/open-buffer.ts';
import type { JsonObject } from '../common/json/json-value.ts';
import { illegalArgumentError } from '../errors/catalog.ts';
import type { MappingSnapshot, NamedTemplates } from '../mapping/core/mapping-snapshot.ts';
import { parseTypedSource } from './source.ts';
import type { ShardIdentity, WriterAnalysis, WriterEnvironment } from './writer-environment.ts';

/** Maximum number of mapping updates for one document. Each adds fields, so real documents stay far below. */
const MAX_MAPPING_ROUNDS = 16;

interface UnversionedDocument {
  readonly id: string;
  readonly json: JsonObject;
  readonly routing: string | null;
  /** The bytes that `json` was parsed from; null if the types of its numbers do not matter. */
  readonly source: Uint8Array | null;
  readonly templates?: NamedTemplates;
}

interface BufferedDocument extends UnversionedDocument {
  readonly seqNo: number;
  readonly version: number;
  readonly primaryTerm: number;
}

export class ShardBuffer {
  readonly #identity: ShardIdentity;
  readonly #env: WriterEnvironment;
  #mapping: MappingSnapshot;
  #analysis: WriterAnalysis;
  #buffer: OpenBuffer | null = null;

  constructor(identity: ShardIdentity, mapping: MappingSnapshot, analysis: WriterAnalysis, env: WriterEnvironment) {
    this.#identity = identity;
    this.#mapping = mapping;
    this.#analysis = analysis;
    this.#env = env;
  }

  get mapping(): MappingSnapshot {
    return this.#mapping;
  }

  /** Takes effect with the next document. */
  useMapping(mapping: MappingSnapshot, analysis: WriterAnalysis): void {
    this.#mapping = mapping;
    this.#analysis = analysis;
  }

  get isOpen(): boolean {
    return this.#buffer !== null;
  }

  get isFull(): boolean {
    return this.#buffer?.isFull ?? false;
  }

  /** Number of live documents, nested ones included. */
  get liveCount(): number {
    return this.#buffer?.liveCount ?? 0;
  }

  /** Parses the document into the buffer. @returns its root document @throws ApiError: the document is refused and leaves no trace */
  add(document: BufferedDocument): Promise<number> {
    const { id, seqNo, version, primaryTerm } = document;
    return this.#parse(document, (buffer) => buffer.add({ id, seqNo, version, primaryTerm }));
  }

  /** Parses a document that will not be stored, and adds its new fields to the mapping. @throws ApiError: the document would be refused */
  check(document: UnversionedDocument): Promise<void> {
    return this.#parse(document, (buffer) => buffer.encoder.reset());
  }

  /** @param then  called with the buffer whose encoder holds the document, before anything else happens to it */
  async #parse<T>({ id, json, routing, source, templates }: UnversionedDocument, then: (buffer: OpenBuffer) => T): Promise<T> {
    const typed = source === null ? undefined : () => parseTypedSource(source);
    const sourceBytes = source === null ? undefined : () => source.length;
    for (let round = 0; ; round++) {
      const buffer = this.#open();
      const encoder = buffer.encoder;
      let outcome: ReturnType<MappingSnapshot['parseDocument']>;
      try {
        outcome = this.#mapping.parseDocument(id, json, encoder, routing, typed, templates, sourceBytes);
      } catch (error) {
        encoder.reset();
        throw error;
      }
      if (outcome.kind === 'parsed') return then(buffer);
      encoder.reset();
      if (round === MAX_MAPPING_ROUNDS) throw illegalArgumentError(`mapping of [${id}] does not settle after ${round} updates`);
      const { mapping, analysis } = await this.#env.updateMapping(this.#identity.uuid, outcome.update.mappings);
      this.useMapping(mapping, analysis);
    }
  }

  /** Marks a root document deleted, with its nested ones. */
  delete(docId: number): void {
    this.#buffer?.deleteDoc(docId);
  }

  /** The image of a segment with all live documents; null if there are none. The buffer stays as it is until `discard`. */
  flush(): ReturnType<OpenBuffer['flush']> | null {
    return this.#buffer === null || this.#buffer.liveCount === 0 ? null : this.#buffer.flush();
  }

  /** Returns the buffer to the pool. */
  discard(): void {
    if (this.#buffer !== null) this.#env.buffers.give(this.#buffer);
    this.#buffer = null;
  }

  #open(): OpenBuffer {
    this.#buffer ??= this.#env.buffers.take();
    this.#buffer.useMapping(this.#identity.uuid, this.#mapping.fields, this.#analysis);
    return this.#buffer;
  }
}
