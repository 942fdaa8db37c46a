import { describe, expect, test } from 'vitest';
import { chainText, isExplained, PRESETS, parseChain, placeTokens, settingsOf, stagesOf } from '../../../src/console/analysis/chain.ts';
import { shardProfiles, sharesOf } from '../../../src/console/answers/profile-model.ts';
import { busiest, parseMetrics, quantileOf, rateOf, sumOf } from '../../../src/console/metrics/samples.ts';

const token = (term: string, from: number, to: number, position = 0) => ({
  token: term,
  start_offset: from,
  end_offset: to,
  type: 'word',
  position,
});

describe('a chain of analysis', () => {
  test.each(Object.keys(PRESETS))('%s is the same after being written and read', (name) => {
    expect(parseChain(chainText(PRESETS[name]))).toEqual(PRESETS[name]);
  });

  test.each(['[]', '{ "tokens": 1 }', '{ "filter": [1] }', '{'])('is not read from %s', (text) => {
    expect(() => parseChain(text)).toThrow();
  });

  test('becomes settings in which definitions have names', () => {
    const chain = parseChain('{ "tokenizer": "standard", "filter": [{ "type": "stop" }, "lowercase", { "type": "stop" }] }');
    expect(settingsOf(chain)).toEqual({
      analysis: {
        analyzer: { my_analyzer: { type: 'custom', tokenizer: 'standard', filter: ['my_stop', 'lowercase', 'my_stop_2'] } },
        filter: { my_stop: { type: 'stop' }, my_stop_2: { type: 'stop' } },
      },
    });
  });

  test('has a stage for each part', () => {
    const answer = {
      detail: {
        charfilters: [{ name: 'a', filtered_text: ['x'] }],
        tokenizer: { name: 'b', tokens: [] },
        tokenfilters: [{ name: 'c', tokens: [] }],
      },
    };
    expect(isExplained(answer)).toBe(true);
    const stages = stagesOf(answer, { char_filter: ['html_strip'], tokenizer: 'standard', filter: [{ type: 'stop' }] });
    expect(stages.map(({ kind, name }) => `${kind} ${name}`)).toEqual(['char filter html_strip', 'tokenizer standard', 'filter stop']);
  });

  test('puts tokens that overlap into rows, and marks new ones', () => {
    const { placed, rows } = placeTokens([token('new', 0, 3), token('new york', 0, 8), token('york', 4, 8)], [token('new', 0, 3)]);
    expect(placed.map(({ row, isNew }) => [row, isNew])).toEqual([
      [0, false],
      [1, true],
      [0, true],
    ]);
    expect(rows).toBe(2);
  });
});

describe('metrics', () => {
  const sample = (atMs: number, text: string) => ({ atMs, metrics: parseMetrics(text) });
  const before = sample(
    0,
    'n_total{api="a\\"b"} 1\nn_total{api="c"} 1\n# HELP x\nt_bucket{le="0.1"} 0\nt_bucket{le="1"} 0\nt_bucket{le="+Inf"} 0\n',
  );
  const now = sample(
    2000,
    'n_total{api="a\\"b"} 5\nn_total{api="c"} 2\nt_bucket{le="0.1"} 5\nt_bucket{le="1"} 10\nt_bucket{le="+Inf"} 10\n',
  );

  test('are read with their labels', () => {
    expect(now.metrics.get('n_total')?.[0]).toEqual({ labels: { api: 'a"b' }, value: 5 });
    expect(sumOf(now.metrics, 'n_total')).toBe(7);
  });

  test('grow by a rate per second, never below zero', () => {
    expect(rateOf(before, now, 'n_total', { api: 'c' })).toBe(0.5);
    expect(rateOf(now, { ...before, atMs: 4000 }, 'n_total')).toBe(0);
    expect(busiest(before, now, 'n_total', 'api')).toEqual(['a"b', 'c']);
  });

  test('have quantiles within buckets', () => {
    expect(quantileOf(before, now, 't', 0.5)).toBeCloseTo(0.1);
    expect(quantileOf(before, now, 't', 0.75)).toBeCloseTo(0.55);
    expect(quantileOf(now, now, 't', 0.5)).toBeNull();
  });
});

describe('a profile', () => {
  test('is a tree of times with the slowest shard first', () => {
    const clause = (type: string, nanos: number, children: unknown[] = []) => ({
      type,
      description: 'd',
      time_in_nanos: nanos,
      breakdown: { a: 1, a_count: 2, b: 3 },
      children,
    });
    const shard = (id: number, nanos: number) => ({
      shard_id: id,
      index: 'i',
      searches: [{ query: [clause('q', nanos, [clause('x', 30), clause('y', 10)])], rewrite_time: 0, collector: [] }],
      aggregations: [],
    });
    const [first] = shardProfiles({ profile: { shards: [shard(0, 50), shard(1, 80)] } });
    expect(first.title).toBe('i shard 1');
    const [root] = first.parts[0].roots;
    expect(root).toMatchObject({
      name: 'q',
      nanos: 80,
      times: [
        ['b', 3],
        ['a', 1],
      ],
      counts: [['a', 2]],
    });
    expect(sharesOf(root)).toEqual([0.375, 0.125]);
    expect(sharesOf({ nanos: 10, children: root.children })).toEqual([0.75, 0.25]);
    expect(shardProfiles({ took: 1 })).toEqual([]);
  });
});
