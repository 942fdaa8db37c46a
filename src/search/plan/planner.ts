// Plans of an index query for the segments of a shard: plans compound queries itself and delegates all others.
import type { Bm25 } from '../../mapping/core/similarity.ts';
import { boolPlan, type PlanNode } from '../../plan/query-plan.ts';
import type { SegmentReader } from '../../plan/segment-reader.ts';
import { ComputedPlanner } from '../compute/computed-planner.ts';
import { isComputed, plainPart } from '../compute/computed-query.ts';
import { nearestInShard, planScored } from '../compute/knn.ts';
import type { MatchRunner, ScoredDocs } from '../compute/match-runner.ts';
import { matchScope, outsideClauses, type PlanScope, unscored, withAmong, withPlanBoost } from '../compute/plan-scope.ts';
import {
  type BoolIndexQuery,
  type BoostingIndexQuery,
  bool,
  type FeatureIndexQuery,
  type IndexQuery,
  type KnnIndexQuery,
  type NestedIndexQuery,
  type PercolateIndexQuery,
  type PerShardQuery,
  type PhraseIndexQuery,
  type SynonymIndexQuery,
  type TermIndexQuery,
  type TermsSetIndexQuery,
} from '../index-query/index-query.ts';
import type { PositionalQuery } from '../index-query/positional-query.ts';
import type { Term } from '../index-query/term.ts';
import { type ExpandedPositional, type FrequencyScore, matchPositions } from '../positions/plan-positional.ts';
import { lengthOfNorm } from '../shard/bm25.ts';
import { type FieldStatistics, ShardStatistics, type Statistics } from '../shard/statistics.ts';
import type { TermScores } from '../similarity/term-statistics.ts';
import { copiesOf, MAX_COPIES } from './copied-plans.ts';
import { Expansions } from './expansions.ts';
import { planFilter } from './segment-filters.ts';
import { planConstant, TermPlanner } from './term-planner.ts';

const MATCH_NONE: PlanNode = { op: 'matchNone' };
const MATCH_ALL: PlanNode = { op: 'matchAll' };

/** Plans the queries of one search on one shard. Parts that the segments share are computed once. */
export class Planner {
  readonly #local: ShardStatistics;
  readonly #weights: Statistics;
  readonly #terms: TermPlanner;
  readonly #computed: ComputedPlanner;
  readonly #expansions: Expansions;
  #nearest: Map<KnnIndexQuery, readonly ScoredDocs[]> | null = null;

  /** @param weights  statistics for scores: the shard's own, or those of all shards (dfs) */
  constructor(local: ShardStatistics, weights: Statistics, maxClauses: number, runner: MatchRunner) {
    this.#local = local;
    this.#weights = weights;
    this.#terms = new TermPlanner(local, weights, runner);
    const over = (segments: readonly SegmentReader[]) => {
      // Percolated documents are scored by plain BM25, whatever the similarities of their fields are.
      const statistics = new ShardStatistics(segments);
      const own = runner.over(segments);
      const planner = new Planner(statistics, statistics, maxClauses, own);
      return { runner: own, plan: (query: IndexQuery, scope: PlanScope) => planner.plan(query, scope) };
    };
    this.#computed = new ComputedPlanner(local.segments, runner, (query, scope) => this.plan(query, scope), over);
    this.#expansions = new Expansions(local, maxClauses);
  }

  get segments(): readonly SegmentReader[] {
    return this.#local.segments;
  }

  /** Factor by which the weights of a field's terms are multiplied. */
  scoreFactor(field: string): number {
    return this.#terms.scoreFactor(field);
  }

  bm25Of(field: string): Bm25 {
    return this.#local.similarities.bm25Of(field);
  }

  /** The scorer of terms of a field by a similarity other than BM25, null if BM25 scores them. */
  modelScores(field: string, terms: readonly Term[], boost: number): TermScores | null {
    return this.#terms.modelScores(field, terms, boost);
  }

  /** The documents of a query with their frequencies as scores (`freqOfScore`), null if the segment has none. */
  frequencies(query: TermIndexQuery | SynonymIndexQuery | PhraseIndexQuery, index: number): PlanNode | null {
    return this.#terms.frequencies(query, index);
  }

  fieldStatistics(field: string): FieldStatistics | null {
    return this.#weights.field(field);
  }

  docFreq(term: Term): number {
    return this.#weights.docFreq(term);
  }

  /** The documents of a percolate query, by position, that the query stored in a document of the shard matches. */
  percolated(query: PercolateIndexQuery, index: number, docId: number, stored: (json: Uint8Array) => IndexQuery): Uint32Array {
    return this.#computed.percolated(query, index, docId, stored);
  }

  /** The query made from the statistics of the shard, the same for all its segments. */
  resolvePerShard(query: PerShardQuery): IndexQuery {
    return this.#expansions.resolvePerShard(query);
  }

  /** Plans a query that only matters for certain documents. @param among  plan of those */
  planAmong(query: IndexQuery, among: PlanNode, scope: PlanScope): PlanNode {
    return among.op === 'matchNone' ? MATCH_NONE : this.plan(query, withAmong(scope, [among]));
  }

  plan(query: IndexQuery, scope: PlanScope): PlanNode {
    const { index, scored, boost } = scope;
    switch (query.op) {
      case 'all':
        return planConstant(MATCH_ALL, boost, scored);
      case 'none':
        return MATCH_NONE;
      case 'named':
        return this.plan(query.query, scope);
      case 'boost':
        return this.plan(query.query, withPlanBoost(scope, Math.fround(boost * query.boost)));
      case 'constant':
        return planConstant(this.plan(query.query, unscored(scope)), boost, scored);
      case 'term':
        return this.#terms.term(query.term, query.scored ? scope : unscored(scope));
      case 'synonym':
        return this.#terms.synonym(query.field, query.terms, scope);
      case 'phrase':
        return this.#phrase(query, scope);
      case 'anyTerm':
        return this.#terms.anyTerm(query.field, query.terms, index);
      case 'blended':
        return this.#terms.blended(query, scope);
      case 'pattern':
        return this.#terms.pattern(query, scope, (pattern) => this.#expansions.terms(pattern));
      case 'positional':
        return this.#positional(query, scope);
      case 'bool':
        return this.#bool(query, scope);
      case 'disMax':
        return this.#disMax(query.queries, query.tieBreaker, scope);
      case 'boosting':
        return this.#boosting(query, scope);
      case 'rangeI64':
      case 'rangeF64':
      case 'inI64':
      case 'inF64':
      case 'existsColumn':
      case 'existsNorm':
      case 'ids':
      case 'geoBox':
      case 'geoDistance':
      case 'hostFilter':
        return planFilter(query, this.#local.segments[index]);
      case 'perShard':
        return this.plan(this.resolvePerShard(query), scope);
      case 'termsSet':
        return this.#termsSet(query, scope);
      case 'nested':
        return this.#nested(query, scope);
      case 'join':
        return this.#computed.join(query, scope);
      case 'scriptFilter':
        return this.#computed.scriptFilter(query, scope);
      case 'feature':
        return this.#computed.feature(query, this.#meanFreqOf(query), scope);
      case 'percolate':
        return this.#computed.percolate(query, scope);
      case 'combined':
        return this.#computed.combined(query, this.#weights, this.#terms.scoreFactor(query.fields[0].field), scope);
      case 'knn':
        return planScored(this.nearest(query)[index], scope);
      case 'scoredDocs':
        return planScored(query.bySegment[index], scope);
      case 'functionScore':
        return this.#computed.functionScore(query, scope);
    }
  }

  /** The documents of the shard that a knn query finds, by segment. */
  nearest(query: KnnIndexQuery): readonly ScoredDocs[] {
    let found = this.#nearest?.get(query);
    if (!found) {
      found = nearestInShard(query, this.segments, (filter, index) => this.plan(filter, matchScope(index)));
      (this.#nearest ??= new Map()).set(query, found);
    }
    return found;
  }

  #phrase(query: PhraseIndexQuery, scope: PlanScope): PlanNode {
    const expanded = this.#expansions.phrase(query);
    return expanded.op === 'phrase' ? this.#terms.phrase(expanded, scope) : this.plan(expanded, scope);
  }

  #meanFreqOf({ term }: FeatureIndexQuery): number {
    const { states, docFreq } = this.#local.term(term);
    return states.reduce((sum, state) => sum + (state?.totalTermFreq ?? 0), 0) / docFreq;
  }

  #positional(query: PositionalQuery, scope: PlanScope): PlanNode {
    const expanded = this.#expansions.positional(query);
    const candidates = this.plan(expanded.candidates, unscored(scope));
    if (candidates.op === 'matchNone') return candidates;
    const { index, scored, boost } = scope;
    const segment = this.#local.segments[index];
    const { docs } = this.#computed.candidates(candidates, scope, query.nestedPath);
    const score = scored ? this.#frequencyScore(expanded, segment, boost) : null;
    return matchPositions(expanded, segment, docs, (term) => this.#local.term(term).states[index], score);
  }

  /** Spans: BM25 of all terms together. Intervals: a score that saturates towards the boost. */
  #frequencyScore({ query, scoring }: ExpandedPositional, segment: SegmentReader, boost: number): FrequencyScore {
    if (query.kind === 'intervals') return (_, freq) => Math.fround(boost * Math.fround(1 - Math.fround(1 / Math.fround(1 + freq))));
    const hasNorms = segment.postings(query.field)?.hasNorms ?? false;
    const modelled = this.modelScores(query.field, scoring, boost);
    if (modelled) return (docId, freq) => modelled.score(freq, lengthOfNorm(hasNorms ? segment.norm(query.field, docId) : 1));
    const docFreqs = scoring.map((term) => this.#weights.docFreq(term)).filter((docFreq) => docFreq > 0);
    const scorer = this.#terms.scorer(query.field, docFreqs, boost);
    if (!scorer) return () => 0;
    return (docId, freq) => {
      const inverse = scorer.normInverse[hasNorms ? segment.norm(query.field, docId) : 1];
      return Math.fround(scorer.weight - Math.fround(scorer.weight / Math.fround(1 + Math.fround(freq * inverse))));
    };
  }

  /** Plans computed clauses last, so that scripts and functions see only documents that match the other clauses. */
  #bool(query: BoolIndexQuery, scope: PlanScope): PlanNode {
    if (!isComputed(query, scope.scored)) return this.#plainBool(query, scope);
    const plain = plainPart(query);
    const others = plain ? this.#plainBool(plain, unscored(scope, scope.boost)) : MATCH_ALL;
    if (others.op === 'matchNone') return MATCH_NONE;
    return this.#computedBool(query, others.op === 'matchAll' ? scope : withAmong(scope, [...scope.among, others]));
  }

  /** Plans the computed clauses that select documents one after the other; all other computed clauses see the documents that match them all. */
  #computedBool(query: BoolIndexQuery, scope: PlanScope): PlanNode {
    const { must, filter, should, mustNot } = query;
    const { scored } = scope;
    const selects = (clause: IndexQuery): boolean => isComputed(clause, false);
    const settled = (scored ? filter : [...filter, ...must]).filter(selects);
    // A scored clause is computed again for its score, so it is planned in advance only if another clause depends on its matches.
    const isAwaited = [...must, ...should].filter((clause) => isComputed(clause, scored)).length + mustNot.filter(selects).length > 1;
    const inAdvance = scored && isAwaited ? must.filter(selects) : [];
    const matching = unscored(scope);
    let among = scope.among;
    const plans: PlanNode[] = [];
    for (const clause of [...settled, ...inAdvance]) {
      const plan = this.plan(clause, withAmong(matching, among));
      if (plan.op === 'matchNone') return MATCH_NONE;
      among = [...among, plan];
      plans.push(plan);
    }
    const isOpen = (clause: IndexQuery): boolean => !selects(clause);
    const rest = { ...query, must: scored ? must : must.filter(isOpen), filter: filter.filter(isOpen) };
    return this.#plainBool(rest, withAmong(scope, among), plans.slice(0, settled.length));
  }

  /** @param settled  plans of further filters */
  #plainBool(query: BoolIndexQuery, scope: PlanScope, settled: readonly PlanNode[] = []): PlanNode {
    const { scored } = scope;
    const isRequired = query.must.length + query.filter.length + settled.length > 0;
    const minimum = query.minimumShouldMatch;
    const must: PlanNode[] = [];
    const filter: PlanNode[] = [...settled];
    for (const clause of query.must) {
      const plan = this.plan(clause, scope);
      if (plan.op === 'matchNone') return MATCH_NONE;
      if (scored) must.push(plan);
      else if (plan.op !== 'matchAll') filter.push(plan);
    }
    const filtering = unscored(scope, scope.boost);
    for (const clause of query.filter) {
      const plan = this.plan(clause, filtering);
      if (plan.op === 'matchNone') return MATCH_NONE;
      if (plan.op !== 'matchAll') filter.push(plan);
    }
    const matters = scored || !isRequired || minimum > 0;
    const should = matters ? query.should.map((clause) => this.plan(clause, scope)).filter((plan) => plan.op !== 'matchNone') : [];
    const needed = isRequired ? minimum : Math.max(minimum, 1);
    if (should.length < needed) return MATCH_NONE;
    const mustNot = query.mustNot.map((clause) => this.plan(clause, unscored(scope))).filter((plan) => plan.op !== 'matchNone');
    if (mustNot.some((plan) => plan.op === 'matchAll')) return MATCH_NONE;
    if (mustNot.length === 0) {
      if (must.length === 1 && filter.length + should.length === 0) return must[0];
      if (should.length === 1 && must.length + filter.length === 0 && !isRequired) return should[0];
      if (!scored && filter.length === 1 && must.length + should.length === 0) return filter[0];
    }
    if (isRequired && must.length + filter.length === 0) filter.push(MATCH_ALL);
    return { op: 'bool', must, filter, should, mustNot, minimumShouldMatch: needed };
  }

  #disMax(queries: readonly IndexQuery[], tieBreaker: number, scope: PlanScope): PlanNode {
    const clauses = queries.map((query) => this.plan(query, scope)).filter((plan) => plan.op !== 'matchNone');
    if (clauses.length === 0) return MATCH_NONE;
    if (clauses.length === 1) return clauses[0];
    if (!scope.scored) return boolPlan({ should: clauses, minimumShouldMatch: 1 });
    return { op: 'disMax', clauses, tieBreaker };
  }

  /** Two disjoint parts: the matches of `positive` alone, and those that also match `negative`, with a fraction of the score. */
  #boosting(query: BoostingIndexQuery, scope: PlanScope): PlanNode {
    const positive = this.#positive(query, scope);
    const negative = this.plan(query.negative, unscored(scope));
    if (!scope.scored || positive.op === 'matchNone' || negative.op === 'matchNone') return positive;
    const unchanged = boolPlan({ must: [positive], mustNot: [negative] });
    const demoted: PlanNode = { op: 'boost', child: boolPlan({ must: [positive], filter: [negative] }), factor: query.negativeBoost };
    return boolPlan({ should: [unchanged, demoted], minimumShouldMatch: 1 });
  }

  /** The plan of `positive`, which occurs twice in that of the query: computed once if its size would double at each level of boosting queries. */
  #positive({ positive, nestedPath }: BoostingIndexQuery, scope: PlanScope): PlanNode {
    const plan = this.plan(positive, scope);
    if (!scope.scored || plan.op === 'matchNone' || copiesOf(positive) <= MAX_COPIES) return plan;
    const { docs, scores } = this.#computed.candidates(plan, scope, nestedPath);
    return docs.length === 0 ? MATCH_NONE : { op: 'docs', docs, scores };
  }

  /** terms_set with a field: one disjoint part for each number of clauses that a document may require. */
  #termsSet({ clauses, minimum }: TermsSetIndexQuery, scope: PlanScope): PlanNode {
    if (minimum.by === 'script') return this.#computed.termsSetByScript(clauses, minimum, scope);
    const { field, isF64 } = minimum;
    const parts = clauses.map((_, i): IndexQuery => {
      const isLowest = i === 0;
      const required: IndexQuery = isF64
        ? { op: 'rangeF64', field, min: isLowest ? Number.NEGATIVE_INFINITY : i + 1, max: i + 1 }
        : { op: 'rangeI64', field, min: isLowest ? -(2n ** 63n) : BigInt(i + 1), max: BigInt(i + 1) };
      return bool({ filter: [required], should: clauses, minimumShouldMatch: i + 1 });
    });
    return this.plan(bool({ should: parts, minimumShouldMatch: 1 }), scope);
  }

  /** Plans the nested query without the clauses around it, which restrict its parents, not the nested documents. */
  #nested(query: NestedIndexQuery, scope: PlanScope): PlanNode {
    const segment = this.#local.segments[scope.index];
    const childDocsPtr = segment.nestedDocsPtr(query.path);
    if (childDocsPtr === 0) return MATCH_NONE;
    const parentDocsPtr = query.parentPath === null ? 0 : segment.nestedDocsPtr(query.parentPath);
    const isScored = scope.scored && query.scoreMode !== 'none';
    const child = this.plan(query.query, outsideClauses(isScored ? scope : unscored(scope, scope.boost)));
    if (child.op === 'matchNone') return child;
    return { op: 'nested', child, childDocsPtr, parentDocsPtr, scoreMode: isScored ? query.scoreMode : 'none' };
  }
}
