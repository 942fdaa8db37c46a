// `suggest` of a search: runs the suggesters on every shard and merges their results.

import { jsonFloat } from '../../common/json/json-float.ts';
import { parseJson } from '../../common/json/json-parse.ts';
import type { MutableJsonObject } from '../../common/json/json-value.ts';
import { setOwn } from '../../common/json/own-property.ts';
import { ApiError } from '../../errors/api-error.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';
import { allShardsFailedError, type ShardFailure } from '../../errors/search-errors.ts';
import type { FieldType } from '../../mapping/core/field-type.ts';
import { renderTemplate } from '../../scripting/mustache.ts';
import type { PhraseSuggestion } from '../request/phrase-suggest-request.ts';
import type { CompletionSuggestion, Suggestion, TermSuggestion } from '../request/suggest-request.ts';
import type { PreparedShard } from '../run/prepared-shard.ts';
import type { ShardHit } from '../run/shard-hits.ts';
import type { SearchShard } from '../shard/search-shard.ts';
import type { ShardStatistics } from '../shard/statistics.ts';
import { type CompletionOption, compareOptions, suggestCompletions } from './completion-suggester.ts';
import { mergePhrases, suggestPhrases } from './phrase-suggester.ts';
import { mergeTermOptions, suggestTerms, type TermEntry } from './term-suggester.ts';

export interface SuggestShard {
  readonly shard: SearchShard;
  readonly prepared: PreparedShard;
  readonly statistics: ShardStatistics;
  /** Position of the shard in the search. */
  readonly position: number;
}

export interface SuggestOptions {
  readonly typedKeys: boolean;
  readonly nodeId: string;
  /** Fetches hits as the JSON of search hits. */
  fetch(hits: readonly ShardHit[]): MutableJsonObject[];
  /** Whether a document of the shard matches the JSON of a query. @throws ApiError */
  exists(shard: SuggestShard, query: unknown): boolean;
}

/** @throws ApiError search_phase_execution_exception: no shard has the field, or its type is wrong */
export function runSuggest(
  suggestions: readonly Suggestion[],
  shards: readonly SuggestShard[],
  options: SuggestOptions,
): MutableJsonObject {
  const out: MutableJsonObject = {};
  for (const suggestion of suggestions) {
    const key = options.typedKeys ? `${suggestion.kind}#${suggestion.name}` : suggestion.name;
    setOwn(out, key, resultOf(suggestion, shards, options));
  }
  return out;
}

function resultOf(suggestion: Suggestion, shards: readonly SuggestShard[], options: SuggestOptions): MutableJsonObject[] {
  switch (suggestion.kind) {
    case 'term':
      return terms(suggestion, shards, options);
    case 'phrase':
      return phrases(suggestion, shards, options);
    case 'completion':
      return completions(suggestion, shards, options);
  }
}

/** The result of each shard. Shards that fail are ignored unless all do. */
function onShards<T>(shards: readonly SuggestShard[], nodeId: string, run: (shard: SuggestShard) => T): T[] {
  const failures: ShardFailure[] = [];
  const results: T[] = [];
  for (const shard of shards) {
    try {
      results.push(run(shard));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const { index, shard: number } = shard.shard;
      failures.push({ shard: number, index, node: nodeId, error });
    }
  }
  if (failures.length > 0 && results.length === 0) throw allShardsFailedError('query', failures);
  return results;
}

function fieldOf({ shard }: SuggestShard, name: string): FieldType {
  const field = shard.mapping.field(name);
  if (!field) throw illegalArgumentError(`no mapping found for field [${name}]`);
  return field;
}

function terms(suggestion: TermSuggestion, shards: readonly SuggestShard[], { nodeId }: SuggestOptions): MutableJsonObject[] {
  const lists = onShards(shards, nodeId, (shard): TermEntry[] =>
    suggestTerms(suggestion, fieldOf(shard, suggestion.field), shard.shard, shard.statistics),
  );
  return (lists[0] ?? []).map(({ text, offset, length }, i) => ({
    text,
    offset,
    length,
    options: mergeTermOptions(
      suggestion,
      lists.map((entries) => entries[i]?.options ?? []),
    ).map(({ text: word, score, freq }) => ({ text: word, score: jsonFloat(score), freq })),
  }));
}

function phrases(suggestion: PhraseSuggestion, shards: readonly SuggestShard[], options: SuggestOptions): MutableJsonObject[] {
  const { text, collate, size } = suggestion;
  const entries = onShards(shards, options.nodeId, (shard) =>
    suggestPhrases(suggestion, fieldOf(shard, suggestion.field), shard.shard, shard.statistics, (suggested) => {
      const params = { ...collate?.params, suggestion: suggested };
      return collate === null || options.exists(shard, parseJson(renderTemplate(collate.template, params)));
    }),
  );
  const found = mergePhrases(entries, size).map(({ text: phrase, highlighted, score, collateMatch }) => ({
    text: phrase,
    ...(highlighted === null ? {} : { highlighted }),
    score: jsonFloat(score),
    ...(collateMatch === null ? {} : { collate_match: collateMatch }),
  }));
  return [{ text, offset: 0, length: text.length, options: found }];
}

function contextsOf({ contexts }: CompletionOption): MutableJsonObject {
  return contexts === null ? {} : { contexts: Object.fromEntries([...contexts].map(([name, values]) => [name, [...values]])) };
}

function completions(
  suggestion: CompletionSuggestion,
  shards: readonly SuggestShard[],
  { nodeId, fetch }: SuggestOptions,
): MutableJsonObject[] {
  const lists = onShards(shards, nodeId, (shard): CompletionOption[] => {
    const field = fieldOf(shard, suggestion.field);
    if (field.typeName !== 'completion') throw illegalArgumentError(`Field [${suggestion.field}] is not a completion suggest field`);
    return suggestCompletions(suggestion, field, shard.shard, shard.prepared, shard.position);
  });
  const chosen: CompletionOption[] = [];
  const seen = new Set<string>();
  for (const option of lists.flat().sort(compareOptions)) {
    if (suggestion.skipDuplicates && seen.has(option.text)) continue;
    seen.add(option.text);
    chosen.push(option);
    if (chosen.length === suggestion.size) break;
  }
  const hits = fetch(chosen.map(({ shard, segment, docId, score }) => ({ shard, segment, docId, score, sort: [] })));
  const { text } = suggestion;
  return [
    { text, offset: 0, length: text.length, options: hits.map((hit, i) => ({ text: chosen[i].text, ...hit, ...contextsOf(chosen[i]) })) },
  ];
}
