// Integers beyond 2^53 are read as bigint, which JSON.stringify refuses: wherever a body may have one, it is answered or refused, never a fault.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { hashPassword } from '../../../src/security/password-hash.ts';
import { openRestNode, type RestNode } from '../../support/rest-node.ts';

const LARGE = '9007199254740993';
const PAINLESS = '{"source":"params.a","params":{"a":LARGE}}';
const TERM = '{"term":{"n":LARGE}}';

let node: RestNode;
const as = (user: string, line: string, body?: string): ReturnType<RestNode['send']> =>
  node.send(line, body?.replaceAll('TERM', TERM).replaceAll('LARGE', LARGE), {
    authorization: `Basic ${Buffer.from(`${user}:password`).toString('base64')}`,
    'content-type': 'application/json',
  });

beforeAll(async () => {
  node = await openRestNode({ 'security.users': { root: { password_hash: await hashPassword('password'), roles: ['superuser'] } } });
  const properties = { t: { type: 'text' }, k: { type: 'keyword' }, n: { type: 'long' } };
  expect((await as('root', 'PUT /i', JSON.stringify({ mappings: { properties } }))).status).toBe(200);
  expect((await as('root', 'POST /i/_doc?refresh=true', '{"t":"a b","k":"x","n":LARGE}')).status).toBe(201);
});
afterAll(() => node.close());

test.each([
  ['POST /_analyze', '{"tokenizer":"standard","filter":[{"type":"synonym","synonyms":[[LARGE]]}],"text":"a"}'],
  ['PUT /s1', '{"settings":{"analysis":{"filter":{"f":{"type":"synonym","synonyms":LARGE,"x":[{"a":LARGE}]}}}}}'],
  ['PUT /s2', '{"settings":{"analysis":{"filter":{"f":{"type":"stop","stopwords":[LARGE,{}]}}}}}'],
  [
    'POST /i/_rank_eval',
    '{"templates":[{"id":"t","template":{"source":{"query":TERM}}}],"requests":[{"id":"r","template_id":"t","params":{"a":LARGE},"ratings":[]}],"metric":{"precision":{}}}',
  ],
  ['POST /i/_search', '{"suggest":{"s":{"text":"a","phrase":{"field":"t","collate":{"query":{"source":TERM},"params":{"p":LARGE}}}}}}'],
  ['POST /i/_terms_enum', '{"field":"k","index_filter":TERM}'],
  ['POST /i/_field_caps?fields=*', '{"index_filter":TERM}'],
  ['POST /i/_search', `{"query":{"script_score":{"query":{"match_all":{}},"script":${PAINLESS}}}}`],
  ['POST /i/_search', `{"sort":[{"_script":{"type":"number","script":${PAINLESS}}}],"aggs":{"a":{"sum":{"script":${PAINLESS}}}}}`],
  [
    'POST /i/_search',
    '{"query":{"intervals":{"t":{"any_of":{"intervals":[{"match":{"query":"a","max_gaps":LARGE}},{"match":{"query":"b"}}]}}}}}',
  ],
  ['POST /i/_search/template', '{"source":{"query":TERM},"params":{"x":LARGE}}'],
  ['PUT /_scripts/t1', '{"script":{"lang":"mustache","source":{"query":TERM}}}'],
  ['PUT /_ilm/policy/p', '{"policy":{"_meta":{"a":LARGE},"phases":{"hot":{"actions":{"set_priority":{"priority":LARGE}}}}}}'],
  ['PUT /_index_template/x', '{"index_patterns":["zz*"],"version":LARGE,"_meta":{"a":LARGE}}'],
  ['PUT /i/_mapping', '{"_meta":{"a":LARGE},"properties":{"z":{"type":"keyword","null_value":LARGE}}}'],
  [
    'PUT /_ingest/pipeline/pp',
    `{"version":LARGE,"_meta":{"a":LARGE},"processors":[{"set":{"field":"a","value":LARGE}},{"script":${PAINLESS}}]}`,
  ],
  ['POST /_ingest/pipeline/pp/_simulate?verbose=true', '{"docs":[{"_source":{"x":LARGE}}]}'],
  ['POST /i/_async_search?keep_on_completion=true', '{"query":TERM,"aggs":{"a":{"terms":{"field":"n"},"meta":{"x":LARGE}}}}'],
  ['PUT /_enrich/policy/e', '{"match":{"indices":"i","match_field":"k","enrich_fields":["n"],"query":TERM}}'],
  ['PUT /_synonyms/ss', '{"synonyms_set":[{"id":LARGE,"synonyms":"a,b"}]}'],
  ['PUT /_search/pipeline/sp', '{"request_processors":[{"filter_query":{"query":TERM}}]}'],
  ['PUT /_security/user/u1', '{"password":"password","roles":[],"metadata":{"a":LARGE}}'],
  [
    'POST /_security/api_key',
    '{"name":"k","metadata":{"a":LARGE},"role_descriptors":{"x":{"indices":[{"names":["i"],"privileges":["read"],"query":TERM}]}}}',
  ],
])('%s %s', async (line, body) => {
  const { status, text } = await as('root', line, body);
  expect(status, text).toBeLessThan(500);
});

test('a role filters documents by a large integer, also within a template', async () => {
  for (const [user, query] of [
    ['exact', TERM],
    ['templated', JSON.stringify(`{"template":{"source":${TERM}}}`)],
    ['other', '{"term":{"n":9007199254740995}}'],
  ]) {
    const role = `{"indices":[{"names":["i"],"privileges":["read"],"query":${query}}],"metadata":{"a":LARGE}}`;
    expect((await as('root', `PUT /_security/role/${user}`, role)).status).toBe(200);
    expect((await as('root', `PUT /_security/user/${user}`, `{"password":"password","roles":["${user}"]}`)).status).toBe(200);
    const { status, json } = await as(user, 'GET /i/_count');
    expect([user, status, json.count]).toEqual([user, 200, user === 'other' ? 0 : 1]);
  }
});
