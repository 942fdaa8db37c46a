// Explanations of scores: how the score of a document is computed, in Lucene's wording. Frequencies come from the executor itself: a scorer
// of weight 1 and norm factor 1 returns 1 - 1 / (1 + freq), from which the frequency is computed.

import { jsonDouble } from '../../common/json/json-float.ts';
import type { JsonObject } from '../../common/json/json-value.ts';
import { shortestFloat } from '../../common/text/float32.ts';
import { boolPlan, COUNT_ALL, type PlanNode } from '../../plan/query-plan.ts';
import { scoreScope } from '../compute/plan-scope.ts';
import { type IndexQuery, withBoost } from '../index-query/index-query.ts';
import { floatText, queryText } from '../index-query/query-text.ts';
import type { Term } from '../index-query/term.ts';
import type { PreparedShard } from '../run/prepared-shard.ts';
import { combine } from '../run/rescore.ts';
import type { RunControl } from '../run/run-control.ts';
import { scoreDocs } from '../run/score-docs.ts';
import type { Rescored } from '../run/shard-hits.ts';
import { idf, lengthOfNorm } from '../shard/bm25.ts';

export interface Explanation {
  readonly value: number;
  readonly description: string;
  readonly details: readonly Explanation[];
  /** True for a number of documents, which is shown as an integer. */
  readonly isCount?: boolean;
}

/** An explanation as part of a response. */
export function explanationJson({ value, description, details, isCount }: Explanation): JsonObject {
  return { value: isCount ? value : jsonDouble(value), description, details: details.map(explanationJson) };
}

const UNIT_NORMS = new Float32Array(256).fill(1);
/** Names of the rescore modes in explanations. */
const MODE_NAMES = { total: 'sum', multiply: 'product', avg: 'avg', max: 'max', min: 'min' } as const;

function leaf(value: number, description: string, details: readonly Explanation[] = []): Explanation {
  return { value: shortestFloat(value), description, details };
}

function count(value: number, description: string): Explanation {
  return { value, description, details: [], isCount: true };
}

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
        const scoring = [...query.must, ...query.should].map((clause) => this.explain(clause, boost)).filter(({ value }) => value > 0);
        const filters = query.filter.map((clause) =>
          leaf(0, 'match on required clause, product of:', [leaf(0, '# clause'), leaf(1, queryText(clause))]),
        );
        if (scoring.length === 1 && filters.length === 0) return scoring[0];
        return leaf(score, 'sum of:', [...scoring, ...filters]);
      }
      case 'disMax':
      case 'blended': {
        const parts = query.op === 'disMax' ? query.queries.map((inner) => this.explain(inner, boost)) : [];
        const details = parts.filter(({ value }) => value > 0);
        const tie = query.tieBreaker;
        return leaf(score, tie === 0 ? 'max of:' : `max plus ${floatText(tie)} times others of:`, details);
      }
      case 'nested':
        return leaf(score, `Score based on child docs of [${query.path}], using score mode ${query.scoreMode}`);
      default:
        return leaf(score, queryText(query));
    }
  }

  #noMatch(query: IndexQuery): Explanation {
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
    const idfs = terms.map((term) => {
      const docFreq = this.#prepared.planner.docFreq(term);
      return leaf(idf(docFreq, statistics.docCount), 'idf, computed as log(1 + (N - n + 0.5) / (n + 0.5)) from:', [
        count(docFreq, 'n, number of documents containing term'),
        count(statistics.docCount, 'N, total number of documents with field'),
      ]);
    });
    const best = query.op === 'synonym' ? [idfs.reduce((a, b) => (b.value < a.value ? b : a))] : idfs;
    const idfPart = best.length === 1 ? best[0] : leaf(Math.fround(best.reduce((sum, { value }) => sum + value, 0)), 'idf, sum of:', best);
    const segment = this.#prepared.planner.segments[this.#index];
    const postings = segment.postings(field);
    const norm = postings && postings.normsPtr !== 0 ? segment.norm(field, this.#docId) : 1;
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

  #frequency(query: IndexQuery): number {
    const segment = this.#prepared.planner.segments[this.#index];
    const plan = this.#prepared.planner.plan(query, scoreScope(this.#index));
    if (plan.op !== 'term' && plan.op !== 'synonym' && plan.op !== 'phrase') return 1;
    const probe: PlanNode = { ...plan, scorer: { weight: 1, normInverse: UNIT_NORMS } };
    const only: PlanNode = { op: 'docs', docs: Uint32Array.of(this.#docId), scores: null };
    const both = boolPlan({ must: [probe], filter: [only] });
    const { stop, counters } = this.#control;
    const found = segment.execute(both, { ...COUNT_ALL, size: 1 }, { stop, counters, withNested: true });
    const score = found.scores[0] ?? 0;
    const freq = score / (1 - score);
    return plan.op === 'phrase' ? Math.fround(Number(freq.toPrecision(6))) : Math.round(freq);
  }
}
