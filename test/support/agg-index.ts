// A small index for tests of aggregations: documents as plain rows, one or several segments, columns in kernel memory, without a service.

import { bindAggregations, collectSegment, parseAggregations, reduceAggregations, renderAggregations } from '../../src/aggs/index.ts';
import type { JsonObject } from '../../src/common/json/json-value.ts';
import { toPlain } from '../../src/common/json/json-write.ts';
import { DEFAULT_DIALECT } from '../../src/compat/dialect.ts';
import type { FieldType, ValueFormat } from '../../src/mapping/core/field-type.ts';
import type { MappingSnapshot } from '../../src/mapping/core/mapping-snapshot.ts';
import type { PlanNode } from '../../src/plan/query-plan.ts';
import type { SegmentColumn } from '../../src/plan/segment.ts';
import type { SegmentReader } from '../../src/plan/segment-reader.ts';
import type { Kernels } from '../../src/wasm/kernels.ts';
import { columnImage } from '../reference/column-image.ts';
import { plainIndexScope } from './agg-scope.ts';

export type Row = Record<string, unknown>;
type Kind = 'keyword' | 'long' | 'double' | 'date' | 'boolean' | 'text';

const FAMILIES = { keyword: 'keyword', long: 'numeric', double: 'numeric', date: 'date', boolean: 'boolean', text: 'text' } as const;

function valuesOf(row: Row, field: string, kind: Kind): number[] | string[] {
  const value = row[field];
  const list = value === undefined || value === null ? [] : Array.isArray(value) ? value : [value];
  if (kind === 'keyword') return [...new Set(list.map(String))].sort();
  const number = (v: unknown) => (kind === 'date' ? Date.parse(String(v)) : Number(v));
  return list.map(number).sort((a, b) => a - b);
}

function formatFor(kind: Kind): ValueFormat {
  const iso = (value: number | bigint) => new Date(Number(value)).toISOString();
  return {
    name: kind === 'date' ? 'strict_date_optional_time' : 'raw',
    format: (raw) => (kind === 'date' ? iso(raw) : Number(raw)),
    formatBytes: (bytes) => Buffer.from(bytes).toString(),
    keyAsString: (value) => (kind === 'date' ? iso(value) : kind === 'boolean' ? String(Number(value) !== 0) : null),
    parse: (text) => (kind === 'date' ? Date.parse(text) : Number(text)),
  };
}

function fieldType(name: string, kind: Kind): FieldType {
  const column = kind === 'keyword' ? 'ordinals' : kind === 'double' ? 'f64' : kind === 'text' ? 'none' : 'i64';
  return {
    name,
    typeName: kind,
    family: FAMILIES[kind],
    params: {},
    aggregations: null,
    figures: null,
    keyPrefix: null,
    spec: { column } as FieldType['spec'],
    isAggregatable: kind !== 'text',
    scale: 1,
    unsigned: false,
    termBytes: (value: unknown) => Buffer.from(String(value)),
    exactValue: (value: unknown) => (column === 'f64' ? Number(value) : BigInt(Number(value))),
    format: () => formatFor(kind),
  } as unknown as FieldType;
}

export class AggIndex {
  private readonly k: Kernels;
  private readonly kinds: Readonly<Record<string, Kind>>;
  private readonly types: Map<string, FieldType>;
  private readonly segments: SegmentReader[];
  private readonly rows: readonly Row[][];

  /** @param segments  rows of each segment; documents are all roots and live */
  constructor(k: Kernels, kinds: Readonly<Record<string, Kind>>, segments: readonly Row[][]) {
    this.k = k;
    this.kinds = kinds;
    this.rows = segments;
    this.types = new Map(Object.entries(kinds).map(([name, kind]) => [name, fieldType(name, kind)]));
    this.segments = segments.map((rows, i) => this.segment(rows, i));
  }

  /** Computes `aggs` over the documents that `match` accepts. Filters are `{ term: { field: value } }`. */
  search(
    aggs: JsonObject,
    match: (row: Row) => boolean = () => true,
    options: { maxBuckets?: number; typedKeys?: boolean } = {},
  ): JsonObject {
    const maxBuckets = options.maxBuckets ?? 65_535;
    const nowMs = Date.UTC(2024, 0, 1);
    const tree = parseAggregations(aggs, { dialect: DEFAULT_DIALECT, parseQuery: (json) => json as object, checkHits: () => undefined });
    const mapping = {
      field: (name: string) => this.types.get(name) ?? null,
      isNested: () => false,
      isObject: () => false,
      dialect: DEFAULT_DIALECT,
    } as unknown as MappingSnapshot;
    const bindings = bindAggregations(tree, plainIndexScope({ indexName: 'test', mapping, nowMs, maxBuckets }));
    const partials = this.segments.map((segment, s) => {
      const run = (rootPtr: number, docs: number[]) => {
        if (docs.length === segment.maxDoc) this.k.exports.aggsCollectRange(rootPtr, 0, segment.maxDoc);
        else this.k.scoped(() => this.k.exports.aggsCollect(rootPtr, this.k.copyInU32(Uint32Array.from(docs)), 0, docs.length));
      };
      return collectSegment(tree, bindings, {
        k: this.k,
        segment,
        shard: 0,
        handle: s,
        scoped: (action) => action(),
        planFilters: () => null,
        planQuery: (query) => this.filter(query as JsonObject, s),
        execute: ({ rootPtr }) =>
          run(
            rootPtr,
            [...this.rows[s].keys()].filter((doc) => match(this.rows[s][doc])),
          ),
        executeAll: ({ rootPtr }) => run(rootPtr, [...this.rows[s].keys()]),
      });
    });
    const topHits = (_body: JsonObject, groups: ReadonlyArray<{ docs: Uint32Array }>) => ({
      hits: { total: groups.reduce((sum, g) => sum + g.docs.length, 0) },
    });
    return toPlain(
      renderAggregations(
        reduceAggregations(tree, partials, { maxBuckets, nowMs, dialect: DEFAULT_DIALECT, topHits, bindings: [bindings] }),
        options.typedKeys ?? false,
      ),
    ) as ReturnType<typeof renderAggregations>;
  }

  /** A plan that the stand-in for the executor's planToBitset understands. */
  private filter(query: JsonObject, segment: number): PlanNode {
    const [[field, value]] = Object.entries((query.term ?? {}) as JsonObject);
    const docs = [...this.rows[segment].keys()].filter((doc) =>
      (valuesOf(this.rows[segment][doc], field, this.kinds[field]) as unknown[]).includes(value),
    );
    return { op: 'docs', docs: Uint32Array.from(docs), scores: null };
  }

  private segment(rows: readonly Row[], number: number): SegmentReader {
    const terms = new Map<string, string[]>();
    const columns = new Map<string, SegmentColumn>();
    const raws = new Map<string, number[][]>();
    for (const [field, kind] of Object.entries(this.kinds)) {
      const lists = rows.map((row) => valuesOf(row, field, kind));
      const dictionary = [...new Set(lists.flat().map(String))].sort();
      if (kind === 'keyword') terms.set(field, dictionary);
      const docs =
        kind === 'keyword' ? (lists as string[][]).map((list) => list.map((term) => dictionary.indexOf(term))) : (lists as number[][]);
      const all = docs.flat();
      raws.set(field, docs);
      if (all.length === 0 || kind === 'text') continue;
      const storage = kind === 'double' ? 'f64' : 'i64';
      const raw = (n: number) => (kind === 'keyword' || storage === 'f64' ? n : BigInt(n));
      columns.set(field, {
        kind: kind === 'keyword' ? 'ordinals' : storage,
        ptr: this.k.copyIn(columnImage({ kind: storage, docs, multiplier: 1, direct: true })),
        multiValued: docs.some((list) => list.length > 1),
        docCount: docs.filter((list) => list.length > 0).length,
        valueCount: all.length,
        min: raw(Math.min(...all)),
        max: raw(Math.max(...all)),
      });
    }
    const reader = {
      id: number,
      maxDoc: rows.length,
      numDocs: rows.length,
      numRootDocs: rows.length,
      isLive: () => true,
      rootDocsPtr: 0,
      column: (field: string) => columns.get(field) ?? null,
      postings: () => null,
      termOf: (field: string, ord: number) => Buffer.from(terms.get(field)![ord]),
      lookupTerm(field: string, bytes: Uint8Array) {
        const ord = terms.get(field)?.indexOf(Buffer.from(bytes).toString()) ?? -1;
        return ord < 0 ? null : { ord, docFreq: raws.get(field)!.filter((list) => list.includes(ord)).length };
      },
      docFreqOf: (field: string, bytes: Uint8Array): number => reader.lookupTerm(field, bytes)?.docFreq ?? 0,
      values: (field: string, doc: number) => raws.get(field)![doc],
      binary: () => null,
    };
    return reader as unknown as SegmentReader;
  }
}
