// Every route of the route table with mutated paths, parameters and bodies: no request of a user causes an internal error (500), and no answer contains
// a stack or a path of the server. GANNET_ROUTE_ROUNDS sets the number of requests to each route; GANNET_SEED the first seed.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ALL_APIS } from '../../src/rest/all-apis.ts';
import type { ParamKind } from '../../src/rest/core/param-kinds.ts';
import { type Route, Router } from '../../src/rest/core/router.ts';
import { openRestNode, type RestNode } from '../support/rest-node.ts';
import { Rng } from '../support/rng.ts';
import * as seeds from './request-seeds.ts';

const ROUNDS = Number(process.env.GANNET_ROUTE_ROUNDS ?? 1);
const FIRST_SEED = Number(process.env.GANNET_SEED ?? 1);

/** Names in paths: those that exist, those that do not, patterns, and unusual ones. */
const NAMES = [
  ...[
    'docs',
    'docs',
    'docs',
    'other',
    'missing',
    'a-alias',
    '_all',
    '*',
    'd*',
    'docs,other',
    '-docs',
    '*,-docs',
    '1',
    '2',
    'pipe',
    'tmpl',
    'stored',
  ],
  ...[
    '__proto__',
    'constructor',
    '..',
    '.',
    '%00',
    '%0a',
    '%ff',
    '%2e%2e%2f',
    '%20',
    '%22',
    '%5c',
    '%3Cx%3E',
    '%F0%9F%99%82',
    'x'.repeat(300),
  ],
  ...[
    '_search',
    '_none',
    '-1',
    '0',
    '9007199254740993',
    '%2A',
    '_local',
    'UPPER',
    'text',
    'n',
    'flat.a.b',
    'standard',
    'red',
    '_settings',
    'true',
  ],
];
const TEXTS = [
  '',
  ' ',
  '*',
  '_all',
  'true',
  'false',
  '-1',
  '0',
  '1',
  '1e400',
  'NaN',
  '99999999999999999999',
  '1m',
  '0ms',
  '-5s',
  '1d',
  'x,y',
  ',',
  'text',
  'n:asc',
  'n:',
  '[',
  '{"a":1}',
  '__proto__',
  '%00',
  '%F0%9F',
  '%ff',
  'now',
  'name,health',
  'open,closed',
  'json',
  'yaml',
  'wait_for',
];
const VALUES: Readonly<Record<ParamKind, readonly string[]>> = {
  string: TEXTS,
  boolean: ['true', 'false', '', 'yes'],
  indicesOption: ['true', 'false', '', 'yes'],
  int: ['0', '1', '-1', '10', '2147483648', 'x'],
  long: ['0', '1', '-1', '9223372036854775807', 'x'],
  float: ['0', '1.5', '-1e30', 'x'],
  time: ['1ms', '0', '-1', '10s', '1y', 'x'],
  list: TEXTS,
  activeShards: ['1', 'all', '0', '2', 'x'],
  expandWildcards: ['open', 'all', 'none', 'open,closed,hidden', 'x'],
  refresh: ['true', 'false', 'wait_for', 'x'],
};
const LEAVES: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  1e308,
  2 ** 53,
  '',
  'x',
  '*',
  '__proto__',
  'docs',
  'n',
  'text',
  [],
  {},
  [[]],
  [null],
  { a: 1 },
  'é🙂',
  '\u0000',
  '\ud800',
  'a'.repeat(3000),
];

const search = { query: { match: { text: 'fox' } }, aggs: { a: { terms: { field: 'tag' } } }, sort: ['n'], size: 2 };
const script = { lang: 'painless', source: 'ctx._source.n = 1', params: { n: 1 } };
/** Valid bodies of many APIs; each route gets any of them. */
const BODIES: readonly unknown[] = [
  search,
  { doc: { n: 1 }, upsert: { n: 2 }, detect_noop: true },
  { script },
  { n: 1, text: 'a fox', tag: ['x'] },
  { settings: seeds.SETTINGS, mappings: seeds.MAPPINGS, aliases: { x: { filter: { term: { tag: 'x' } } } } },
  { properties: { more: { type: 'keyword' } }, dynamic: 'strict' },
  { index: { number_of_replicas: 0, refresh_interval: '1s' } },
  { persistent: { 'search.max_buckets': 1000 }, transient: {} },
  { actions: [{ add: { index: 'docs', alias: 'b' } }, { remove: { index: 'docs', alias: 'b' } }] },
  { index_patterns: ['zz-*'], template: { settings: { number_of_shards: 1 } }, priority: 1, composed_of: [] },
  { template: { mappings: { properties: { a: { type: 'long' } } } } },
  { processors: [{ set: { field: 'a', value: 1 } }, { rename: { field: 'a', target_field: 'b' } }], on_failure: [{ drop: {} }] },
  { pipeline: { processors: [{ set: { field: 'a', value: '{{n}}' } }] }, docs: [{ _index: 'i', _source: { n: 1 } }] },
  { docs: [{ _index: 'docs', _id: '1', _source: ['n'] }, { _id: '2' }], ids: ['1'] },
  { source: { index: 'docs', query: { match_all: {} } }, dest: { index: 'other', op_type: 'create' }, max_docs: 2 },
  { analyzer: 'standard', text: 'A fox', explain: true },
  { tokenizer: 'standard', filter: ['lowercase', { type: 'stop', stopwords: ['a'] }], text: ['a b'] },
  { scroll_id: 'c2Nyb2xs', scroll: '1m' },
  { id: 'abc', keep_alive: '1m' },
  { id: 'stored', params: { a: 1 } },
  { source: '{"query":{"term":{"tag":"{{v}}"}}}', params: { v: 'x' } },
  { script: { lang: 'mustache', source: '{"size":{{n}}}' } },
  {
    requests: [{ id: 'q', request: { query: { match_all: {} } }, ratings: [{ _index: 'docs', _id: '1', rating: 1 }] }],
    metric: { precision: { k: 3 } },
  },
  { conditions: { max_docs: 1, max_age: '1d' }, aliases: {} },
  { fields: ['text'], doc: { text: 'fox' }, term_statistics: true },
  { commands: [{ move: { index: 'docs', shard: 0, from_node: 'a', to_node: 'b' } }] },
  { index: 'docs', shard: 0, primary: true },
  { type: 'fs', settings: { location: 'here' } },
  { indices: 'docs', include_global_state: false, rename_pattern: '(.+)', rename_replacement: 'r-$1' },
  {
    schedule: '0 30 1 * * ?',
    name: '<s-{now/d}>',
    repository: 'repo',
    config: { indices: ['docs'] },
    retention: { expire_after: '30d', max_count: 3 },
  },
  { password: 'secret-password', roles: ['reader'], full_name: 'A', metadata: {} },
  {
    cluster: ['monitor'],
    indices: [{ names: ['docs'], privileges: ['read'], query: { match_all: {} }, field_security: { grant: ['n'] } }],
  },
  { name: 'key', expiration: '1d', role_descriptors: {} },
  { query: { match_all: {} }, size: 1, knn: {} },
];
const LINES: readonly unknown[] = [
  { index: { _index: 'docs', _id: '1' } },
  { n: 1 },
  { update: { _index: 'docs', _id: '1' } },
  { doc: { n: 2 } },
  { delete: { _index: 'docs', _id: 'nope' } },
  { index: 'docs' },
  search,
  {},
  { id: 'stored', params: {} },
];

interface Target {
  readonly method: string;
  readonly path: string;
  readonly route: Route;
}

const targets: Target[] = [...new Router(ALL_APIS).all()];

/** Replaces, wraps, adds or removes a few members at any depth. */
function mutate(value: unknown, rng: Rng, depth = 0): unknown {
  if (depth > 6) return value;
  if (rng.bool(0.12)) return rng.pick(LEAVES);
  if (Array.isArray(value)) return value.map((item) => mutate(item, rng, depth + 1)).filter(() => !rng.bool(0.05));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).flatMap(([key, item]) => {
    if (rng.bool(0.05)) return [];
    return [[rng.bool(0.05) ? rng.pick(['__proto__', '', 'x', `${key}.x`, 'query', 'n']) : key, mutate(item, rng, depth + 1)] as const];
  });
  if (rng.bool(0.1)) entries.push([rng.pick(['extra', 'constructor', 'boost', 'from', 'index']), rng.pick(LEAVES)]);
  return Object.fromEntries(entries);
}

function bodyOf(kind: string, rng: Rng): string {
  if (kind === 'none' ? rng.bool(0.95) : rng.bool(0.1)) return '';
  if (rng.bool(0.05)) return rng.pick(['{', '[]', 'null', '"x"', '{"a":', '\u0000', '{}{}', 'x=1', '{"a":1,"a":2}', '[[[[]]]]', '\n\n']);
  const isLines = kind.startsWith('ndjson') || kind.startsWith('stream');
  if (!isLines) return JSON.stringify(mutate(rng.pick(BODIES), rng));
  const lines = Array.from({ length: rng.int(1, 6) }, () => JSON.stringify(mutate(rng.pick(LINES), rng)));
  return lines.join('\n') + (rng.bool(0.9) ? '\n' : '');
}

function requestTo({ method, path, route }: Target, rng: Rng): { line: string; body: string } {
  const filled = path
    .split('/')
    .map((part) => (part === '*' ? rng.pick(NAMES) : part))
    .join('/');
  const known = Object.entries(route.params ?? {});
  const query: string[] = [];
  for (let i = rng.pick([0, 0, 1, 2, 4]); i > 0 && known.length > 0; i--) {
    const [name, kind] = rng.pick(known);
    query.push(`${name}=${rng.pick(rng.bool(0.2) ? TEXTS : (VALUES[kind] ?? TEXTS))}`);
  }
  if (rng.bool(0.05))
    query.push(
      rng.pick(['__proto__=1', 'unknown=1', '=', '&&', 'filter_path=**.__proto__', 'format=yaml', 'pretty=maybe', 'error_trace=true']),
    );
  // Requests that wait for something that never happens time out soon.
  if (route.params?.timeout !== undefined && !query.some((part) => part.startsWith('timeout='))) query.push('timeout=1ms');
  return {
    line: `${method} ${filled}${query.length > 0 ? `?${query.join('&').replaceAll(' ', '%20').replaceAll('?', '%3F')}` : ''}`,
    body: bodyOf(route.api.body ?? 'none', rng),
  };
}

/** Text that a user must not see, or that only an unexpected error contains. */
const FAULT =
  /"(?:internal_error|kernel_exception|translog_exception)"|\n\s+at .+:\d+:\d+|\b(?:node:internal|\w+\.[cm]?[jt]s:\d+)|\/tmp\/gannet-node/;
/** Errors that have the status 500 in Elasticsearch, too, with a reason that names the problem of the request. */
const OWN_500 = /"type":"(?:repository(?:_verification)?|snapshot(?:_restore)?|aggregation_(?:execution|initialization))_exception"/;
/** APIs that show directories on request, and those that wait or stop the service. */
const SHOWS_PATHS = /^(?:nodes\.|cat\.|indices\.stats|indices\.segments|indices\.shard_stores|cluster\.)/;

let node: RestNode;
async function prepare(): Promise<void> {
  node = await openRestNode();
  for (const index of ['docs', 'other']) {
    await node.ok(`PUT /${index}`, { settings: seeds.SETTINGS, mappings: seeds.MAPPINGS });
    await node.ok(
      `POST /${index}/_bulk?refresh=true`,
      seeds.DOCUMENTS.slice(0, 5).flatMap((document, i) => [{ index: { _id: String(i) } }, document]),
    );
  }
  await node.ok('PUT /docs/_alias/a-alias', {});
  await node.ok('PUT /_ingest/pipeline/pipe', { processors: [{ set: { field: 'a', value: 1 } }] });
  await node.ok('PUT /_scripts/stored', { script: { lang: 'mustache', source: '{"size":1}' } });
}
beforeAll(prepare);
afterAll(() => node.close());

test(`${targets.length} routes, ${ROUNDS} requests each: none causes an internal error or shows a path of the server`, {
  timeout: 60_000 + ROUNDS * 60_000,
}, async () => {
  const found: string[] = [];
  for (let seed = FIRST_SEED; seed < FIRST_SEED + ROUNDS; seed++) {
    const rng = new Rng(seed);
    for (const target of targets) {
      const { line, body } = requestTo(target, rng);
      const { status, text } = await node.send(line, body);
      const isAllowed = status < 500 || status === 501 || status === 503 || OWN_500.test(text);
      const shows = SHOWS_PATHS.test(target.route.api.name) && status < 400 ? null : FAULT.exec(text);
      if (!isAllowed || shows)
        found.push(`seed ${seed}: ${line} ${body.slice(0, 400)}\n  ${status} ${shows?.[0] ?? ''} ${text.slice(0, 400)}`);
    }
    // After indices are deleted or closed, later requests would test little.
    if (seed + 1 < FIRST_SEED + ROUNDS && (await node.send('GET /docs/_search')).status !== 200) {
      await node.close();
      await prepare();
    }
  }
  expect(found.join('\n')).toBe('');
});
