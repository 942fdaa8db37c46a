// The completion suggester on one shard: finds documents with an input that begins with a text, and orders them by weight. The terms of the field are
// the analyzed inputs; a binary column holds the inputs of each document with their weights (src/mapping/types/completion.ts).

import { REGEXP_ALL } from '../../common/text/regexp-flags.ts';
import { checkTurn } from '../../common/turns/turn.ts';
import type { FieldType } from '../../mapping/core/field-type.ts';
import { contextMappingsOf, readCompletions, WORD_SEPARATOR } from '../../mapping/types/completion.ts';
import type { InputContext } from '../../mapping/types/completion-contexts.ts';
import { editsFor } from '../../query/text/fuzziness.ts';
import { regexpMatcher } from '../../regex/lucene-automaton.ts';
import { matchScope } from '../compute/plan-scope.ts';
import { afterPrefix, type Bytes, compareBytes } from '../index-query/term.ts';
import type { CompletionSuggestion } from '../request/suggest-request.ts';
import type { PreparedShard } from '../run/prepared-shard.ts';
import type { SearchShard } from '../shard/search-shard.ts';
import { parseQueryContexts, selectContexts } from './query-contexts.ts';

export interface CompletionOption {
  readonly text: string;
  /** Analyzed input, which decides between inputs with the same score. */
  readonly term: Bytes;
  /** The weight, multiplied by boosts. */
  readonly score: number;
  /** Contexts of the inputs that matched, by name; null in fields without contexts. */
  readonly contexts: ReadonlyMap<string, ReadonlySet<string>> | null;
  readonly shard: number;
  readonly segment: number;
  readonly docId: number;
}

const utf8 = new TextEncoder();
const decoder = new TextDecoder();

/** Selects analyzed inputs. */
interface Matcher {
  readonly from: Bytes;
  /** null accepts every input that begins with `from`. */
  readonly matches: ((term: Bytes) => boolean) | null;
  /** Boost of an accepted input; null if there is none. */
  readonly boostOf: ((term: Bytes) => number) | null;
}

/** Every matching document with its best input, best first. @param position  of the shard in the search */
export function suggestCompletions(
  suggestion: CompletionSuggestion,
  field: FieldType,
  shard: SearchShard,
  prepared: PreparedShard,
  position: number,
): CompletionOption[] {
  const matcher = matcherOf(suggestion, field, shard);
  if (matcher === null) return [];
  const { name } = field.spec;
  const { from, matches, boostOf } = matcher;
  const mappings = contextMappingsOf(field.params);
  const selected = parseQueryContexts(suggestion.contexts, mappings, field.name);
  const options: CompletionOption[] = [];
  shard.segments.forEach((segment, index) => {
    const plan = prepared.planner.plan(
      {
        op: 'pattern',
        field: name,
        pattern: {
          from,
          to: from.length === 0 ? null : afterPrefix(from),
          includeFrom: true,
          includeTo: false,
          filter: matches,
          boostOf: null,
        },
        rewrite: { kind: 'constant' },
        hasColumn: false,
        label: name,
      },
      matchScope(index),
    );
    if (plan.op === 'matchNone') return;
    let seen = 0;
    for (const docId of prepared.matchingDocs(index, plan, null)) {
      if ((seen++ & 255) === 0) checkTurn();
      let best: CompletionOption | null = null;
      const contexts = mappings === null ? null : new Map<string, Set<string>>();
      for (const input of readCompletions(segment.binary(name, docId), mappings !== null)) {
        const { text, weight, term } = input;
        if (!startsWith(term, from) || (matches !== null && !matches(term))) continue;
        const context = selected && selectContexts(selected, input.contexts);
        if (selected && !context) continue;
        // Of duplicates only the first is reported, which is found under the least of its contexts.
        const shown = suggestion.skipDuplicates ? leastOf(context?.contexts ?? []) : (context?.contexts ?? []);
        for (const { mapping, value } of shown) addContext(contexts, mappings?.[mapping].name ?? '', value);
        const boost = (context?.boost ?? 0) + (boostOf?.(term) ?? 0);
        const option = { text, term, score: scoreOf(weight, boost), contexts, shard: position, segment: index, docId };
        if (best === null || option.score > best.score || (option.score === best.score && compareBytes(term, best.term) < 0)) best = option;
      }
      if (best) options.push(best);
    }
  });
  return options.sort(compareOptions);
}

function leastOf(contexts: readonly InputContext[]): readonly InputContext[] {
  return [...contexts].sort((a, b) => a.mapping - b.mapping || (a.value < b.value ? -1 : 1)).slice(0, 1);
}

function addContext(contexts: Map<string, Set<string>> | null, name: string, value: string): void {
  const values = contexts?.get(name);
  if (values) values.add(value);
  else contexts?.set(name, new Set([value]));
}

/** A boost makes even inputs of weight 0 count. Source: Lucene's CompletionScorer. */
function scoreOf(weight: number, boost: number): number {
  return boost === 0 ? weight : Math.max(weight, 1) * boost;
}

export function compareOptions(a: CompletionOption, b: CompletionOption): number {
  return (
    b.score - a.score || (a.text < b.text ? -1 : a.text > b.text ? 1 : 0) || a.shard - b.shard || a.segment - b.segment || a.docId - b.docId
  );
}

function startsWith(term: Bytes, prefix: Bytes): boolean {
  if (term.length < prefix.length) return false;
  for (let i = 0; i < prefix.length; i++) if (term[i] !== prefix[i]) return false;
  return true;
}

/** null if nothing can match. */
function matcherOf({ wanted, match }: CompletionSuggestion, field: FieldType, shard: SearchShard): Matcher | null {
  if (match.by === 'regex') {
    const matcher = regexpMatcher(`(${wanted}).*`, REGEXP_ALL, false, match.maxStates);
    return { from: utf8.encode(matcher.prefix), matches: (term) => matcher.matches(term), boostOf: null };
  }
  const words = field.searchAnalyzer === null ? [] : shard.analysis.analyze(field.searchAnalyzer, wanted);
  if (words.length === 0) return null;
  const prefix = words.map(({ term }) => term).join(WORD_SEPARATOR);
  if (match.by === 'prefix') return { from: utf8.encode(prefix), matches: null, boostOf: null };
  const letters = [...prefix];
  const edits = letters.length >= match.minLength ? editsFor(match.fuzziness, prefix) : 0;
  if (edits === 0) return { from: utf8.encode(prefix), matches: null, boostOf: () => letters.length };
  const fixed = letters.slice(0, match.prefixLength).join('');
  const lengthNear = (term: Bytes): number =>
    lengthOfNear([...decoder.decode(term)], letters, edits, match.transpositions, match.prefixLength);
  return {
    from: utf8.encode(fixed),
    matches: (term) => lengthNear(term) >= 0,
    boostOf: (term) => sharedLength([...decoder.decode(term)], letters, lengthNear(term)),
  };
}

/** Length of the common prefix of the words, at most `limit`. Source: the boosts of Lucene's FuzzyCompletionQuery. */
function sharedLength(term: readonly string[], prefix: readonly string[], limit: number): number {
  let length = 0;
  while (length < limit && length < prefix.length && term[length] === prefix[length]) length++;
  return length;
}

/** Length of the shortest prefix of `term`, of at least `least` letters, that is within `edits` of `prefix`; -1 if there is none. */
function lengthOfNear(term: readonly string[], prefix: readonly string[], edits: number, swaps: boolean, least: number): number {
  const width = prefix.length;
  let before: Int32Array | null = null;
  let previous = Int32Array.from({ length: width + 1 }, (_, j) => j);
  if (previous[width] <= edits && least <= 0) return 0;
  for (let i = 1; i <= Math.min(term.length, width + edits); i++) {
    const row = new Int32Array(width + 1);
    row[0] = i;
    for (let j = 1; j <= width; j++) {
      row[j] = Math.min(previous[j] + 1, row[j - 1] + 1, previous[j - 1] + (term[i - 1] === prefix[j - 1] ? 0 : 1));
      if (swaps && before && i > 1 && j > 1 && term[i - 1] === prefix[j - 2] && term[i - 2] === prefix[j - 1])
        row[j] = Math.min(row[j], before[j - 2] + 1);
    }
    if (row[width] <= edits && i >= least) return i;
    before = previous;
    previous = row;
  }
  return -1;
}
