// Parameters and bodies of cluster APIs that are refused, and what responses show of the cluster.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openRestNode, type RestNode } from '../../../support/rest-node.ts';

let node: RestNode;
let openSearch: RestNode;

beforeAll(async () => {
  node = await openRestNode();
  openSearch = await openRestNode({ 'compat.flavor': 'opensearch' });
  for (const one of [node, openSearch]) {
    await one.ok('PUT /docs', { settings: { number_of_replicas: 0 } });
    await one.ok('PUT /shut', { settings: { number_of_replicas: 0 } });
    await one.ok('POST /shut/_close');
    await one.ok('PUT /_index_template/t', { index_patterns: ['x-*'] });
  }
});

afterAll(async () => {
  await node.close();
  await openSearch.close();
});

const errorOf = async (one: RestNode, line: string, body?: unknown): Promise<unknown[]> => {
  const { status, json } = await one.send(line, body);
  return [status, json.error?.type, json.error?.reason];
};

describe('_cluster/health', () => {
  test('an unknown level is refused by version 8, and means the cluster in OpenSearch', async () => {
    expect(await errorOf(node, 'GET /_cluster/health?level=Nope')).toEqual([
      400,
      'illegal_argument_exception',
      'level parameter must be one of [cluster] or [indices] or [shards] but was [Nope]',
    ]);
    expect(await openSearch.ok('GET /_cluster/health?level=nope')).not.toHaveProperty('indices');
  });

  test('levels may have capitals', async () => {
    expect((await node.ok('GET /_cluster/health?level=INDICES')).indices).toHaveProperty('docs');
  });

  test.each([
    ['wait_for_nodes=x', 'number_format_exception', 'For input string: "x"'],
    ['wait_for_nodes=%3E%3Dx', 'number_format_exception', 'For input string: "x"'],
    ['wait_for_nodes=ge(1', 'number_format_exception', 'For input string: ""'],
    ['wait_for_events=x', 'illegal_argument_exception', 'No enum constant org.elasticsearch.common.Priority.X'],
    ['wait_for_status=x', 'illegal_argument_exception', 'No enum constant org.elasticsearch.cluster.health.ClusterHealthStatus.X'],
  ])('%s is refused', async (query, type, reason) => {
    expect(await errorOf(node, `GET /_cluster/health?${query}`)).toEqual([400, type, reason]);
  });

  test.each(['wait_for_nodes=', 'wait_for_nodes=ge(1)', 'wait_for_nodes=%3C2', 'wait_for_events=LANGUID'])('%s is met', async (query) => {
    expect((await node.ok(`GET /_cluster/health?${query}`)).timed_out).toBe(false);
  });

  test.each([
    ['/docs?level=awareness_attributes', 'awareness_attribute is not a supported parameter with index health'],
    ['?awareness_attribute=zone', 'level=awareness_attributes is required with awareness_attribute parameter'],
    ['?ensure_node_weighed_in=true', 'not a local request to ensure local node commissioned or weighed in'],
  ])('OpenSearch refuses %s', async (path, problem) => {
    const reason = `Validation Failed: 1: ${problem};`;
    expect(await errorOf(openSearch, `GET /_cluster/health${path}`)).toEqual([400, 'action_request_validation_exception', reason]);
  });

  test('Elasticsearch does not know awareness attributes', async () => {
    expect((await errorOf(node, 'GET /_cluster/health?awareness_attribute=zone'))[2]).toContain('unrecognized parameter');
  });
});

describe('_cluster/state', () => {
  test('shows templates only if no index is named, and all blocks', async () => {
    const state = await node.ok('GET /_cluster/state/_all/docs');
    expect(state.metadata).not.toHaveProperty('index_template');
    expect(Object.keys(state.metadata.indices)).toEqual(['docs']);
    expect(Object.keys(state.blocks.indices)).toEqual(['shut']);
    expect((await node.ok('GET /_cluster/state')).metadata.index_template.index_template).toHaveProperty('t');
  });

  test('has the members of OpenSearch in its flavour', async () => {
    const { metadata, routing_table: routing } = await openSearch.ok('GET /_cluster/state/_all/docs');
    expect(metadata.indices.docs).toMatchObject({
      primary_terms_map: { 0: 1 },
      ingestion_status: { is_paused: false },
      split_shards_metadata: { num_of_root_shards: 1, max_shard_id: 0, active_shard_ids: [0] },
    });
    expect(routing.indices.docs.shards[0][0].searchOnly).toBe(false);
  });

  test('refuses metadata versions below 1, and says whether a version was reached', async () => {
    expect((await errorOf(node, 'GET /_cluster/state?wait_for_metadata_version=0'))[2]).toBe(
      'provided waitForMetadataVersion should be >= 1, but instead is [0]',
    );
    expect((await node.ok('GET /_cluster/state/version?wait_for_metadata_version=1')).wait_for_timed_out).toBe(false);
    expect((await node.ok('GET /_cluster/state/version?wait_for_metadata_version=999999')).wait_for_timed_out).toBe(true);
  });
});

describe('_cluster/allocation/explain', () => {
  const line = 'GET /_cluster/allocation/explain';
  test.each([
    [[], 'x_content_parse_exception', '[1:1] [cluster/allocation/explain] Expected START_OBJECT but was: START_ARRAY'],
    [{ x: 1 }, 'x_content_parse_exception', '[1:2] [cluster/allocation/explain] unknown field [x]'],
    [{ index: 1 }, 'x_content_parse_exception', "[1:10] [cluster/allocation/explain] index doesn't support values of type: VALUE_NUMBER"],
    [{ shard: 'a' }, 'x_content_parse_exception', '[1:10] [cluster/allocation/explain] failed to parse field [shard]'],
    [{ index: 'a' }, 'action_request_validation_exception', 'Validation Failed: 1: shard must be specified;2: primary must be specified;'],
    [
      { current_node: 'a' },
      'action_request_validation_exception',
      'Validation Failed: 1: index must be specified;2: shard must be specified;3: primary must be specified;',
    ],
    [
      { index: 'docs', shard: 0, primary: false },
      'illegal_argument_exception',
      'unable to find any shards to explain [ClusterAllocationExplainRequest[index=docs,shard=0,primary?=false,includeYesDecisions?=false] in the routing table',
    ],
  ])('%j is refused', async (body, type, reason) => {
    const text = JSON.stringify(body);
    expect(await errorOf(node, line, text)).toEqual([400, type, reason]);
  });

  test('reads a shard from a text', async () => {
    expect(await node.ok(line, { index: 'docs', shard: '0', primary: true })).toMatchObject({ current_state: 'started' });
  });

  test('has nothing to explain if each copy is assigned', async () => {
    expect((await errorOf(node, line))[2]).toContain('there are no unassigned shards in this cluster');
    expect((await errorOf(openSearch, `${line}?include_yes_decisions=true`))[2]).toContain('includeYesDecisions?=true]');
  });
});

test('a list has no settings to update', async () => {
  expect((await errorOf(node, 'PUT /_cluster/settings', '[]'))[2]).toBe('Validation Failed: 1: no settings to update;');
});

test('malformed parents of tasks are refused', async () => {
  for (const path of ['_tasks', '_cat/tasks'])
    expect((await errorOf(node, `GET /${path}?parent_task_id=1`))[2]).toBe('malformed task id 1');
});

test('settings, like mappings, are shown of open indices unless closed ones are named', async () => {
  expect(Object.keys(await node.ok('GET /_settings'))).toEqual(['docs']);
  expect(Object.keys(await node.ok('GET /shut/_settings'))).toEqual(['shut']);
  expect(Object.keys(await node.ok('GET /_settings?expand_wildcards=all')).sort()).toEqual(['docs', 'shut']);
});
