// Responses of every API have the fields and types that the official client declares. `service.request` checks each one.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ClientTypes } from '../support/client-types.ts';
import { checkResponse, clientRoutes } from '../support/response-check.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
const repository = mkdtempSync(path.join(tmpdir(), 'gannet-repository-'));

beforeAll(async () => {
  service = await startService([`--path.repo=${repository}`]);
  await ok('PUT /docs', {
    settings: { number_of_replicas: 0 },
    mappings: {
      properties: {
        text: { type: 'text', fielddata: true, term_vector: 'with_positions_offsets' },
        word: { type: 'keyword' },
        date: { type: 'date' },
        long: { type: 'long' },
        double: { type: 'double' },
        flag: { type: 'boolean' },
        ip: { type: 'ip' },
        place: { type: 'geo_point' },
        suggest: { type: 'completion' },
        nested: { type: 'nested', properties: { word: { type: 'keyword' } } },
      },
    },
    aliases: { filtered: { filter: { term: { word: 'a' } } } },
  });
  for (let i = 0; i < 5; i++)
    await ok(`PUT /docs/_doc/${i}?refresh=true`, {
      text: 'hello world',
      word: i % 2 === 0 ? 'a' : 'b',
      date: `2020-0${i + 1}-01`,
      long: i,
      double: i + 0.5,
      flag: i > 2,
      ip: `10.0.0.${i}`,
      place: { lat: i, lon: i },
      suggest: 'hello',
      nested: [{ word: 'x' }],
    });
});
afterAll(async () => {
  await service.stop();
  rmSync(repository, { recursive: true, force: true });
});

/** Sends a request whose response must be a success of the declared type. */
async function ok(line: string, body?: unknown): Promise<any> {
  const [method, target] = line.split(' ');
  const answer = await service.request(method, target, body);
  expect(answer.status, `${line}: ${JSON.stringify(answer.body)}`).toBeLessThan(300);
  return answer.body;
}

test('reads the declarations and the routes of the client', async () => {
  const types = new ClientTypes('elasticsearch-8');
  expect(types.check('CountResponse', { count: 1, _shards: { total: 1, successful: 1, failed: 0 } })).toEqual([]);
  expect(types.check('CountResponse', { count: 1.5, _shards: { total: '1', failed: 0 } })).toEqual([
    '.count: 1.5 instead of a long',
    '._shards.successful: missing',
    '._shards.total: "1" instead of a uint',
  ]);
  const routes = await clientRoutes();
  expect(routes.length).toBeGreaterThan(500);
  expect(await checkResponse('GET', '/docs/_count?q=x', 200, { count: '1' })).toContain('count._shards: missing');
  expect(await checkResponse('GET', '/docs/_count', 400, { error: { reason: 'x' }, status: 400 })).toEqual([
    expect.stringMatching(/error\.type: missing$/),
  ]);
});

test('documents and tasks have the declared types', async () => {
  await ok('POST /docs/_create/9', { text: 'x' });
  await ok('POST /docs/_doc', { text: 'x' });
  await ok('POST /docs/_update/9?_source=true', { doc: { text: 'y' } });
  await ok('GET /docs/_doc/9');
  await ok('DELETE /docs/_doc/9?refresh=true');
  await ok(
    'POST /_bulk?refresh=true',
    '{"index":{"_index":"docs","_id":"20"}}\n{}\n{"create":{"_index":"docs","_id":"20"}}\n{}\n{"delete":{"_index":"docs","_id":"20"}}\n',
  );
  await ok('POST /_mget', {
    docs: [
      { _index: 'docs', _id: '1' },
      { _index: 'none', _id: '1' },
    ],
  });
  await ok('POST /_reindex?refresh=true', { source: { index: 'docs' }, dest: { index: 'copy' } });
  const { task } = await ok('POST /copy/_update_by_query?wait_for_completion=false&conflicts=proceed');
  await ok(`GET /_tasks/${task}?wait_for_completion=true`);
  await ok('POST /copy/_delete_by_query?refresh=true&conflicts=proceed', { query: { match_all: {} } });
  await ok('GET /_tasks?detailed=true');
  await ok('GET /docs/_termvectors/1?term_statistics=true');
  await ok('POST /_mtermvectors', { docs: [{ _index: 'docs', _id: '1' }] });
  await ok('POST /docs/_explain/1', { query: { match: { text: 'hello' } } });
});

test('searches have the declared types', async () => {
  await ok('POST /docs/_search', {
    explain: true,
    version: true,
    seq_no_primary_term: true,
    profile: true,
    highlight: { fields: { text: {} } },
    query: { bool: { must: [{ match: { text: { query: 'hello', _name: 'named' } } }], filter: [{ range: { long: { gte: 0 } } }] } },
    sort: ['_score', { long: 'desc' }],
    fields: ['*'],
    docvalue_fields: ['date'],
    script_fields: { twice: { script: "doc['long'].value * 2" } },
    collapse: { field: 'word', inner_hits: { name: 'inner', size: 1 } },
    suggest: {
      term: { text: 'helo', term: { field: 'text' } },
      completion: { prefix: 'he', completion: { field: 'suggest' } },
      phrase: { text: 'helo wrld', phrase: { field: 'text' } },
    },
  });
  await ok('POST /docs/_search', { query: { nested: { path: 'nested', query: { match_all: {} }, inner_hits: {} } } });
  await ok('POST /_msearch', '{"index":"docs"}\n{}\n{"index":"none"}\n{}\n');
  await ok('POST /docs/_count');
  const { _scroll_id: scroll_id } = await ok('POST /docs/_search?scroll=1m', { size: 1 });
  await ok('POST /_search/scroll', { scroll_id, scroll: '1m' });
  await ok('DELETE /_search/scroll', { scroll_id });
  const { id } = await ok('POST /docs/_pit?keep_alive=1m');
  await ok('POST /_search', { pit: { id } });
  await ok('DELETE /_pit', { id });
  await ok('POST /docs/_validate/query?explain=true', { query: { match: { text: 'hello' } } });
  await ok('GET /docs/_field_caps?fields=*');
  await ok('GET /docs/_search_shards');
  const ratings = [{ _index: 'docs', _id: '1', rating: 1 }];
  await ok('POST /docs/_rank_eval', {
    requests: [{ id: 'r', request: { query: { match_all: {} } }, ratings }],
    metric: { precision: { k: 5 } },
  });
  await ok('PUT /_scripts/template', { script: { lang: 'mustache', source: { query: { match_all: {} } } } });
  await ok('GET /_scripts/template');
  await ok('POST /docs/_search/template', { id: 'template' });
  await ok('POST /_render/template', { id: 'template' });
  await ok('POST /_msearch/template', '{"index":"docs"}\n{"id":"template"}\n');
  await ok('POST /_scripts/painless/_execute', { script: { source: '1 + 1' } });
  await ok('GET /_script_context');
  await ok('GET /_script_language');
});

/** An aggregation of each kind, by the field that it needs. */
const AGGREGATIONS: Readonly<Record<string, readonly string[]>> = {
  double: [
    'avg',
    'sum',
    'min',
    'max',
    'value_count',
    'cardinality',
    'stats',
    'extended_stats',
    'percentiles',
    'median_absolute_deviation',
    'boxplot',
    'terms',
    'missing',
  ],
  word: ['terms', 'rare_terms', 'significant_terms', 'string_stats', 'missing'],
  long: ['terms', 'rare_terms'],
  flag: ['terms'],
  ip: ['terms'],
  place: ['geohash_grid', 'geotile_grid', 'geo_bounds', 'geo_centroid'],
};

test('aggregations have the declared types', async () => {
  const byField = Object.entries(AGGREGATIONS).flatMap(([field, kinds]) =>
    kinds.map((kind) => [`${kind}_${field}`, { [kind]: { field } }]),
  );
  const metric = { metric: { avg: { field: 'long' } } };
  await ok('POST /docs/_search?typed_keys=true', {
    size: 0,
    aggs: {
      ...Object.fromEntries(byField),
      ranks: { percentile_ranks: { field: 'double', values: [1, 2] } },
      histogram: { histogram: { field: 'double', interval: 1 } },
      dates: {
        date_histogram: { field: 'date', calendar_interval: 'month' },
        aggs: {
          sum: { sum: { field: 'long' } },
          total: { cumulative_sum: { buckets_path: 'sum' } },
          change: { derivative: { buckets_path: 'sum' } },
        },
      },
      auto: { auto_date_histogram: { field: 'date', buckets: 3 } },
      range: { range: { field: 'double', ranges: [{ to: 1 }, { from: 1 }] } },
      date_range: { date_range: { field: 'date', ranges: [{ to: 'now' }] } },
      ip_range: { ip_range: { field: 'ip', ranges: [{ to: '10.0.0.3' }] } },
      filter: { filter: { match_all: {} } },
      filters: { filters: { filters: { all: { match_all: {} } } } },
      global: { global: {} },
      nested: { nested: { path: 'nested' }, aggs: { back: { reverse_nested: {} } } },
      sampler: { sampler: {}, aggs: metric },
      composite: { composite: { sources: [{ word: { terms: { field: 'word' } } }] } },
      multi: { multi_terms: { terms: [{ field: 'word' }, { field: 'long' }] } },
      widths: { variable_width_histogram: { field: 'double', buckets: 2 } },
      distance: { geo_distance: { field: 'place', origin: '0,0', ranges: [{ to: 100 }] } },
      top_hits: { top_hits: { size: 1 } },
      top_metrics: { top_metrics: { metrics: { field: 'long' }, sort: { date: 'desc' } } },
      weighted: { weighted_avg: { value: { field: 'double' }, weight: { field: 'long' } } },
      matrix: { matrix_stats: { fields: ['double', 'long'] } },
      average: { avg_bucket: { buckets_path: 'dates>sum' } },
      statistics: { extended_stats_bucket: { buckets_path: 'dates>sum' } },
    },
  });
});

test('indices and templates have the declared types', async () => {
  await ok('GET /docs');
  await ok('GET /docs/_settings?include_defaults=true');
  await ok('GET /docs/_mapping');
  await ok('GET /docs/_mapping/field/text');
  await ok('GET /_alias');
  await ok('POST /_aliases', { actions: [{ add: { index: 'docs', alias: 'other' } }] });
  await ok('PUT /docs/_mapping', { properties: { more: { type: 'keyword' } } });
  await ok('PUT /docs/_settings', { 'index.refresh_interval': '1s' });
  for (const human of ['false', 'true']) {
    await ok(`GET /_stats?human=${human}&level=shards`);
    await ok(`GET /docs/_segments?human=${human}`);
    await ok(`GET /docs/_recovery?human=${human}&detailed=true`);
  }
  await ok('GET /_shard_stores?status=all');
  await ok('GET /_resolve/index/*');
  for (const action of ['_refresh', '_flush', '_forcemerge', '_cache/clear']) await ok(`POST /docs/${action}`);
  await ok('POST /_analyze', { analyzer: 'standard', text: 'hello world' });
  await ok('POST /docs/_analyze', { tokenizer: 'standard', filter: ['lowercase'], text: 'Hello', explain: true });
  await ok('PUT /docs/_block/write');
  await ok('POST /docs/_clone/cloned');
  await ok('PUT /docs/_settings', { 'index.blocks.write': null });
  await ok('POST /cloned/_close');
  await ok('POST /cloned/_open');
  await ok('PUT /logs-000001', { aliases: { logs: { is_write_index: true } } });
  await ok('POST /logs/_rollover');
  await ok('PUT /_template/old', { index_patterns: ['old-*'], order: 1 });
  await ok('GET /_template/old');
  await ok('PUT /_component_template/part', {
    template: { settings: { number_of_shards: 2 }, mappings: { properties: { a: { type: 'keyword' } } } },
  });
  await ok('GET /_component_template/part');
  await ok('PUT /_index_template/new', { index_patterns: ['new-*'], priority: 1, composed_of: ['part'] });
  await ok('GET /_index_template/new');
  await ok('POST /_index_template/_simulate_index/new-1');
  await ok('PUT /_ingest/pipeline/set', { processors: [{ set: { field: 'a', value: 1 } }] });
  await ok('GET /_ingest/pipeline');
  await ok('POST /_ingest/pipeline/set/_simulate?verbose=true', { docs: [{ _source: { b: 1 } }] });
  await ok('GET /_ingest/processor/grok');
});

test('cluster, nodes and tables have the declared types', async () => {
  for (const human of ['false', 'true'])
    for (const target of ['/_nodes', '/_nodes/stats', '/_cluster/stats']) await ok(`GET ${target}?human=${human}`);
  for (const target of [
    '/',
    '/_cluster/health?level=shards',
    '/_cluster/state',
    '/_cluster/settings?include_defaults=true',
    '/_cluster/pending_tasks',
  ])
    await ok(`GET ${target}`);
  for (const target of [
    '/_nodes/usage',
    '/_remote/info',
    '/_xpack',
    '/_license',
    '/_security/_authenticate',
    '/_security/privilege/_builtin',
  ])
    await ok(`GET ${target}`);
  await ok('POST /_cluster/reroute');
  const tables = [
    'aliases',
    'allocation',
    'component_templates',
    'count',
    'fielddata',
    'health',
    'indices',
    'master',
    'nodeattrs',
    'nodes',
  ];
  tables.push('pending_tasks', 'plugins', 'recovery', 'repositories', 'segments', 'shards', 'tasks', 'templates', 'thread_pool');
  for (const table of tables) for (const columns of ['', '&h=*']) await ok(`GET /_cat/${table}?format=json${columns}`);
});

test('snapshots have the declared types', async () => {
  await ok('PUT /_snapshot/backup', { type: 'fs', settings: { location: repository } });
  await ok('GET /_snapshot');
  await ok('POST /_snapshot/backup/_verify');
  await ok('PUT /_snapshot/backup/first?wait_for_completion=true', { indices: 'docs' });
  await ok('GET /_snapshot/backup/first');
  await ok('GET /_snapshot/backup/first/_status');
  const restore = { indices: 'docs', rename_pattern: 'docs', rename_replacement: 'restored', include_aliases: false };
  await ok('POST /_snapshot/backup/first/_restore?wait_for_completion=true', restore);
  await ok('GET /restored/_recovery');
  await ok('GET /_cat/snapshots/backup?format=json');
  await ok('POST /_snapshot/backup/_cleanup');
  await ok('DELETE /_snapshot/backup/first');
});
