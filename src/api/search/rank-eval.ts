// `_rank_eval`: measures how well searches rank documents that have been rated.
// Source: PrecisionAtK, RecallAtK, MeanReciprocalRank, DiscountedCumulativeGain, ExpectedReciprocalRank (Elasticsearch), reimplemented from their documentation.

import type { MutableJsonObject } from '../../common/json/json-value.ts';
import { writeJson } from '../../common/json/json-write.ts';
import { setOwn } from '../../common/json/own-property.ts';
import type { Mobility } from '../../common/turns/turn.ts';
import { ApiError } from '../../errors/api-error.ts';
import { HeldElsewhere } from '../../errors/held-elsewhere.ts';
import { renderTemplate } from '../../scripting/mustache.ts';
import { pauses } from '../../search/run/steps.ts';
import type { EngineContext } from '../core/context.ts';
import { parseJsonText } from '../core/json-text.ts';
import { errorJson } from './multi-search.ts';
import { search } from './search.ts';
import type { SearchIndices } from './search-call.ts';

export interface Rating {
  readonly index: string;
  readonly id: string;
  readonly rating: number;
}

export interface RatedSearch {
  readonly id: string;
  /** Body of the search; null if a template renders it. */
  readonly request: MutableJsonObject | null;
  readonly template: string | null;
  readonly params: MutableJsonObject;
  readonly ratings: readonly Rating[];
}

export type MetricName = 'precision' | 'recall' | 'mean_reciprocal_rank' | 'dcg' | 'expected_reciprocal_rank';

export interface Metric {
  readonly name: MetricName;
  readonly k: number;
  readonly relevantThreshold: number;
  readonly ignoreUnlabeled: boolean;
  readonly normalize: boolean;
  /** expected_reciprocal_rank: the highest possible rating. */
  readonly maximumRelevance: number;
  /** Rating of unrated documents; null to leave them out. */
  readonly unknownDocRating: number | null;
}

/** Ratings of the hits in order; null for unrated documents. */
type Ranked = ReadonlyArray<number | null>;

interface Score {
  readonly score: number;
  readonly details: MutableJsonObject;
}

const gain = (rating: number, place: number): number => (2 ** rating - 1) / Math.log2(place + 2);

function discounted(ratings: readonly (number | null)[]): number {
  return ratings.reduce<number>((sum, rating, place) => sum + (rating === null ? 0 : gain(rating, place)), 0);
}

/** The metric of one search. @param all  all ratings of the request, whether their documents were found or not */
export function evaluate(metric: Metric, ranked: Ranked, all: readonly number[]): Score {
  const isRelevant = (rating: number | null): boolean => rating !== null && rating >= metric.relevantThreshold;
  const relevant = ranked.filter(isRelevant).length;
  const filled = ranked.map((rating) => rating ?? metric.unknownDocRating);
  switch (metric.name) {
    case 'precision': {
      const retrieved = ranked.filter((rating) => rating !== null || !metric.ignoreUnlabeled).length;
      return {
        score: retrieved === 0 ? 0 : relevant / retrieved,
        details: { precision: { relevant_docs_retrieved: relevant, docs_retrieved: retrieved } },
      };
    }
    case 'recall': {
      const wanted = all.filter(isRelevant).length;
      return {
        score: wanted === 0 ? 0 : relevant / wanted,
        details: { recall: { relevant_docs_retrieved: relevant, relevant_docs: wanted } },
      };
    }
    case 'mean_reciprocal_rank': {
      const first = ranked.findIndex(isRelevant);
      return { score: first < 0 ? 0 : 1 / (first + 1), details: { mean_reciprocal_rank: { first_relevant: first < 0 ? -1 : first + 1 } } };
    }
    case 'dcg': {
      const dcg = discounted(filled);
      const unrated = ranked.filter((rating) => rating === null).length;
      if (!metric.normalize) return { score: dcg, details: { dcg: { dcg, unrated_docs: unrated } } };
      const best = [...all, ...Array<number>(metric.unknownDocRating === null ? 0 : unrated).fill(metric.unknownDocRating ?? 0)];
      const ideal = discounted(best.sort((a, b) => b - a).slice(0, filled.length));
      const score = ideal === 0 ? 0 : dcg / ideal;
      return { score, details: { dcg: { dcg, ideal_dcg: ideal, normalized_dcg: score, unrated_docs: unrated } } };
    }
    case 'expected_reciprocal_rank': {
      let score = 0;
      let left = 1;
      filled.forEach((rating, place) => {
        if (rating === null) return;
        const stops = (2 ** rating - 1) / 2 ** metric.maximumRelevance;
        score += (left * stops) / (place + 1);
        left *= 1 - stops;
      });
      return { score, details: { expected_reciprocal_rank: { unrated_docs: ranked.filter((rating) => rating === null).length } } };
    }
  }
}

/** `{ metric_score, details, failures }`. @throws ApiError a template does not render */
export async function rankEval(
  ctx: EngineContext,
  indices: SearchIndices,
  searches: readonly RatedSearch[],
  metric: Metric,
  mobility: Mobility,
): Promise<MutableJsonObject> {
  const pause = pauses(mobility);
  const details: MutableJsonObject = {};
  const failures: MutableJsonObject = {};
  const scores: number[] = [];
  for (const { id, request, template, params, ratings } of searches) {
    await pause();
    const body = request ?? (parseJsonText(renderTemplate(template ?? '{}', params)) as MutableJsonObject);
    let hits: Array<{ _index: string; _id: string }>;
    try {
      // Bypasses the cache, whose responses have their hits as JSON text.
      const answer = await search(ctx, {
        indices,
        parameters: { requestCache: false },
        body: writeJson({ ...body, size: metric.k }),
        mobility,
      });
      hits = (answer['hits'] as { hits: typeof hits }).hits;
    } catch (error) {
      if (!(error instanceof ApiError) || error instanceof HeldElsewhere) throw error;
      setOwn(failures, id, { error: errorJson(error) });
      continue;
    }
    const rated = new Map(ratings.map((one) => [`${one.index}/${one.id}`, one.rating]));
    const ranked = hits.map((hit) => rated.get(`${hit._index}/${hit._id}`) ?? null);
    const { score, details: own } = evaluate(
      metric,
      ranked,
      ratings.map(({ rating }) => rating),
    );
    scores.push(score);
    setOwn(details, id, {
      metric_score: score,
      unrated_docs: hits.filter((_, i) => ranked[i] === null).map(({ _index, _id }) => ({ _index, _id })),
      hits: hits.map(({ _index, _id, ...rest }, i) => ({
        hit: { _index, _id, _score: (rest as MutableJsonObject)['_score'] ?? null },
        rating: ranked[i],
      })),
      metric_details: own,
    });
  }
  const sum = scores.reduce((total, score) => total + score, 0);
  return { metric_score: scores.length === 0 ? 0 : sum / scores.length, details, failures };
}
