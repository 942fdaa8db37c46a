// A segment with additional columns that scripts compute, for the aggregations of one search. All else is read from the segment itself.

import type { ScriptedValues } from '../../aggs/types.ts';
import { checkWork } from '../../common/turns/turn.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { FieldType } from '../../mapping/core/field-type.ts';
import type { SegmentColumn, TermState } from '../../plan/segment.ts';
import type { SegmentReader } from '../../plan/segment-reader.ts';
import type { TemporaryValues } from '../../plan/temporary-column.ts';
import { compileDocScript, type DocScript } from '../../scripting/doc-script.ts';
import { isCollection, textOf } from '../../scripting/java/objects.ts';
import { JavaArray, type Value } from '../../scripting/java/values.ts';
import { doubleOf } from '../../scripting/numeric-value.ts';
import { computeColumn } from '../evaluate/column-script.ts';
import { pointCode, runtimeValues } from '../evaluate/runtime-field.ts';
import { SegmentDocument } from '../evaluate/script-doc.ts';
import { compareBytes } from '../index-query/term.ts';
import type { RewriteContext } from '../shard/rewrite-context.ts';
import { SegmentView } from '../shard/segment-view.ts';

/** A script and the column that its values form. */
export interface ScriptColumn {
  readonly values: ScriptedValues;
  /** null for the values of a runtime field. */
  readonly script: DocScript | null;
}

export function compileScriptColumn(values: ScriptedValues, context: RewriteContext): ScriptColumn {
  if (values.script === null) return { values, script: null };
  return { values, script: compileDocScript(values.script, { stored: context.storedScript, context: 'aggs' }) };
}

interface Computed {
  readonly kind: TemporaryValues['kind'];
  /** Raw values by document, ascending. */
  readonly byDoc: ReadonlyMap<number, readonly (number | bigint)[]>;
  /** Terms of ordinals. */
  readonly terms: ColumnTerms;
}

/** The dictionary of a computed column. */
interface ColumnTerms {
  of(ord: number): Uint8Array;
  /** Number of a term, -1 if there is no such term. */
  find(term: Uint8Array): number;
  /** Number of the first term from `term` on. */
  seek(term: Uint8Array): number;
}

/** @param terms  ascending */
function listedTerms(terms: readonly Uint8Array[]): ColumnTerms {
  const seek = (term: Uint8Array): number => {
    const ord = terms.findIndex((known) => compareBytes(known, term) >= 0);
    return ord < 0 ? terms.length : ord;
  };
  return { of: (ord) => terms[ord], find: (term) => terms.findIndex((known) => compareBytes(known, term) === 0), seek };
}

const NONE: readonly number[] = [];

export class ScriptedSegment extends SegmentView {
  readonly #scripts: ReadonlyMap<string, ScriptColumn>;
  readonly #context: RewriteContext;
  readonly #domain: (column: ScriptedValues) => Iterable<number>;
  readonly #computed = new Map<string, Computed>();
  /** The columns laid out in the current scratch. */
  #columns = new Map<string, SegmentColumn | null>();

  /** @param domain  returns the documents that a column is computed for */
  constructor(
    base: SegmentReader,
    scripts: ReadonlyMap<string, ScriptColumn>,
    context: RewriteContext,
    domain: (column: ScriptedValues) => Iterable<number>,
  ) {
    super(base);
    this.#scripts = scripts;
    this.#context = context;
    this.#domain = domain;
  }

  /** Lays the columns out again within the action: those of an earlier run have been released. */
  override scratch<T>(action: () => T): T {
    const outer = this.#columns;
    this.#columns = new Map();
    try {
      return this.base.scratch(action);
    } finally {
      this.#columns = outer;
    }
  }

  override column(field: string): SegmentColumn | null {
    const computed = this.#columnOf(field);
    if (!computed) return this.base.column(field);
    const known = this.#columns.get(field);
    if (known !== undefined) return known;
    const { kind, byDoc } = computed;
    const column = this.base.temporaryColumn({ kind, byDoc });
    this.#columns.set(field, column);
    return column;
  }

  override values(field: string, docId: number): ReadonlyArray<bigint | number> {
    const computed = this.#columnOf(field);
    return computed ? (computed.byDoc.get(docId) ?? NONE) : this.base.values(field, docId);
  }

  override termOf(field: string, ord: number): Uint8Array {
    const computed = this.#columnOf(field);
    return computed ? computed.terms.of(ord) : this.base.termOf(field, ord);
  }

  override lookupTerm(field: string, term: Uint8Array): TermState | null {
    const computed = this.#columnOf(field);
    if (!computed) return this.base.lookupTerm(field, term);
    const ord = computed.terms.find(term);
    return ord < 0 ? null : { docFreq: 0, totalTermFreq: 0, ord, ptr: 0 };
  }

  override seekOrd(field: string, term: Uint8Array): number {
    return this.#columnOf(field)?.terms.seek(term) ?? this.base.seekOrd(field, term);
  }

  override docFreqOf(field: string, term: Uint8Array): number {
    return this.#columnOf(field) ? 0 : this.base.docFreqOf(field, term);
  }

  /** The computed column of a field, null for columns of the segment itself. */
  #columnOf(field: string): Computed | null {
    const script = this.#scripts.get(field);
    if (!script) return null;
    let computed = this.#computed.get(field);
    if (!computed) this.#computed.set(field, (computed = this.#compute(script)));
    return computed;
  }

  #compute({ values, script }: ScriptColumn): Computed {
    const { type } = values;
    // Points are stored as their codes.
    const isPoint = type.family === 'geo_point';
    const kind = isPoint ? 'i64' : (type.spec.column as Computed['kind']);
    const keyed = script === null ? (values.of ?? type) : null;
    if (keyed?.keyPrefix) return this.#keyedColumn(values, keyed, keyed.keyPrefix);
    const plain = this.#plainColumn(values, script, kind);
    if (plain !== null) return plain;
    const found = new Map<number, Value[]>();
    for (const docId of this.#domain(values)) found.set(docId, this.#valuesOf(values, script, docId));
    const byDoc = new Map<number, readonly (number | bigint)[]>();
    let terms: readonly Uint8Array[] = [];
    if (kind === 'ordinals') {
      const bytesOf = new Map<string, Uint8Array>();
      for (const list of found.values()) for (const value of list) bytesOf.set(textOf(value), type.termBytes(textOf(value)));
      const ordered = [...bytesOf].sort(([, a], [, b]) => compareBytes(a, b));
      const ords = new Map(ordered.map(([text], ord) => [text, ord]));
      terms = ordered.map(([, bytes]) => bytes);
      for (const [docId, list] of found)
        byDoc.set(
          docId,
          [...new Set(list.map((value) => ords.get(textOf(value)) ?? 0))].sort((a, b) => a - b),
        );
    } else {
      const raw = isPoint ? pointCode : rawOf(kind, type.unsigned, type.family === 'date');
      for (const [docId, list] of found)
        byDoc.set(
          docId,
          list.map(raw).sort((a, b) => (a < b ? -1 : a > b ? 1 : 0)),
        );
    }
    return { kind, byDoc, terms: listedTerms(terms) };
  }

  /** The values under one key of a flattened field: a range of the terms of all keys. Terms do not contain the key if the values have another type. */
  #keyedColumn(values: ScriptedValues, { spec: { name } }: FieldType, prefix: Uint8Array): Computed {
    const byDoc = new Map<number, readonly number[]>();
    const base = this.base;
    const skip = values.of === null ? 0 : prefix.length;
    const whole = (term: Uint8Array): Uint8Array => (skip === 0 ? term : Buffer.concat([prefix, term]));
    const isPresent = base.column(name) !== null;
    const first = isPresent ? base.seekOrd(name, prefix) : 0;
    const end = isPresent ? seekEnd(base, name, prefix) : 0;
    if (first < end) {
      for (const docId of this.#domain(values)) {
        checkWork();
        const ords = base.values(name, docId).flatMap((ord) => (Number(ord) >= first && Number(ord) < end ? [Number(ord) - first] : []));
        if (ords.length > 0) byDoc.set(docId, ords);
      }
    }
    const within = (ord: number): number => Math.min(Math.max(ord, first), end) - first;
    const terms: ColumnTerms = {
      of: (ord) => base.termOf(name, first + ord).subarray(skip),
      find: (term) => {
        const ord = isPresent ? (base.lookupTerm(name, whole(term))?.ord ?? -1) : -1;
        return ord < first || ord >= end ? -1 : ord - first;
      },
      seek: (term) => (isPresent ? within(base.seekOrd(name, whole(term))) : 0),
    };
    return { kind: 'ordinals', byDoc, terms };
  }

  /** The column of a script of plain arithmetic, null for other scripts. */
  #plainColumn(values: ScriptedValues, script: DocScript | null, kind: Computed['kind']): Computed | null {
    if (script === null || values.of !== null || kind !== 'f64' || script.arithmetic === null) return null;
    const docs = Uint32Array.from(this.#domain(values));
    const raw = rawOf(kind, false, values.type.family === 'date');
    const byDoc = new Map<number, readonly number[]>();
    const several = new Map<number, readonly number[]>();
    const computed = computeColumn(script.arithmetic, this.#context.mapping, {
      segment: this.base,
      docs,
      scores: null,
      fallback: (index) => {
        // A script that fails throws, so the remaining values are lists and null.
        const list = this.#valuesOf(values, script, docs[index]).map((value) => Number(raw(value)));
        several.set(
          index,
          list.sort((a, b) => a - b),
        );
        return 0;
      },
    });
    if (computed === null) return null;
    docs.forEach((docId, i) => {
      byDoc.set(docId, several.get(i) ?? [computed[i]]);
    });
    return { kind, byDoc, terms: listedTerms([]) };
  }

  #valuesOf({ of, type }: ScriptedValues, script: DocScript | null, docId: number): Value[] {
    checkWork();
    const document = new SegmentDocument(this.#context, this.base, docId);
    if (script === null) return runtimeValues(type, document);
    if (of === null) return listOf(script.run(document));
    return [...document.fieldValues(of)].flatMap((value) => listOf(script.run(document, { value })));
  }
}

/** Number of the first term after those with a prefix, which ends with the character that no key contains. */
function seekEnd(segment: SegmentReader, field: string, prefix: Uint8Array): number {
  const end = Uint8Array.from(prefix);
  end[end.length - 1]++;
  return segment.seekOrd(field, end);
}

/** The values that a script returned: one, several, or none. */
function listOf(value: Value): Value[] {
  if (value === null || value === undefined) return [];
  const items = value instanceof JavaArray ? value.items : Array.isArray(value) || isCollection(value) ? value : [value];
  return [...items].filter((item) => item !== null);
}

function rawOf(kind: 'i64' | 'f64', isUnsigned: boolean, isDate: boolean): (value: Value) => number | bigint {
  return (value) => {
    const number = isDate && typeof value === 'string' ? Date.parse(value) : doubleOf(value);
    if (number === null || Number.isNaN(number)) {
      throw new ApiError('class_cast_exception', 400, `a script returned [${textOf(value)}] where a number is needed`);
    }
    if (kind === 'f64') return number;
    const whole = typeof value === 'bigint' ? value : BigInt(Math.trunc(number));
    return isUnsigned ? whole - (1n << 63n) : whole;
  };
}

/** The column of a runtime field for sorting. It is computed for the matches of a search and lives as long as the scratch of the run. */
export class RuntimeColumns {
  readonly #type: FieldType;
  readonly #context: RewriteContext;
  readonly #segments = new WeakMap<SegmentReader, ScriptedSegment>();

  constructor(type: FieldType, context: RewriteContext) {
    this.#type = type;
    this.#context = context;
  }

  /** @param matching  documents that need a value */
  compute(segment: SegmentReader, matching: () => Iterable<number>): SegmentReader {
    const values = { script: null, of: null, type: this.#type, nestedPath: null, isGlobal: false, among: null };
    const columns = new Map([[this.#type.spec.name, { values, script: null }]]);
    const computed = new ScriptedSegment(segment, columns, this.#context, matching);
    this.#segments.set(segment, computed);
    return computed;
  }

  /** The segment with its computed column, null before `compute` is called. */
  of(segment: SegmentReader): SegmentReader | null {
    return this.#segments.get(segment) ?? null;
  }
}
