// An index as visible to a caller with document or field level security. Everything that reads the index goes through its mapping, its
// snapshots and its stored documents, so limits on these three limit every operation.
import { BoundedMap } from '../../common/bounded-map.ts';
import { writeJson } from '../../common/json/json-write.ts';
import { parseToWrite } from '../../common/json/source-numbers.ts';
import { VisibleMapping, visibleMappings } from '../../mapping/visible-mapping.ts';
import type { Query } from '../../query/query.ts';
import { mentionsNow } from '../../query/uncacheable.ts';
import { FieldAccess } from '../../security/field-access.ts';
import type { Identity } from '../../security/identity.ts';
import type { Restriction } from '../../security/permissions.ts';
import type { EngineContext, StoredDocument } from '../core/context.ts';
import type { IndexState, ShardSnapshot } from '../core/index-state.ts';
import { documentFilter } from './role-query.ts';
import { visibleSegments } from './visible-documents.ts';

export { visibleMappings };

/** The limits on what a caller sees of an index. */
export class Visibility {
  /** Identifies the limits in cache keys. */
  readonly key: string;
  readonly fields: FieldAccess | null;
  readonly #query: Query | null;

  private constructor(key: string, fields: FieldAccess | null, query: Query | null) {
    this.key = key;
    this.fields = fields;
    this.#query = query;
  }

  /** @param ctx  the engine without limits. @throws ApiError the query of a role is invalid: then nothing is visible */
  static of(ctx: EngineContext, identity: Identity, restriction: Restriction): Visibility {
    const filter = documentFilter(ctx, identity, restriction);
    // Filters with dates relative to now are computed again every second.
    const second = filter !== null && mentionsNow(filter.text) ? Math.floor(Date.now() / 1000) : 0;
    const key = JSON.stringify([filter?.text ?? null, restriction.fields, second]);
    let known = all.get(key);
    if (!known) {
      const fields = restriction.fields.length === 0 ? null : new FieldAccess(restriction.fields);
      known = new Visibility(key, fields, filter?.query ?? null);
      all.set(key, known);
    }
    return known;
  }

  get hidesDocuments(): boolean {
    return this.#query !== null;
  }

  /** The index with the visible part of its mapping. */
  index(base: IndexState): IndexState {
    let byKey = states.get(base);
    if (!byKey) states.set(base, (byKey = new BoundedMap(MAX_STATES)));
    const known = byKey.get(this.key);
    if (known) return known;
    const mapping = this.fields === null ? base.mapping : new VisibleMapping(base.mapping, this.fields);
    const state: IndexState = {
      meta: base.meta,
      mapping,
      // Analyzers are built when they are first needed.
      get analysis() {
        return base.analysis;
      },
      numberOfShards: base.numberOfShards,
      routing: base.routing,
      hidden: { key: this.key, documents: this.hidesDocuments, fields: this.fields !== null },
    };
    byKey.set(this.key, state);
    return state;
  }

  /** The snapshot with its visible documents. @param snapshot  of the index without limits */
  snapshot(ctx: EngineContext, snapshot: ShardSnapshot): ShardSnapshot {
    const limits = { key: this.key, query: this.#query, hiddenField: this.fields === null ? null : '_ignored' };
    return { ...snapshot, index: this.index(snapshot.index), segments: visibleSegments(ctx, snapshot, limits) };
  }

  /** The document with the visible fields of its source. @param base  the index without limits */
  document(base: IndexState, document: StoredDocument | null): StoredDocument | null {
    const { fields } = this;
    if (fields === null || document === null || document.source === null) return document;
    const { mapping } = base;
    const { source: whole, ...rest } = document;
    let visible: Buffer | null = null;
    const filter = (): Buffer => {
      const source = fields.filterSource(
        parseToWrite(Buffer.from(whole).toString('utf8')) as Record<string, unknown>,
        (path) => mapping.field(path) !== null && !mapping.isObject(path),
      );
      return Buffer.from(writeJson(source));
    };
    // Searches that show no source do not pay for filtering it.
    return {
      ...rest,
      get source() {
        return (visible ??= filter());
      },
    };
  }
}

const MAX_STATES = 64;
const all = new BoundedMap<string, Visibility>(1000);
const states = new WeakMap<IndexState, BoundedMap<string, IndexState>>();
