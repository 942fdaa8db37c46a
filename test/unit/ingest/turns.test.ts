// Pipelines give way to other requests: a turn that is over ends them after few steps, whatever they do with failures.
import { expect, test } from 'vitest';
import { closeTurn, openTurn, TooHeavy } from '../../../src/common/turns/turn.ts';
import { IngestDocument, type IngestEnvironment } from '../../../src/ingest/ingest-document.ts';
import { compilePipeline } from '../../../src/ingest/pipeline.ts';
import { runPipeline } from '../../../src/ingest/run-pipeline.ts';
import { simulate, simulateVerbosely } from '../../../src/ingest/simulate.ts';
import { parseBodyToWrite } from '../../../src/rest/core/body.ts';

const ITEMS = 20_000;
const CALL = { pipeline: { name: 'empty' } };

/** Pipelines called by a `foreach` over many items before a turn that is over ends it. */
function callsUntilEnd(body: object, run: typeof runPipeline | typeof simulate | typeof simulateVerbosely): number {
  let calls = 0;
  const empty = compilePipeline('empty', { processors: [] });
  const env: IngestEnvironment = {
    pipeline: () => {
      calls++;
      return empty;
    },
    storedScript: () => null,
    enrich: () => null,
  };
  const pipeline = compilePipeline('p', body);
  const document = new IngestDocument({ list: Array.from({ length: ITEMS }, (_, i) => i) }, { _index: 'i', _id: '1' }, env);
  openTurn(Number.NEGATIVE_INFINITY);
  try {
    expect(() => run(pipeline, document)).toThrow(TooHeavy);
  } finally {
    closeTurn();
  }
  return calls;
}

const foreach = (more: object = {}, call: object = CALL): object => ({ foreach: { field: 'list', processor: call, ...more } });

test.each([
  ['runs', runPipeline],
  ['is simulated', simulate],
  ['is simulated verbosely', simulateVerbosely],
] as const)('a foreach checks its turn while it %s', (_name, run) => {
  expect(callsUntilEnd({ processors: [foreach()] }, run)).toBeLessThan(100);
});

test.each([
  ['ignore_failure', [foreach({ ignore_failure: true })]],
  ['ignore_failure of the inner processor', [foreach({}, { pipeline: { name: 'empty', ignore_failure: true } })]],
  ['on_failure', [foreach({ on_failure: [foreach()] })]],
] as const)('the end of a turn is no failure for %s', (_name, processors) => {
  expect(callsUntilEnd({ processors }, runPipeline)).toBeLessThan(100);
});

test('a large body that is to be parsed is not parsed in a turn that can move', () => {
  const body = Buffer.from(JSON.stringify({ list: 'x'.repeat(600_000) }));
  expect(parseBodyToWrite(body)).toMatchObject({ list: expect.any(String) });
  openTurn(performance.now() + 3_600_000);
  try {
    expect(() => parseBodyToWrite(body)).toThrow(TooHeavy);
    expect(parseBodyToWrite(Buffer.from('{"a":1}'))).toEqual({ a: 1 });
  } finally {
    closeTurn();
  }
});
