// Explanations of scores: how the score of a document is computed, in Lucene's wording. Frequencies come from the executor itself: a scorer
// of weight 1 and norm factor 1 returns 1 - 1 / (1 + freq), from which the frequency is computed.
import { shortestFloat } from '../../common/text/float32.ts';
import { boolPlan, COUNT_ALL, type PlanNode } from '../../plan/query-plan.ts';
import { type FunctionScoreIndexQuery, type IndexQuery, withBoost } from '../index-query/index-query.ts';
import { floatText, queryText } from '../index-query/query-text.ts';
import type { Term } from '../index-query/term.ts';
import { freqOfScore } from '../plan/model-planner.ts';
import type { PreparedShard } from '../run/prepared-shard.ts';
import { combine } from '../run/rescore.ts';
import type { RunControl } from '../run/run-control.ts';
import { scoreDocs } from '../run/score-docs.ts';
import type { Rescored } from '../run/shard-hits.ts';
import { idf, lengthOfNorm } from '../shard/bm25.ts';
import { count, type Explanation, leaf } from '../similarity/explanation.ts';
import { explainFunctions } from './explain-functions.ts';

/** Names of the rescore modes in explanations. */
const MODE_NAMES = { total: 'sum', multiply: 'product', avg: 'avg', max: 'max', min: 'min' } as const;

function product(part: Explanation, weight: number, name: string): Explanation {
  return leaf(Math.fround(part.value * weight), 'product of:', [part, leaf(weight, name)]);
}

/** Explains the scores of one document. */
export class Explainer {
  readonly #prepared: PreparedShard;
  readonly #index: number;
  readonly #docId: number;
  readonly #control: RunControl;

  constructor(prepared: PreparedShard, index: number, docId: number, control: RunControl) {
    this.#prepared = prepared;
    this.#index = index;
    this.#docId = docId;
    this.#control = control;
  }

  /** The score of a query, null if the document does not match. */
  score(query: IndexQuery, boost = 1): number | null {
    const scores = scoreDocs(this.#prepared, withBoost(query, boost), this.#index, [this.#docId], true, this.#control);
    return scores.get(this.#docId) ?? null;
  }

  /** Explains a score that rescorers have changed. @param first  explanation of the score before them */
  explainRescored(first: Explanation, passes: readonly Rescored[]): Explanation {
    return passes.reduce((before, { rescore, query }) => {
      const primary = product(before, rescore.queryWeight, 'primaryWeight');
      if (query === null || this.score(query) === null) return primary;
      const second = this.explain(query);
      const secondary = product(second, rescore.rescoreWeight, 'secondaryWeight');
      const score = combine(before.value, second.value, rescore);
      return leaf(score, `${MODE_NAMES[rescore.scoreMode]} of:`, [primary, secondary]);
    }, first);
  }

  explain(query: IndexQuery, boost = 1): Explanation {
    switch (query.op) {
      case 'named':
        return this.explain(query.query, boost);
      case 'perShard':
        return this.explain(this.#prepared.planner.resolvePerShard(query), boost);
      case 'boost':
        return this.explain(query.query, Math.fround(boost * query.boost));
      default:
    }
    const score = this.score(query, boost);
    if (score === null) return this.#noMatch(query);
    switch (query.op) {
      case 'term':
        return query.scored ? this.#weight(query, query.term.field, [query.term], score, boost, false) : leaf(score, queryText(query));
      case 'synonym':
        return this.#weight(query, query.field, query.terms, score, boost, false);
      case 'phrase':
        return this.#weight(
          query,
          query.field,
          query.positions.flatMap(({ terms }) => terms),
          score,
          boost,
          true,
        );
      case 'all':
        return leaf(score, boost === 1 ? '*:*' : `*:*^${floatText(boost)}`);
      case 'constant':
        return leaf(score, `${queryText(query)}${boost === 1 || query.query.op === 'all' ? '' : `^${floatText(boost)}`}`);
      case 'bool': {
        const matching = [...query.must, ...query.should].filter((clause) => this.score(clause, boost) !== null);
        const scoring = matching.map((clause) => this.explain(clause, boost));
        const filters = query.filter.map((clause) =>
          leaf(0, 'match on required clause, product of:', [leaf(0, '# clause'), leaf(1, queryText(clause))]),
        );
        // Lucene replaces a query of one clause by the clause.
        const { must, should, mustNot } = query;
        if (scoring.length === 1 && filters.length + mustNot.length === 0 && must.length + should.length === 1) return scoring[0];
        return leaf(score, 'sum of:', [...scoring, ...filters]);
      }
      case 'disMax':
      case 'blended': {
        const parts = query.op === 'disMax' ? query.queries.map((inner) => this.explain(inner, boost)) : [];
        const details = parts.filter(({ value }) => value > 0);
        const tie = query.tieBreaker;
        return leaf(score, tie === 0 ? 'max of:' : `max plus ${floatText(tie)} times others of:`, details);
      }
      case 'functionScore':
        return query.boosts === 'query' ? this.#functions(query, boost) : leaf(score, queryText(query));
      case 'nested':
        return leaf(score, `Score based on child docs of [${query.path}], using score mode ${query.scoreMode}`);
      default:
        return leaf(score, queryText(query));
    }
  }

  #functions(query: FunctionScoreIndexQuery, boost: number): Explanation {
    const matches = query.functions.map(({ filter }) => filter === null || this.score(filter) !== null);
    const segment = this.#prepared.planner.segments[this.#index];
    return explainFunctions(query, this.explain(query.query, boost), segment, this.#docId, matches);
  }

  #noMatch(query: IndexQuery): Explanation {
    if (query.op === 'functionScore' && query.boosts === 'query')
      return this.score(query.query) === null ? this.#noMatch(query.query) : this.#functions(query, 1);
    if (query.op === 'term' || query.op === 'phrase') return leaf(0, query.op === 'term' ? 'no matching term' : 'no matching phrase');
    if (query.op === 'bool') {
      const missing = query.must.filter((clause) => this.score(clause) === null);
      const details = missing.map((clause) => leaf(0, `no match on required clause (${queryText(clause)})`, [this.#noMatch(clause)]));
      return leaf(0, 'Failure to meet condition(s) of required/prohibited clause(s)', details);
    }
    return leaf(0, `${queryText(query)} doesn't match id ${this.#docId}`);
  }

  /** The BM25 tree of terms of a field that count as one. */
  #weight(query: IndexQuery, field: string, terms: readonly Term[], score: number, boost: number, isPhrase: boolean): Explanation {
    const statistics = this.#prepared.planner.fieldStatistics(field);
    if (!statistics) return leaf(score, queryText(query));
    const freq = this.#frequency(query);
    const modelled = this.#byModel(query, field, terms, freq, score, boost, isPhrase);
    if (modelled) return modelled;
    const idfs = terms.map((term) => {
      const docFreq = this.#prepared.planner.docFreq(term);
      return leaf(idf(docFreq, statistics.docCount), 'idf, computed as log(1 + (N - n + 0.5) / (n + 0.5)) from:', [
        count(docFreq, 'n, number of documents containing term'),
        count(statistics.docCount, 'N, total number of documents with field'),
      ]);
    });
    const best = query.op === 'synonym' ? [idfs.reduce((a, b) => (b.value < a.value ? b : a))] : idfs;
    const idfPart = best.length === 1 ? best[0] : leaf(Math.fround(best.reduce((sum, { value }) => sum + value, 0)), 'idf, sum of:', best);
    const norm = this.#normOf(field);
    const normInverse = statistics.normInverse[norm];
    const { k1, b } = this.#prepared.planner.bm25Of(field);
    const tf = Math.fround(1 - Math.fround(1 / Math.fround(1 + Math.fround(freq * normInverse))));
    const average = Math.fround(statistics.sumTotalTermFreq / statistics.docCount);
    const freqText = isPhrase ? `phraseFreq=${floatText(freq)}` : 'freq, occurrences of term within document';
    const tfPart = leaf(tf, 'tf, computed as freq / (freq + k1 * (1 - b + b * dl / avgdl)) from:', [
      leaf(freq, freqText),
      leaf(k1, 'k1, term saturation parameter'),
      leaf(b, 'b, length normalization parameter'),
      leaf(lengthOfNorm(norm), 'dl, length of field'),
      leaf(average, 'avgdl, average length of field'),
    ]);
    const factor = Math.fround(boost * this.#prepared.planner.scoreFactor(field));
    const factors = factor === 1 ? [idfPart, tfPart] : [leaf(factor, 'boost'), idfPart, tfPart];
    return leaf(score, `weight(${queryText(query)} in ${this.#docId}) [PerFieldSimilarity], result of:`, [
      leaf(score, `score(freq=${floatText(freq)}), computed as boost * idf * tf from:`, factors),
    ]);
  }

  #normOf(field: string): number {
    const segment = this.#prepared.planner.segments[this.#index];
    const postings = segment.postings(field);
    return postings?.hasNorms ? segment.norm(field, this.#docId) : 1;
  }

  /** The tree of a similarity other than BM25, null if BM25 scores the field. */
  #byModel(
    query: IndexQuery,
    field: string,
    terms: readonly Term[],
    freq: number,
    score: number,
    boost: number,
    isPhrase: boolean,
  ): Explanation | null {
    const scores = this.#prepared.planner.modelScores(field, terms, boost);
    if (!scores) return null;
    const freqPart = leaf(freq, isPhrase ? `phraseFreq=${floatText(shortestFloat(freq))}` : 'freq, occurrences of term within document');
    const tree = scores.explain(freqPart, lengthOfNorm(this.#normOf(field)));
    return leaf(score, `weight(${queryText(query)} in ${this.#docId}) [PerFieldSimilarity], result of:`, [tree]);
  }

  #frequency(query: IndexQuery): number {
    if (query.op !== 'term' && query.op !== 'synonym' && query.op !== 'phrase') return 1;
    const { planner } = this.#prepared;
    const probe = planner.frequencies(query, this.#index);
    if (probe === null) return 1;
    const only: PlanNode = { op: 'docs', docs: Uint32Array.of(this.#docId), scores: null };
    const both = boolPlan({ must: [probe], filter: [only] });
    const { stop, counters } = this.#control;
    const found = planner.segments[this.#index].execute(both, { ...COUNT_ALL, size: 1 }, { stop, counters, withNested: true });
    return freqOfScore(query.op === 'phrase', found.scores[0] ?? 0);
  }
}
