// Query of an index -> plan of one segment. Weights are computed here, in float32 as Lucene does, from statistics of the shard.

import { type Bm25, DEFAULT_BM25 } from '../../mapping/similarity.ts';
import { featureValue } from '../../mapping/types/rank-features.ts';
import type { PlanNode, TermScorer } from '../../plan/query-plan.ts';
import type { TermState } from '../../plan/segment.ts';
import type { SegmentReader } from '../../plan/segment-reader.ts';
import { isComputed, plainPart, type ScriptFilter } from '../compute/computed-query.ts';
import { scoreByFunctions } from '../compute/function-score.ts';
import { gatherJoined, type Joined, planJoined } from '../compute/join.ts';
import type { MatchRunner, ScoredDocs } from '../compute/match-runner.ts';
import { type BoolIndexQuery, bool, type IndexQuery, type JoinQuery } from '../index-query/index-query.ts';
import type { PositionalQuery } from '../index-query/positional-query.ts';
import type { Term } from '../index-query/term.ts';
import { type ExpandedPositional, type FrequencyScore, matchPositions } from '../positions/plan-positional.ts';
import { idf } from '../shard/bm25.ts';
import type { FieldStatistics, ShardStatistics, Statistics, TermEntry } from '../shard/statistics.ts';
import { blendDocFreqs } from './blended-terms.ts';
import { Expansions } from './expansions.ts';
import { planAnyTerm, planDocs, planFilter, planPatternTerms } from './segment-filters.ts';

const MATCH_NONE: PlanNode = { op: 'matchNone' };
const MATCH_ALL: PlanNode = { op: 'matchAll' };

type PatternQuery = Extract<IndexQuery, { op: 'pattern' }>;
type PhraseQuery = Extract<IndexQuery, { op: 'phrase' }>;

/** Plans of one query for the segments of one shard; keeps what the segments share. */
export class Planner {
  readonly #local: ShardStatistics;
  readonly #weights: Statistics;
  readonly #runner: MatchRunner;
  #joins: Map<IndexQuery, ReadonlyMap<string, Joined>> | null = null;
  readonly #expansions: Expansions;
  /** What surrounds the query being planned asks of its documents: scripts and functions see no others. A plan made under it is right among them only. */
  #among: readonly PlanNode[] = [];

  /**
   * @param weights   statistics for scores: the shard's own, or those of all shards (dfs)
   */
  constructor(local: ShardStatistics, weights: Statistics, maxClauses: number, runner: MatchRunner) {
    this.#runner = runner;
    this.#local = local;
    this.#weights = weights;
    this.#expansions = new Expansions(local, maxClauses);
  }

  get segments(): readonly SegmentReader[] {
    return this.#local.segments;
  }

  bm25Of(field: string): Bm25 {
    return this.#local.bm25Of(field) ?? DEFAULT_BM25;
  }

  fieldStatistics(field: string): FieldStatistics | null {
    return this.#weights.field(field);
  }

  docFreq(term: Term): number {
    return this.#weights.docFreq(term);
  }

  /** The query that the shard's statistics make, the same for all segments. */
  resolvePerShard(query: Extract<IndexQuery, { op: 'perShard' }>): IndexQuery {
    return this.#expansions.resolvePerShard(query);
  }

  /** Plan of a query that is asked about certain documents only. @param among  plan of those */
  planAmong(query: IndexQuery, index: number, scored: boolean, among: PlanNode): PlanNode {
    return among.op === 'matchNone' ? MATCH_NONE : this.#within([among], () => this.plan(query, index, scored));
  }

  /** Plan for segment `index` of the shard. `scored` false: matches only. */
  plan(query: IndexQuery, index: number, scored: boolean, boost = 1): PlanNode {
    const segment = this.#local.segments[index];
    switch (query.op) {
      case 'all':
        return scored ? this.#constant(MATCH_ALL, boost, scored) : MATCH_ALL;
      case 'none':
        return MATCH_NONE;
      case 'named':
        return this.plan(query.query, index, scored, boost);
      case 'boost':
        return this.plan(query.query, index, scored, Math.fround(boost * query.boost));
      case 'constant':
        return this.#constant(this.plan(query.query, index, false), boost, scored);
      case 'term':
        return this.#term(query.term, this.#local.term(query.term), index, scored && query.scored, boost);
      case 'synonym':
        return this.#synonym(query.field, query.terms, index, scored, boost);
      case 'phrase':
        return this.#phrase(query, index, scored, boost);
      case 'join':
        return this.#join(query, index, boost);
      case 'positional':
        return this.#positional(query, index, scored, boost);
      case 'bool':
        return this.#bool(query, index, scored, boost);
      case 'disMax':
        return this.#disMax(query.queries, query.tieBreaker, index, scored, boost);
      case 'boosting':
        return this.#boosting(query, index, scored, boost);
      case 'blended':
        return this.#blended(query, index, scored, boost);
      case 'pattern':
        return this.#pattern(query, index, scored, boost);
      case 'anyTerm':
        return planAnyTerm(query.field, query.terms.map((term) => this.#local.term(term).states[index]).filter(isFound), segment);
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
        return planFilter(query, segment);
      case 'perShard':
        return this.plan(this.resolvePerShard(query), index, scored, boost);
      case 'scriptFilter':
        return this.#scripted(query, index);
      case 'feature':
        return this.#feature(query, index, scored, boost);
      case 'functionScore':
        return this.#functionScore(query, index, scored, boost);
      case 'termsSet':
        return this.#termsSet(query, index, scored, boost);
      case 'nested': {
        const childDocsPtr = segment.nestedDocsPtr(query.path);
        if (childDocsPtr === 0) return MATCH_NONE;
        const parentDocsPtr = query.parentPath === null ? 0 : segment.nestedDocsPtr(query.parentPath);
        const isScored = scored && query.scoreMode !== 'none';
        // What surrounds it is about parents.
        const child = this.#within([], () => this.plan(query.query, index, isScored, boost));
        if (child.op === 'matchNone') return child;
        return { op: 'nested', child, childDocsPtr, parentDocsPtr, scoreMode: isScored ? query.scoreMode : 'none' };
      }
    }
  }

  #constant(child: PlanNode, score: number, scored: boolean): PlanNode {
    return scored && child.op !== 'matchNone' ? { op: 'constantScore', child, score } : child;
  }

  /** @param docFreq  given when it is not the term's own */
  #scorer(field: string, docFreqs: readonly number[], boost: number): TermScorer | null {
    const statistics = this.#weights.field(field);
    if (!statistics) return null;
    let sum = 0;
    for (const docFreq of docFreqs) sum += idf(docFreq, statistics.docCount);
    return { weight: Math.fround(boost * Math.fround(sum)), normInverse: statistics.normInverse };
  }

  #term(term: Term, entry: TermEntry, index: number, scored: boolean, boost: number, docFreq?: number): PlanNode {
    const state = entry.states[index];
    const postings = state && this.#local.segments[index].postings(term.field);
    if (!state || !postings) return MATCH_NONE;
    const scorer = scored ? this.#scorer(term.field, [docFreq ?? this.#weights.docFreq(term)], boost) : null;
    return { op: 'term', postings, term: state, scorer };
  }

  #synonym(field: string, terms: readonly Term[], index: number, scored: boolean, boost: number): PlanNode {
    const postings = this.#local.segments[index].postings(field);
    const states = terms.map((term) => this.#local.term(term).states[index]).filter(isFound);
    if (!postings || states.length === 0) return MATCH_NONE;
    if (!scored) return planAnyTerm(field, states, this.#local.segments[index]);
    const docFreq = Math.max(...terms.map((term) => this.#weights.docFreq(term)));
    const scorer = this.#scorer(field, [docFreq], boost);
    return states.length === 1 ? { op: 'term', postings, term: states[0], scorer } : { op: 'synonym', postings, terms: states, scorer };
  }

  #phrase(query: PhraseQuery, index: number, scored: boolean, boost: number): PlanNode {
    const expanded = this.#expansions.phrase(query);
    if (expanded.op !== 'phrase') return this.plan(expanded, index, scored, boost);
    const postings = this.#local.segments[index].postings(query.field);
    if (!postings) return MATCH_NONE;
    const docFreqs: number[] = [];
    const positions: Array<{ position: number; terms: TermState[] }> = [];
    for (const { position, terms } of expanded.positions) {
      const entries = terms.map((term) => this.#local.term(term));
      for (const term of terms) {
        const docFreq = this.#weights.docFreq(term);
        if (docFreq > 0) docFreqs.push(docFreq);
      }
      const states = entries.map((entry) => entry.states[index]).filter(isFound);
      if (states.length === 0) return MATCH_NONE;
      positions.push({ position, terms: states });
    }
    return { op: 'phrase', postings, positions, slop: query.slop, scorer: scored ? this.#scorer(query.field, docFreqs, boost) : null };
  }

  #join(query: JoinQuery, index: number, boost: number): PlanNode {
    const { segments } = this.#local;
    let joined = this.#joins?.get(query);
    if (!joined) {
      const isScored = query.scoreMode !== 'none';
      // What surrounds it is about the other side.
      joined = this.#within([], () =>
        gatherJoined(query, segments, (at) => {
          const from = this.plan(query.from, at, isScored);
          return from.op === 'matchNone' ? null : this.#runner.matchesOf(at, from, null);
        }),
      );
      (this.#joins ??= new Map()).set(query, joined);
    }
    const to = this.plan(query.to, index, false);
    return to.op === 'matchNone' ? to : planJoined(query, segments[index], this.#candidates(to, index, null).docs, joined, boost);
  }

  #positional(query: PositionalQuery, index: number, scored: boolean, boost: number): PlanNode {
    const expanded = this.#expansions.positional(query);
    const candidates = this.plan(expanded.candidates, index, false);
    if (candidates.op === 'matchNone') return candidates;
    const segment = this.#local.segments[index];
    const { docs } = this.#candidates(candidates, index, query.nestedPath);
    const stateOf = (term: Term): TermState | null => this.#local.term(term).states[index];
    return matchPositions(expanded, segment, docs, stateOf, scored ? this.#frequencyScore(expanded, segment, boost) : null);
  }

  /** BM25 of all terms together for spans; intervals saturate towards the boost. */
  #frequencyScore({ query, scoring }: ExpandedPositional, segment: SegmentReader, boost: number): FrequencyScore {
    if (query.kind === 'intervals') return (_, freq) => Math.fround(boost * Math.fround(1 - Math.fround(1 / Math.fround(1 + freq))));
    const docFreqs = scoring.map((term) => this.#weights.docFreq(term)).filter((docFreq) => docFreq > 0);
    const scorer = this.#scorer(query.field, docFreqs, boost);
    if (!scorer) return () => 0;
    const hasNorms = (segment.postings(query.field)?.normsPtr ?? 0) !== 0;
    return (docId, freq) => {
      const inverse = scorer.normInverse[hasNorms ? segment.norm(query.field, docId) : 1];
      return Math.fround(scorer.weight - Math.fround(scorer.weight / Math.fround(1 + Math.fround(freq * inverse))));
    };
  }

  /** Scripts and functions run last: on documents that the clauses beside them leave. */
  #bool(query: BoolIndexQuery, index: number, scored: boolean, boost: number): PlanNode {
    if (!isComputed(query, scored)) return this.#plainBool(query, index, scored, boost);
    const plain = plainPart(query);
    const beside = plain ? this.#plainBool(plain, index, false, boost) : MATCH_ALL;
    if (beside.op === 'matchNone') return MATCH_NONE;
    const among = beside.op === 'matchAll' ? this.#among : [...this.#among, beside];
    return this.#within(among, () => this.#computedBool(query, index, scored, boost));
  }

  /** Clauses that choose by computing are asked one after the other; whatever else is computed sees what they all leave. */
  #computedBool(query: BoolIndexQuery, index: number, scored: boolean, boost: number): PlanNode {
    const { must, filter, should, mustNot } = query;
    const isChoosing = (clause: IndexQuery): boolean => isComputed(clause, false);
    const settled = (scored ? filter : [...filter, ...must]).filter(isChoosing);
    // A clause with a score is computed once more for it, so it is asked before only where another one waits for its answer.
    const isAwaited = [...must, ...should].filter((clause) => isComputed(clause, scored)).length + mustNot.filter(isChoosing).length > 1;
    const asked = scored && isAwaited ? must.filter(isChoosing) : [];
    let among = this.#among;
    const plans: PlanNode[] = [];
    for (const clause of [...settled, ...asked]) {
      const plan = this.#within(among, () => this.plan(clause, index, false));
      if (plan.op === 'matchNone') return MATCH_NONE;
      among = [...among, plan];
      plans.push(plan);
    }
    const isUnsettled = (clause: IndexQuery): boolean => !isChoosing(clause);
    const rest = { ...query, must: scored ? must : must.filter(isUnsettled), filter: filter.filter(isUnsettled) };
    return this.#within(among, () => this.#plainBool(rest, index, scored, boost, plans.slice(0, settled.length)));
  }

  /** @param settled  plans of further filters */
  #plainBool(query: BoolIndexQuery, index: number, scored: boolean, boost: number, settled: readonly PlanNode[] = []): PlanNode {
    const isRequired = query.must.length + query.filter.length + settled.length > 0;
    const minimum = query.minimumShouldMatch;
    const must: PlanNode[] = [];
    const filter: PlanNode[] = [...settled];
    for (const [clauses, isScored] of [
      [query.must, scored],
      [query.filter, false],
    ] as const) {
      for (const clause of clauses) {
        const plan = this.plan(clause, index, isScored, boost);
        if (plan.op === 'matchNone') return MATCH_NONE;
        if (isScored) must.push(plan);
        else if (plan.op !== 'matchAll') filter.push(plan);
      }
    }
    const wantsShould = scored || !isRequired || minimum > 0;
    const should = wantsShould
      ? query.should.map((clause) => this.plan(clause, index, scored, boost)).filter((plan) => plan.op !== 'matchNone')
      : [];
    const needed = isRequired ? minimum : Math.max(minimum, 1);
    if (should.length < needed) return MATCH_NONE;
    const mustNot = query.mustNot.map((clause) => this.plan(clause, index, false)).filter((plan) => plan.op !== 'matchNone');
    if (mustNot.some((plan) => plan.op === 'matchAll')) return MATCH_NONE;
    if (mustNot.length === 0) {
      if (must.length === 1 && filter.length + should.length === 0) return must[0];
      if (should.length === 1 && must.length + filter.length === 0 && !isRequired) return should[0];
      if (!scored && filter.length === 1 && must.length + should.length === 0) return filter[0];
    }
    if (isRequired && must.length + filter.length === 0) filter.push(MATCH_ALL);
    return { op: 'bool', must, filter, should, mustNot, minimumShouldMatch: needed };
  }

  #disMax(queries: readonly IndexQuery[], tieBreaker: number, index: number, scored: boolean, boost: number): PlanNode {
    const clauses = queries.map((query) => this.plan(query, index, scored, boost)).filter((plan) => plan.op !== 'matchNone');
    if (clauses.length === 0) return MATCH_NONE;
    if (clauses.length === 1) return clauses[0];
    if (!scored) return { op: 'bool', must: [], filter: [], should: clauses, mustNot: [], minimumShouldMatch: 1 };
    return { op: 'disMax', clauses, tieBreaker };
  }

  /** Documents of `positive`, those of `negative` with a part of their score: two disjoint halves. */
  #boosting(query: Extract<IndexQuery, { op: 'boosting' }>, index: number, scored: boolean, boost: number): PlanNode {
    const positive = this.plan(query.positive, index, scored, boost);
    const negative = this.plan(query.negative, index, false);
    if (!scored || positive.op === 'matchNone' || negative.op === 'matchNone') return positive;
    const kept: PlanNode = { op: 'bool', must: [positive], filter: [], should: [], mustNot: [negative], minimumShouldMatch: 0 };
    const demoted: PlanNode = { op: 'bool', must: [positive], filter: [negative], should: [], mustNot: [], minimumShouldMatch: 0 };
    const part: PlanNode = { op: 'boost', child: demoted, factor: query.negativeBoost };
    return { op: 'bool', must: [], filter: [], should: [kept, part], mustNot: [], minimumShouldMatch: 1 };
  }

  #blended(query: Extract<IndexQuery, { op: 'blended' }>, index: number, scored: boolean, boost: number): PlanNode {
    const docFreqs = blendDocFreqs(
      query.terms.map(({ term }) => term),
      this.#local,
    );
    const clauses = query.terms
      .map(({ term, boost: own }, i) => this.#term(term, this.#local.term(term), index, scored, Math.fround(boost * own), docFreqs[i]))
      .filter((plan) => plan.op !== 'matchNone');
    if (clauses.length <= 1) return clauses[0] ?? MATCH_NONE;
    if (!scored) return { op: 'bool', must: [], filter: [], should: clauses, mustNot: [], minimumShouldMatch: 1 };
    return { op: 'disMax', clauses, tieBreaker: query.tieBreaker };
  }

  #pattern(query: PatternQuery, index: number, scored: boolean, boost: number): PlanNode {
    if (query.rewrite.kind === 'constant' || !scored) {
      if (query.rewrite.kind === 'constant' || query.rewrite.kind === 'scoring_boolean' || query.rewrite.kind === 'constant_boolean') {
        return this.#constant(planPatternTerms(query, this.#local.segments[index]), boost, scored);
      }
    }
    const terms = this.#expansions.terms(query);
    const { kind } = query.rewrite;
    const docFreq = kind === 'top_terms_blended' ? Math.max(0, ...terms.map(({ entry }) => entry.docFreq)) : undefined;
    const clauses = terms
      .map(({ term, entry, boost: own }) => {
        const isConstant = kind === 'top_terms_boost' || kind === 'constant_boolean';
        const plan = this.#term(term, entry, index, scored && !isConstant, Math.fround(boost * own), docFreq);
        return isConstant ? this.#constant(plan, Math.fround(boost * own), scored) : plan;
      })
      .filter((plan) => plan.op !== 'matchNone');
    if (clauses.length <= 1) return clauses[0] ?? MATCH_NONE;
    return { op: 'bool', must: [], filter: [], should: clauses, mustNot: [], minimumShouldMatch: 1 };
  }

  #functionScore(query: Extract<IndexQuery, { op: 'functionScore' }>, index: number, scored: boolean, boost: number): PlanNode {
    // Without scores it takes what the query inside does, unless the scores choose.
    if (!scored && query.minScore === null) return this.plan(query.query, index, false);
    const plan = this.plan(query.query, index, true, query.boostsResult ? 1 : boost);
    if (plan.op === 'matchNone') return plan;
    const base = this.#candidates(plan, index, query.nestedPath);
    if (base.docs.length === 0) return MATCH_NONE;
    const found: PlanNode = { op: 'docs', docs: base.docs, scores: null };
    const docsOf = (filter: IndexQuery): ReadonlySet<number> =>
      this.#within([found], () => {
        const chosen = this.plan(filter, index, false);
        return new Set(chosen.op === 'matchNone' ? [] : this.#candidates(chosen, index, query.nestedPath).docs);
      });
    const filters = query.functions.map(({ filter }) => (filter ? docsOf(filter) : null));
    return scoreByFunctions(query, this.#local.segments[index], base, filters, query.boostsResult ? boost : 1);
  }

  /** One disjoint part per number of clauses that a document may ask for. */
  #termsSet(query: Extract<IndexQuery, { op: 'termsSet' }>, index: number, scored: boolean, boost: number): PlanNode {
    const { clauses, minimum } = query;
    if (minimum.by === 'script') return this.#termsSetByScript(clauses, minimum, index, scored, boost);
    const { field: minimumField, isF64 } = minimum;
    const parts = clauses.map((_, i): IndexQuery => {
      const least = i === 0;
      const wanted: IndexQuery = isF64
        ? { op: 'rangeF64', field: minimumField, min: least ? Number.NEGATIVE_INFINITY : i + 1, max: i + 1 }
        : { op: 'rangeI64', field: minimumField, min: least ? -(2n ** 63n) : BigInt(i + 1), max: BigInt(i + 1) };
      return bool({ filter: [wanted], should: clauses, minimumShouldMatch: i + 1 });
    });
    return this.plan(bool({ should: parts, minimumShouldMatch: 1 }), index, scored, boost);
  }

  #termsSetByScript(
    clauses: readonly IndexQuery[],
    { nestedPath, clausesOf }: Extract<Extract<IndexQuery, { op: 'termsSet' }>['minimum'], { by: 'script' }>,
    index: number,
    scored: boolean,
    boost: number,
  ): PlanNode {
    const any = this.plan(bool({ should: clauses, minimumShouldMatch: 1 }), index, false);
    if (any.op === 'matchNone') return any;
    const segment = this.#local.segments[index];
    const byMinimum = new Map<number, number[]>();
    for (const docId of this.#candidates(any, index, nestedPath).docs) {
      const wanted = Math.max(1, clausesOf(segment, docId));
      const docs = byMinimum.get(wanted);
      if (docs) docs.push(docId);
      else byMinimum.set(wanted, [docId]);
    }
    const parts: PlanNode[] = [];
    for (const [wanted, docs] of byMinimum) {
      const part =
        wanted > clauses.length ? MATCH_NONE : this.plan(bool({ should: clauses, minimumShouldMatch: wanted }), index, scored, boost);
      if (part.op === 'matchNone') continue;
      parts.push({ op: 'bool', must: [part], filter: [planDocs(docs)], should: [], mustNot: [], minimumShouldMatch: 0 });
    }
    if (parts.length <= 1) return parts[0] ?? MATCH_NONE;
    return { op: 'bool', must: [], filter: [], should: parts, mustNot: [], minimumShouldMatch: 1 };
  }

  /** Bitset of a nested path's documents; null: roots. */
  #scopeOf(nestedPath: string | null, index: number): number | null {
    return nestedPath === null ? null : this.#local.segments[index].nestedDocsPtr(nestedPath);
  }

  /** Plans with other surroundings. */
  #within<T>(among: readonly PlanNode[], action: () => T): T {
    const outer = this.#among;
    this.#among = among;
    try {
      return action();
    } finally {
      this.#among = outer;
    }
  }

  /** Documents of a plan that the surroundings leave, with their scores. */
  #candidates(plan: PlanNode, index: number, nestedPath: string | null): ScoredDocs {
    const filter = [...this.#among];
    const left: PlanNode =
      filter.length === 0 ? plan : { op: 'bool', must: [plan], filter, should: [], mustNot: [], minimumShouldMatch: 0 };
    return this.#runner.matchesOf(index, left, this.#scopeOf(nestedPath, index));
  }

  #scripted({ nestedPath, matches }: ScriptFilter, index: number): PlanNode {
    const segment = this.#local.segments[index];
    const { docs } = this.#candidates(MATCH_ALL, index, nestedPath);
    return planDocs([...docs].filter((docId) => matches(segment, docId)));
  }

  /** The frequency of a feature's term is its value: it is read off a score that grows with it alone. Source: Lucene's FeatureField. */
  #feature({ term, scoreOf }: Extract<IndexQuery, { op: 'feature' }>, index: number, scored: boolean, boost: number): PlanNode {
    const entry = this.#local.term(term);
    const plan = this.#term(term, entry, index, false, boost);
    if (!scored || plan.op !== 'term') return plan;
    const states = entry.states.filter(isFound);
    const total = states.reduce((sum, state) => sum + state.totalTermFreq, 0);
    const score = scoreOf(featureValue(Math.trunc(total / entry.docFreq)));
    const { docs, scores } = this.#runner.matchesOf(index, { ...plan, scorer: FEATURE_SCORER }, null);
    const values = scores.map((found) => Math.fround(score(featureValue(Math.round(FEATURE_SCALE * (1 / (1 - found) - 1)))) * boost));
    return { op: 'docs', docs, scores: values };
  }
}

/** Under this scorer a frequency f scores 1 - 1 / (1 + f / 2^15): frequencies of features (below 2^16) are told apart in float32. */
const FEATURE_SCALE = 2 ** 15;
const FEATURE_SCORER: TermScorer = { weight: 1, normInverse: new Float32Array(256).fill(1 / FEATURE_SCALE) };

function isFound<T>(state: T | null): state is T {
  return state !== null;
}
