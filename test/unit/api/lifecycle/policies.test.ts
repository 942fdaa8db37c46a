// Index lifecycle policies: definitions, and their effect on indices.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { runPolicies } from '../../../../src/api/lifecycle/run-policies.ts';
import { runStreamLifecycles } from '../../../../src/api/lifecycle/run-retention.ts';
import { openRestNode, type RestNode } from '../../../support/rest-node.ts';

let node: RestNode;
beforeAll(async () => {
  node = await openRestNode();
});
afterAll(() => node.close());

beforeEach(async () => {
  await node.ok('DELETE /_data_stream/*');
  await node.ok('DELETE /*');
});

const put = (name: string, phases: object) => node.ok(`PUT /_ilm/policy/${name}`, { policy: { phases } });
const refusal = async (phases: object) => {
  const { status, json } = await node.send('PUT /_ilm/policy/bad', { policy: { phases } });
  expect(status).toBe(400);
  return json.error.reason;
};
/** One poll of the runner. */
const poll = () => runPolicies(node.engine, true, () => false);
const explain = async (index: string) => (await node.ok(`GET /${index}/_ilm/explain`)).indices[index];

describe('definitions', () => {
  test('are shown with defaults, version and users', async () => {
    await put('p', { hot: { actions: { rollover: { max_docs: 1 } } }, delete: { min_age: '30d', actions: { delete: {} } } });
    await put('p', { hot: { actions: { rollover: { max_docs: 2 } } }, delete: { min_age: '30d', actions: { delete: {} } } });
    await node.ok('PUT /a', { settings: { 'index.lifecycle.name': 'p' } });
    const { p } = await node.ok('GET /_ilm/policy/p');
    expect(p).toMatchObject({
      version: 2,
      policy: {
        phases: {
          hot: { min_age: '0ms', actions: { rollover: { max_docs: 2 } } },
          delete: { min_age: '30d', actions: { delete: { delete_searchable_snapshot: true } } },
        },
      },
      in_use_by: { indices: ['a'], data_streams: [], composable_templates: [] },
    });
    const inUse = await node.send('DELETE /_ilm/policy/p');
    expect([inUse.status, inUse.json.error.reason]).toEqual([400, 'Cannot delete policy [p]. It is in use by one or more indices: [a]']);
    await node.ok('POST /a/_ilm/remove');
    await node.ok('DELETE /_ilm/policy/p');
    expect((await node.send('GET /_ilm/policy/p')).status).toBe(404);
  });

  test('unsupported features are refused by name', async () => {
    expect(await refusal({ lukewarm: {} })).toBe('Timeseries lifecycle does not support phase [lukewarm]');
    expect(await refusal({ warm: { actions: { rollover: { max_docs: 1 } } } })).toBe('invalid action [rollover] defined in phase [warm]');
    expect(await refusal({ hot: { actions: { forcemerge: { max_num_segments: 1 } } } })).toMatch(/without an accompanying \[rollover\]/);
    expect(await refusal({ cold: { actions: { searchable_snapshot: {} } } })).toMatch(/\[searchable_snapshot\] action .* not supported/);
    expect(await refusal({ hot: { actions: { rollover: {} } } })).toBe('At least one rollover condition must be set.');
    expect(await refusal({ warm: { actions: { shrink: {} } } })).toMatch(/Either \[number_of_shards\]/);
    expect(await refusal({ warm: { min_age: 'soon' } })).toMatch(/failed to parse setting \[min_age\]/);
  });
});

test('rolls an alias over and finishes the old index', async () => {
  await put('p', {
    hot: { actions: { set_priority: { priority: 50 }, rollover: { max_docs: 1 } } },
    warm: { actions: { readonly: {}, forcemerge: { max_num_segments: 1 }, allocate: { number_of_replicas: 0 } } },
  });
  await node.ok('PUT /logs-000001', {
    settings: { 'index.lifecycle.name': 'p', 'index.lifecycle.rollover_alias': 'logs' },
    aliases: { logs: { is_write_index: true } },
  });
  await poll();
  expect(await explain('logs-000001')).toMatchObject({
    managed: true,
    policy: 'p',
    phase: 'hot',
    action: 'rollover',
    step: 'check-rollover-ready',
  });
  await node.ok('POST /logs/_doc?refresh=true', { n: 1 });
  await poll();
  const old = await explain('logs-000001');
  expect(old).toMatchObject({ phase: 'warm', action: 'complete', step: 'complete' });
  const { settings } = (await node.ok('GET /logs-000001/_settings'))['logs-000001'];
  expect(settings.index).toMatchObject({ priority: '50', blocks: { write: 'true' }, number_of_replicas: '0' });
  expect(settings.index.lifecycle.indexing_complete).toBe('true');
  expect((await node.ok('POST /logs/_doc', { n: 2 }))._index).toBe('logs-000002');
});

test('an error is shown and tried again', async () => {
  await put('p', { hot: { actions: { rollover: { max_docs: 1 } } } });
  await node.ok('PUT /plain-1', { settings: { 'index.lifecycle.name': 'p' } });
  await poll();
  expect(await explain('plain-1')).toMatchObject({
    step: 'ERROR',
    failed_step: 'check-rollover-ready',
    step_info: {
      type: 'illegal_argument_exception',
      reason: 'setting [index.lifecycle.rollover_alias] for index [plain-1] is empty or not defined',
    },
  });
  await node.ok('PUT /plain-1/_settings', { 'index.lifecycle.rollover_alias': 'a' });
  await node.ok('PUT /plain-1/_alias/a');
  await node.ok('POST /plain-1/_ilm/retry');
  await poll();
  expect((await explain('plain-1')).step).toBe('check-rollover-ready');
  expect((await node.send('POST /plain-1/_ilm/retry')).json.error.reason).toMatch(/has not encountered an error/);
});

test('shrinks an index, which keeps its name as an alias', async () => {
  await put('p', { warm: { actions: { shrink: { number_of_shards: 1 } } } });
  await node.ok('PUT /wide', { settings: { number_of_shards: 4 } });
  for (let i = 0; i < 20; i++) await node.ok(`PUT /wide/_doc/${i}`, { i });
  await node.ok('POST /wide/_refresh');
  await node.ok('PUT /wide/_settings', { 'index.lifecycle.name': 'p' });
  await poll();
  await poll();
  const [[name, { settings }]] = Object.entries<any>(await node.ok('GET /wide'));
  expect(name).toMatch(/^shrink-[a-z0-9]{4}-wide$/);
  expect(settings.index.number_of_shards).toBe('1');
  expect((await node.ok('GET /wide/_count')).count).toBe(20);
  expect(await explain(name)).toMatchObject({ phase: 'warm', action: 'complete' });
});

test('deletes indices at their age, and can be moved and stopped', async () => {
  await put('p', { hot: { actions: {} }, delete: { min_age: '1d', actions: { delete: {} } } });
  await node.ok('PUT /young', { settings: { 'index.lifecycle.name': 'p' } });
  await node.ok('PUT /old', { settings: { 'index.lifecycle.name': 'p', 'index.lifecycle.origination_date': Date.now() - 2 * 86_400_000 } });
  await node.ok('POST /_ilm/stop');
  expect(await node.ok('GET /_ilm/status')).toEqual({ operation_mode: 'STOPPED' });
  await poll();
  expect((await node.send('HEAD /old')).status).toBe(200);
  await node.ok('POST /_ilm/start');
  await poll();
  expect((await node.send('HEAD /old')).status).toBe(404);
  expect(await explain('young')).toMatchObject({ phase: 'hot', action: 'complete' });
  const wrong = await node.send('POST /_ilm/move/young', {
    current_step: { phase: 'new', action: 'complete', name: 'complete' },
    next_step: { phase: 'delete' },
  });
  expect(wrong.json.error.reason).toMatch(/is not on current step/);
  await node.ok('POST /_ilm/move/young', {
    current_step: { phase: 'hot', action: 'complete', name: 'complete' },
    next_step: { phase: 'delete', action: 'delete', name: 'delete' },
  });
  await poll();
  expect((await node.send('HEAD /young')).status).toBe(404);
});

test('acts without a request when an index gets its policy', async () => {
  await put('p', { hot: { actions: { set_priority: { priority: 7 } } } });
  await node.ok('PUT /a', { settings: { 'index.lifecycle.name': 'p' } });
  await expect.poll(async () => (await explain('a')).phase, { interval: 50 }).toBe('hot');
  await node.restart();
  expect(await explain('a')).toMatchObject({ phase: 'hot', action: 'complete' });
});

test('a policy deletes the backing indices of a data stream', async () => {
  await put('p', { hot: { actions: { rollover: { max_docs: 1 } } }, delete: { actions: { delete: {} } } });
  await node.ok('PUT /_index_template/t', {
    index_patterns: ['s-*'],
    data_stream: {},
    template: { settings: { 'index.lifecycle.name': 'p' } },
  });
  await node.ok('POST /s-1/_doc?refresh=true', { '@timestamp': 1 });
  const [first] = (await node.ok('GET /_data_stream/s-1')).data_streams[0].indices;
  expect(first).toMatchObject({ managed_by: 'Index Lifecycle Management', ilm_policy: 'p' });
  await poll();
  await poll();
  const [stream] = (await node.ok('GET /_data_stream/s-1')).data_streams;
  expect(stream.generation).toBe(2);
  expect(stream.indices).toHaveLength(1);
  expect((await node.ok('GET /s-1/_count')).count).toBe(0);
});

test('the lifecycle of a data stream deletes indices beyond its retention', async () => {
  await node.ok('PUT /_index_template/t', {
    index_patterns: ['s-*'],
    data_stream: {},
    template: { lifecycle: { data_retention: '1nanos' } },
  });
  await node.ok('POST /s-1/_doc?refresh=true', { '@timestamp': 1 });
  await node.ok('POST /s-1/_rollover');
  const failures: string[] = [];
  await runStreamLifecycles(
    node.engine,
    () => false,
    (message) => failures.push(message),
  );
  expect(failures).toEqual([]);
  expect((await node.ok('GET /_data_stream/s-1')).data_streams[0].indices).toHaveLength(1);
});
