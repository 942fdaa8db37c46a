// Document and field level security: whatever an operation reads, it sees the documents and fields that the roles of its caller show. The canary
// words are in hidden documents and fields only, so no answer may contain them.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hashPassword } from '../../../../src/security/password-hash.ts';
import { openRestNode, type RestNode } from '../../../support/rest-node.ts';

const read = (rest: object) => ({ indices: [{ names: ['staff', 'seen'], privileges: ['read', 'view_index_metadata'], ...rest }] });
const ROLES = {
  docs: read({ query: '{"term":{"team":"red"}}' }),
  fields: read({ field_security: { grant: ['*'], except: ['pay', 'bio', 'home', 'home.*', 'boss.pin', 'place'] } }),
  both: read({ query: { term: { team: 'red' } }, field_security: { grant: ['name', 'name.*', 'team', 'kids', 'kids.*'] } }),
  own: read({ query: '{"template":{"source":{"term":{"owner":"{{_user.username}}"}}}}' }),
  now: read({ query: '{"range":{"joined":{"lte":"now-1d"}}}' }),
  write: { indices: [{ names: ['staff', 'seen'], privileges: ['write', 'manage'] }] },
  monitor: { cluster: ['monitor'], indices: [{ names: ['staff', 'seen'], privileges: ['monitor'], field_security: { grant: ['team'] } }] },
  alias: { indices: [{ names: ['everyone'], privileges: ['read'] }] },
};
const USERS = {
  root: ['superuser'],
  docs: ['docs'],
  fields: ['fields'],
  both: ['both'],
  own: ['own'],
  now: ['now'],
  writer: ['docs', 'write'],
  fieldwriter: ['fields', 'write'],
  fieldmonitor: ['fields', 'monitor'],
  wider: ['docs', 'alias'],
};
type User = keyof typeof USERS;

let node: RestNode;
const as = (user: User, line: string, body?: unknown): ReturnType<RestNode['send']> =>
  node.send(line, body, { authorization: `Basic ${Buffer.from(`${user}:pw`).toString('base64')}` });

const MAPPINGS = {
  properties: {
    name: { type: 'text', fields: { raw: { type: 'keyword' } } },
    team: { type: 'keyword' },
    owner: { type: 'keyword' },
    joined: { type: 'date' },
    pay: { type: 'long' },
    bio: { type: 'text', fielddata: true, term_vector: 'with_positions_offsets' },
    money: { type: 'alias', path: 'pay' },
    home: { properties: { street: { type: 'keyword' } } },
    boss: { properties: { name: { type: 'keyword' }, pin: { type: 'keyword' } } },
    kids: { type: 'nested', properties: { name: { type: 'keyword' } } },
    place: { type: 'geo_point' },
  },
};
const person = (id: string, team: string, rest: object) => [
  { index: { _index: 'staff', _id: id } },
  { name: `Person ${id}`, team, owner: team === 'red' ? 'own' : 'x', joined: team === 'red' ? '2020-01-01' : '2999-01-01', ...rest },
];

beforeAll(async () => {
  const hash = await hashPassword('pw');
  const users = Object.fromEntries(Object.entries(USERS).map(([name, roles]) => [name, { password_hash: hash, roles }]));
  node = await openRestNode({ 'security.users': users, 'security.roles': ROLES });
  await as('root', 'PUT /staff', { mappings: MAPPINGS, aliases: { everyone: {} } });
  const lines = [
    ...person('r1', 'red', {
      pay: 4711,
      bio: 'redbiocanary',
      home: { street: 'homecanary' },
      boss: { name: 'Bo', pin: 'pincanary' },
      kids: [{ name: 'Ann' }],
    }),
    ...person('r2', 'red', { pay: 4712, place: { lat: 11.5, lon: 22.25 }, kids: [{ name: 'Eve' }] }),
    ...person('b1', 'blue', { name: 'bluecanary', pay: 5, kids: [{ name: 'kidcanary' }], bio: 'bluecanary' }),
    ...person('b2', 'blue', { name: 'bluecanary two', pay: 6 }),
  ];
  await as('root', 'POST /_bulk?refresh=true', `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`);
  // A second segment, with a deletion.
  await as(
    'root',
    'POST /_bulk?refresh=true',
    `${[...person('r3', 'red', {}), ...person('b3', 'blue', { name: 'bluecanary' })].map((line) => JSON.stringify(line)).join('\n')}\n`,
  );
  await as('root', 'DELETE /staff/_doc/r3?refresh=true');
});
afterAll(() => node.close());

const hits = ({ json }: { json: { hits: { hits: Array<{ _id: string }> } } }) => json.hits.hits.map(({ _id }) => _id).sort();

describe('document level security', () => {
  test.each([
    ['docs', ['r1', 'r2']],
    ['both', ['r1', 'r2']],
    ['own', ['r1', 'r2']],
    ['now', ['r1', 'r2']],
    ['root', ['b1', 'b2', 'b3', 'r1', 'r2']],
  ] as const)('searches of %s find %j', async (user, ids) => {
    expect(hits(await as(user, 'GET /staff/_search'))).toEqual(ids);
    expect((await as(user, 'GET /staff/_count')).json.count).toBe(ids.length);
    expect((await as(user, 'GET /_cat/count/staff?h=count')).text.trim()).toBe(String(ids.length));
    const total = await as(user, 'POST /staff/_search', { size: 0, track_total_hits: true });
    expect(total.json.hits.total.value).toBe(ids.length);
  });

  test('a cached response is not shown to users who see other documents', async () => {
    const body = { size: 0, aggs: { teams: { terms: { field: 'team' } } } };
    for (let i = 0; i < 3; i++) {
      expect((await as('root', 'POST /staff/_search', body)).json.aggregations.teams.buckets).toHaveLength(2);
      expect((await as('docs', 'POST /staff/_search', body)).json.aggregations.teams.buckets).toEqual([{ key: 'red', doc_count: 2 }]);
      expect((await as('wider', 'POST /staff/_search', body)).json.aggregations.teams.buckets).toHaveLength(1);
      expect((await as('wider', 'POST /everyone/_search', body)).json.aggregations.teams.buckets).toHaveLength(2);
    }
  });

  test('background counts of significant terms are those of visible documents', async () => {
    const aggs = { s: { significant_terms: { field: 'team', min_doc_count: 1, percentage: {} } } };
    const { s } = (await as('docs', 'POST /staff/_search', { size: 0, aggs })).json.aggregations;
    expect(s).toMatchObject({ doc_count: 2, buckets: [{ key: 'red', doc_count: 2, bg_count: 2 }] });
    expect((await as('root', 'POST /staff/_search', { size: 0, aggs })).json.aggregations.s.buckets).toHaveLength(2);
  });

  const QUERIES: Array<[string, unknown?]> = [
    ['GET /staff/_doc/b1'],
    ['GET /staff/_source/b1'],
    ['HEAD /staff/_doc/b1'],
    ['GET /staff/_doc/b1?realtime=false'],
    ['POST /staff/_mget', { ids: ['b1', 'r1'] }],
    ['GET /staff/_termvectors/b1?fields=name,bio'],
    ['POST /staff/_mtermvectors', { ids: ['b1'], parameters: { fields: ['name'] } }],
    ['POST /staff/_explain/b1', { query: { match_all: {} } }],
    ['GET /staff/_termvectors/r1?fields=*&term_statistics=true&field_statistics=true'],
    ['POST /staff/_validate/query?explain=true', { query: { prefix: { name: 'bluecan' } } }],
    ['POST /staff/_validate/query?explain=true', { query: { fuzzy: { name: 'bluecanery' } } }],
    ['POST /staff/_validate/query?explain=true', { query: { match_phrase_prefix: { name: 'bluecan' } } }],
    ['POST /staff/_validate/query?explain=true', { query: { wildcard: { name: 'blue*' } } }],
    ['POST /staff/_validate/query?explain=true', { query: { match: { name: { query: 'bluecanery', fuzziness: 2 } } } }],
    ['POST /staff/_search', { query: { ids: { values: ['b1'] } } }],
    ['POST /staff/_search', { query: { match: { name: 'bluecanary' } }, highlight: { fields: { name: {} } } }],
    ['POST /staff/_search', { query: { bool: { must_not: { term: { team: 'red' } } } } }],
    ['POST /staff/_search', { query: { nested: { path: 'kids', query: { match_all: {} }, inner_hits: {} } } }],
    ['POST /staff/_search', { sort: ['name.raw'], collapse: { field: 'team', inner_hits: { name: 'x' } } }],
    [
      'POST /staff/_search',
      { size: 0, aggs: { all: { global: {}, aggs: { top: { top_hits: {} }, names: { terms: { field: 'name.raw' } } } } } },
    ],
    [
      'POST /staff/_search',
      {
        size: 0,
        aggs: {
          names: { terms: { field: 'name.raw' } },
          kids: { nested: { path: 'kids' }, aggs: { n: { terms: { field: 'kids.name' } } } },
        },
      },
    ],
    ['POST /staff/_search', { size: 0, aggs: { missing: { missing: { field: 'pay' }, aggs: { t: { top_hits: {} } } } } }],
    ['POST /staff/_search', { size: 0, aggs: { m: { multi_terms: { terms: [{ field: 'name.raw' }, { field: 'team' }] } } } }],
    ['POST /staff/_search', { size: 0, aggs: { c: { composite: { sources: [{ n: { terms: { field: 'name.raw' } } }] } } } }],
    ['POST /staff/_search', { size: 0, aggs: { s: { significant_text: { field: 'name' } } } }],
    [
      'POST /staff/_search',
      {
        size: 0,
        aggs: {
          x: {
            scripted_metric: {
              init_script: 'state.l=[]',
              map_script: "state.l.add(doc['name.raw'].value)",
              combine_script: 'return state.l',
              reduce_script: 'return states',
            },
          },
        },
      },
    ],
    [
      'POST /staff/_search',
      { query: { script_score: { query: { match_all: {} }, script: "doc['name.raw'].value == 'bluecanary' ? 2 : 1" } } },
    ],
    [
      'POST /staff/_search',
      { query: { more_like_this: { fields: ['name'], like: [{ _id: 'b1' }], min_term_freq: 1, min_doc_freq: 1 } }, explain: true },
    ],
    ['POST /staff/_search', { query: { terms: { name: { index: 'staff', id: 'b1', path: 'name' } } } }],
    ['POST /staff/_search', { rescore: { window_size: 5, query: { rescore_query: { match: { name: 'bluecanary' } } } } }],
    ['POST /staff/_msearch', '{}\n{"query":{"match":{"name":"bluecanary"}}}\n'],
    ['POST /staff/_rank_eval', { requests: [{ id: 'q', request: { query: { match_all: {} } }, ratings: [] }], metric: { precision: {} } }],
    ['POST /staff/_search/template', { source: '{"query":{"match":{"name":"{{x}}"}}}', params: { x: 'blue canary' } }],
  ];
  test.each(QUERIES)('%s %j shows no hidden document', async (line, body) => {
    for (const user of ['docs', 'both', 'own', 'now'] as const) {
      const { text, status } = await as(user, line, body);
      expect(text, user).not.toMatch(/bluecanary|kidcanary/);
      expect(text, user).not.toMatch(/"_id":"b\d"(?!,"(found":false|matched":false|_version":0,"found":false|error))/);
      expect(status, `${user} ${text}`).not.toBe(500);
      if (line.startsWith('HEAD')) expect(status).toBe(404);
    }
  });

  test('scrolls and points in time keep the limits of who opened them', async () => {
    const first = await as('docs', 'POST /staff/_search?scroll=1m&size=1', {});
    const rest = await as('docs', 'POST /_search/scroll', { scroll_id: first.json._scroll_id, scroll: '1m' });
    const last = await as('docs', 'POST /_search/scroll', { scroll_id: first.json._scroll_id });
    expect([...hits(first), ...hits(rest), ...hits(last)].sort()).toEqual(['r1', 'r2']);
    const { id } = (await as('docs', 'POST /staff/_pit?keep_alive=1m')).json;
    expect(hits(await as('docs', 'POST /_search', { pit: { id } }))).toEqual(['r1', 'r2']);
    expect((await as('root', 'POST /_search', { pit: { id } })).status).toBe(404);
  });

  test.each([
    [{ suggest: { s: { text: 'bluecanry', term: { field: 'name' } } } }, "Suggest isn't supported if document level security is enabled"],
    [{ profile: true }, 'A search request cannot be profiled if document level security is enabled'],
    [{ aggs: { t: { terms: { field: 'name.raw', min_doc_count: 0 } } } }, "[min_doc_count] of 0 isn't supported"],
    [
      { aggs: { g: { global: {}, aggs: { t: { terms: { field: 'name.raw', min_doc_count: 0 } } } } } },
      "[min_doc_count] of 0 isn't supported",
    ],
  ])('refuses %j, which would show terms of hidden documents', async (body, reason) => {
    const { status, json } = await as('docs', 'POST /staff/_search', body);
    expect([status, json.error.type]).toEqual([400, 'security_exception']);
    expect(json.error.reason).toContain(reason);
    expect((await as('root', 'POST /staff/_search', body)).status).toBe(200);
  });

  test('a rewritten query, which would show terms of hidden documents, is refused', async () => {
    const body = { query: { match_phrase_prefix: { name: 'bluecan' } } };
    const { status, json } = await as('docs', 'POST /staff/_validate/query?rewrite=true', body);
    expect([status, json.error.type]).toEqual([400, 'security_exception']);
    expect(json.error.reason).toBe("Validate with rewrite parameter isn't supported if document level security is enabled");
    expect((await as('root', 'POST /staff/_validate/query?rewrite=true', body)).status).toBe(200);
  });

  test('operations that would read or copy hidden documents are refused, other writes work', async () => {
    const update = await as('writer', 'POST /staff/_update/r1', { doc: { x: 1 }, _source: true });
    expect([update.status, update.json.error.reason]).toEqual([400, expect.stringContaining("Can't execute an update request")]);
    const bulk = await as(
      'writer',
      'POST /_bulk',
      '{"update":{"_index":"staff","_id":"r1"}}\n{"doc":{"x":1}}\n{"index":{"_index":"staff","_id":"w"}}\n{"team":"white"}\n',
    );
    expect(bulk.json.items.map((item: Record<string, { status: number }>) => Object.values(item)[0].status)).toEqual([400, 201]);
    expect((await as('writer', 'POST /_aliases', { actions: [{ add: { index: 'staff', alias: 'seen' } }] })).json.error.reason).toContain(
      'Alias requests are not allowed',
    );
    await as('root', 'PUT /staff/_settings', { 'index.blocks.write': true });
    expect((await as('writer', 'PUT /staff/_clone/seen')).json.error.reason).toContain('Resize requests are not allowed');
    await as('root', 'PUT /staff/_settings', { 'index.blocks.write': null });
    expect(
      (await as('writer', 'POST /staff/_delete_by_query?refresh=true', { query: { match: { name: 'bluecanary' } } })).json.deleted,
    ).toBe(0);
    expect((await as('fieldwriter', 'POST /staff/_update_by_query', {})).json.error.reason).toContain("Can't execute an update by query");
    await as('root', 'DELETE /staff/_doc/w?refresh=true');
  });
});

describe('field level security', () => {
  test('sources contain granted fields only', async () => {
    const granted = { name: 'Person r1', team: 'red', owner: 'own', joined: '2020-01-01', boss: { name: 'Bo' }, kids: [{ name: 'Ann' }] };
    expect((await as('fields', 'GET /staff/_doc/r1')).json._source).toEqual(granted);
    expect((await as('fields', 'GET /staff/_source/r1')).json).toEqual(granted);
    expect((await as('fields', 'POST /staff/_search', { query: { ids: { values: ['r1'] } } })).json.hits.hits[0]._source).toEqual(granted);
    expect((await as('both', 'GET /staff/_doc/r1')).json._source).toEqual({ name: 'Person r1', team: 'red', kids: [{ name: 'Ann' }] });
  });

  test('mappings and field capabilities name granted fields only', async () => {
    for (const line of ['GET /staff/_mapping', 'GET /staff', 'GET /staff/_mapping/field/*', 'GET /staff/_field_caps?fields=*']) {
      const { text } = await as('fields', line);
      expect(text, line).not.toMatch(/"(pay|bio|money|home|street|pin|home\.street|boss\.pin|place)"/);
      expect(text, line).toMatch(/"(name|boss\.name)"/);
    }
    expect((await as('root', 'GET /staff/_mapping')).text).toContain('"pay"');
  });

  const BODIES: unknown[] = [
    { query: { range: { pay: { gte: 4000 } } } },
    { query: { range: { money: { gte: 4000 } } } },
    { query: { match: { bio: 'redbiocanary' } } },
    { query: { query_string: { query: 'redbiocanary OR bio:redbiocanary OR pincanary' } } },
    { query: { multi_match: { query: 'redbiocanary pincanary homecanary', fields: ['*'] } } },
    { query: { simple_query_string: { query: 'redbiocanary', fields: ['bio', 'name'] } } },
    { query: { exists: { field: 'bio' } } },
    { query: { exists: { field: 'home' } } },
    { query: { term: { _field_names: 'bio' } } },
    { query: { prefix: { 'boss.pin': 'pin' } } },
    { query: { geo_distance: { distance: '1000km', place: { lat: 11.5, lon: 22.25 }, ignore_unmapped: true } } },
    { query: { more_like_this: { fields: ['bio'], like: 'redbiocanary', min_term_freq: 1, min_doc_freq: 1 } } },
    { query: { script: { script: "doc.containsKey('pay') && doc['pay'].value > 4000" } } },
    { query: { script: { script: 'params._source?.pay != null' } } },
    { runtime_mappings: { pay: { type: 'long' } }, query: { range: { pay: { gte: 4000 } } } },
    {
      runtime_mappings: { mine: { type: 'long', script: 'emit(params._source.pay == null ? 0L : 1L)' } },
      query: { range: { mine: { gte: 1 } } },
    },
    { query: { match: { 'bio.anything': 'redbiocanary' } } },
  ];
  test.each(BODIES)('%j matches as if hidden fields were unmapped', async (body) => {
    const { json, text } = await as('fields', 'POST /staff/_search', body);
    expect(json.hits?.hits ?? [], text).toEqual([]);
    const rooted = await as('root', 'POST /staff/_search', body);
    expect(rooted.status, rooted.text).not.toBe(500);
  });

  const SHOWN: unknown[] = [
    { fields: ['*'], stored_fields: ['*'], _source: true },
    { fields: ['pay', 'bio', 'home.*'], docvalue_fields: ['pay'], _source: ['pay', 'home'] },
    { sort: [{ pay: { order: 'asc', unmapped_type: 'long' } }] },
    { script_fields: { p: { script: 'params._source.toString()' } } },
    { script_fields: { p: { script: "doc['pay'].value" } } },
    {
      size: 0,
      aggs: { a: { terms: { field: 'pay' } }, b: { max: { field: 'pay' } }, c: { terms: { field: 'bio' } }, d: { top_hits: {} } },
    },
    { size: 0, aggs: { a: { top_metrics: { metrics: { field: 'pay' }, sort: { joined: 'asc' } } } } },
    { size: 0, aggs: { a: { geo_bounds: { field: 'place' } } } },
    {
      query: { match_all: {} },
      highlight: {
        require_field_match: false,
        fields: { '*': {} },
        highlight_query: { query_string: { query: '*canary*', fields: ['*'] } },
      },
    },
    { suggest: { s: { text: 'redbiocanry', term: { field: 'bio' } } } },
    { query: { nested: { path: 'kids', query: { match_all: {} }, inner_hits: { _source: true } } } },
  ];
  test.each(SHOWN)('%j shows no hidden value', async (body) => {
    const { text, status } = await as('fields', 'POST /staff/_search', { ...(body as object) });
    expect(text).not.toMatch(/biocanary|homecanary|pincanary|471[12]|22\.2/);
    expect(status, text).not.toBe(500);
  });

  test('term vectors, explanations and lookups show no hidden value', async () => {
    for (const [line, body] of [
      ['GET /staff/_termvectors/r1?fields=*'],
      ['POST /staff/_mtermvectors', { ids: ['r1'], parameters: { fields: ['bio'] } }],
      ['POST /staff/_explain/r1', { query: { match: { bio: 'redbiocanary' } } }],
      ['POST /staff/_mget', { ids: ['r1'] }],
      ['POST /staff/_validate/query?explain=true', { query: { terms: { name: { index: 'staff', id: 'r1', path: 'bio' } } } }],
    ] as Array<[string, unknown?]>) {
      const { text } = await as('fields', line, body);
      expect(text, line).not.toMatch(/"redbiocanary"|homecanary|pincanary|4711/);
    }
  });
});

test('statistics by field name visible fields only', async () => {
  const lines = ['GET /staff/_stats/fielddata,completion?fields=*', 'GET /_nodes/stats/indices?fields=*', 'GET /_cat/fielddata?fields=*'];
  const shown = await Promise.all(
    (['root', 'fieldmonitor'] as const).map(async (user) =>
      Promise.all(lines.map(async (line) => (await as(user, line)).text.includes('bio'))),
    ),
  );
  expect(shown).toEqual([
    [true, true, true],
    [false, false, false],
  ]);
});
