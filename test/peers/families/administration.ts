// Generated requests to index, cluster and table APIs. Responses that describe the server itself are compared by their shape.
import type { Rng } from '../../support/rng.ts';
import { type Family, INDEX, type PeerRequest } from '../scenario.ts';
import { broken } from './queries.ts';

type Json = Record<string, unknown>;

const settings = { number_of_shards: 1, number_of_replicas: 0 };
const NAMES = ['tmp-a', 'tmp-b', 'tmp-*', 'missing', 'tmp-a,tmp-b', 'tmp-alias'];

const ADMIN: ReadonlyArray<(rng: Rng) => PeerRequest> = [
  (rng) => ({
    line: `PUT /${rng.pick(['tmp-b', 'tmp-a', 'Upper', '_bad', 'a%20b'])}`,
    body: rng.pick<Json>([
      { settings },
      { settings, aliases: { 'tmp-alias': {} } },
      { settings: { number_of_shards: 0 } },
      { settings: { nothing: 1 } },
      { mappings: { properties: { a: { type: 'text' } } } },
      { unknown: {} },
    ]),
  }),
  (rng) => ({ line: `GET /${rng.pick(NAMES)}/_alias${rng.pick(['', '/tmp-alias', '/nope', '/tmp-*'])}` }),
  (rng) => ({
    line: `POST /_aliases`,
    body: {
      actions: rng.pick<Json[]>([
        [{ add: { index: 'tmp-a', alias: 'tmp-alias', filter: { term: { a: 'b' } }, routing: '1' } }],
        [{ remove: { index: 'tmp-a', alias: 'nope' } }],
        [{ remove: { index: 'tmp-a', alias: 'nope' } }, { add: { index: 'tmp-a', alias: 'tmp-alias' } }],
        [{ add: { indices: ['tmp-a', 'missing'], alias: 'x' } }],
        [],
        [{ add: { index: 'tmp-a' } }],
        [{ remove_index: { index: 'missing' } }],
        [{ add: { index: 'tmp-a', aliases: ['tmp-alias', 'tmp-two'], is_write_index: true } }],
      ]),
    },
  }),
  (rng) => ({
    line: `PUT /${rng.pick(NAMES)}/_alias/tmp-alias`,
    body: rng.pick<Json>([{}, { filter: { match_all: {} } }, { routing: 'r' }, { nothing: 1 }]),
  }),
  (rng) => ({ line: `DELETE /${rng.pick(NAMES)}/_alias/${rng.pick(['tmp-alias', 'nope', '*'])}` }),
  (rng) => ({
    line: `GET /${rng.pick(['tmp-a', 'tmp-*', 'missing'])}/_settings${rng.pick(['', '/index.number*', '/index.refresh_interval'])}?flat_settings=${rng.bool()}`,
    shape: true,
  }),
  (rng) => ({
    line: `PUT /${rng.pick(['tmp-a', 'missing'])}/_settings`,
    body: rng.pick<Json>([
      { index: { refresh_interval: '5s' } },
      { number_of_replicas: 1 },
      { number_of_shards: 3 },
      { 'index.nothing': 1 },
      { refresh_interval: 'x' },
      {},
      { 'index.refresh_interval': null },
      { 'index.max_result_window': 'a' },
      { 'index.blocks.write': true },
    ]),
  }),
  (rng) => ({
    line: `PUT /tmp-a/_mapping`,
    body: rng.pick<Json>([
      { properties: { b: { type: 'keyword' } } },
      { properties: { a: { type: 'long' } } },
      { dynamic: 'strict' },
      {},
      { properties: { 'a.b': { type: 'long' } } },
      { _source: { enabled: false } },
      { nothing: {} },
    ]),
  }),
  (rng) => ({ line: `GET /${rng.pick(NAMES)}/_mapping` }),
  (rng) => ({
    line: `POST /${rng.pick(['tmp-a', 'missing', 'tmp-*'])}/_${rng.pick(['close', 'open', 'refresh', 'flush', 'forcemerge', 'cache/clear'])}`,
  }),
  (rng) => ({
    line: `DELETE /${rng.pick(['tmp-b', 'missing', 'tmp-alias', 'tmp-b,missing'])}${rng.pick(['', '?ignore_unavailable=true'])}`,
  }),
  (rng) => ({ line: `HEAD /${rng.pick(NAMES)}` }),
  (rng) => ({ line: `GET /${rng.pick(['tmp-a', 'missing', 'tmp-*'])}`, shape: true }),
  (rng) => ({
    line: `POST /tmp-alias/_rollover`,
    body: rng.pick<Json>([{}, { conditions: { max_docs: 1 } }, { conditions: { max_nothing: 1 } }, { nothing: 1 }]),
  }),
  (rng) => ({ line: `GET /_resolve/index/${rng.pick(['tmp-*', 'missing', 'tmp-a'])}` }),
  (rng) => ({ line: `PUT /tmp-a/_block/${rng.pick(['write', 'read_only', 'nothing'])}` }),
  (rng) => ({ line: `POST /tmp-a/_doc`, body: rng.pick<unknown>([{ a: 1 }, 'x', '', [1]]) }),
];

export const indices: Family = (rng) => [
  { line: 'PUT /tmp-a', body: { settings, mappings: { properties: { a: { type: 'keyword' } } } } },
  ...Array.from({ length: rng.int(2, 6) }, () => rng.pick(ADMIN)(rng)),
];

const TEMPLATES: ReadonlyArray<(rng: Rng) => PeerRequest> = [
  (rng) => ({
    line: 'PUT /_index_template/tmp-t',
    body: rng.pick<Json>([
      {
        index_patterns: ['tmp-t-*'],
        template: { settings, mappings: { properties: { a: { type: 'keyword' } } }, aliases: { 'tmp-ta': {} } },
        priority: 10,
      },
      { index_patterns: 'tmp-t-*', composed_of: ['tmp-c'] },
      { template: {} },
      { index_patterns: ['x'], nothing: 1 },
      { index_patterns: [] },
      { index_patterns: ['tmp-t-*'], version: 3, _meta: { a: 1 } },
    ]),
  }),
  (rng) => ({
    line: 'PUT /_component_template/tmp-c',
    body: rng.pick<Json>([
      { template: { mappings: { properties: { c: { type: 'long' } } } } },
      {},
      { template: { nothing: 1 } },
      { template: { settings: { number_of_replicas: 0 } }, version: 2 },
    ]),
  }),
  (rng) => ({
    line: 'PUT /_template/tmp-old',
    body: rng.pick<Json>([
      { index_patterns: ['tmp-o-*'], settings, order: 1 },
      { order: 1 },
      { index_patterns: ['tmp-o-*'], mappings: { nothing: 1 } },
    ]),
  }),
  (rng) => ({
    line: `GET /${rng.pick(['_index_template/tmp-t', '_index_template/tmp-*', '_component_template/tmp-c', '_template/tmp-old', '_index_template/nope', '_component_template/nope', '_template/nope'])}`,
  }),
  (rng) => ({
    line: `DELETE /${rng.pick(['_index_template/tmp-t', '_component_template/tmp-c', '_template/tmp-old', '_index_template/nope'])}`,
  }),
  (rng) => ({ line: `HEAD /${rng.pick(['_index_template/tmp-t', '_template/tmp-old', '_component_template/nope'])}` }),
  () => ({ line: 'PUT /tmp-t-1' }),
  () => ({ line: 'GET /tmp-t-1/_mapping' }),
  () => ({ line: 'POST /_index_template/_simulate_index/tmp-t-2' }),
];

export const templates: Family = (rng) => Array.from({ length: rng.int(3, 6) }, () => rng.pick(TEMPLATES)(rng));

const METRICS = [
  'docs',
  'store',
  'indexing',
  'get',
  'search',
  'merge',
  'refresh',
  'flush',
  'warmer',
  'query_cache',
  'fielddata',
  'completion',
  'segments',
  'translog',
  'request_cache',
  'recovery',
  'nothing',
];

export const server: Family = (rng) => [
  rng.pick<() => PeerRequest>([
    () => ({
      line: `GET /_cluster/health${rng.pick(['', `/${INDEX}`, '?level=indices', '?level=shards', '?wait_for_status=green&timeout=1s', '?level=nothing'])}`,
      shape: true,
    }),
    () => ({
      line: `GET /_cluster/${rng.pick(['settings', 'settings?include_defaults=true&filter_path=defaults.cluster.name', 'pending_tasks', 'stats?filter_path=indices.count,indices.docs,indices.segments'])}`,
      shape: true,
    }),
    () => ({
      line: `GET /${INDEX}/_stats/${rng.pick(METRICS)}${rng.pick(['', '?level=shards', '?human=true', '?level=cluster'])}`,
      shape: true,
    }),
    () => ({
      line: `GET /_nodes/${rng.pick(['http', 'os', 'settings', 'process', 'plugins', 'ingest', '_local/http', 'missing'])}?filter_path=_nodes,cluster_name`,
      shape: true,
    }),
    () => ({
      line: `GET /_nodes/stats/${rng.pick(['indices', 'os', 'process', 'http', 'fs', 'breaker', 'indices/docs', 'indices/search'])}?filter_path=_nodes,nodes.*.indices.docs,nodes.*.indices.search`,
      shape: true,
    }),
    () => ({
      line: `GET /_cat/${rng.pick(['indices', 'shards', 'health', 'nodes', 'count', 'aliases', 'templates', 'allocation', 'master', 'recovery', 'segments', 'thread_pool', 'plugins', 'pending_tasks', 'nodeattrs', 'fielddata', 'tasks'])}?v=true&format=json`,
      shape: true,
    }),
    () => ({
      line: `GET /_cat/${rng.pick(['indices', 'shards', 'nodes'])}?h=${rng.pick(['index,docs.count', 'i,dc', 'name,master', 'nothing'])}&s=${rng.pick(['index', 'docs.count:desc', 'nothing'])}&format=json`,
      shape: true,
    }),
    () => ({ line: `GET /${INDEX}/_segments`, shape: true }),
    () => ({ line: `GET /${INDEX}/_search_shards`, shape: true }),
    () => ({ line: `GET /${INDEX}/_recovery?filter_path=*.shards.type,*.shards.stage`, shape: true }),
    () => ({
      line: `PUT /_cluster/settings`,
      body: rng.pick<Json>([
        { transient: { 'search.max_buckets': 65000 } },
        { transient: { 'search.max_buckets': null } },
        { persistent: { nothing: 1 } },
        { transient: {} },
        { nothing: {} },
        {},
      ]),
    }),
    () => ({ line: `GET /_tasks?filter_path=nothing`, shape: true }),
    () => ({ line: `GET /_tasks/${rng.pick(['abc', 'node:1', 'x:y'])}` }),
    () => ({ line: `POST /_cluster/reroute?dry_run=true`, body: {}, shape: true }),
    () => ({ line: `GET /_cluster/allocation/explain`, body: broken(rng, { index: INDEX, shard: 0, primary: true }), shape: true }),
    () => ({
      line: `${rng.pick(['GET', 'POST', 'PUT', 'DELETE'])} /${rng.pick(['_nothing', `${INDEX}/_nothing`, '_search/nothing', '_cat/nothing', `${INDEX}/_doc`, '_bulk', '_cluster/nothing'])}`,
    }),
    () => ({
      line: `GET /${INDEX}/_search?${rng.pick(['nothing=1', 'size=x', 'size=-1', 'from=a', 'timeout=1x', 'search_type=none', 'expand_wildcards=none&allow_no_indices=x', 'pretty=maybe', 'request_cache=2'])}`,
    }),
    () => ({ line: `GET /_snapshot` }),
    () => ({ line: `GET /_ingest/pipeline/nothing` }),
    () => ({ line: `GET /_scripts/nothing` }),
  ])(),
];
