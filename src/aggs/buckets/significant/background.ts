// The documents that significant terms are compared with: all that the search may see, or those of them that match `background_filter`.
import { present } from '../../../common/present.ts';
import type { Dialect } from '../../../compat/dialect.ts';
import { asCause } from '../../../errors/api-error.ts';
import type { AggNode } from '../../../plan/agg-plan.ts';
import { boolPlan, type PlanNode } from '../../../plan/query-plan.ts';
import { xContentError } from '../../errors.ts';
import type { Params } from '../../params.ts';
import { columnsOf, type MergeKey, mergeBuckets } from '../../reduce/merge.ts';
import type { ValuesSource } from '../../source.ts';
import type { ParseContext, ParsedQuery, SegmentScope, Slice } from '../../types.ts';
import { termsNode } from '../terms/terms.ts';
import type { TermKeys } from '../terms/terms-keys.ts';

/** Numbers of documents in the background. */
export interface Background {
  readonly size: number;
  /** Documents with a term. */
  freq(key: MergeKey): number;
}

/** The parsed `background_filter`; null for all documents. @throws ApiError of the query */
export function parseBackground(p: Params, ctx: ParseContext): ParsedQuery | null {
  const filter = p.object('background_filter');
  if (filter === null) return null;
  try {
    return ctx.parseQuery(filter);
  } catch (error) {
    throw xContentError(`[${p.typeName}] failed to parse field [background_filter]`, asCause(error));
  }
}

/** Counts terms with postings by their statistics; other terms, and terms of filtered documents, by reading the values. */
export function backgroundOf(slices: readonly Slice[], keys: TermKeys, filter: ParsedQuery | null, dialect: Dialect): Background {
  const segments = [...new Map(slices.map((slice) => [slice.segment, slice])).values()];
  const isWhole = filter === null && segments.every(({ segment }) => segment.planFilters() === null);
  if (isWhole && keys.isText) {
    const freq = (key: MergeKey): number => {
      const term = Buffer.from(String(key), 'latin1');
      return segments.reduce((sum, { segment, bound }) => sum + segment.segment.docFreqOf((bound as ValuesSource).field, term), 0);
    };
    return { size: allDocuments(segments, dialect), freq };
  }
  const counted = segments.map((slice): Slice => {
    const { segment } = slice;
    const [result] = segment.collectDocs(
      () => [filtered(filter, segment, [termsNode(slice.bound as ValuesSource, segment, null, [])])],
      segment.rootDocs(),
      null,
    );
    return { ...slice, result, map: null };
  });
  const below = counted.flatMap((slice): Slice[] => {
    const { result } = slice;
    if (result.op !== 'buckets' || result.children.length === 0) return [];
    return [{ ...slice, result: result.children[0], map: new Int32Array(result.buckets.parents.length) }];
  });
  const merged = mergeBuckets(below, (slice, columns, i) => keys.keyOf(slice, columns.keys[i]));
  const counts = new Map<MergeKey, number>();
  merged.keys.forEach((key, id) => counts.set(key, (counts.get(key) ?? 0) + merged.docCounts[id]));
  const size = isWhole ? allDocuments(segments, dialect) : matches(counted);
  return { size, freq: (key) => counts.get(key) ?? 0 };
}

/** Counts words of a text field, whose documents need not have values. @param fieldOf  the field in the segment's index; null if it has none */
export function wordBackground(
  slices: readonly Slice[],
  words: readonly string[],
  filter: ParsedQuery | null,
  fieldOf: (slice: Slice) => string | null,
  dialect: Dialect,
): { readonly size: number; freq(word: string): number } {
  const segments = [...new Map(slices.map((slice) => [slice.segment, slice])).values()];
  const counts = new Map<string, number>();
  const isWhole = filter === null && segments.every(({ segment }) => segment.planFilters() === null);
  let size = isWhole ? allDocuments(segments, dialect) : 0;
  for (const slice of segments) {
    const { segment } = slice;
    const field = fieldOf(slice);
    if (isWhole) {
      for (const word of words) {
        const freq = field === null ? 0 : segment.segment.docFreqOf(field, Buffer.from(word));
        counts.set(word, (counts.get(word) ?? 0) + freq);
      }
      continue;
    }
    const filters = words.map((word) => wordNode(segment, field, word));
    const node = filtered(filter, segment, [{ op: 'filters', filters, other: false, children: [] }]);
    const [result] = segment.collectDocs(() => [node], segment.rootDocs(), null);
    size += matches([{ ...slice, result }]);
    const inner = result.op === 'buckets' ? result.children[0] : null;
    if (inner?.op !== 'buckets') continue;
    inner.buckets.keys.forEach((key, i) => {
      const word = words[Number(key)];
      counts.set(word, (counts.get(word) ?? 0) + inner.buckets.docCounts[i]);
    });
  }
  return { size, freq: (word) => present(counts.get(word)) };
}

function wordNode({ segment }: SegmentScope, field: string | null, word: string): PlanNode {
  const postings = field === null ? null : segment.postings(field);
  const term = field === null ? null : segment.lookupTerm(field, Buffer.from(word));
  return postings && term ? { op: 'term', postings, term, scorer: null } : { op: 'matchNone' };
}

function filtered(filter: ParsedQuery | null, segment: SegmentScope, children: readonly AggNode[]): AggNode {
  const own = filter === null ? null : segment.planQuery(filter);
  const seen = segment.planFilters();
  const both = own !== null && seen !== null ? boolPlan({ filter: [own, seen] }) : (own ?? seen);
  return { op: 'filters', filters: [both ?? { op: 'matchAll' }], other: false, children };
}

function matches(slices: readonly Slice[]): number {
  return slices.reduce((sum, slice) => sum + Array.from(columnsOf(slice).docCounts).reduce((a, b) => a + b, 0), 0);
}

function allDocuments(slices: readonly Slice[], dialect: Dialect): number {
  return slices.reduce((sum, { segment: { segment } }) => sum + (dialect.comparesRootDocuments ? segment.numRootDocs : segment.numDocs), 0);
}
