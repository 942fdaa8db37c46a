// Loops over what a request can make large give way to other requests: a turn that is over ends them after few steps.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { clusterValues } from '../../../../src/aggs/buckets/histograms/variable-width.ts';
import { Params } from '../../../../src/aggs/params.ts';
import { movingAvg, movingFn } from '../../../../src/aggs/pipelines/moving-average.ts';
import type { PipelineBody } from '../../../../src/aggs/pipelines/pipeline-body.ts';
import type { OutBucket } from '../../../../src/aggs/reduce/out.ts';
import type { AggSpec } from '../../../../src/aggs/types.ts';
import { closeTurn, openTurn, TooHeavy } from '../../../../src/common/turns/turn.ts';
import { STEPS_PER_CHECK, WorkCounter } from '../../../../src/common/turns/work-counter.ts';
import { DEFAULT_DIALECT } from '../../../../src/compat/dialect.ts';
import { renderTemplate } from '../../../../src/scripting/mustache.ts';
import { openRestNode, type RestNode } from '../../../support/rest-node.ts';

/** Runs `work` in a turn that is over. */
function inEndedTurn(work: () => unknown): void {
  openTurn(Number.NEGATIVE_INFINITY);
  try {
    work();
  } finally {
    closeTurn();
  }
}

/** Values of a list that were read before the turn ended. */
function readBeforeEnd<T>(values: readonly T[], work: (values: readonly T[]) => unknown): number {
  let reads = 0;
  const counted = new Proxy(values, {
    get(target, key, receiver) {
      if (typeof key === 'string' && /^\d+$/.test(key)) reads++;
      return Reflect.get(target, key, receiver);
    },
  });
  expect(() => inEndedTurn(() => work(counted))).toThrow(TooHeavy);
  return reads;
}

test('work is counted by its steps, and each iteration counts', () => {
  const long = new WorkCounter();
  inEndedTurn(() => long.add(STEPS_PER_CHECK / 2));
  expect(() => inEndedTurn(() => long.add(STEPS_PER_CHECK / 2))).toThrow(TooHeavy);
  const short = new WorkCounter();
  let iterations = 0;
  expect(() =>
    inEndedTurn(() => {
      for (; iterations < STEPS_PER_CHECK; iterations++) short.add(0);
    }),
  ).toThrow(TooHeavy);
  expect(iterations).toBeLessThan(1000);
});

test('a template checks its turn while it renders lists', () => {
  const words = Array.from({ length: 100_000 }, () => 'word '.repeat(20));
  expect(readBeforeEnd(words, (list) => renderTemplate('{{#list}}{{.}}{{/list}}', { list }))).toBeLessThan(10_000);
});

test('clusters of a variable width histogram check their turn', () => {
  const values = Array.from({ length: 10_000 }, (_, i) => ({ value: i * i, count: 1 }));
  expect(() => inEndedTurn(() => clusterValues(values, 10))).toThrow(TooHeavy);
  expect(clusterValues(values, 10).reduce((sum, { docCount }) => sum + docCount, 0)).toBe(10_000);
});

test.each([
  ['moving_fn', movingFn, { window: 1e9, script: 'MovingFunctions.max(values)' }],
  ['moving_avg', movingAvg, { window: 1e9, model: 'holt' }],
] as const)('%s checks its turn by the lengths of its windows', (type, parent, parameters) => {
  const bucketsUntilCheck = (window: number): number => {
    const bucket = (): OutBucket => ({
      key: 0,
      name: '',
      fields: {},
      aggs: new Map(),
      docCount: 1,
    });
    const body: PipelineBody = { name: 'm', path: '_count', gap: 'skip', dialect: DEFAULT_DIALECT, text: () => null, meta: null };
    const spec = { name: 'h' } as AggSpec;
    const { run } = parent(new Params(type, { ...parameters, window }), body);
    const buckets = Array.from({ length: 5000 }, bucket);
    const isOver = () => inEndedTurn(() => run(buckets, spec));
    expect(isOver).toThrow(TooHeavy);
    return buckets.filter(({ aggs }) => aggs.size > 0).length;
  };
  const [long, short] = [bucketsUntilCheck(1e9), bucketsUntilCheck(1)];
  // Windows grow by one value with each bucket.
  expect(long).toBeLessThan(Math.sqrt(2 * STEPS_PER_CHECK));
  expect(short).toBeGreaterThan(long);
});

describe('of a node', () => {
  let node: RestNode;

  beforeAll(async () => {
    node = await openRestNode();
    const lines = Array.from({ length: 3000 }, (_, n) => [{ index: {} }, { n }]).flat();
    await node.ok('POST /docs/_bulk?refresh=true', lines);
  });

  afterAll(() => node.close());

  test('insertions at the front of a list are counted by the entries that move', async () => {
    const run = (times: number) =>
      node.send('POST /docs/_search', {
        size: 1,
        script_fields: { f: { script: { source: `def l = []; for (int i = 0; i < ${times}; i++) { l.add(0, i) } return l.get(0)` } } },
      });
    expect((await run(10_000)).json.hits.hits[0].fields.f).toEqual([9999]);
    const { status, text } = await run(100_000);
    expect([status, text.includes('maximum number of statements')]).toEqual([400, true]);
  });
});
