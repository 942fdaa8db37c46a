// Aliases: names that exclude others, and an alias that takes the name of an index which the same request removes.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRestNode, type RestNode } from '../../../support/rest-node.ts';

let node: RestNode;
beforeAll(async () => {
  node = await openRestNode();
  await node.ok('PUT /docs', { aliases: { a1: {}, a2: {}, b1: {}, b2: {} } });
  await node.ok('PUT /fixed');
});
afterAll(() => node.close());

// As Elasticsearch 8.15 and OpenSearch 3 answer.
test.each([
  ['a1,b1,-a*', 200, ['b1']],
  ['a1,b2,-a*,-b2', 200, []],
  ['a*,-a1', 200, ['a2']],
  ['*,-a*', 200, ['b1', 'b2']],
  ['a1,-a1', 404, 'aliases [-a1,a1] missing'],
  ['a1,-none', 404, 'alias [-none] missing'],
  ['a1,none', 404, 'alias [none] missing'],
])('GET /_alias/%s', async (names, status, expected) => {
  const answer = await node.send(`GET /_alias/${names}`);
  expect(answer.status).toBe(status);
  if (Array.isArray(expected)) expect(Object.keys(answer.json.docs?.aliases ?? {})).toEqual(expected);
  else expect(answer.json.error).toBe(expected);
});

test('an alias takes the name of a removed index, whatever the order of the actions', async () => {
  for (const isFirst of [true, false]) {
    await node.ok('PUT /old/_doc/1', {});
    const remove = { remove_index: { index: 'old' } };
    const add = { add: { index: 'docs', alias: 'old' } };
    await node.ok('POST /_aliases', { actions: isFirst ? [remove, add] : [add, remove] });
    expect(Object.keys(await node.ok('GET /old'))).toEqual(['docs']);
    await node.ok('DELETE /docs/_alias/old');
  }
});

test('an index that a request removes cannot get an alias by it', async () => {
  await node.ok('PUT /gone');
  const actions = [{ add: { index: 'gone', alias: 'x' } }, { remove_index: { index: 'gone' } }];
  expect((await node.send('POST /_aliases', { actions })).status).toBe(404);
  expect((await node.send('HEAD /gone')).status).toBe(200);
});

test('an alias cannot stand for its index where aliases change', async () => {
  const reason = 'The provided expression [a1] matches an alias, specify the corresponding concrete indices instead.';
  const remove = { actions: [{ remove: { index: 'a1', alias: 'a1' } }] };
  const requests: Array<[string, object?]> = [
    ['DELETE /a1/_alias/a1'],
    ['DELETE /docs,a1/_alias/*'],
    ['PUT /a1/_alias/x'],
    ['POST /_aliases', remove],
  ];
  for (const [line, body] of requests) {
    const { status, json } = await node.send(line, body);
    expect([status, json.error.type, json.error.reason], line).toEqual([400, 'illegal_argument_exception', reason]);
  }
});

test('missing aliases are listed as a HashSet of Java orders them', async () => {
  const { json } = await node.send('DELETE /docs/_alias/n,b,z*');
  expect(json.error.reason).toBe('aliases [z*, b, n] missing');
  expect(json.error['resource.id']).toEqual(['z*', 'b', 'n']);
  expect((await node.send('DELETE /docs/_alias/n')).json.error['resource.id']).toBe('n');
});

test('an index that refuses the change is reported before one that is missing', async () => {
  await node.ok('PUT /fixed/_block/read_only');
  for (const line of ['DELETE /fixed,none/_alias/x', 'PUT /none,fixed/_alias/x'])
    expect((await node.send(line)).json.error.type, line).toBe('cluster_block_exception');
  const add = (index: string) => ({ add: { index, alias: 'x' } });
  expect((await node.send('POST /_aliases', { actions: [add('none'), add('fixed')] })).status).toBe(403);
  expect((await node.send('PUT /none/_alias/x')).status).toBe(404);
});

test.each([
  [{ add: { index: 'docs', alias: 'x', filter: 'y' } }, "[add] filter doesn't support values of type: VALUE_STRING"],
  [{ add: { index: 'docs', alias: 'x', routing: true } }, "[add] routing doesn't support values of type: VALUE_BOOLEAN"],
  [{ add: { index: ['docs'], alias: 'x' } }, "[add] index doesn't support values of type: START_ARRAY"],
  [{ add: { index: 'docs', alias: 'x', must_exist: true } }, '[add] unknown field [must_exist]'],
  [{ remove: { index: 'docs', alias: 'x', routing: 'y' } }, '[remove] unknown field [routing]'],
  [{ remove_index: { index: 'docs', alias: 'x' } }, '[remove_index] failed to parse field [alias]'],
])('the action %j is refused by its parser', async (action, reason) => {
  const { json } = await node.send('POST /_aliases', { actions: [action] });
  const [outer, middle, inner] = causesOf(json.error);
  expect(outer).toBe('x_content_parse_exception: [aliases] failed to parse field [actions]');
  expect(middle).toBe(`x_content_parse_exception: [alias_action] failed to parse field [${Object.keys(action)[0]}]`);
  expect(inner).toBe(`x_content_parse_exception: ${reason}`);
});

test('one action needs no list', async () => {
  await node.ok('POST /_aliases', { actions: { add: { index: 'docs', alias: 'single' } } });
  await node.ok('DELETE /docs/_alias/single');
});

test('a filter that is no object is ignored where an alias is put', async () => {
  await node.ok('PUT /docs/_alias/odd', { filter: 'x' });
  expect((await node.ok('GET /docs/_alias/odd')).docs.aliases).toEqual({ odd: {} });
  await node.ok('DELETE /docs/_alias/odd');
});

test.each([
  [{ '': {} }, 'alias name is required'],
  [{ a: null }, 'No alias is specified'],
  [{ a: { routing: 5 } }, 'Unknown token [VALUE_NUMBER] in alias [a]'],
  [{ a: { x: 'y' } }, 'Unknown field [x] in alias [a]'],
])('a new index with the aliases %j is refused', async (aliases, reason) => {
  const { status, json } = await node.send('PUT /broken', { aliases });
  expect([status, json.error.type, json.error.reason]).toEqual([400, 'illegal_argument_exception', reason]);
});

test('values of the wrong kind are ignored in the aliases of a new index', async () => {
  await node.ok('PUT /kinds', { aliases: { kind: { index_routing: true, routing: 'r', is_hidden: 'true' } } });
  expect((await node.ok('GET /kinds/_alias')).kinds.aliases).toEqual({ kind: { index_routing: 'r', search_routing: 'r' } });
});

test('an alias is hidden on all of its indices or on none', async () => {
  await node.ok('PUT /secret', { aliases: { veil: { is_hidden: true } } });
  const { status, json } = await node.send('PUT /docs/_alias/veil');
  expect([status, json.error.type]).toEqual([500, 'illegal_state_exception']);
  expect(json.error.reason).toContain('alias [veil] has is_hidden set to true on indices [secret] but does not');
  await node.ok('PUT /docs/_alias/veil', { is_hidden: true });
});

// Each action copied the aliases that the index had by then: 20,000 actions made 200 million copies, which no test waits for.
test('twenty thousand aliases are added and removed by one request each', async () => {
  await node.ok('PUT /many');
  const names = Array.from({ length: 20_000 }, (_, i) => `alias-${i}`);
  await node.ok('POST /_aliases', { actions: names.map((alias) => ({ add: { index: 'many', alias } })) });
  expect(Object.keys((await node.ok('GET /many/_alias')).many.aliases)).toHaveLength(20_000);
  await node.ok('POST /_aliases', { actions: names.slice(1).map((alias) => ({ remove: { index: 'many', alias } })) });
  expect(await node.ok('GET /many/_alias')).toEqual({ many: { aliases: { 'alias-0': {} } } });
});

test('the pairs of indices and aliases, and the comparisons with patterns, of one request are limited', async () => {
  const many = (name: string, from: number) => Array.from({ length: from }, (_, i) => `${name}-${i}`);
  const refusal = async (actions: object[]) => {
    const { status, json } = await node.send('POST /_aliases', { actions });
    return [status, json.error?.type, json.error?.reason];
  };
  expect(await refusal([{ add: { indices: ['docs', 'many'], aliases: many('pair', 25_001) } }])).toEqual([
    400,
    'illegal_argument_exception',
    '[aliases] the actions add more than [50000] aliases to indices; send them in several requests',
  ]);
  await node.ok('PUT /wide', { aliases: Object.fromEntries(many('w', 1000).map((name) => [name, {}])) });
  expect(await refusal([{ remove: { index: 'wide', aliases: many('none', 2001).map((name) => `${name}*`) } }])).toEqual([
    400,
    'illegal_argument_exception',
    '[aliases] the actions compare patterns with aliases more than [2000000] times; use fewer patterns',
  ]);
  expect(Object.keys((await node.ok('GET /wide/_alias')).wide.aliases)).toHaveLength(1000);
});

test('an alias of data streams has one stream for writes, also within a request', async () => {
  await node.ok('PUT /_index_template/writers', { index_patterns: ['writer-*'], data_stream: {} });
  for (const name of ['writer-a', 'writer-b', 'writer-c']) await node.ok(`PUT /_data_stream/${name}`);
  const add = (index: string) => ({ add: { index, alias: 'all', is_write_index: true } });
  await node.ok('POST /_aliases', { actions: [add('writer-a'), add('writer-b')] });
  await node.ok('POST /_aliases', { actions: [add('writer-c'), { add: { index: 'writer-b', alias: 'other', is_write_index: true } }] });
  expect(await node.ok('GET /_alias/all')).toEqual({
    'writer-a': { aliases: { all: { is_write_index: false } } },
    'writer-b': { aliases: { all: { is_write_index: false } } },
    'writer-c': { aliases: { all: { is_write_index: true } } },
  });
});

/** The types and reasons of an error and of its causes, without positions. */
function causesOf(error: { type: string; reason: string; caused_by?: never }): string[] {
  const own = `${error.type}: ${error.reason.replace(/^(?:\[\d+:\d+\] )+/, '')}`;
  return [own, ...(error.caused_by ? causesOf(error.caused_by) : [])];
}

// As Elasticsearch 8.15 answers.
test.each([
  [{ add: { index: '', alias: 'b' } }, 'add', 'index', "[index] can't be empty string"],
  [{ add: { indices: ['docs', ''], alias: 'b' } }, 'add', 'indices', "[indices] can't contain empty string"],
  [{ add: { index: 'docs', aliases: [] } }, 'add', 'aliases', "[aliases] can't be empty"],
  [{ remove: { index: 'docs', alias: 'a', aliases: ['b'] } }, 'remove', 'aliases', 'Only one of [alias] and [aliases] is supported'],
  [{ add: { indices: ['docs'], index: 'docs', alias: 'b' } }, 'add', 'index', 'Only one of [index] and [indices] is supported'],
  [
    { remove: { index: 'none', alias: 'a', must_exist: 'x' } },
    'remove',
    'must_exist',
    'Failed to parse value [x] as only [true] or [false] are allowed.',
  ],
  [{ remove_index: { index: 'docs', alias: 'a' } }, 'remove_index', 'alias', '[alias] is unsupported for [REMOVE_INDEX]'],
])('refuses the action %j', async (action, kind, key, reason) => {
  const { status, json } = await node.send('POST /_aliases', { actions: [action] });
  expect(status).toBe(400);
  expect(causesOf(json.error)).toEqual([
    'x_content_parse_exception: [aliases] failed to parse field [actions]',
    `x_content_parse_exception: [alias_action] failed to parse field [${kind}]`,
    `x_content_parse_exception: [${kind}] failed to parse field [${key}]`,
    `illegal_argument_exception: ${reason}`,
  ]);
});

test('a malformed action is reported before a block of its index', async () => {
  await node.ok('PUT /blocked', { settings: { 'index.blocks.read_only': true } });
  const { status, json } = await node.send('POST /_aliases', { actions: [{ add: { index: 'blocked' } }] });
  expect([status, ...causesOf(json.error)]).toEqual([
    400,
    'x_content_parse_exception: [aliases] failed to parse field [actions]',
    'illegal_argument_exception: One of [alias] or [aliases] is required',
  ]);
  await node.ok('PUT /blocked/_settings', { 'index.blocks.read_only': null });
});
