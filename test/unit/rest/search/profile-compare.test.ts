// `_profile/compare` over HTTP's dispatcher, and the output of `gannet profile` for it.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Comparison, comparisonText } from '../../../../src/cli/commands/profile.ts';
import { openRestNode, type RestNode } from '../../../support/rest-node.ts';

let node: RestNode;

beforeAll(async () => {
  node = await openRestNode();
  for (const [i, text] of ['storm storm storm', 'storm storm calm', 'storm calm calm', 'calm'].entries())
    await node.ok(`PUT /w/_doc/${i + 1}`, { text });
  await node.ok('POST /w/_refresh');
});

afterAll(() => node.close());

const storm = { query: { match: { text: 'storm' } } };
const calm = { query: { match: { text: 'calm storm' } } };

test('runs both searches in turns and shows counters and plans', async () => {
  const answer = await node.ok('POST /w/_profile/compare', { a: storm, b: calm, max_rounds: 25, precision: 0.001, max_time: '8s' });
  expect(answer).toMatchObject({
    rounds: 25,
    stopped_by: 'rounds',
    same_hits: false,
    counters: { documents_collected: { b: 4 } },
    a: { total: { value: 3, relation: 'eq' }, timed_out: false, _shards: { failed: 0 } },
    b: { total: { value: 4, relation: 'eq' } },
  });
  const { low, b_to_a: ratio, high } = answer.ratio;
  expect(low).toBeLessThanOrEqual(ratio);
  expect(high).toBeGreaterThanOrEqual(ratio);
  for (const side of [answer.a, answer.b]) {
    expect(side.median_micros).toBeGreaterThanOrEqual(side.min_micros);
    expect(side.profile.shards[0].searches[0].query[0].time_in_nanos).toBeGreaterThan(0);
  }
  const text = comparisonText(answer as Comparison);
  expect(text).toMatch(/total hits\s+3\s+4/);
  expect(text).toMatch(/B takes \d+\.\d{3} times as long as A \(.* 25 rounds, stopped by rounds; the hits differ\./);
  expect(text).toContain('text:storm');
});

test('searches with equal hits are recognized, and all indices are the default', async () => {
  const answer = await node.ok('POST /_profile/compare', { a: storm, b: { ...storm, profile: true, size: 10 }, max_rounds: 2 });
  expect(answer).toMatchObject({ rounds: 2, ratio: null, same_hits: true });
  expect(comparisonText(answer as Comparison)).toContain('too few rounds');
});

test('refuses unknown types', async () => {
  const refuse = async (body: unknown, path = '/w/_profile/compare') => {
    const { status, text } = await node.send(`POST ${path}`, body);
    return [status, JSON.parse(text).error.type, JSON.parse(text).error.reason];
  };
  expect(await refuse({ a: storm })).toEqual([400, 'parsing_exception', '[profile_compare] needs the body of a search as [b]']);
  expect(await refuse({ a: storm, b: calm, c: 1 })).toEqual([400, 'parsing_exception', '[profile_compare] unknown field [c]']);
  expect((await refuse({ a: storm, b: calm, max_time: '1h' }))[2]).toBe('[max_time] must be a duration of at most [8s], got [1h]');
  expect((await refuse({ a: storm, b: calm, max_rounds: 0 }))[2]).toBe('[max_rounds] must be from 1 to 10000, got [0]');
  expect((await refuse({ a: storm, b: calm, precision: 2 }))[2]).toBe('[precision] must be from 0.001 to 1, got [2]');
  expect((await refuse({ a: storm, b: { query: { nonsense: {} } } }))[0]).toBe(400);
  expect((await refuse({ a: storm, b: calm }, '/absent/_profile/compare')).slice(0, 2)).toEqual([404, 'index_not_found_exception']);
});
