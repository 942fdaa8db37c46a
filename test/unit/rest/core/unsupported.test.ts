// Unsupported APIs are refused by name, not mistaken for a wrong path or method.
import { describe, expect, test } from 'vitest';
import { isUnsupportedPath } from '../../../../src/rest/core/unsupported.ts';
import { openRestNode } from '../../../support/rest-node.ts';

describe('paths of families', () => {
  test.each([
    ['/_ml/anomaly_detectors/x/_open', true],
    ['/_cat/ml/datafeeds', true],
    ['/index/_mvt/place/1/2/3', true],
    ['/_snapshot/repository/snapshot/_mount', true],
    ['/_nodes/n/shutdown', true],
    ['/_mlx', false],
    ['/_cat/indices', false],
    ['/_doc/_graph', false],
    ['/index/_search', false],
    ['/', false],
  ])('%s: %s', (path, expected) => expect(isUnsupportedPath(path)).toBe(expected));
});

test('names APIs that are not supported, whatever the method, and leaves other wrong paths to the router', async () => {
  const node = await openRestNode();
  for (const line of [
    'GET /_transform/x',
    'PUT /_transform/x',
    'DELETE /_ml/calendars/x',
    'GET /docs/_mvt/place/0/0/0',
    'GET /_security/nothing',
  ])
    expect(await node.send(line)).toMatchObject({
      status: 400,
      json: { error: { type: 'unsupported_operation_exception', reason: expect.stringContaining(`[${line}] is not supported`) } },
    });
  expect((await node.send('GET /docs/_nothing/x/y')).json.error).toContain('no handler found');
  expect((await node.send('GET /docs/_nothing')).status).toBe(405);
  await node.close();
});

test('_info has the statistics of its targets', async () => {
  const node = await openRestNode();
  expect(await node.ok('GET /_info/ingest,script')).toMatchObject({ ingest: { pipelines: {} }, script: { compilations: 0 } });
  expect(Object.keys(await node.ok('GET /_info/_all'))).toEqual(['cluster_name', 'thread_pool', 'script', 'ingest']);
  for (const [target, reason] of [
    ['foo', 'request [/_info/foo] contains unrecognized target: [foo]'],
    ['_all,script', 'request [/_info/_all,script] contains _all and individual target [_all,script]'],
    ['http', '[GET /_info/http] is not supported by this version of gannet'],
  ])
    expect(await node.send(`GET /_info/${target}`)).toMatchObject({ status: 400, json: { error: { reason } } });
  await node.close();
});

test('a stored script may be followed, not preceded, by other keys', async () => {
  const node = await openRestNode();
  const script = { lang: 'painless', source: '1' };
  await node.ok('PUT /_scripts/s', { script, params: { a: 1 } });
  await node.ok('PUT /_scripts/s', { script: { ...script, params: { a: 1 } } });
  expect((await node.ok('GET /_scripts/s')).script).toEqual(script);
  expect(await node.send('PUT /_scripts/s', { params: { a: 1 }, script })).toMatchObject({
    status: 400,
    json: { error: { reason: 'unexpected field [params], expected [script]' } },
  });
  await node.close();
});

test('the basic licence cannot be started again', async () => {
  const node = await openRestNode();
  expect(await node.ok('GET /_license/basic_status')).toEqual({ eligible_to_start_basic: false });
  expect(await node.ok('GET /_license/trial_status')).toEqual({ eligible_to_start_trial: false });
  expect(await node.send('POST /_license/start_basic?acknowledge=true')).toMatchObject({
    status: 403,
    json: { basic_was_started: false },
  });
  await node.close();
});
