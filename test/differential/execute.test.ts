import { expect, test } from 'vitest';
import { countPlan, executePlan, planToBitset } from '../../src/plan/execute.ts';
import { type CollectPlan, makeCounters, type PlanNode, type SegmentScope, type SortKey } from '../../src/plan/query-plan.ts';
import { pairsOf } from '../../src/search/plan/segment-filters.ts';
import { bitset } from '../reference/codec.ts';
import { evaluate } from '../reference/search.ts';
import { eachKernelBuild } from '../support/kernels.ts';
import { forSeeds, Rng } from '../support/rng.ts';
import { makeSegment, randomDocs, type TinySegment } from '../support/tiny-segment.ts';

const WORDS = 6;
const normInverse = Float32Array.from({ length: 256 }, (_, norm) => 1 / (1.2 * (0.25 + (0.75 * norm) / 20)));

const BY_SCORE: CollectPlan = {
  size: 10,
  sort: [],
  trackScores: false,
  after: null,
  trackTotalHitsUpTo: Infinity,
  minScore: null,
  terminateAfter: 0,
  postFilter: null,
};

/** Random plans over a tiny segment, `depth` levels of compounds at most. */
function randomPlan(rng: Rng, segment: TinySegment, depth: number): PlanNode {
  const word = () => segment.term(String.fromCharCode(97 + rng.int(0, WORDS - 1)));
  const scorer = rng.bool(0.9) ? { weight: Math.fround(rng.float() * 5 + 0.1), normInverse } : null;
  const { postings } = segment;
  const several = (least: number, most: number): PlanNode[] =>
    Array.from({ length: rng.int(least, most) }, () => randomPlan(rng, segment, depth - 1));
  const leaf = (): PlanNode => {
    switch (rng.int(0, 9)) {
      case 0:
        return { op: 'synonym', postings, terms: [...new Set([word(), word()])], scorer };
      case 1: {
        const texts = [...new Set([word(), word(), word()])];
        const plan = { op: 'anyTerm' as const, postings, terms: pairsOf(texts), texts };
        return plan;
      }
      case 2: {
        let position = -1;
        const positions = Array.from({ length: rng.int(2, 4) }, () => ({ position: (position += rng.int(1, 2)), terms: [word()] }));
        return { op: 'phrase', postings, positions, slop: rng.pick([0, 0, 1, 3, 8]), scorer };
      }
      case 3: {
        const terms = [word(), word()];
        return {
          op: 'phrase',
          postings,
          positions: [
            { position: 0, terms: [...new Set(terms)] },
            { position: 1, terms: [word()] },
          ],
          slop: 0,
          scorer,
        };
      }
      case 4: {
        const low = rng.int(-160, 160);
        return { op: 'rangeI64', column: segment.integers, min: BigInt(low), max: BigInt(low + rng.int(0, 100)) };
      }
      case 5:
        return rng.bool()
          ? { op: 'rangeF64', column: segment.doubles, min: rng.int(-15, 5), max: rng.int(-5, 15) }
          : { op: 'inI64', column: segment.integers, values: BigInt64Array.from([-7n, 3n, 30n]) };
      case 6: {
        const docs = Uint32Array.from(
          new Set(Array.from({ length: rng.int(0, 30) }, () => rng.int(0, segment.maxDoc - 1))).values(),
        ).sort();
        return { op: 'docs', docs, scores: rng.bool() ? Float32Array.from(docs, () => rng.float()) : null };
      }
      default:
        return { op: 'term', postings, term: word(), scorer };
    }
  };
  if (depth === 0) return leaf();
  switch (rng.int(0, 7)) {
    case 0:
      return { op: 'disMax', clauses: several(1, 3), tieBreaker: rng.pick([0, 0.3, 1]) };
    case 1:
      return { op: 'constantScore', child: randomPlan(rng, segment, depth - 1), score: 1.5 };
    case 2:
      return { op: 'boost', child: randomPlan(rng, segment, depth - 1), factor: 0.7 };
    case 3:
    case 4: {
      const [must, filter, should] = [several(0, 2), several(0, 1), several(0, 3)];
      const least = rng.int(0, Math.min(2, should.length));
      const pure = must.length + filter.length === 0 && should.length > 0;
      return { op: 'bool', must, filter, should, mustNot: several(0, 1), minimumShouldMatch: pure ? Math.max(1, least) : least };
    }
    case 5: {
      const should = Array.from({ length: rng.int(2, 5) }, (): PlanNode => ({ op: 'term', postings, term: word(), scorer }));
      return { op: 'bool', must: [], filter: [], should, mustNot: [], minimumShouldMatch: 1 };
    }
    default: {
      const must = Array.from({ length: rng.int(2, 3) }, (): PlanNode => ({ op: 'term', postings, term: word(), scorer }));
      return { op: 'bool', must, filter: [], should: [], mustNot: [], minimumShouldMatch: 0 };
    }
  }
}

interface Expected {
  doc: number;
  score: number;
}

function expected(plan: PlanNode, segment: TinySegment, accepts: (doc: number) => boolean): Expected[] {
  const hits: Expected[] = [];
  for (const [doc, content] of segment.docs.entries()) {
    const score = evaluate(plan, content, doc);
    if (score !== null && accepts(doc)) hits.push({ doc, score });
  }
  return hits;
}

const byScore = (a: Expected, b: Expected): number => b.score - a.score || a.doc - b.doc;

eachKernelBuild((k, build) => {
  const rounds = build === 'debug' ? 12 : 40;
  const setUp = (rng: Rng, sizes: number[]) => {
    const segment = makeSegment(k, randomDocs(rng, rng.pick(sizes), WORDS), rng.bool(0.3));
    const { maxDoc } = segment;
    const dead = new Set(rng.bool() ? Array.from({ length: rng.int(1, maxDoc) }, () => rng.int(0, maxDoc - 1)) : []);
    const live = bitset(
      maxDoc,
      [...segment.docs.keys()].filter((doc) => !dead.has(doc)),
    );
    const scope: SegmentScope = {
      maxDoc,
      liveDocsPtr: dead.size ? k.copyIn(new Uint8Array([...live, ...new Uint8Array(16)])) : 0,
      rootDocsPtr: 0,
    };
    return { segment, scope, accepts: (doc: number) => !dead.has(doc) };
  };

  test(`${build}: hits, totals and counts of random plans equal the twin's, pruned or not`, () =>
    forSeeds(rounds, (rng) =>
      k.scoped(() => {
        const { segment, scope, accepts } = setUp(rng, [1, 70, 900, 5000, 16400]);
        for (let i = 0; i < 6; i++) {
          const plan = randomPlan(rng, segment, rng.int(0, 2));
          const all = expected(plan, segment, accepts);
          const best = [...all].sort(byScore);
          const note = JSON.stringify(plan, (key, value) =>
            key === 'postings' || key === 'normInverse' || key === 'column' ? undefined : typeof value === 'bigint' ? Number(value) : value,
          );
          expect(countPlan(k, scope, plan), note).toBe(all.length);
          for (const trackTotalHitsUpTo of [Infinity, 0, 5]) {
            const size = rng.pick([1, 3, 10, 200]);
            const hits = executePlan(k, scope, plan, { ...BY_SCORE, size, trackTotalHitsUpTo });
            expect([...hits.docs], note).toEqual(best.slice(0, size).map((hit) => hit.doc));
            expect([...hits.scores], note).toEqual(best.slice(0, size).map((hit) => hit.score));
            if (!hits.totalIsLowerBound) expect(hits.total).toBe(all.length);
            else
              expect(hits.total).toBeGreaterThan(
                trackTotalHitsUpTo === Infinity ? all.length : Math.min(trackTotalHitsUpTo, all.length) - 1,
              );
          }
        }
      }),
    ));

  test(`${build}: returns only hits above a minimum competitive score, as later segments must`, () =>
    forSeeds(rounds * 2, (rng) =>
      k.scoped(() => {
        const { segment, scope, accepts } = setUp(rng, [900, 900, 17000]);
        for (let i = 0; i < 6; i++) {
          const plan = randomPlan(rng, segment, rng.int(0, 2));
          const best = expected(plan, segment, accepts).sort(byScore);
          if (best.length === 0) continue;
          const minCompetitiveScore = rng.pick([rng.pick(best).score, best[0].score, 0]);
          const above = best.filter((hit) => hit.score > minCompetitiveScore);
          for (const trackTotalHitsUpTo of [Infinity, 0, 5]) {
            const size = rng.pick([1, 10, 200]);
            const hits = executePlan(k, scope, plan, { ...BY_SCORE, size, trackTotalHitsUpTo }, { minCompetitiveScore });
            expect([...hits.docs]).toEqual(above.slice(0, size).map((hit) => hit.doc));
            expect([...hits.scores]).toEqual(above.slice(0, size).map((hit) => hit.score));
            if (!hits.totalIsLowerBound) expect(hits.total).toBe(best.length);
          }
        }
      }),
    ));

  test(`${build}: filters, limits and sort orders equal the twin's`, () =>
    forSeeds(rounds, (rng) =>
      k.scoped(() => {
        const { segment, scope, accepts } = setUp(rng, [70, 900, 4100]);
        const plan = randomPlan(rng, segment, 1);
        const postFilter = rng.bool() ? randomPlan(rng, segment, 1) : null;
        const minScore = rng.bool() ? Math.fround(rng.float()) : null;
        const kept = expected(plan, segment, accepts).filter((hit) => minScore === null || hit.score >= minScore);
        const all = kept.filter((hit) => !postFilter || evaluate(postFilter, segment.docs[hit.doc], hit.doc) !== null);
        const plain = executePlan(k, scope, plan, { ...BY_SCORE, size: 20, postFilter, minScore });
        expect([...plain.docs]).toEqual(
          [...all]
            .sort(byScore)
            .slice(0, 20)
            .map((hit) => hit.doc),
        );
        expect(plain.total).toBe(all.length);

        const descending = rng.bool();
        const mode = rng.pick(['min', 'max', 'sum', 'avg', 'median'] as const);
        const missing = rng.pick(['first', 'last', 5n] as const);
        const useDoubles = rng.bool();
        const column = useDoubles ? segment.doubles : segment.integers;
        const key: SortKey = {
          by: 'column',
          column,
          descending,
          mode,
          missing: useDoubles && missing === 5n ? 5 : missing,
          nestedDocsPtr: 0,
          nestedFilter: null,
          maxChildren: null,
        };
        const sort: SortKey[] = rng.bool() ? [key] : [key, { by: 'score', descending: true }];
        const rows = all.map((hit) => {
          const value = reduce(useDoubles ? segment.docs[hit.doc].doubles : segment.docs[hit.doc].integers, mode, useDoubles);
          const filled = value ?? (missing === 5n ? 5 : null);
          const edge = (missing === 'first') === descending ? Infinity : -Infinity;
          return { ...hit, value: filled, rank: filled ?? edge };
        });
        const sign = descending ? -1 : 1;
        rows.sort(
          (a, b) =>
            (a.rank === b.rank ? 0 : sign * (a.rank < b.rank ? -1 : 1)) || (sort.length > 1 ? b.score - a.score : 0) || a.doc - b.doc,
        );
        const collect: CollectPlan = { ...BY_SCORE, size: 15, sort, postFilter, minScore };
        const sorted = executePlan(k, scope, plan, collect);
        expect([...sorted.docs]).toEqual(rows.slice(0, 15).map((row) => row.doc));
        expect(sorted.sortValues.map((values) => (values[0] === null ? null : Number(values[0])))).toEqual(
          rows.slice(0, 15).map((row) => row.value),
        );

        // The next page begins after the last hit.
        if (rows.length <= 15) return;
        const after = { values: sorted.sortValues[14], docId: sorted.docs[14] };
        const page = executePlan(k, scope, plan, { ...collect, after });
        expect([...page.docs]).toEqual(rows.slice(15, 30).map((row) => row.doc));
      }),
    ));

  test(`${build}: runs a plan to a bitset, ends by terminateAfter, and stops on request`, () =>
    forSeeds(rounds, (rng) =>
      k.scoped(() => {
        const { segment, scope, accepts } = setUp(rng, [70, 9000]);
        const plan = randomPlan(rng, segment, 2);
        const out = k.reserve(Math.ceil(segment.maxDoc / 512) * 64);
        planToBitset(k, scope, plan, out);
        const matching = expected(plan, segment, () => true).map((hit) => hit.doc);
        expect(k.copyOut(out, Math.ceil(segment.maxDoc / 512) * 64)).toEqual(bitset(segment.maxDoc, matching));
        const all = expected(plan, segment, accepts);
        const postFilter = rng.bool() ? randomPlan(rng, segment, 1) : null;
        const kept = postFilter ? new Set(expected(postFilter, segment, accepts).map((hit) => hit.doc)) : null;
        const minScore = rng.bool() ? rng.float() * 2 : null;
        const accepted = all.filter(({ doc, score }) => (!kept || kept.has(doc)) && (minScore === null || score >= Math.fround(minScore)));
        const terminateAfter = rng.int(1, 6);
        const few = executePlan(k, scope, plan, { ...BY_SCORE, postFilter, minScore, terminateAfter });
        expect([few.total, few.terminatedEarly]).toEqual([Math.min(terminateAfter, accepted.length), accepted.length > terminateAfter]);
        expect([...few.docs]).toEqual(
          [...accepted.slice(0, terminateAfter)]
            .sort(byScore)
            .slice(0, 10)
            .map((hit) => hit.doc),
        );
        const stopped = executePlan(k, scope, plan, BY_SCORE, { stop: () => true });
        expect([...stopped.docs]).toEqual(
          [...all]
            .sort(byScore)
            .slice(0, 10)
            .map((hit) => hit.doc),
        );
      }),
    ));

  test(`${build}: decodes only the blocks that can contain one of the best hits of a term`, () => {
    k.scoped(() => {
      const docs = Array.from({ length: 20_000 }, (_, doc) => {
        const positions = doc === 19_000 ? [0, 1, 2] : [doc % 7];
        return { terms: new Map([['a', positions]]), norm: 9, integers: [], doubles: [] };
      });
      const segment = makeSegment(k, docs);
      const scorer = { weight: 2, normInverse };
      const plan: PlanNode = { op: 'term', postings: segment.postings, term: segment.term('a'), scorer };
      const counters = makeCounters();
      const scope: SegmentScope = { maxDoc: docs.length, liveDocsPtr: 0, rootDocsPtr: 0 };
      const hits = executePlan(k, scope, plan, { ...BY_SCORE, size: 1, trackTotalHitsUpTo: 0 }, { counters });
      expect([...hits.docs]).toEqual([19_000]);
      // The block that the run begins with, and that of the hit.
      expect(counters.blocksDecoded).toBeLessThanOrEqual(2);
    });
  });

  test(`${build}: equal scores above the floor of a term are hits in the order of their documents`, () => {
    k.scoped(() => {
      const docs = Array.from({ length: 17_000 }, (_, doc) => ({
        terms: new Map([['a', doc % 500 === 499 ? [0, 1] : [0]]]),
        norm: 9,
        integers: [],
        doubles: [],
      }));
      const segment = makeSegment(k, docs);
      const plan: PlanNode = { op: 'term', postings: segment.postings, term: segment.term('a'), scorer: { weight: 2, normInverse } };
      const hits = executePlan(k, { maxDoc: docs.length, liveDocsPtr: 0, rootDocsPtr: 0 }, plan, {
        ...BY_SCORE,
        size: 3,
        trackTotalHitsUpTo: 0,
      });
      expect([...hits.docs]).toEqual([499, 999, 1499]);
    });
  });

  test(`${build}: a plan whose state does not fit is refused, and the next one runs`, () => {
    k.scoped(() => {
      const segment = makeSegment(k, randomDocs(new Rng(1), 500, WORDS));
      const scope: SegmentScope = { maxDoc: 500, liveDocsPtr: 0, rootDocsPtr: 0 };
      const plan: PlanNode = { op: 'term', postings: segment.postings, term: segment.term('a'), scorer: null };
      for (const left of [200, 3000, 20000]) {
        const mark = k.mark();
        k.reserve(k.free - left);
        expect(() => executePlan(k, scope, plan, BY_SCORE)).toThrowError(
          expect.objectContaining({ type: 'circuit_breaking_exception', status: 429 }),
        );
        k.release(mark);
      }
      expect(countPlan(k, scope, plan)).toBe(segment.term('a').docFreq);
    });
  });
}, 1024);

/** Mode over ascending values. */
function reduce(values: readonly number[], mode: 'min' | 'max' | 'sum' | 'avg' | 'median', doubles: boolean): number | null {
  if (values.length === 0) return null;
  const n = values.length;
  const round = (value: number): number => (doubles ? value : Math.floor(value + 0.5));
  const sum = values.reduce((a, b) => a + b, 0);
  if (mode === 'min') return values[0];
  if (mode === 'max') return values[n - 1];
  if (mode === 'sum') return sum;
  if (mode === 'avg') return n === 1 ? sum : round(sum / n);
  return n % 2 ? values[n >> 1] : round((values[(n >> 1) - 1] + values[n >> 1]) / 2);
}
