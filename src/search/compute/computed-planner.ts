// Plans of queries that have to run other queries first: joins, function scores, scripts, features.
import { checkTurn } from '../../common/turns/turn.ts';
import { featureValue } from '../../mapping/types/rank-features.ts';
import { boolPlan, type PlanNode } from '../../plan/query-plan.ts';
import type { SegmentReader } from '../../plan/segment-reader.ts';
import {
  bool,
  type CombinedIndexQuery,
  type FeatureIndexQuery,
  type FunctionScoreIndexQuery,
  type IndexQuery,
  type JoinQuery,
  type PercolateIndexQuery,
  type ScriptedMinimum,
  type ScriptFilter,
} from '../index-query/index-query.ts';
import type { Statistics } from '../shard/statistics.ts';
import { combinedStatistics, FREQUENCY_SCORER, freqOf, scoreCombined, termIn } from './combined-fields.ts';
import { scoreByFunctions } from './function-score.ts';
import { gatherJoined, type Joined, planJoined } from './join.ts';
import type { MatchRunner, ScoredDocs } from './match-runner.ts';
import { matchScope, type PlanQuery, type PlanScope, scoreScope, unscored, withAmong } from './plan-scope.ts';

const MATCH_NONE: PlanNode = { op: 'matchNone' };
const MATCH_ALL: PlanNode = { op: 'matchAll' };

/** A planner for other segments, and the runner of its plans. */
export type PlanOver = (segments: readonly SegmentReader[]) => { readonly plan: PlanQuery; readonly runner: MatchRunner };

export class ComputedPlanner {
  readonly #segments: readonly SegmentReader[];
  readonly #runner: MatchRunner;
  readonly #plan: PlanQuery;
  readonly #over: PlanOver;
  #joins: Map<JoinQuery, ReadonlyMap<string, Joined>> | null = null;

  /** @param plan  plans the queries inside @param over  plans queries on other segments */
  constructor(segments: readonly SegmentReader[], runner: MatchRunner, plan: PlanQuery, over: PlanOver) {
    this.#over = over;
    this.#segments = segments;
    this.#runner = runner;
    this.#plan = plan;
  }

  join(query: JoinQuery, scope: PlanScope): PlanNode {
    const joined = this.#joined(query);
    const to = this.#plan(query.to, unscored(scope));
    if (to.op === 'matchNone') return to;
    const { docs } = this.candidates(to, scope, null);
    return planJoined(query, this.#segments[scope.index], docs, joined, scope.boost);
  }

  /** The documents of `from` in all segments, by parent id. The clauses around the query are about the documents of `to`. */
  #joined(query: JoinQuery): ReadonlyMap<string, Joined> {
    let joined = this.#joins?.get(query);
    if (!joined) {
      const isScored = query.scoreMode !== 'none';
      joined = gatherJoined(query, this.#segments, (index) => {
        const from = this.#plan(query.from, isScored ? scoreScope(index) : matchScope(index));
        return from.op === 'matchNone' ? null : this.#runner.matchesOf(index, from, null);
      });
      (this.#joins ??= new Map()).set(query, joined);
    }
    return joined;
  }

  functionScore(query: FunctionScoreIndexQuery, scope: PlanScope): PlanNode {
    // Without scores, the matches are those of the inner query, unless they are selected by score.
    if (!scope.scored && query.minScore === null) return this.#plan(query.query, unscored(scope));
    const inner = { index: scope.index, scored: true, boost: query.boosts === 'query' ? scope.boost : 1, among: scope.among };
    const plan = this.#plan(query.query, inner);
    if (plan.op === 'matchNone') return plan;
    const base = this.candidates(plan, scope, query.nestedPath);
    if (base.docs.length === 0) return MATCH_NONE;
    const filterScope = withAmong(unscored(scope), [{ op: 'docs', docs: base.docs, scores: null }]);
    const docsOf = (filter: IndexQuery): ReadonlySet<number> => {
      const chosen = this.#plan(filter, filterScope);
      return new Set(chosen.op === 'matchNone' ? [] : this.candidates(chosen, filterScope, query.nestedPath).docs);
    };
    const filters = query.functions.map(({ filter }) => (filter ? docsOf(filter) : null));
    return scoreByFunctions(query, this.#segments[scope.index], base, filters, query.boosts === 'query' ? 1 : scope.boost);
  }

  /** terms_set with a script: one part for each number of clauses that the script returns for a document. */
  termsSetByScript(clauses: readonly IndexQuery[], { nestedPath, clausesOf }: ScriptedMinimum, scope: PlanScope): PlanNode {
    const any = this.#plan(bool({ should: clauses, minimumShouldMatch: 1 }), unscored(scope));
    if (any.op === 'matchNone') return any;
    const segment = this.#segments[scope.index];
    const byMinimum = new Map<number, number[]>();
    for (const docId of this.candidates(any, scope, nestedPath).docs) {
      const wanted = Math.max(1, clausesOf(segment, docId));
      const docs = byMinimum.get(wanted);
      if (docs) docs.push(docId);
      else byMinimum.set(wanted, [docId]);
    }
    const parts: PlanNode[] = [];
    for (const [wanted, docs] of byMinimum) {
      if (wanted > clauses.length) continue;
      const part = this.#plan(bool({ should: clauses, minimumShouldMatch: wanted }), scope);
      if (part.op !== 'matchNone') parts.push(boolPlan({ must: [part], filter: [planDocs(docs)] }));
    }
    if (parts.length <= 1) return parts[0] ?? MATCH_NONE;
    return boolPlan({ should: parts, minimumShouldMatch: 1 });
  }

  scriptFilter({ nestedPath, matches, matchesMany }: ScriptFilter, scope: PlanScope): PlanNode {
    const segment = this.#segments[scope.index];
    const { docs } = this.candidates(MATCH_ALL, scope, nestedPath);
    const known = matchesMany?.(segment, docs) ?? null;
    return planDocs([...docs].filter((docId, i) => (known === null ? matches(segment, docId) : known[i] !== 0)));
  }

  /**
   * The term frequency of a feature is its value; it is computed back from a score that depends on the frequency alone.
   * Source: Lucene's FeatureField.
   * @param meanFreq  mean of the term's frequencies in the shard
   */
  feature({ scoreOf, term }: FeatureIndexQuery, meanFreq: number, scope: PlanScope): PlanNode {
    const plan = this.#plan({ op: 'term', term, scored: false }, unscored(scope));
    if (!scope.scored || plan.op !== 'term') return plan;
    const score = scoreOf(featureValue(Math.trunc(meanFreq)));
    const { docs, scores } = this.#runner.matchesOf(scope.index, { ...plan, scorer: FREQUENCY_SCORER }, null);
    const values = scores.map((found) => {
      return Math.fround(score(featureValue(freqOf(found))) * scope.boost);
    });
    return { op: 'docs', docs, scores: values };
  }

  percolate(query: PercolateIndexQuery, scope: PlanScope): PlanNode {
    const plan = this.#plan(query.candidates, unscored(scope));
    if (plan.op === 'matchNone') return plan;
    const { docs } = this.candidates(plan, scope, query.nestedPath);
    if (docs.length === 0) return MATCH_NONE;
    const segment = this.#segments[scope.index];
    const found: number[] = [];
    const scores: number[] = [];
    query.open(segment, (documents) => {
      const { plan: planOver, runner } = this.#over([documents]);
      for (const docId of docs) {
        checkTurn();
        const matches = storedMatches(query, segment, docId, planOver, runner, scope.scored);
        if (matches.docs.length === 0) continue;
        found.push(docId);
        scores.push(matches.scores.reduce((best, score) => Math.max(best, score)));
      }
    });
    if (found.length === 0) return MATCH_NONE;
    return { op: 'docs', docs: Uint32Array.from(found), scores: scope.scored ? Float32Array.from(scores) : null };
  }

  /** The documents of a request that the query stored in a document matches. @param index  segment of that document */
  percolated(query: PercolateIndexQuery, index: number, docId: number, stored: (json: Uint8Array) => IndexQuery): Uint32Array {
    const segment = this.#segments[index];
    return query.open(segment, (documents) => {
      const { plan, runner } = this.#over([documents]);
      return storedMatches({ ...query, queryOf: stored }, segment, docId, plan, runner, false).docs.map((doc) => rankOf(documents, doc));
    });
  }

  /** @param weights  statistics for scores @param factor  of BM25: k1 + 1 or 1 */
  combined(query: CombinedIndexQuery, weights: Statistics, factor: number, scope: PlanScope): PlanNode {
    const plans = query.fields.flatMap(({ field, weight }) =>
      query.terms.map((term) => ({
        weight,
        plan: this.#plan({ op: 'term', term: termIn(field, term), scored: false }, unscored(scope)),
      })),
    );
    const matching = plans.filter(({ plan }) => plan.op !== 'matchNone');
    if (matching.length === 0) return MATCH_NONE;
    const among = boolPlan({ should: matching.map(({ plan }) => plan), minimumShouldMatch: 1 });
    if (!scope.scored) return among;
    const statistics = combinedStatistics(query, weights, Math.fround(scope.boost * factor));
    if (statistics === null) return MATCH_NONE;
    const found = matching.map(({ weight, plan }) => ({
      weight,
      docs: this.candidates(plan.op === 'term' ? { ...plan, scorer: FREQUENCY_SCORER } : plan, scope, query.nestedPath),
    }));
    return scoreCombined(query, this.#segments[scope.index], found, statistics);
  }

  /** Documents of a plan that also match the surrounding clauses, with their scores. */
  candidates(plan: PlanNode, { index, among }: PlanScope, nestedPath: string | null): ScoredDocs {
    const left = among.length === 0 ? plan : boolPlan({ must: [plan], filter: among });
    const scopePtr = nestedPath === null ? null : this.#segments[index].nestedDocsPtr(nestedPath);
    return this.#runner.matchesOf(index, left, scopePtr);
  }
}

const NO_DOCS: ScoredDocs = { docs: new Uint32Array(0), scores: new Float32Array(0) };

/** The documents that a stored query matches. */
function storedMatches(
  { column, queryOf }: PercolateIndexQuery,
  segment: SegmentReader,
  docId: number,
  plan: PlanQuery,
  runner: MatchRunner,
  isScored: boolean,
): ScoredDocs {
  const json = segment.binary(column, docId);
  if (json === null) return NO_DOCS;
  const planned = plan(queryOf(json), isScored ? scoreScope(0) : matchScope(0));
  return planned.op === 'matchNone' ? NO_DOCS : runner.matchesOf(0, planned, null);
}

/** Position of a root document among the roots of its segment. */
function rankOf(segment: SegmentReader, docId: number): number {
  let rank = 0;
  for (let root = segment.rootOf(0); root < docId; root = segment.rootOf(root + 1)) rank++;
  return rank;
}

/** Documents found on the host, in any order. */
export function planDocs(docs: readonly number[]): PlanNode {
  if (docs.length === 0) return MATCH_NONE;
  return { op: 'docs', docs: Uint32Array.from(new Set(docs)).sort(), scores: null };
}
