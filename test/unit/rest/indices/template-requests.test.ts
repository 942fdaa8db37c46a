// Names and patterns of templates, and templates of the other kind that match the same names.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRestNode, type RestNode } from '../../../support/rest-node.ts';

let node: RestNode;
let openSearch: RestNode;

beforeAll(async () => {
  node = await openRestNode();
  openSearch = await openRestNode({ 'compat.flavor': 'opensearch' });
});

afterAll(async () => {
  await node.close();
  await openSearch.close();
});

const put = async (one: RestNode, path: string, body: object): Promise<{ status: number; reason: string; warnings: string[] }> => {
  const { status, text, headers } = await one.exchange(`PUT /${path}`, {
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  });
  const warnings = [headers.warning ?? []].flat().map((warning) => String(warning).replace(/^299 \S+ "(.*)"$/, '$1'));
  return { status, reason: JSON.parse(text).error?.reason ?? '', warnings };
};

test.each([
  ['_component_template/A*', { template: {} }, "1: name must not contain a '*';2: name must be lower cased;"],
  ['_template/a*', { index_patterns: ['a'] }, "1: name must not contain a '*';"],
  [
    '_template/a',
    { index_patterns: ['_x', 'a b'] },
    "1: index_pattern [_x] must not start with '_';2: index_patterns [a b] must not contain a space;3: index_pattern [a b] must not contain the following characters",
  ],
])('%s %j is refused', async (path, body, problems) => {
  const { status, reason } = await put(openSearch, path, body);
  expect([status, reason]).toEqual([400, expect.stringContaining(`invalid, cause [Validation Failed: ${problems}`)]);
});

test('a body that is not an object is an error of the parser', async () => {
  expect((await put(openSearch, '_index_template/a', [])).reason).toBe('[1:1] [index_template] Expected START_OBJECT but was: START_ARRAY');
});

test('OpenSearch warns about templates of the other kind that match the same names', async () => {
  expect((await put(openSearch, '_template/old', { index_patterns: ['q*'] })).warnings).toEqual([]);
  expect((await put(openSearch, '_index_template/new', { index_patterns: ['q*'] })).warnings).toEqual([
    'index template [new] has index patterns [q*] matching patterns from existing older templates [old] with patterns (old => [q*]); this template [new] will take precedence during new index creation',
  ]);
  expect((await put(openSearch, '_template/late', { index_patterns: ['qa*', 'z'] })).warnings).toEqual([
    'legacy template [late] has index patterns [qa*, z] matching patterns from existing composable templates [new] with patterns (new => [q*]); this template [late] may be ignored in favor of a composable template at index creation time',
  ]);
});

test('version 8 refuses legacy templates that composable ones hide, unless they were there before or match everything', async () => {
  const deprecated = 'Legacy index templates are deprecated in favor of composable templates.';
  expect((await put(node, '_template/old', { index_patterns: ['q*'] })).warnings).toEqual([deprecated]);
  await put(node, '_index_template/new', { index_patterns: ['q*'] });
  expect((await put(node, '_template/late', { index_patterns: ['qa*'] })).reason).toBe(
    'legacy template [late] has index patterns [qa*] matching patterns from existing composable templates [new] with patterns (new => [q*]), use composable templates (/_index_template) instead',
  );
  for (const [name, patterns] of [
    ['old', ['q*']],
    ['all', ['*']],
  ] as const)
    expect((await put(node, `_template/${name}`, { index_patterns: patterns })).warnings).toEqual([
      deprecated,
      expect.stringContaining('may be ignored in favor of a composable template'),
    ]);
});

test('_simulate shows mappings only if there are some, and refuses to create a template that exists', async () => {
  const { template } = await openSearch.ok('POST /_index_template/_simulate', { index_patterns: ['zzz*'] });
  expect(template).toEqual({ settings: {}, aliases: {} });
  await put(openSearch, '_index_template/there', { index_patterns: ['there-*'] });
  const { json } = await openSearch.send('POST /_index_template/_simulate/there?create=true', { index_patterns: ['zzz*'] });
  expect(json.error.reason).toBe('index template [there] already exists');
});

test('timeouts of deletions and causes of _simulate_index are unknown', async () => {
  for (const line of ['DELETE /_template/old?timeout=1s', 'POST /_index_template/_simulate_index/x?cause=y'])
    expect((await openSearch.send(line)).json.error.reason).toContain('contains unrecognized parameter');
});

test('an unknown setting is compared with similar names only', async () => {
  await node.ok('PUT /docs');
  const reasonOf = async (name: string) => (await node.send('PUT /docs/_settings', { [name]: 1 })).json.error.reason;
  expect(await reasonOf('x')).toContain('please check that any required plugins are installed');
  expect(await reasonOf('blocks.writ')).toContain('did you mean any of [index.blocks.write, index.blocks.read]?');
});
