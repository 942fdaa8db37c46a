// The statistics of nodes, indices and `_cat` tables: sections and names by server, and agreement of the APIs with each other.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openRestNode, type RestNode } from '../../support/rest-node.ts';

describe.each([
  { flavor: 'elasticsearch', isOpenSearch: false },
  { flavor: 'opensearch', isOpenSearch: true },
])('$flavor', ({ flavor, isOpenSearch }) => {
  let node: RestNode;
  beforeAll(async () => {
    node = await openRestNode({ 'compat.flavor': flavor });
    await node.ok('PUT /docs', { settings: { number_of_replicas: 0 }, mappings: { properties: { t: { type: 'text' } } } });
    await node.ok('POST /docs/_bulk?refresh=true', [{ index: {} }, { t: 'a' }, { index: {} }, { t: 'b' }]);
  });
  afterAll(() => node.close());

  const only = async (path: string) => Object.values((await node.ok(`GET ${path}`)).nodes)[0] as any;

  test('_nodes/stats has every section that clients read', async () => {
    const stats = await only('/_nodes/stats');
    expect(stats.thread_pool.search.threads).toBe(1);
    expect(stats.thread_pool.write).toMatchObject({ threads: 1, queue: 0, rejected: 0 });
    expect('index_searcher' in stats.thread_pool).toBe(isOpenSearch);
    expect(stats.jvm.gc.collectors).toHaveProperty('young.collection_count');
    expect(stats.jvm.threads.count).toBeGreaterThanOrEqual(0);
    expect(stats.indexing_pressure.memory.current.all_in_bytes).toBeGreaterThanOrEqual(0);
    expect(Object.keys(stats.breakers)).toContain(isOpenSearch ? 'in_flight_requests' : 'inflight_requests');
    expect('total_data_set_size_in_bytes' in stats.indices.store).toBe(!isOpenSearch);
    expect(stats.roles).toContain(isOpenSearch ? 'cluster_manager' : 'master');
  });

  test('_nodes/stats/indices/{metric} has the named sections only, and refuses unknown ones', async () => {
    expect(Object.keys((await only('/_nodes/stats/indices/docs,store')).indices)).toEqual(['docs', 'store']);
    const unknown = await node.send('GET /_nodes/stats/indices/nothing');
    expect(unknown.json.error.reason).toBe('request [/_nodes/stats/indices/nothing] contains unrecognized index metric: [nothing]');
    const other = await node.send('GET /_nodes/stats/os/docs');
    expect(other.json.error.reason).toBe('request [/_nodes/stats/os/docs] contains index metrics [docs] but indices stats not requested');
    expect((await node.send('GET /_nodes/stats/_all/docs')).status).toBe(400);
  });

  test('_nodes/stats lists the fields and groups of searches that are named', async () => {
    await node.ok('PUT /listed', { mappings: { properties: { words: { type: 'text', fielddata: true } } } });
    await node.ok('PUT /listed/_doc/1?refresh=true', { words: 'one' });
    await node.ok('POST /listed/_search', { stats: ['shop'], aggs: { words: { terms: { field: 'words' } } } });
    const { indices } = await only('/_nodes/stats/indices?groups=sh*&fields=wor*');
    expect(indices.search.groups.shop.query_total).toBe(1);
    expect(Object.keys(indices.fielddata.fields)).toEqual(['words']);
    const all = await only('/_nodes/stats/indices?groups=other');
    expect([all.indices.search.groups, all.indices.fielddata.fields]).toEqual([undefined, undefined]);
    await node.ok('DELETE /listed');
  });

  test('_cat tables show the values of _stats', async () => {
    const { _all } = await node.ok('GET /_stats');
    const [row] = await node.ok('GET /_cat/indices/docs?h=indexing.index_total,pri.indexing.index_total,segments.count,sc&format=json');
    expect(row).toEqual({
      'indexing.index_total': String(_all.total.indexing.index_total),
      'pri.indexing.index_total': '2',
      'segments.count': String(_all.total.segments.count),
      sc: String(_all.total.segments.count),
    });
    const [shard] = await node.ok('GET /_cat/shards/docs?h=indexing.index_total,iito&format=json');
    expect(shard).toEqual({ 'indexing.index_total': '2', iito: '2' });
    const [own] = await node.ok('GET /_cat/nodes?h=indexing.index_total&format=json');
    expect(own).toEqual({ 'indexing.index_total': '2' });
    expect((await node.ok('GET /_cat/shards?help')).includes('bulk.total_operations')).toBe(!isOpenSearch);
  });

  test('_cluster/stats counts shards, analysis components and versions', async () => {
    await node.ok('PUT /analyzed', {
      settings: {
        number_of_replicas: 0,
        analysis: { filter: { f: { type: 'stop' } }, analyzer: { a: { tokenizer: 'standard', filter: ['lowercase', 'f'] } } },
      },
      mappings: { properties: { t: { type: 'text', analyzer: 'a' }, u: { type: 'text', analyzer: 'simple' } } },
    });
    const { indices } = await node.ok('GET /_cluster/stats');
    const one = { count: 1, index_count: 1 };
    expect(indices.shards.index.primaries).toEqual({ min: 1, max: 1, avg: 1 });
    expect(indices.analysis).toMatchObject({
      filter_types: [{ name: 'stop', ...one }],
      analyzer_types: [{ name: 'custom', ...one }],
      built_in_tokenizers: [{ name: 'standard', ...one }],
      built_in_filters: [{ name: 'lowercase', ...one }],
      built_in_analyzers: [{ name: 'simple', ...one }],
    });
    expect('versions' in indices).toBe(!isOpenSearch);
    await node.ok('DELETE /analyzed');
  });

  test('voting exclusions are stored, shown and cleared', async () => {
    const both = await node.send('POST /_cluster/voting_config_exclusions?node_ids=a&node_names=b');
    expect(both.json.error.type).toBe('illegal_argument_exception');
    await node.ok('POST /_cluster/voting_config_exclusions?node_names=a,b');
    await node.ok('POST /_cluster/voting_config_exclusions?node_names=a');
    const shown = async () => (await node.ok('GET /_cluster/state/metadata')).metadata.cluster_coordination.voting_config_exclusions;
    expect(await shown()).toEqual([
      { node_id: '_absent_', node_name: 'a' },
      { node_id: '_absent_', node_name: 'b' },
    ]);
    await node.ok('DELETE /_cluster/voting_config_exclusions');
    expect(await shown()).toEqual([]);
  });

  test('_cat/thread_pool lists the pools of the server', async () => {
    const rows: Array<Record<string, string>> = await node.ok('GET /_cat/thread_pool/search,generic,write?h=name,type&format=json');
    expect(rows).toEqual([
      { name: 'generic', type: 'scaling' },
      { name: 'search', type: isOpenSearch ? 'resizable' : 'fixed' },
      { name: 'write', type: 'fixed' },
    ]);
  });

  test('_cat/tasks shows descriptions of detailed lists only', async () => {
    expect(await node.ok('GET /_cat/tasks?v')).not.toContain('description');
    expect(await node.ok('GET /_cat/tasks?v&detailed=true')).toContain('description');
    const marked = await node.send('GET /_cat/tasks?h=action,x_opaque_id', undefined, { 'x-opaque-id': 'mine' });
    expect(marked.text).toContain('mine');
  });

  test('a path parameter may be sent as a query parameter', async () => {
    expect(await node.ok('GET /_cat/indices?index=docs&h=index')).toBe('docs\n');
    expect(Object.keys((await node.ok('GET /_stats?index=docs')).indices)).toEqual(['docs']);
    expect((await node.send('GET /_cat/indices?indx=docs')).status).toBe(400);
  });

  test('_nodes/usage counts requests by API', async () => {
    const before = (await only('/_nodes/usage')).rest_actions.count ?? 0;
    await node.ok('GET /docs/_count');
    expect((await only('/_nodes/usage')).rest_actions.count).toBe(before + 1);
  });
});
