// Highlights of a hit: passages of its field values with the words of the query marked.

import type { AnalyzedToken } from '../../analysis/tokens/analyzed-token.ts';
import type { JsonObject, MutableJsonObject } from '../../common/json/json-value.ts';
import { setOwn } from '../../common/json/own-property.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';
import type { FieldType } from '../../mapping/core/field-type.ts';
import { stringsIn } from '../evaluate/source-values.ts';
import type { IndexQuery } from '../index-query/index-query.ts';
import type { HighlightField, HighlightOptions } from '../request/highlight-request.ts';
import { rewriteBareQuery } from '../rewrite/rewrite.ts';
import type { RewriteContext } from '../shard/rewrite-context.ts';
import type { SearchShard } from '../shard/search-shard.ts';
import { findMatches, type Match, type Needle, needlesOf } from './matches.ts';
import { plainBeginning, plainFragments } from './plain.ts';
import { unifiedBeginning, unifiedFragments } from './unified.ts';
import { vectorBeginning, vectorFragments } from './vector.ts';

const decoder = new TextDecoder();
/** Types of fields that a pattern of names selects. */
const PATTERN_TYPES = new Set(['text', 'keyword', 'match_only_text']);

interface Fragment {
  readonly text: string;
  readonly score: number;
}

/** The hit to highlight. */
export interface HighlightTarget {
  readonly at: { readonly shard: SearchShard };
  readonly hit: { readonly docId: number };
  /** The parsed source of the document. */
  source(): JsonObject;
}

/**
 * Returns a function that adds `highlight` to hits with highlighted passages.
 * @param queryOf  the query of the search, rewritten for the shard of the hit
 */
export function highlightPart<Target extends HighlightTarget>(
  fields: readonly HighlightField[],
  queryOf: (target: Target) => IndexQuery,
  contextOf: (shard: SearchShard) => RewriteContext,
): (target: Target, hit: MutableJsonObject) => void {
  const needles = new WeakMap<object, Needle[]>();
  const needlesFor = (query: IndexQuery): Needle[] => {
    let known = needles.get(query);
    if (!known) needles.set(query, (known = needlesOf(query)));
    return known;
  };
  const ownQueries = new Map<string, IndexQuery>();
  return (target, json) => {
    const { shard } = target.at;
    const out: Record<string, string[]> = {};
    for (const { field: pattern, options } of fields) {
      let query = queryOf(target);
      if (options.query) {
        const key = `${shard.uuid}/${pattern}`;
        let own = ownQueries.get(key);
        if (!own) ownQueries.set(key, (own = rewriteBareQuery(options.query, contextOf(shard))));
        query = own;
      }
      for (const name of pattern.includes('*') ? shard.mapping.matchFields(pattern) : [pattern]) {
        const type = shard.mapping.field(name);
        if (!type || (type.family !== 'text' && type.family !== 'keyword')) continue;
        if (pattern.includes('*') && !PATTERN_TYPES.has(type.typeName)) continue;
        if (options.unknown !== null) throw illegalArgumentError(`${options.unknown} for the field [${name}]`);
        const fragments = highlightField(target, type, needlesFor(query), options);
        if (fragments.length > 0) setOwn(out, name, fragments);
      }
    }
    if (Object.keys(out).length > 0) json['highlight'] = out;
  };
}

function highlightField(target: HighlightTarget, type: FieldType, needles: readonly Needle[], options: HighlightOptions): string[] {
  const { shard } = target.at;
  const values = stringsOf(target, type);
  let fragments: Fragment[] = [];
  for (const text of values) {
    checkLength(target, type, text, options);
    const shown = options.maxAnalyzedOffset === null ? text : text.slice(0, options.maxAnalyzedOffset);
    const { tokens, matches } = matchesIn(shard, type, needles, options.type === 'plain' ? shown : text, options);
    if (options.type === 'plain') fragments.push(...plainFragments(shown, tokens, matches, options));
    else if (options.type === 'fvh') fragments.push(...vectorFragments(text, matches, options));
    else fragments.push(...unifiedFragments(text, matches, type.family === 'keyword' ? { ...options, numberOfFragments: 0 } : options));
  }
  if (options.orderByScore) fragments = fragments.sort((a, b) => b.score - a.score);
  if (options.numberOfFragments > 0) fragments = fragments.slice(0, options.numberOfFragments);
  if (fragments.length === 0 && options.noMatchSize > 0 && values.length > 0) return beginningOf(shard, type, values[0], options);
  return fragments.map(({ text }) => text);
}

/** The beginning of a value without matches, at most one fragment. */
function beginningOf(shard: SearchShard, type: FieldType, text: string, options: HighlightOptions): string[] {
  const size = options.noMatchSize;
  if (options.type === 'plain') return plainBeginning(text, tokensOf(shard, type, text), size);
  return [options.type === 'fvh' ? vectorBeginning(text, size, options) : unifiedBeginning(text, size, options)];
}

/** Values of a field as strings. Without a stored source, only those of stored fields (the log keeps every source). */
function stringsOf({ at, source }: HighlightTarget, type: FieldType): string[] {
  const { mapping } = at.shard;
  if (!mapping.source.enabled && type.params['store'] !== true) return [];
  const { ignore_above: ignoreAbove } = type.params;
  const values = stringsIn(mapping, type.name, source());
  return typeof ignoreAbove === 'number' ? values.filter((text) => text.length <= ignoreAbove) : values;
}

function checkLength({ at, hit }: HighlightTarget, type: FieldType, text: string, options: HighlightOptions): void {
  const limit = at.shard.limits.maxAnalyzedOffset;
  const hasOffsets = type.spec.postings === 'offsets' || String(type.params['term_vector'] ?? '').includes('offsets');
  if (text.length <= limit || options.maxAnalyzedOffset !== null || options.type === 'fvh' || (options.type === 'unified' && hasOffsets))
    return;
  throw illegalArgumentError(
    `The length of [${type.name}] field of [${hit.docId}] doc of [${at.shard.index}] index has exceeded [${limit}] - maximum allowed to be analyzed ` +
      'for highlighting. This maximum can be set by changing the [index.highlight.max_analyzed_offset] index level setting. For large texts, indexing ' +
      'with offsets or term vectors is recommended!',
  );
}

function matchesIn(
  shard: SearchShard,
  type: FieldType,
  needles: readonly Needle[],
  text: string,
  options: HighlightOptions,
): { tokens: AnalyzedToken[]; matches: Match[] } {
  const fields = options.type === 'fvh' && options.matchedFields.length > 0 ? options.matchedFields : [type.name];
  const found = new Map<string, Match>();
  let tokens: AnalyzedToken[] = [];
  for (const name of fields) {
    const field = shard.mapping.field(name);
    if (!field) continue;
    const ofField = tokensOf(shard, field, text);
    if (field.name === type.name || tokens.length === 0) tokens = ofField;
    const own = options.requireFieldMatch ? needles.filter((needle) => needle.field === field.spec.name) : needles;
    for (const match of findMatches(ofField, own))
      found.set(`${match.start}/${match.end}`, found.get(`${match.start}/${match.end}`) ?? match);
  }
  return { tokens, matches: [...found.values()].sort((a, b) => a.start - b.start || a.end - b.end) };
}

function tokensOf(shard: SearchShard, field: FieldType, text: string): AnalyzedToken[] {
  if (field.spec.analyzer !== null) return shard.analysis.analyze(field.spec.analyzer, text);
  const term = decoder.decode(field.termBytes(text));
  return [{ term, startOffset: 0, endOffset: text.length, type: 'word', position: 0, positionLength: 1 }];
}
