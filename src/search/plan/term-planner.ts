// Plans of queries for terms. Weights are computed in float32 as in Lucene, from the statistics of the shard or of the whole search.
import { boolPlan, type PlanNode, type TermScorer } from '../../plan/query-plan.ts';
import type { TermState } from '../../plan/segment.ts';
import type { MatchRunner } from '../compute/match-runner.ts';
import type { PlanScope } from '../compute/plan-scope.ts';
import type { BlendedIndexQuery, PhraseIndexQuery, SynonymIndexQuery, TermIndexQuery } from '../index-query/index-query.ts';
import type { PatternQuery } from '../index-query/pattern-query.ts';
import type { Term } from '../index-query/term.ts';
import { idf } from '../shard/bm25.ts';
import type { ShardStatistics, Statistics, TermEntry } from '../shard/statistics.ts';
import type { TermScores } from '../similarity/term-statistics.ts';
import { blendDocFreqs } from './blended-terms.ts';
import { freqsOf, modelScores, planByModel, type TermFreqs, type TermsPlan, withFrequencies } from './model-planner.ts';
import { planAnyTerm, planPatternTerms } from './segment-filters.ts';
import type { ExpandedTerm } from './term-expansion.ts';

const MATCH_NONE: PlanNode = { op: 'matchNone' };

export class TermPlanner {
  readonly #local: ShardStatistics;
  readonly #weights: Statistics;
  readonly #runner: MatchRunner;

  /** @param runner  finds the documents of terms that BM25 does not score */
  constructor(local: ShardStatistics, weights: Statistics, runner: MatchRunner) {
    this.#runner = runner;
    this.#local = local;
    this.#weights = weights;
  }

  term(term: Term, scope: PlanScope): PlanNode {
    return this.#term(term, this.#local.term(term), scope.index, scope.scored, scope.boost);
  }

  /** @param docFreq  replaces the term's own */
  #term(term: Term, entry: TermEntry, index: number, scored: boolean, boost: number, docFreq?: number): PlanNode {
    const state = entry.states[index];
    const postings = state && this.#local.segments[index].postings(term.field);
    if (!state || !postings) return MATCH_NONE;
    const plan: TermsPlan = { op: 'term', postings, term: state, scorer: null };
    if (!scored) return plan;
    const freqs = freqsOf(term, this.#weights);
    const blended = docFreq === undefined ? freqs : { docFreq, totalTermFreq: Math.max(docFreq, freqs.totalTermFreq) };
    return this.#scored(plan, term.field, [blended], index, boost);
  }

  /** Scores the documents of terms by the similarity of their field. @param freqs  of the terms that are weighted together */
  #scored(plan: TermsPlan, field: string, freqs: readonly TermFreqs[], index: number, boost: number): PlanNode {
    const fieldModel = this.#local.similarities.modelOf(field);
    if (fieldModel === null) {
      const docFreqs = freqs.map(({ docFreq }) => docFreq);
      return { ...plan, scorer: this.scorer(field, docFreqs, boost) };
    }
    const scores = modelScores(fieldModel, field, freqs, boost, this.#weights);
    return scores ? planByModel(plan, field, scores, fieldModel.nestedPath, this.#runner, this.#local.segments[index], index) : plan;
  }

  /** The scorer of terms by a similarity other than BM25, null if BM25 scores them. */
  modelScores(field: string, terms: readonly Term[], boost: number): TermScores | null {
    const fieldModel = this.#local.similarities.modelOf(field);
    if (fieldModel === null) return null;
    const freqs = terms.map((term) => freqsOf(term, this.#weights)).filter(({ docFreq }) => docFreq > 0);
    return modelScores(fieldModel, field, freqs, boost, this.#weights);
  }

  /** The scorer of terms that are weighted together, null if no document has the field. */
  scorer(field: string, docFreqs: readonly number[], boost: number): TermScorer | null {
    const statistics = this.#weights.field(field);
    if (!statistics) return null;
    let sum = 0;
    for (const docFreq of docFreqs) sum += idf(docFreq, statistics.docCount);
    return { weight: Math.fround(Math.fround(boost * this.scoreFactor(field)) * Math.fround(sum)), normInverse: statistics.normInverse };
  }

  /** k1 + 1 or 1: a constant that earlier versions of Lucene multiplied BM25 by. */
  scoreFactor(field: string): number {
    const { withFactor, bm25Of } = this.#local.similarities;
    return withFactor ? Math.fround(Math.fround(bm25Of(field).k1) + 1) : 1;
  }

  anyTerm(field: string, terms: readonly Term[], index: number): PlanNode {
    return planAnyTerm(field, this.#statesOf(terms, index), this.#local.segments[index]);
  }

  /** States of those terms that the segment has. */
  #statesOf(terms: readonly Term[], index: number): TermState[] {
    return terms.map((term) => this.#local.term(term).states[index]).filter((state) => state !== null);
  }

  synonym(field: string, terms: readonly Term[], { index, scored, boost }: PlanScope): PlanNode {
    const plan = this.#synonymPlan(field, terms, index);
    if (!plan) return MATCH_NONE;
    if (!scored) return planAnyTerm(field, this.#statesOf(terms, index), this.#local.segments[index]);
    const freqs = terms.map((term) => freqsOf(term, this.#weights));
    const together = {
      docFreq: Math.max(...freqs.map(({ docFreq }) => docFreq)),
      totalTermFreq: freqs.reduce((sum, { totalTermFreq }) => sum + totalTermFreq, 0),
    };
    return this.#scored(plan, field, [together], index, boost);
  }

  #synonymPlan(field: string, terms: readonly Term[], index: number): TermsPlan | null {
    const postings = this.#local.segments[index].postings(field);
    const states = this.#statesOf(terms, index);
    if (!postings || states.length === 0) return null;
    return states.length === 1
      ? { op: 'term', postings, term: states[0], scorer: null }
      : { op: 'synonym', postings, terms: states, scorer: null };
  }

  /** @param query  expanded, without a prefix at the last position */
  phrase(query: PhraseIndexQuery, { index, scored, boost }: PlanScope): PlanNode {
    const plan = this.#phrasePlan(query, index);
    if (!plan) return MATCH_NONE;
    if (!scored) return plan;
    const terms = query.positions.flatMap((position) => position.terms);
    const freqs = terms.map((term) => freqsOf(term, this.#weights)).filter(({ docFreq }) => docFreq > 0);
    return this.#scored(plan, query.field, freqs, index, boost);
  }

  #phrasePlan({ field, positions, slop }: PhraseIndexQuery, index: number): TermsPlan | null {
    const postings = this.#local.segments[index].postings(field);
    if (!postings) return null;
    const places = positions.map(({ position, terms }) => ({ position, terms: this.#statesOf(terms, index) }));
    return places.some(({ terms }) => terms.length === 0) ? null : { op: 'phrase', postings, positions: places, slop, scorer: null };
  }

  /** The documents of a query that scores terms together, by frequency; null if the segment has none. */
  frequencies(query: TermIndexQuery | SynonymIndexQuery | PhraseIndexQuery, index: number): PlanNode | null {
    const plan = this.#termsPlan(query, index);
    return plan && withFrequencies(plan);
  }

  #termsPlan(query: TermIndexQuery | SynonymIndexQuery | PhraseIndexQuery, index: number): TermsPlan | null {
    if (query.op === 'term') return this.#synonymPlan(query.term.field, [query.term], index);
    return query.op === 'phrase' ? this.#phrasePlan(query, index) : this.#synonymPlan(query.field, query.terms, index);
  }

  blended(query: BlendedIndexQuery, { index, scored, boost }: PlanScope): PlanNode {
    const docFreqs = blendDocFreqs(
      query.terms.map(({ term }) => term),
      this.#local,
    );
    const clauses = query.terms
      .map(({ term, boost: own }, i) => this.#term(term, this.#local.term(term), index, scored, Math.fround(boost * own), docFreqs[i]))
      .filter((plan) => plan.op !== 'matchNone');
    if (clauses.length <= 1) return clauses[0] ?? MATCH_NONE;
    if (!scored) return boolPlan({ should: clauses, minimumShouldMatch: 1 });
    return { op: 'disMax', clauses, tieBreaker: query.tieBreaker };
  }

  /** @param termsOf  expands the pattern to the terms of the shard */
  pattern(query: PatternQuery, { index, scored, boost }: PlanScope, termsOf: (query: PatternQuery) => readonly ExpandedTerm[]): PlanNode {
    const { kind } = query.rewrite;
    if (kind === 'constant' || (!scored && (kind === 'scoring_boolean' || kind === 'constant_boolean'))) {
      return planConstant(planPatternTerms(query, this.#local.segments[index]), boost, scored);
    }
    const terms = termsOf(query);
    const docFreq = kind === 'top_terms_blended' ? Math.max(0, ...terms.map(({ entry }) => entry.docFreq)) : undefined;
    const isConstant = kind === 'top_terms_boost' || kind === 'constant_boolean';
    const clauses = terms
      .map(({ term, entry, boost: own }) => {
        const termBoost = Math.fround(boost * own);
        const plan = this.#term(term, entry, index, scored && !isConstant, termBoost, docFreq);
        return isConstant ? planConstant(plan, termBoost, scored) : plan;
      })
      .filter((plan) => plan.op !== 'matchNone');
    if (clauses.length <= 1) return clauses[0] ?? MATCH_NONE;
    return boolPlan({ should: clauses, minimumShouldMatch: 1 });
  }
}

/** The matches of a plan, all with the same score. */
export function planConstant(child: PlanNode, score: number, scored: boolean): PlanNode {
  return scored && child.op !== 'matchNone' ? { op: 'constantScore', child, score } : child;
}
