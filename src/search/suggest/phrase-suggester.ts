// The phrase suggester on one shard: corrections of a whole text, chosen by the probability of their sequences of words.
// Source: the noisy channel spell checker of OpenSearch's phrase suggester (Apache-2.0; NoisyChannelSpellChecker, CandidateScorer,
// DirectCandidateGenerator), which Elasticsearch 7.10 has as well. Answers are compared with Elasticsearch 7.10 and 8.15.

import type { AnalyzedToken } from '../../analysis/tokens/analyzed-token.ts';
import { checkTurn } from '../../common/turns/turn.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';
import type { FieldType } from '../../mapping/core/field-type.ts';
import { termOfText } from '../index-query/term.ts';
import { type CandidateGenerator, defaultGenerator, type PhraseSuggestion } from '../request/phrase-suggest-request.ts';
import type { SearchShard } from '../shard/search-shard.ts';
import type { ShardStatistics } from '../shard/statistics.ts';
import { type Candidate, PhraseScorer } from './phrase-scorer.ts';
import { similarTerms } from './term-suggester.ts';

export interface PhraseOption {
  readonly text: string;
  readonly highlighted: string | null;
  readonly score: number;
  /** Whether the collate query matches; null without one, or if it prunes nothing. */
  collateMatch: boolean | null;
}

export interface PhraseEntry {
  /** Options of all shards must score above it. */
  readonly cutoff: number;
  readonly options: readonly PhraseOption[];
}

/** A word of the text and what may stand in its place, the best first. */
interface CandidateSet {
  readonly input: Candidate;
  others: Candidate[];
}

interface Correction {
  readonly score: number;
  readonly words: readonly Candidate[];
}

const NOTHING: PhraseEntry = { cutoff: 0, options: [] };
const PATHS_PER_CHECK_MASK = 255;

/** @param matches  whether a document of the shard matches the collate query for a suggestion */
export function suggestPhrases(
  suggestion: PhraseSuggestion,
  field: FieldType,
  shard: SearchShard,
  statistics: ShardStatistics,
  matches: (suggested: string) => boolean,
): PhraseEntry {
  const analyzer = suggestion.analyzer ?? field.searchAnalyzer;
  const tokens =
    analyzer === null
      ? [{ term: suggestion.text, startOffset: 0, endOffset: suggestion.text.length, type: 'word', position: 0, positionLength: 1 }]
      : shard.analysis.analyze(analyzer, suggestion.text);
  const spellers = spellersOf(suggestion, field, tokens, shard, statistics);
  if (spellers.length === 0 || statistics.field(field.spec.name) === null) return NOTHING;
  const gramSize = suggestion.gramSize ?? (analyzer === null ? null : shard.analysis.shingleSize(analyzer)) ?? 1;
  const scorer = new PhraseScorer(field.spec.name, suggestion, gramSize, statistics);
  const sets = setsOf(tokens, spellers[0], suggestion);
  if (sets.length === 0 || sets.length >= suggestion.tokenLimit) return NOTHING;
  for (const set of sets) {
    for (const speller of spellers) speller.draw(set);
    if (set.others.length > suggestion.shardSize) set.others = set.others.sort((a, b) => b.score - a.score).slice(0, suggestion.shardSize);
  }
  const inputs = sets.map(({ input }) => input);
  const inputScore = Math.exp(inputs.reduce((sum, _, at) => sum + scorer.score(inputs, at), 0));
  const cutoff = suggestion.confidence > 0 ? inputScore * suggestion.confidence : Number.MIN_VALUE;
  const corrections = bestOf(sets, suggestion, scorer, cutoff);
  return { cutoff, options: corrections.flatMap((correction) => optionOf(correction, suggestion, cutoff, matches)) };
}

function isShingle({ type }: AnalyzedToken): boolean {
  return type === 'shingle';
}

function spellersOf(
  { generators, field: name, forceUnigrams }: PhraseSuggestion,
  field: FieldType,
  tokens: readonly AnalyzedToken[],
  shard: SearchShard,
  statistics: ShardStatistics,
): Speller[] {
  const hasUnigrams = tokens.length === 0 || !tokens.every(isShingle);
  if (!hasUnigrams && forceUnigrams) {
    throw illegalArgumentError(
      generators.length === 0
        ? `The default candidate generator for phrase suggest can't operate on field: [${name}] since it doesn't emit unigrams. If this is intentional try to set the candidate generator field explicitly`
        : 'At least one unigram is required but all tokens were ngrams',
    );
  }
  const used = generators.length > 0 ? generators : [defaultGenerator(name)];
  return used.flatMap((generator) => {
    const target = generator.field === name ? field : shard.mapping.field(generator.field);
    if (!target || statistics.field(target.spec.name) === null) return [];
    return [new Speller(generator, target.spec.name, shard, statistics)];
  });
}

function setsOf(tokens: readonly AnalyzedToken[], speller: Speller, { forceUnigrams, likelihood }: PhraseSuggestion): CandidateSet[] {
  const sets: CandidateSet[] = [];
  let position = -1;
  for (const token of tokens) {
    if (forceUnigrams && isShingle(token)) continue;
    const set = sets.at(-1);
    if (set && token.position === position && token.type === 'SYNONYM') {
      const synonym = speller.candidate(token.term, likelihood, false);
      if (synonym.docFreq > 0) set.others.push(synonym);
    } else sets.push({ input: speller.candidate(token.term, 1, true), others: [] });
    position = token.position;
  }
  return sets;
}

/** Proposes similar terms of one field for a word. */
class Speller {
  readonly #generator: CandidateGenerator;
  readonly #field: string;
  readonly #shard: SearchShard;
  readonly #statistics: ShardStatistics;
  readonly #occurrences: number;

  constructor(generator: CandidateGenerator, field: string, shard: SearchShard, statistics: ShardStatistics) {
    this.#generator = generator;
    this.#field = field;
    this.#shard = shard;
    this.#statistics = statistics;
    this.#occurrences = statistics.field(field)?.sumTotalTermFreq ?? 0;
    for (const name of [generator.preFilter, generator.postFilter])
      if (name !== null && !shard.analysis.hasAnalyzer(name)) throw illegalArgumentError(`Analyzer [${name}] doesn't exists`);
  }

  candidate(word: string, similarity: number, isInput: boolean): Candidate {
    const looked = isInput ? this.#filtered(word) : word;
    const { docFreq, totalTermFreq } = this.#statistics.term(termOfText(this.#field, looked));
    return { word, docFreq, totalTermFreq, similarity, score: this.#score(totalTermFreq, similarity), isInput };
  }

  #score(totalTermFreq: number, similarity: number): number {
    return similarity * ((totalTermFreq + 1) / (this.#occurrences + 1));
  }

  /** The word as the field of the generator has it. */
  #filtered(word: string): string {
    const { preFilter } = this.#generator;
    return preFilter === null ? word : (this.#shard.analysis.analyze(preFilter, word).at(-1)?.term ?? word);
  }

  /** Adds candidates to a set, the best first and each word once. */
  draw(set: CandidateSet): void {
    const { spelling, size, postFilter } = this.#generator;
    let { minDocFreq } = spelling;
    if (spelling.mode !== 'always') {
      const floor = this.#rarest(set.input.docFreq);
      if (floor === Infinity) return;
      minDocFreq = Math.max(minDocFreq, floor);
    }
    const { segments } = this.#statistics;
    const word = this.#filtered(set.input.word);
    const found = similarTerms({ ...spelling, minDocFreq }, size, this.#field, word, segments, this.#statistics);
    const drawn = found.flatMap(({ text, score }) => {
      const one = this.candidate(text, score, false);
      return postFilter === null ? [one] : this.#refined(one, postFilter);
    });
    const byWord = new Map([...set.others, ...drawn].map((one) => [one.word, one]));
    set.others = [...byWord.values()].sort((a, b) => b.score - a.score || (a.word < b.word ? -1 : 1));
  }

  #refined(one: Candidate, postFilter: string): Candidate[] {
    return this.#shard.analysis.analyze(postFilter, one.word).map(({ term }) => (term === one.word ? one : { ...one, word: term }));
  }

  /** Document frequency that a replacement of an existing word must have. */
  #rarest(docFreq: number): number {
    if (docFreq === 0) return 0;
    const { minDocFreq } = this.#generator.spelling;
    const plateau = Math.trunc(minDocFreq >= 1 ? minDocFreq : this.#statistics.maxDoc * minDocFreq);
    const grown = docFreq * (Math.log10(docFreq - plateau) / Math.log10(5)) + 1;
    return Number.isNaN(grown) ? 0 : Math.max(0, Math.round(grown));
  }
}

/** The corrections with the highest scores above the cutoff, the best first. */
function bestOf(
  sets: readonly CandidateSet[],
  { maxErrors, shardSize }: PhraseSuggestion,
  scorer: PhraseScorer,
  cutoff: number,
): Correction[] {
  const errors = Math.max(1, maxErrors >= 1 ? Math.trunc(maxErrors) : Math.round(maxErrors * sets.length));
  const best: Correction[] = [];
  const path: Candidate[] = [];
  let paths = 0;
  const offer = (sum: number) => {
    const correction = { score: Math.exp(sum), words: [...path] };
    if (!(correction.score > cutoff)) return;
    if (best.length === shardSize && compareCorrections(correction, best[best.length - 1]) >= 0) return;
    let at = best.length;
    while (at > 0 && compareCorrections(correction, best[at - 1]) < 0) at--;
    best.splice(at, 0, correction);
    if (best.length > shardSize) best.pop();
  };
  const visit = (at: number, left: number, before: number) => {
    if ((++paths & PATHS_PER_CHECK_MASK) === 0) checkTurn();
    const { input, others } = sets[at];
    const follow = (word: Candidate, remaining: number) => {
      path[at] = word;
      const sum = before + scorer.score(path, at);
      if (at === sets.length - 1) offer(sum);
      else visit(at + 1, remaining, sum);
    };
    follow(input, left);
    if (left > 0) for (const other of others) follow(other, left - 1);
  };
  visit(0, errors, 0);
  return best;
}

/** By score, then by the words. */
function compareCorrections(a: Correction, b: Correction): number {
  if (a.score !== b.score) return b.score - a.score;
  for (const [i, { word }] of a.words.entries()) if (word !== b.words[i].word) return word < b.words[i].word ? -1 : 1;
  return 0;
}

function optionOf(
  { score, words }: Correction,
  { highlight, collate }: PhraseSuggestion,
  cutoff: number,
  matches: (suggested: string) => boolean,
): PhraseOption[] {
  const text = words.map(({ word }) => word).join(' ');
  const isMatch = collate === null || matches(text);
  if (!isMatch && !collate?.prunes) return [];
  const rounded = Math.fround(score);
  if (!(rounded > cutoff)) return [];
  return [
    {
      text,
      highlighted: highlight === null ? null : highlightedText(words, highlight.pre, highlight.post),
      score: rounded,
      collateMatch: collate?.prunes ? isMatch : null,
    },
  ];
}

/** Marks runs of words that are not those of the text. */
function highlightedText(words: readonly Candidate[], pre: string, post: string): string {
  return words
    .map(({ word, isInput }, i) => {
      if (isInput) return word;
      const starts = i === 0 || words[i - 1].isInput;
      const ends = i === words.length - 1 || words[i + 1].isInput;
      return `${starts ? pre : ''}${word}${ends ? post : ''}`;
    })
    .join(' ');
}

/** Merges the options of several shards. */
export function mergePhrases(entries: readonly PhraseEntry[], size: number): PhraseOption[] {
  const cutoff = Math.max(...entries.map((entry) => entry.cutoff));
  const merged = new Map<string, PhraseOption>();
  for (const option of entries.flatMap((entry) => entry.options)) {
    const known = merged.get(option.text);
    const best = known && known.score >= option.score ? known : option;
    const isMatch = option.collateMatch === null ? null : option.collateMatch || (known?.collateMatch ?? false);
    if (option.score > cutoff) merged.set(option.text, { ...best, collateMatch: isMatch });
  }
  return [...merged.values()].sort((a, b) => b.score - a.score || (a.text < b.text ? -1 : 1)).slice(0, size);
}
