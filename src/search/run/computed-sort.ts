// Sorting by values that no column holds: results of scripts, and ids. A temporary column with the values of the matches is made for each run.
import { illegalArgumentError } from '../../errors/catalog.ts';
import { numberFormatError } from '../../errors/search-errors.ts';
import type { SegmentReader } from '../../plan/segment-reader.ts';
import { compileDocScript } from '../../scripting/doc-script.ts';
import { textOf } from '../../scripting/java/objects.ts';
import { doubleOf } from '../../scripting/numeric-value.ts';
import { computeColumn } from '../evaluate/column-script.ts';
import { runDocScript } from '../evaluate/script-doc.ts';
import type { SortSpec } from '../request/sort-request.ts';
import type { RewriteContext } from '../shard/rewrite-context.ts';
import type { ResolvedSort } from './resolved-sort.ts';

type ScriptSortSpec = Extract<SortSpec, { by: 'script' }>;

/** @throws ApiError script_exception: the script does not compile */
export function scriptSort(spec: ScriptSortSpec, context: RewriteContext): ResolvedSort {
  const isString = spec.type === 'string';
  const script = compileDocScript(spec.script, { stored: context.storedScript, context: isString ? 'string_sort' : 'number_sort' });
  const numberOf = (segment: SegmentReader, docId: number): number => {
    const number = doubleOf(runDocScript(script, context, segment, docId));
    if (number === null) throw illegalArgumentError('a sort script of type [number] must return a number');
    return number;
  };
  if (isString) return computedSort(spec.descending, true, (segment, docId) => textOf(runDocScript(script, context, segment, docId)));
  return computedSort(spec.descending, false, numberOf, (segment, docs) => {
    const fallback = (index: number): number => numberOf(segment, docs[index]);
    return computeColumn(script.arithmetic, context.mapping, { segment, docs, scores: null, fallback });
  });
}

/** Sorts by `_id`. */
export function idSort(descending: boolean): ResolvedSort {
  return computedSort(descending, true, (segment, docId) => segment.idOf(docId));
}

function computedSort(
  descending: boolean,
  isString: boolean,
  evaluate: (segment: SegmentReader, docId: number) => number | string,
  many: (segment: SegmentReader, docs: Uint32Array) => Float64Array | null = () => null,
): ResolvedSort {
  /** Sorted strings of each segment: the column holds positions in this list. */
  const strings = new WeakMap<SegmentReader, readonly string[]>();
  const positionOf = (segment: SegmentReader, string: string): number => {
    const known = strings.get(segment) ?? [];
    let low = 0;
    let high = known.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (known[middle] < string) low = middle + 1;
      else high = middle;
    }
    return known[low] === string ? low : low - 0.5;
  };
  const raw = (value: unknown, segment: SegmentReader): number => {
    if (isString) return positionOf(segment, String(value));
    const number = Number(value);
    if (Number.isNaN(number)) throw numberFormatError(String(value));
    return number;
  };
  return {
    descending,
    needsScore: false,
    missingFirst: false,
    isComputed: true,
    keyFor(segment, _planFilter, matching) {
      const found = new Map<number, number | string>();
      const docs = Uint32Array.from(matching());
      const values = many(segment, docs);
      for (let i = 0; i < docs.length; i++) found.set(docs[i], values === null ? evaluate(segment, docs[i]) : values[i]);
      const ordered = isString ? [...new Set(found.values() as Iterable<string>)].sort() : [];
      strings.set(segment, ordered);
      const positions = new Map(ordered.map((string, position) => [string, position]));
      const byDoc = new Map<number, number[]>();
      for (const [docId, value] of found) byDoc.set(docId, [typeof value === 'string' ? (positions.get(value) ?? 0) : value]);
      const column = segment.temporaryColumn({ kind: isString ? 'ordinals' : 'f64', byDoc });
      return { by: 'column', column, descending, mode: 'min', missing: 'last', nestedDocsPtr: 0, nestedFilter: null, maxChildren: null };
    },
    valueOf: (value, segment) => (value === null ? null : isString ? (strings.get(segment)?.[Number(value)] ?? null) : Number(value)),
    render: (value) => value,
    after: raw,
    rawOf: raw,
  };
}
