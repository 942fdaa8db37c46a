// The REST APIs of indices and the cluster, with real metadata and without documents.
import { beforeEach, describe, expect, test } from 'vitest';
import { Logger } from '../../../src/common/log/logger.ts';
import { loadSettings } from '../../../src/config/load-settings.ts';
import { ALL_APIS } from '../../../src/rest/all-apis.ts';
import { Router } from '../../../src/rest/core/router.ts';
import { Dispatcher } from '../../../src/rest/dispatch.ts';
import { fakeEngine } from '../../support/fake-engine.ts';
import { type FakeAnswer, fakeRequest } from '../../support/fake-http.ts';

let dispatcher: Dispatcher;
beforeEach(() => {
  dispatcher = new Dispatcher(loadSettings({ flags: { 'path.data': '.' } }), fakeEngine(), new Logger('error'));
});

function send(line: string, body?: unknown): Promise<FakeAnswer> {
  return fakeRequest(dispatcher.handle, line, { body: body === undefined ? undefined : JSON.stringify(body) });
}

async function ok(line: string, body?: unknown): Promise<FakeAnswer['json']> {
  const answer = await send(line, body);
  expect(answer.text, line).not.toMatch(/^\{"error"/);
  expect(answer.status, line).toBeLessThan(300);
  return answer.text.startsWith('{') || answer.text.startsWith('[') ? answer.json : answer.text;
}

test('every route is declared once and its path parameters can be matched', () => {
  const router = new Router(ALL_APIS);
  const routes = [...router.all()];
  expect(routes.length).toBeGreaterThan(150);
  expect(router.match('/_bulk')?.methods.has('POST')).toBe(true);
  expect(router.match('/_nothing/_bulk')?.values).toEqual(['_nothing']);
  expect(router.match('/a/b/c/d')).toBeNull();
});

describe('indices', () => {
  test('create, get, settings, mapping, delete', async () => {
    const created = await ok('PUT /a', {
      settings: { number_of_shards: 2, 'index.refresh_interval': '5s' },
      mappings: { properties: { x: { type: 'keyword' } } },
      aliases: { al: {} },
    });
    expect(created).toEqual({ acknowledged: true, shards_acknowledged: true, index: 'a' });
    const { a } = await ok('GET /a?human');
    expect(Object.keys(a)).toEqual(['aliases', 'mappings', 'settings']);
    expect(a.settings.index).toMatchObject({
      number_of_shards: '2',
      refresh_interval: '5s',
      provided_name: 'a',
      creation_date_string: expect.stringMatching(/Z$/),
    });
    expect(await ok('GET /al/_settings/index.number_of_*?flat_settings')).toEqual({
      a: { settings: { 'index.number_of_replicas': '1', 'index.number_of_shards': '2' } },
    });
    await ok('PUT /a/_mapping', { properties: { y: { type: 'text', fields: { raw: { type: 'keyword' } } } } });
    expect(await ok('GET /a/_mapping/field/y*')).toEqual({
      a: {
        mappings: {
          y: { full_name: 'y', mapping: { y: { type: 'text', fields: { raw: { type: 'keyword' } } } } },
          'y.raw': { full_name: 'y.raw', mapping: { raw: { type: 'keyword' } } },
        },
      },
    });
    expect((await send('HEAD /a')).status).toBe(200);
    expect((await send('DELETE /al')).json.error.reason).toContain('matches an alias');
    await ok('DELETE /a');
    expect((await send('HEAD /a')).status).toBe(404);
  });

  test('open, close, blocks, refresh, flush, forcemerge, stats, segments', async () => {
    await ok('PUT /a');
    expect(await ok('POST /a/_refresh')).toEqual({ _shards: { total: 2, successful: 1, failed: 0 } });
    expect((await send('POST /_flush?force=true&wait_if_ongoing=false')).status).toBe(400);
    await ok('POST /a/_forcemerge?max_num_segments=1');
    expect((await send('POST /a/_forcemerge?max_num_segments=1&only_expunge_deletes=true')).headers.warning).toEqual([
      expect.stringMatching(/^299 Elasticsearch-8\.15\.0-[0-9a-f]{40} "setting only_expunge_deletes/),
    ]);
    const stats = await ok('GET /a/_stats/docs,store');
    expect(stats.indices.a.primaries).toEqual({
      docs: { count: 0, deleted: 0, total_size_in_bytes: 208 },
      store: { size_in_bytes: 208, total_data_set_size_in_bytes: 208, reserved_in_bytes: 0 },
    });
    expect((await send('GET /_stats/nothing')).json.error.reason).toBe('request [/_stats/nothing] contains unrecognized metric: [nothing]');
    expect((await ok('PUT /a/_block/write')).indices).toEqual([{ name: 'a', blocked: true }]);
    expect((await send('PUT /a/_doc/1', { x: 1 })).json.error.type).toBe('cluster_block_exception');
    await ok('POST /a/_close');
    expect((await send('GET /a/_stats')).json.error.type).toBe('index_closed_exception');
    expect(await ok('GET /_cat/indices?h=index,status,docs.count')).toBe('a close \n');
    await ok('POST /a/_open');
  });

  test('aliases and templates', async () => {
    await ok('PUT /a');
    await ok('PUT /b');
    await ok('POST /_aliases', {
      actions: [{ add: { indices: ['a', 'b'], alias: 'x' } }, { add: { index: 'b', alias: 'y', routing: 1, filter: { term: { k: 1 } } } }],
    });
    expect(await ok('GET /_alias/y')).toEqual({
      b: { aliases: { y: { filter: { term: { k: 1 } }, index_routing: '1', search_routing: '1' } } },
    });
    const missing = await send('GET /_alias/x,zz');
    expect([missing.status, missing.json.error, Object.keys(missing.json)]).toEqual([
      404,
      'alias [zz] missing',
      ['error', 'status', 'a', 'b'],
    ]);
    expect((await send('POST /_aliases', { actions: [] })).json.error.reason).toBe('No action specified');
    expect((await send('POST /_aliases', { actions: [{ add: { alias: 'x' } }] })).json.error.caused_by.reason).toContain(
      'One of [index] or [indices] is required',
    );
    await ok('DELETE /a/_alias/x');
    expect((await send('HEAD /a/_alias/x')).status).toBe(404);
    await ok('PUT /_component_template/c', { template: { mappings: { properties: { m: { type: 'long' } } } } });
    await ok('PUT /_index_template/t', { index_patterns: ['t-*'], composed_of: ['c'], template: { settings: { number_of_replicas: 0 } } });
    await ok('PUT /t-1/_doc/1', { m: 5 });
    expect((await ok('GET /t-1'))['t-1']).toMatchObject({ mappings: { properties: { m: { type: 'long' } } } });
    expect((await ok('POST /_index_template/_simulate_index/t-2')).template.settings).toEqual({ index: { number_of_replicas: '0' } });
    expect((await send('GET /_index_template/none')).status).toBe(404);
    expect(await ok('GET /_cat/templates?h=name,composed_of')).toBe('t [c]\n');
  });
});

describe('cluster and cat', () => {
  test('health waits, and reports a timeout', async () => {
    await ok('PUT /a');
    expect(await ok('GET /_cluster/health')).toMatchObject({ status: 'yellow', timed_out: false, unassigned_shards: 1 });
    const late = await send('GET /_cluster/health?wait_for_status=green&timeout=30ms');
    expect([late.status, late.json.timed_out]).toEqual([408, true]);
    await ok('PUT /a/_settings', { number_of_replicas: 0 });
    expect((await ok('GET /_cluster/health/a?level=shards')).indices.a.shards['0'].status).toBe('green');
    expect((await send('GET /_cluster/health/none?timeout=1ms')).json).toMatchObject({ status: 'red', timed_out: true });
  });

  test('state, settings, nodes', async () => {
    await ok('PUT /a');
    expect(await ok('GET /_cluster/state/metadata/a?filter_path=metadata.indices.a.state')).toEqual({
      metadata: { indices: { a: { state: 'open' } } },
    });
    await ok('PUT /_cluster/settings', { transient: { 'search.max_buckets': 5 } });
    expect(await ok('GET /_cluster/settings')).toEqual({ persistent: {}, transient: { search: { max_buckets: '5' } } });
    expect((await send('PUT /_cluster/settings', { transient: { nothing: 1 } })).json.error.reason).toBe(
      'transient setting [nothing], not recognized',
    );
    for (const path of ['/_nodes/_all/http', '/_nodes/http']) {
      const [node] = Object.values<Record<string, unknown>>((await ok(`GET ${path}`)).nodes);
      expect(node).toMatchObject({
        http: { publish_address: '127.0.0.1:9200' },
        roles: ['data', 'ingest', 'master', 'remote_cluster_client'],
      });
      expect(node).not.toHaveProperty('total_indexing_buffer');
    }
    for (const path of ['/_nodes', '/_nodes/indices', '/_nodes/master:true/indices', '/_nodes/cluster_manager:true'])
      expect(Object.values((await ok(`GET ${path}`)).nodes), path).toMatchObject([{ total_indexing_buffer: expect.any(Number) }]);
    expect((await ok('GET /_nodes/master:false')).nodes).toEqual({});
    expect((await ok('GET /_nodes/nobody')).nodes).toEqual({});
    for (const human of [true, false]) {
      const { nodes } = await ok(`GET /_nodes/stats/jvm?human=${human}`);
      const { indices } = await ok(`GET /_cluster/stats?human=${human}`);
      const [{ jvm }] = Object.values(nodes) as Array<{ jvm: { mem: object } }>;
      expect(['heap_used' in jvm.mem, 'size' in indices.store]).toEqual([human, human]);
    }
    expect(await ok('GET /_nodes/stats/os?filter_path=nodes.*.timestamp')).toEqual({
      nodes: { fakenodeidfakenodeid22: { timestamp: expect.any(Number) } },
    });
  });

  test('tables: columns, aliases, sorting, units, help, formats', async () => {
    for (const name of ['b', 'a']) await ok(`PUT /${name}`, { settings: { number_of_replicas: 0 } });
    expect(await ok('GET /_cat/indices?v&h=index,pri,ss&bytes=b&s=index:desc')).toBe('index pri  ss\nb       1 208\na       1 208\n');
    expect(await ok('GET /_cat/indices?h=i&format=json')).toEqual([{ i: 'a' }, { i: 'b' }]);
    const help = (await ok('GET /_cat/count?help')).split('\n').map((line: string) => line.split('|').map((cell) => cell.trim()));
    expect(help[2]).toEqual(['count', 'dc,docs.count,docsCount', 'the document count']);
    expect((await send('GET /_cat/indices?s=nothing')).status).toBe(400);
    expect(await ok('GET /_cat/indices?bytes=x&format=nothing&h=index&s=index')).toBe('a\nb\n');
    expect((await send('GET /_cat/indices/a?help')).json.error.reason).toBe(
      'request [/_cat/indices/a] contains unrecognized parameter: [index]',
    );
    expect((await send('GET /_cat/health?v&ts=false')).headers['content-type']).toBe('text/plain; charset=UTF-8');
    expect(await ok('GET /_cat')).toContain('/_cat/indices\n');
  });

  test('allocation, hot threads, upgrades and thread pools', async () => {
    await ok('PUT /alone', { settings: { number_of_replicas: 0 } });
    expect((await send('GET /_cluster/allocation/explain')).status).toBe(400);
    await ok('PUT /copied', { settings: { number_of_replicas: 1 } });
    const explained = await ok('GET /_cluster/allocation/explain');
    expect([explained.index, explained.current_state, explained.can_allocate]).toEqual(['copied', 'unassigned', 'no']);
    expect((await ok('POST /_cluster/allocation/explain', { index: 'alone', shard: 0, primary: true })).current_state).toBe('started');
    expect((await send('POST /_cluster/allocation/explain', { index: 'alone', shard: 7, primary: true })).status).toBe(404);
    expect((await send('POST /_cluster/allocation/explain', { index: 'alone' })).status).toBe(400);
    expect(await ok('POST /alone/_upgrade')).toEqual({
      _shards: { total: 1, successful: 1, failed: 0 },
      upgraded_indices: { alone: { upgrade_version: '8.15.0', oldest_lucene_segment_version: expect.any(String) } },
    });
    expect((await ok('POST /_nodes/reload_secure_settings'))._nodes).toEqual({ total: 1, successful: 1, failed: 0 });
    expect((await send('GET /_nodes/hot_threads?interval=1ms')).text).toContain('cpu usage by all threads');
    const pools = await ok('GET /_cat/thread_pool/generic,search,write?format=json&h=name');
    expect(pools).toEqual([{ name: 'generic' }, { name: 'search' }, { name: 'write' }]);
    expect(await ok('GET /_cat/segment_replication?format=json')).toEqual([]);
  });

  test('unsupported APIs are rejected by name, with their methods', async () => {
    const refused = await send('PUT /_security/role_mapping/x', {});
    expect([refused.status, refused.json.error.type]).toEqual([400, 'unsupported_operation_exception']);
    expect((await send('PATCH /_security/role_mapping/x')).status).toBe(405);
    expect((await send('GET /_reindex')).status).toBe(405);
  });

  test.each([
    'GET /_ml/info',
    'GET /_transform',
    'PUT /_watcher/watch/a',
    'GET /_cat/ml/datafeeds',
    'GET /a/_mvt/place/1/1/1',
    'GET /_xpack/usage',
  ])('%s belongs to a family that is refused by name', async (line) => {
    const { status, json } = await send(line);
    expect([status, json.error.type]).toEqual([400, 'unsupported_operation_exception']);
    const [method, path] = line.split(' ');
    expect(json.error.reason).toBe(`[${method} ${path}] is not supported by this version of gannet`);
  });

  test('paths that only look like those of a family keep their errors', async () => {
    expect((await send('GET /_mlx/info')).json.error).toContain('Incorrect HTTP method');
    expect((await send('PUT /_transformers')).json.error.type).toBe('invalid_index_name_exception');
  });

  test('there are no system features, deprecated settings, trial licences or certificates', async () => {
    expect(await ok('GET /_features')).toMatchObject({ features: [{ name: 'security' }] });
    expect(await ok('POST /_features/_reset')).toEqual({ features: [] });
    expect(await ok('GET /_migration/system_features')).toEqual({ features: [], migration_status: 'NO_MIGRATION_NEEDED' });
    expect((await ok('POST /_migration/system_features')).accepted).toBe(false);
    expect((await ok('GET /_migration/deprecations')).index_settings).toEqual({});
    expect(await ok('GET /_license/trial_status')).toEqual({ eligible_to_start_trial: false });
    expect(await ok('GET /_license/basic_status')).toEqual({ eligible_to_start_basic: false });
    expect(await ok('GET /_ssl/certificates')).toEqual([]);
  });

  test('the own cluster is the only one that names resolve to', async () => {
    await ok('PUT /known');
    const local = async (name: string) => (await ok(`GET /_resolve/cluster/${name}`))['(local)'];
    expect(await local('kno*')).toMatchObject({ connected: true, matching_indices: true, version: { number: expect.any(String) } });
    expect((await local('none*')).matching_indices).toBe(false);
    expect(await local('known,lost')).toEqual({ connected: true, skip_unavailable: false, error: 'no such index [lost]' });
    expect((await local('lost?ignore_unavailable=true')).matching_indices).toBe(false);
    const { status, json } = await send('GET /_resolve/cluster/far:known');
    expect([status, json.error.reason]).toEqual([404, 'no such remote cluster: [far]']);
  });
});

test('a search without exact totals or with an invalid body fails a whole multi search', async () => {
  await ok('PUT /a');
  const many = (second: string) =>
    fakeRequest(dispatcher.handle, 'POST /a/_msearch?rest_total_hits_as_int=true', { body: `{}\n{}\n{}\n${second}\n` });
  const refused = await many('{"track_total_hits":10}');
  expect(refused.status).toBe(400);
  expect(refused.json.error.reason).toBe('[rest_total_hits_as_int] cannot be used if the tracking of total hits is not accurate, got 10');
  const invalid = await many('{"nothing":1}');
  expect([invalid.status, invalid.json.error.type]).toEqual([400, 'parsing_exception']);
});
