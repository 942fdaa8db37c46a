// Document and field level security by construction: whatever a user asks, an index with hidden documents and fields answers byte for byte as one that
// never had them. Only what is listed below may differ. A query, aggregation, field type or part of a search without a row fails.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PIPELINE_NAMES } from '../../../../src/aggs/pipelines/pipelines.ts';
import { AGG_NAMES } from '../../../../src/aggs/registry.ts';
import { MAPPER_TYPES } from '../../../../src/mapping/types/registry.ts';
import { QUERY_NAMES } from '../../../../src/query/parse-query.ts';
import { Twins, TYPES, USER_NAMES, type User } from './visibility-data.ts';
import { AGGREGATIONS, APIS, aggregationSearches, type Kit, PARTS, PIPELINES, pipelineSearch, QUERIES } from './visibility-rows.ts';

const KITS: readonly Kit[] = ['v', 'h'];

let twins: Twins;
beforeAll(async () => {
  twins = await Twins.open();
});
afterAll(() => twins.close());

test('every query, aggregation, pipeline and field type has a row', () => {
  expect(Object.keys(QUERIES).sort()).toEqual([...QUERY_NAMES].sort());
  expect(Object.keys(AGGREGATIONS).sort()).toEqual([...AGG_NAMES].sort());
  expect(Object.keys(PIPELINES).sort()).toEqual([...PIPELINE_NAMES].sort());
  expect([...Object.keys(TYPES), 'join'].sort()).toEqual([...MAPPER_TYPES.keys()].sort());
});

/** Refused where hidden documents would show or be counted; an index without them need not refuse. */
const REFUSED = /if document level security is enabled/;

/** An answer without times, ids of contexts, and the numbers that a segment gives to its documents, which `explain` shows. */
const normal = (text: string): string =>
  text
    .replaceAll(/"(took|_seq_no|_version|rewrite_time|[a-z_]*_(?:in_millis|nanos|in_nanos))":\d+/g, '"$1":0')
    .replaceAll(/"breakdown":\{[^}]*\}/g, '"breakdown":{}')
    .replaceAll(/"(_scroll_id|id|index_uuid|uuid|node)":"[^"]*"/g, '"$1":""')
    .replaceAll(/\[INDEX\/[\w-]{22}\]/g, '[INDEX/UUID]')
    .replaceAll(/(doesn't match id|\) in|^in|in) \d+(?=[")])/g, '$1 DOC')
    // Scores of the phrase suggester depend on the number of documents, nested ones included.
    .replaceAll(/"options":\[\{"text":"quick brown","score":[\d.]+/g, '"options":[{"text":"quick brown","score":0')
    // Random numbers depend on the name of the index, which the twin does not share.
    .replaceAll(/"value":[\d.E-]+,"description":"random score function/g, '"value":0,"description":"random score function')
    // Names of fields are not shown to those who do not see all fields.
    .replaceAll(/MatchNoDocsQuery\(\\"unmapped field \[_(?:ignored|field_names)\]\\"\) doesn't match id DOC/g, 'no matching term');

/** Also without scores: statistics of terms count hidden documents, as they count deleted ones, and as Elasticsearch documents. */
const withoutScores = (text: string): string =>
  text
    .replaceAll(/"(_score|max_score|score)":[\d.E-]+/g, '"$1":0')
    .replaceAll(/"_?explanation":\{.*$/g, '')
    .replaceAll(/"sort":\[[\d.]+,(\d+)\]/g, '"sort":[0,$1]');

async function compare(user: User, line: string, body?: unknown): Promise<string | null> {
  const whole = await twins.ask(user, false, line, body);
  if (whole.status === 400 && REFUSED.test(whole.text)) return null;
  const twin = await twins.ask(user, true, line, body);
  const comparable = (text: string) => (user === 'fields' ? normal(text) : withoutScores(normal(text)));
  const [shown, wanted] = [whole, twin].map(({ status, text }) => `${status} ${comparable(text)}`);
  if (shown === wanted && whole.status < 500) return null;
  let at = 0;
  while (shown[at] === wanted[at] && at < shown.length) at++;
  const from = Math.max(0, at - 80);
  return `${user}: ${line} ${JSON.stringify(body)}\n  shows  ${shown.slice(from, at + 160)}\n  wanted ${wanted.slice(from, at + 160)}`;
}

async function check(requests: ReadonlyArray<readonly [line: string, body?: unknown]>): Promise<void> {
  const found: string[] = [];
  for (const [line, body] of requests) {
    for (const user of USER_NAMES) {
      const difference = await compare(user, line, body);
      if (difference !== null) found.push(difference);
    }
  }
  expect(found.join('\n')).toBe('');
}

const search = (body: object) => ['POST /INDEX/_search', body] as const;

/** A query whose hits are shown in an order that does not depend on scores, in a filter, and explained. */
const formsOf = (query: object) => [
  search({ query, size: 30, sort: 'v_long', track_scores: true, _source: false }),
  ['POST /INDEX/_count', { query }] as const,
  ['POST /INDEX/_explain/0', { query }] as const,
];

describe('queries', () => {
  test.each(Object.keys(QUERIES))('%s', async (name) => {
    await check(KITS.flatMap((kit) => QUERIES[name](kit).flatMap((body) => formsOf({ [name]: body }))));
  });
});

describe('aggregations', () => {
  test.each(Object.keys(AGGREGATIONS))('%s', async (type) => {
    await check(KITS.flatMap((kit) => AGGREGATIONS[type](kit).flatMap((body) => aggregationSearches(type, body, kit).map(search))));
  });
  test.each(Object.keys(PIPELINES))('%s', async (type) => {
    await check(KITS.map((kit) => search(pipelineSearch(type, kit))));
  });
});

describe('parts of a search', () => {
  test.each(Object.keys(PARTS))('%s', async (part) => {
    await check(KITS.flatMap((kit) => PARTS[part](kit).map(search)));
  });
});

describe('other APIs', () => {
  test.each(Object.keys(APIS))('%s', async (name) => {
    await check(KITS.flatMap((kit) => APIS[name](kit)));
  });
});
