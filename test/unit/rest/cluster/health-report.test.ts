/** `_health_report`: indicators of a healthy service and of one with problems. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRestNode, type RestNode } from '../../../support/rest-node.ts';

let node: RestNode;
beforeAll(async () => {
  node = await openRestNode();
});
afterAll(() => node.close());

test('everything is green without indices', async () => {
  const { status, indicators } = await node.ok('GET /_health_report');
  expect(status).toBe('green');
  expect(Object.keys(indicators)).toEqual([
    'master_is_stable',
    'repository_integrity',
    'disk',
    'shards_capacity',
    'shards_availability',
    'ilm',
    'slm',
  ]);
  expect(indicators.shards_availability.symptom).toBe('This cluster has all shards available.');
});

test('replicas that no node can hold make it yellow, blocked indices red', async () => {
  await node.ok('PUT /lonely', { settings: { number_of_shards: 2 } });
  await node.ok('PUT /alone', { settings: { number_of_replicas: 0 } });
  const { status, indicators } = await node.ok('GET /_health_report');
  const { symptom, details, impacts, diagnosis } = indicators.shards_availability;
  expect([status, symptom]).toEqual(['yellow', 'This cluster has 2 unavailable replica shards.']);
  expect(details).toMatchObject({ started_primaries: 3, unassigned_replicas: 2, unassigned_primaries: 0 });
  expect([impacts[0].severity, impacts[0].impact_areas, diagnosis[0].affected_resources]).toEqual([2, ['search'], { indices: ['lonely'] }]);
  await node.ok('PUT /alone/_settings', { 'index.blocks.read_only_allow_delete': true });
  const { disk } = (await node.ok('GET /_health_report')).indicators;
  expect([disk.status, disk.symptom]).toEqual(['red', '1 index is not allowed to be updated.']);
});

test('one indicator, without details, and a stopped lifecycle', async () => {
  const one = await node.ok('GET /_health_report/disk?verbose=false');
  expect(one).toEqual({ cluster_name: expect.any(String), indicators: { disk: { status: 'red', symptom: expect.any(String) } } });
  const many = await node.ok('GET /_health_report/shards_availability?size=0');
  expect(many.indicators.shards_availability.diagnosis[0].affected_resources).toEqual({ indices: [] });
  await node.ok('PUT /_ilm/policy/p', { policy: { phases: { hot: { actions: {} } } } });
  await node.ok('POST /_ilm/stop');
  expect((await node.ok('GET /_health_report/ilm')).indicators.ilm).toEqual({
    status: 'yellow',
    symptom: 'Index Lifecycle Management is not running',
    details: { policies: 1, ilm_status: 'STOPPED', stagnating_indices: 0 },
  });
});

test('refusals', async () => {
  const reason = async (path: string) => {
    const { status, json } = await node.send(`GET ${path}`);
    return [status, json.error.reason];
  };
  expect(await reason('/_health_report/nope')).toEqual([404, 'Did not find indicator nope']);
  expect(await reason('/_health_report?size=-1')).toEqual([400, 'Validation Failed: 1: The size parameter must be a positive integer;']);
});
