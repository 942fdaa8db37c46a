// The completion suggester on one shard: finds documents with an input that begins with a text, and orders them by weight. The terms of the field are
// the analyzed inputs; a binary column holds the inputs of each document with their weights (src/mapping/types/completion.ts).

import { REGEXP_ALL } from '../../common/regexp-flags.ts';
import type { FieldType } from '../../mapping/field-type.ts';
import { readCompletions, WORD_SEPARATOR } from '../../mapping/types/completion.ts';
import { editsFor } from '../../query/fuzziness.ts';
import { regexpMatcher } from '../../regex/lucene-automaton.ts';
import { matchScope } from '../compute/plan-scope.ts';
import { afterPrefix, type Bytes } from '../index-query/term.ts';
import type { CompletionSuggestion } from '../request/suggest-request.ts';
import type { PreparedShard } from '../run/prepared-shard.ts';
import type { SearchShard } from '../shard/search-shard.ts';

export interface CompletionOption {
  readonly text: string;
  readonly weight: number;
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
  const { from, matches } = matcher;
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
    for (const docId of prepared.matchingDocs(index, plan, null)) {
      let best: CompletionOption | null = null;
      for (const { text, weight, term } of readCompletions(segment.binary(name, docId))) {
        if (!startsWith(term, from) || (matches !== null && !matches(term))) continue;
        if (best === null || weight > best.weight) best = { text, weight, shard: position, segment: index, docId };
      }
      if (best) options.push(best);
    }
  });
  return options.sort(compareOptions);
}

export function compareOptions(a: CompletionOption, b: CompletionOption): number {
  return (
    b.weight - a.weight ||
    (a.text < b.text ? -1 : a.text > b.text ? 1 : 0) ||
    a.shard - b.shard ||
    a.segment - b.segment ||
    a.docId - b.docId
  );
}

function startsWith(term: Bytes, prefix: Bytes): boolean {
  if (term.length < prefix.length) return false;
  for (let i = 0; i < prefix.length; i++) if (term[i] !== prefix[i]) return false;
  return true;
}

/** null if nothing can match. */
function matcherOf({ text, match }: CompletionSuggestion, field: FieldType, shard: SearchShard): Matcher | null {
  if (match.by === 'regex') {
    const matcher = regexpMatcher(`(${text}).*`, REGEXP_ALL, false, match.maxStates);
    return { from: utf8.encode(matcher.prefix), matches: (term) => matcher.matches(term) };
  }
  const words = field.searchAnalyzer === null ? [] : shard.analysis.analyze(field.searchAnalyzer, text);
  if (words.length === 0) return null;
  const prefix = words.map(({ term }) => term).join(WORD_SEPARATOR);
  const edits = match.by === 'fuzzy' && [...prefix].length >= match.minLength ? editsFor(match.fuzziness, prefix) : 0;
  if (match.by === 'prefix' || edits === 0) return { from: utf8.encode(prefix), matches: null };
  const fixed = [...prefix].slice(0, match.prefixLength).join('');
  return { from: utf8.encode(fixed), matches: (term) => beginsNear([...decoder.decode(term)], [...prefix], edits, match.transpositions) };
}

/** Whether a prefix of `term` is within `edits` of `prefix`. */
function beginsNear(term: readonly string[], prefix: readonly string[], edits: number, swaps: boolean): boolean {
  const width = prefix.length;
  let before: Int32Array | null = null;
  let previous = Int32Array.from({ length: width + 1 }, (_, j) => j);
  if (previous[width] <= edits) return true;
  for (let i = 1; i <= Math.min(term.length, width + edits); i++) {
    const row = new Int32Array(width + 1);
    row[0] = i;
    for (let j = 1; j <= width; j++) {
      row[j] = Math.min(previous[j] + 1, row[j - 1] + 1, previous[j - 1] + (term[i - 1] === prefix[j - 1] ? 0 : 1));
      if (swaps && before && i > 1 && j > 1 && term[i - 1] === prefix[j - 2] && term[i - 2] === prefix[j - 1])
        row[j] = Math.min(row[j], before[j - 2] + 1);
    }
    if (row[width] <= edits) return true;
    before = previous;
    previous = row;
  }
  return false;
}
