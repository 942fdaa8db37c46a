// Probability of a sequence of words by the frequencies of words and of their sequences in a field of shingles.
// Source: the smoothing models and scorers of OpenSearch's phrase suggester (Apache-2.0; WordScorer, LaplaceScorer, StupidBackoffScorer,
// LinearInterpolatingScorer), which Elasticsearch 7.10 has as well.
import { termOfText } from '../index-query/term.ts';
import type { Smoothing } from '../request/phrase-suggest-request.ts';
import type { ShardStatistics } from '../shard/statistics.ts';

/** A word in place of one of the text. */
export interface Candidate {
  readonly word: string;
  readonly docFreq: number;
  readonly totalTermFreq: number;
  /** Similarity to the word of the text; 1 for that word itself. */
  readonly similarity: number;
  readonly score: number;
  readonly isInput: boolean;
}

/** Keeps quotients of frequencies finite. */
const EPSILON = 1e-11;

export class PhraseScorer {
  readonly #field: string;
  readonly #separator: string;
  readonly #likelihood: number;
  readonly #gramSize: number;
  readonly #smoothing: Smoothing;
  readonly #statistics: ShardStatistics;
  /** Occurrences of terms in the field, and number of different ones (of documents if there are several segments). */
  readonly #occurrences: number;
  readonly #terms: number;

  constructor(
    field: string,
    { separator, likelihood, smoothing }: { readonly separator: string; readonly likelihood: number; readonly smoothing: Smoothing },
    gramSize: number,
    statistics: ShardStatistics,
  ) {
    this.#field = field;
    this.#separator = separator;
    this.#likelihood = likelihood;
    this.#gramSize = gramSize;
    this.#smoothing = smoothing;
    this.#statistics = statistics;
    this.#occurrences = statistics.field(field)?.sumTotalTermFreq ?? 0;
    const segments = statistics.segments.filter((segment) => segment.postings(field) !== null);
    this.#terms = segments.length === 1 ? segments[0].seekOrd(field, LAST_TERM) : statistics.maxDoc;
  }

  /** Logarithm (base 10) of the probability of the word at `at` after those before it. */
  score(path: readonly Candidate[], at: number): number {
    const word = path[at];
    const channel = word.similarity === 1 ? this.#likelihood : word.similarity;
    const gram = Math.min(at + 1, this.#gramSize);
    if (gram === 1) return Math.log10(channel * this.#unigram(word));
    if (gram === 2) return Math.log10(channel * this.#bigram(word, path[at - 1]));
    return Math.log10(channel * this.#trigram(word, path[at - 1], path[at - 2]));
  }

  #frequency(...words: readonly Candidate[]): number {
    const text = words.map(({ word }) => word).join(this.#separator);
    return this.#statistics.term(termOfText(this.#field, text)).totalTermFreq;
  }

  #unigram(word: Candidate): number {
    const alpha = this.#smoothing.by === 'laplace' ? this.#smoothing.alpha : 1;
    return (alpha + this.#frequency(word)) / (this.#occurrences + alpha * this.#terms);
  }

  #bigram(word: Candidate, before: Candidate): number {
    const smoothing = this.#smoothing;
    const count = this.#frequency(before, word);
    if (smoothing.by === 'laplace') return (smoothing.alpha + count) / (before.totalTermFreq + smoothing.alpha * this.#terms);
    if (smoothing.by === 'stupid_backoff')
      return count < 1 ? smoothing.discount * this.#unigram(word) : count / (before.totalTermFreq + EPSILON);
    const single = smoothing.unigram * this.#unigram(word);
    return count < 1 ? single : smoothing.bigram * (count / (0.5 + before.totalTermFreq)) + single;
  }

  #trigram(word: Candidate, before: Candidate, first: Candidate): number {
    const smoothing = this.#smoothing;
    if (smoothing.by === 'laplace')
      return (smoothing.alpha + this.#frequency(first, before, word)) / (this.#frequency(before, word) + smoothing.alpha * this.#terms);
    if (smoothing.by === 'stupid_backoff') {
      const pair = this.#frequency(before, word);
      if (pair < 1) return smoothing.discount * this.#unigram(word);
      const triple = this.#frequency(first, before, word);
      return triple < 1 ? smoothing.discount * (pair / (before.totalTermFreq + EPSILON)) : triple / (pair + EPSILON);
    }
    // The servers look these sequences up in reverse.
    const triple = this.#frequency(word, before, first);
    if (triple < 1) return this.#bigram(word, before);
    return smoothing.trigram * (triple / (1 + this.#frequency(word, before))) + this.#bigram(word, before);
  }
}

/** After all terms: no UTF-8 text has this byte. */
const LAST_TERM = Uint8Array.of(255);
