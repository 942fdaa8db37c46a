// `_rank_eval`.

import { type Metric, type MetricName, type RatedSearch, type Rating, rankEval } from '../../api/search/rank-eval.ts';
import { writeJson } from '../../common/json/json-write.ts';
import { illegalArgumentError, parsingError } from '../../errors/catalog.ts';
import { defineApi, INDICES_OPTIONS, type RestContext } from '../core/api.ts';
import { indicesOf } from '../core/params/search-params.ts';
import type { ApiRequest } from '../core/request.ts';
import { type ApiResponse, ok } from '../core/response.ts';

type Body = Record<string, unknown>;

export const rankEvalApi = defineApi({
  name: 'rank_eval',
  body: 'json!',
  needs: 'indices:data/read/rank_eval',
  reaches: 'indices:data/read/search',
  params: { ...INDICES_OPTIONS, search_type: 'string' },
  routes: {
    'GET  /_rank_eval': evaluateRanks,
    'POST /_rank_eval': evaluateRanks,
    'GET  /{index}/_rank_eval': evaluateRanks,
    'POST /{index}/_rank_eval': evaluateRanks,
  },
});

/** 200 `{ metric_score, details, failures }`. @throws ApiError parsing_exception, illegal_argument_exception */
async function evaluateRanks(request: ApiRequest, { engine }: RestContext): Promise<ApiResponse> {
  const body = objectOf(request.body, 'rank_eval');
  checkKeys(body, ['requests', 'metric', 'templates', 'max_concurrent_searches'], 'rank_eval');
  const templates = new Map(listOf(body['templates'] ?? [], 'templates').map(readTemplate));
  const searches = listOf(body['requests'], 'requests').map((item) => readSearch(item, templates));
  if (searches.length === 0) throw illegalArgumentError('must have at least one rated request');
  const ids = new Set(searches.map(({ id }) => id));
  if (ids.size < searches.length) throw illegalArgumentError('Found duplicate rated request id');
  return ok(await rankEval(engine, indicesOf(request), searches, readMetric(body['metric']), request.mobility));
}

function objectOf(value: unknown, what: string): Body {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw parsingError(`[${what}] must be an object`);
  return value as Body;
}

function listOf(value: unknown, what: string): unknown[] {
  if (!Array.isArray(value)) throw parsingError(`[${what}] must be a list`);
  return value;
}

function checkKeys(body: Body, known: readonly string[], what: string): void {
  for (const key of Object.keys(body)) if (!known.includes(key)) throw parsingError(`[${what}] unknown field [${key}]`);
}

function readTemplate(value: unknown): [string, string] {
  const { id, template, ...rest } = objectOf(value, 'templates');
  checkKeys(rest, [], 'templates');
  const source = objectOf(template, 'template')['source'] ?? objectOf(template, 'template')['inline'];
  if (id === undefined || source === undefined) throw parsingError('[templates] need [id] and [template.source]');
  return [String(id), typeof source === 'string' ? source : writeJson(source)];
}

function readSearch(value: unknown, templates: ReadonlyMap<string, string>): RatedSearch {
  const body = objectOf(value, 'requests');
  checkKeys(body, ['id', 'request', 'ratings', 'template_id', 'params', 'summary_fields'], 'request');
  if (body['id'] === undefined) throw parsingError('[request] needs an [id]');
  const id = String(body['id']);
  const templateId = body['template_id'];
  if ((body['request'] === undefined) === (templateId === undefined))
    throw illegalArgumentError('Either evaluation request or template id + parameters must be provided, and not both.');
  const template = templateId === undefined ? null : templates.get(String(templateId));
  if (template === undefined) throw illegalArgumentError(`no template [${String(templateId)}] for request [${id}]`);
  const request = body['request'] === undefined ? null : objectOf(body['request'], 'request');
  for (const key of ['suggest', 'aggs', 'aggregations', 'highlight', 'explain', 'profile'])
    if (request?.[key] !== undefined) throw illegalArgumentError(`Query in rated requests should not contain [${key}].`);
  return {
    id,
    request,
    template,
    params: objectOf(body['params'] ?? {}, 'params'),
    ratings: listOf(body['ratings'] ?? [], 'ratings').map(readRating),
  };
}

function readRating(value: unknown): Rating {
  const { _index: index, _id: id, rating, ...rest } = objectOf(value, 'ratings');
  checkKeys(rest, [], 'ratings');
  if (index === undefined || id === undefined) throw parsingError('[ratings] need [_index] and [_id]');
  if (!Number.isInteger(rating) || (rating as number) < 0)
    throw illegalArgumentError(`[rating] must be a whole number from 0, found [${String(rating)}]`);
  return { index: String(index), id: String(id), rating: rating as number };
}

const OPTIONS: Readonly<Record<MetricName, readonly string[]>> = {
  precision: ['k', 'relevant_rating_threshold', 'ignore_unlabeled'],
  recall: ['k', 'relevant_rating_threshold'],
  mean_reciprocal_rank: ['k', 'relevant_rating_threshold'],
  dcg: ['k', 'normalize', 'unknown_doc_rating'],
  expected_reciprocal_rank: ['k', 'maximum_relevance', 'unknown_doc_rating'],
};

function readMetric(value: unknown): Metric {
  const metrics = Object.entries(objectOf(value, 'metric'));
  if (metrics.length !== 1) throw parsingError('[metric] must name one metric');
  const [name, given] = metrics[0];
  if (!Object.hasOwn(OPTIONS, name)) throw parsingError(`unknown metric [${name}]`);
  const options = objectOf(given, name);
  checkKeys(options, OPTIONS[name as MetricName], name);
  const number = (key: string): number | null => {
    const option = options[key];
    if (option === undefined || option === null) return null;
    if (!Number.isInteger(option)) throw illegalArgumentError(`[${key}] of [${name}] must be a whole number`);
    return option as number;
  };
  const k = number('k') ?? 10;
  if (k <= 0) throw illegalArgumentError('Window size k must be positive.');
  const relevantThreshold = number('relevant_rating_threshold') ?? 1;
  if (relevantThreshold < 0) throw illegalArgumentError('Relevant rating threshold for precision must be positive integer.');
  const maximumRelevance = number('maximum_relevance');
  if (name === 'expected_reciprocal_rank' && maximumRelevance === null)
    throw parsingError('[maximum_relevance] of [expected_reciprocal_rank] is missing');
  return {
    name: name as MetricName,
    k,
    relevantThreshold,
    ignoreUnlabeled: options['ignore_unlabeled'] === true,
    normalize: options['normalize'] === true,
    maximumRelevance: maximumRelevance ?? 0,
    unknownDocRating: number('unknown_doc_rating'),
  };
}
