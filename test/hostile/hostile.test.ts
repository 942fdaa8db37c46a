// The short part of `npm run test:hostile`: the requests that once harmed a service, against a small index, and the coverage of the generated ones.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PIPELINE_NAMES } from '../../src/aggs/pipelines/pipelines.ts';
import { AGG_NAMES } from '../../src/aggs/registry.ts';
import { QUERY_NAMES } from '../../src/query/parse-query.ts';
import { ALL_APIS } from '../../src/rest/all-apis.ts';
import { aggregationCases } from './cases/aggregations.ts';
import { knownCases } from './cases/known.ts';
import { parameterCases } from './cases/parameters.ts';
import { queryCases } from './cases/queries.ts';
import { extremesOf } from './extremes.ts';
import type { HostileCase } from './hostile-case.ts';
import { HostileRunner } from './runner.ts';

const DOCUMENTS = 500;
/** Cases that take the sender seconds to build, or the service seconds to store. */
const LEFT_OUT = new Set([
  '4.6 M clauses in gzip',
  'gzip bomb',
  'bulk of tiny lines',
  'msearch of many',
  '10^6 should',
  'nested shoulds',
  '10^6 ids',
]);
/** Statuses of a request that is refused, limited or executed. */
const EXPECTED = [200, 201, 400, 413, 429, 503];

let runner: HostileRunner;

beforeAll(async () => {
  // Searches that end only by their time limit must end before the runner's own timeout.
  runner = await HostileRunner.start(['--threads=2', '--thread_pool.heavy.max_run_time=5s'], DOCUMENTS);
});

afterAll(() => runner.stop());

test('requests that once harmed a service affect only their senders', async () => {
  const outcomes: string[] = [];
  for (const hostile of knownCases()) {
    if (LEFT_OUT.has(hostile.name)) continue;
    const { status, faults } = await runner.run(hostile);
    // Times depend on the machine: only the whole run judges them.
    const serious = faults.filter((fault) => fault !== 'late' && fault !== 'stuck');
    if (serious.length > 0 || !EXPECTED.includes(status)) outcomes.push(`${hostile.name}: ${status} ${serious.join()}`);
  }
  expect(outcomes).toEqual([]);
});

function firstWords(cases: Iterable<HostileCase>): Set<string> {
  return new Set([...cases].map(({ name }) => name.split(' ')[0]));
}

test('every query, aggregation and API has generated cases', () => {
  expect(QUERY_NAMES.filter((name) => !firstWords(queryCases()).has(name))).toEqual([]);
  const aggregations = firstWords(aggregationCases());
  expect([...AGG_NAMES, ...PIPELINE_NAMES].filter((name) => !aggregations.has(name))).toEqual([]);
  const apis = new Set([...parameterCases()].map(({ name }) => name));
  const covered = (api: string): boolean => [...apis].some((name) => name.startsWith(`${api} `));
  // Routes that only remove, and those that are refused by name, are left out.
  const missing = ALL_APIS.filter(({ name, routes }) => !covered(name) && Object.keys(routes).some((route) => !route.startsWith('DELETE')));
  const names = missing.map(({ name }) => name).filter((name) => !name.startsWith('unsupported'));
  expect(names.sort()).toEqual(['cluster.settings', 'indices.add_block']);
});

test('an extreme form changes one value', () => {
  const extremes = [...extremesOf({ a: 1, b: ['x'] }, (text) => text)];
  const numbers = extremes.filter(({ name }) => name.startsWith('a: '));
  expect(numbers.map(({ body }) => body())).toEqual(['-1', '0', '2147483647', '1e18', '1.7e308'].map((n) => `{"a":${n},"b":["x"]}`));
  const [many] = extremes.filter(({ name }) => name === 'b: 100000 items');
  expect(JSON.parse(many.body())).toEqual({ a: 1, b: Array(100_000).fill('x') });
});
