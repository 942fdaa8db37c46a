// The query file's syntax (Lucene's classic one, as far as the file uses it) to plans on one segment, as Lucene rewrites them.
//   a b │ +a +b │ "a b" │ +a b c │ +a -b │ +"a b" +c │ ab* │ abc~1 │ "a b"~4
import type { PlanNode, TermScorer } from '../../src/plan/query-plan.ts';
import type { SegmentPostings } from '../../src/plan/segment.ts';
import type { SegmentReader } from '../../src/plan/segment-reader.ts';
import { fuzzyMatcher } from '../../src/search/matchers/edit-distance.ts';

export interface PlannerOptions {
  /** Parameters of BM25. */
  readonly k1: number;
  readonly b: number;
  /** Tokens of a word or a phrase. */
  readonly tokens: (text: string) => string[];
}

/** Lucene's parameters; the words of the prose queries are tokens already. */
const DEFAULTS: PlannerOptions = { k1: 1.2, b: 0.75, tokens: (text) => text.split(' ') };

/** A clause of a parsed query. */
export interface Clause {
  readonly occur: '+' | '-' | '';
  readonly text: string;
  readonly kind: 'term' | 'phrase' | 'prefix' | 'fuzzy';
  readonly number: number;
  /** Tokens of a term or a phrase, in UTF-8. */
  readonly words: readonly Uint8Array[];
}

/** Lengths encoded by SmallFloat's byte code. */
function lengthOfNorm(norm: number): number {
  if (norm < 24) return norm;
  const code = norm - 24;
  if (code < 8) return 24 + code;
  return 24 + (8 | (code & 7)) * 2 ** ((code >> 3) - 1);
}

/** Plans queries over one field of a segment that is the whole index. */
export class ClassicPlanner {
  private readonly segment: SegmentReader;
  private readonly field: string;
  private readonly postings: SegmentPostings;
  private readonly normInverse: Float32Array;
  private readonly tokens: PlannerOptions['tokens'];

  constructor(segment: SegmentReader, field: string, { k1, b, tokens }: PlannerOptions = DEFAULTS) {
    this.tokens = tokens;
    this.segment = segment;
    this.field = field;
    this.postings = segment.postings(field)!;
    const average = Math.fround(this.postings.sumTotalTermFreq / this.postings.docCount);
    const f = Math.fround;
    // Float steps as in BM25Similarity.scorer: k1 * ((1 - b) + b * length / avgdl), inverted.
    this.normInverse = Float32Array.from({ length: 256 }, (_, norm) => {
      const part = f(f(f(b) * f(lengthOfNorm(norm))) / average);
      return f(1 / f(f(k1) * f(f(1 - f(b)) + part)));
    });
  }

  parse(query: string): Clause[] {
    const matches = query.matchAll(/([+-]?)(?:"([^"]*)"(?:~(\d+))?|([^\s"~*]+)(?:~(\d)|(\*))?)/g);
    return Array.from(matches, ([, sign, phrase, slop, word, edits, star]): Clause => {
      const occur = sign as Clause['occur'];
      const wordsOf = (text: string): Uint8Array[] => this.tokens(text).map((token) => Buffer.from(token));
      if (phrase !== undefined) {
        const words = wordsOf(phrase);
        if (words.length < 2) return { occur, text: phrase, kind: 'term', number: 0, words };
        return { occur, text: phrase, kind: 'phrase', number: Number(slop ?? 0), words };
      }
      const kind = edits ? 'fuzzy' : star ? 'prefix' : 'term';
      return { occur, text: word, kind, number: Number(edits ?? 0), words: kind === 'term' ? wordsOf(word) : [] };
    });
  }

  plan(clauses: readonly Clause[]): PlanNode {
    if (clauses.length === 1 && clauses[0].occur !== '-') return this.clause(clauses[0]);
    const merged = this.merge(clauses);
    const of = (occur: Clause['occur']): PlanNode[] =>
      merged.filter(({ clause }) => clause.occur === occur).map(({ clause, times }) => this.clause(clause, times));
    const [must, should, mustNot] = [of('+'), of(''), of('-')];
    if (must.length === 1 && should.length === 0 && mustNot.length === 0) return must[0];
    if (should.length === 1 && must.length === 0 && mustNot.length === 0) return should[0];
    return { op: 'bool', must, filter: [], should, mustNot, minimumShouldMatch: must.length ? 0 : 1 };
  }

  /** Equal clauses become one with their boosts added, as BooleanQuery.rewrite does. */
  private merge(clauses: readonly Clause[]): Array<{ clause: Clause; times: number }> {
    const merged = new Map<string, { clause: Clause; times: number }>();
    for (const clause of clauses) {
      const key = `${clause.occur}${clause.kind}${clause.number} ${clause.text}`;
      const known = merged.get(key);
      if (known) known.times++;
      else merged.set(key, { clause, times: 1 });
    }
    return [...merged.values()];
  }

  private idf(docFreq: number): number {
    return Math.fround(Math.log(1 + (this.postings.docCount - docFreq + 0.5) / (docFreq + 0.5)));
  }

  private scorer(idf: number, times: number): TermScorer {
    return { weight: Math.fround(times * idf), normInverse: this.normInverse };
  }

  private clause({ text, kind, number, words }: Clause, times = 1): PlanNode {
    const { postings } = this;
    const state = (word: Uint8Array) => this.segment.lookupTerm(this.field, word);
    switch (kind) {
      case 'term': {
        const terms = words.map((word): PlanNode => {
          const term = state(word);
          return term ? { op: 'term', postings, term, scorer: this.scorer(this.idf(term.docFreq), times) } : { op: 'matchNone' };
        });
        if (terms.length < 2) return terms[0] ?? { op: 'matchNone' };
        return { op: 'bool', must: [], filter: [], should: terms, mustNot: [], minimumShouldMatch: 1 };
      }
      case 'phrase': {
        const terms = words.map(state);
        if (terms.some((term) => term === null)) return { op: 'matchNone' };
        const idf = terms.reduce((sum, term) => sum + this.idf(term!.docFreq), 0);
        const positions = terms.map((term, position) => ({ position, terms: [term!] }));
        return { op: 'phrase', postings, positions, slop: number, scorer: this.scorer(Math.fround(idf), times) };
      }
      case 'prefix': {
        const from = Buffer.from(text);
        const to = Buffer.concat([from, Buffer.alloc(8, 0xff)]);
        const [first, end] = [from, to].map((bytes) => this.segment.seekOrd(this.field, bytes));
        return { op: 'constantScore', child: { op: 'termRange', postings, from: first, to: end }, score: times };
      }
      case 'fuzzy':
        return this.fuzzy(text, number, times);
    }
  }

  /** The 50 nearest terms, each with the greatest docFreq among them (Lucene's TopTermsBlendedFreqScoringRewrite). */
  private fuzzy(word: string, edits: number, times: number): PlanNode {
    const { postings } = this;
    const matcher = fuzzyMatcher(word, edits, 0, true);
    const found = this.segment.walkTerms(this.field, { from: null, to: null }, Number.POSITIVE_INFINITY, matcher.matches);
    const terms = found.map((term) => ({ term, boost: matcher.boostOf(term.bytes) }));
    terms.sort((a, b) => b.boost - a.boost || Buffer.compare(a.term.bytes, b.term.bytes));
    const best = terms.slice(0, 50);
    const idf = this.idf(Math.max(...best.map(({ term }) => term.docFreq)));
    const clauses = best.map(({ term, boost }): PlanNode => {
      const scorer = { weight: Math.fround(Math.fround(times * boost) * idf), normInverse: this.normInverse };
      return { op: 'term', postings, term, scorer };
    });
    if (clauses.length < 2) return clauses[0] ?? { op: 'matchNone' };
    return { op: 'bool', must: [], filter: [], should: clauses, mustNot: [], minimumShouldMatch: 1 };
  }
}
