// Doubles keep their type wherever a part of a document is written again: filtered sources, updates, inner hits, copies, filter_path.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRestNode, type RestNode } from '../../../support/rest-node.ts';

const DOCUMENT = '{"a":1.0,"b":1.50,"c":1e3,"d":9007199254740993,"e":[1.0,2.5],"f":{"g":0.0,"h":1.0E-7},"i":12345678.9,"n":[{"x":1.0}]}';
const WRITTEN = '"a":1.0,"b":1.5,"c":1000.0,"d":9007199254740993,"e":[1.0,2.5],"f":{"g":0.0,"h":1.0E-7},"i":1.23456789E7,"n":[{"x":1.0}]';

let node: RestNode;
beforeAll(async () => {
  node = await openRestNode();
  await node.ok('PUT /docs', { mappings: { properties: { n: { type: 'nested' } } } });
  await node.ok('PUT /docs/_doc/1?refresh=true', DOCUMENT);
});
afterAll(() => node.close());

const textOf = async (line: string, body?: unknown): Promise<string> => (await node.send(line, body)).text;

test.each([
  ['GET /docs/_source/1?_source_excludes=z', undefined],
  ['GET /docs/_doc/1?_source_includes=*', undefined],
  ['POST /docs/_search', { _source: { excludes: ['z'] } }],
  ['POST /docs/_search?filter_path=hits.hits._source', undefined],
  ['POST /docs/_search?filter_path=hits.hits._source.*', undefined],
  ['POST /docs/_search?filter_path=-took', undefined],
  ['POST /docs/_explain/1?_source_excludes=z', { query: { match_all: {} } }],
])('%s shows doubles as doubles', async (line, body) => {
  const text = await textOf(line, body);
  // Whole sources are shown as they were sent.
  const sent = DOCUMENT.slice(1, -1);
  expect(text.includes(WRITTEN) || text.includes(sent), text).toBe(true);
});

test('inner hits show doubles as doubles', async () => {
  const query = { nested: { path: 'n', query: { match_all: {} }, inner_hits: {} } };
  expect(await textOf('POST /docs/_search', { query, _source: false })).toContain('"_source":{"x":1.0}');
});

test('filter_path keeps scores as floats', async () => {
  expect(await textOf('POST /docs/_search?filter_path=-took')).toContain('"max_score":1.0');
});

test('updates keep doubles of the document, of the change and of upserts', async () => {
  await node.ok('PUT /docs/_doc/2', '{"a":1.0,"b":2}');
  await node.ok('POST /docs/_update/2', '{"doc":{"o":{"p":3.0}}}');
  expect(await textOf('GET /docs/_source/2')).toBe('{"a":1.0,"b":2,"o":{"p":3.0}}');
  expect((await node.ok('POST /docs/_update/2', '{"doc":{"a":1.0}}')).result).toBe('noop');
  expect((await node.ok('POST /docs/_update/2', '{"doc":{"a":1}}')).result).toBe('updated');
  await node.ok('POST /docs/_update/3', '{"doc":{"e":5},"upsert":{"e":5.0}}');
  expect(await textOf('GET /docs/_source/3')).toBe('{"e":5.0}');
});

test('updates map new doubles as float', async () => {
  await node.ok('PUT /fresh/_doc/1', { id: 'x' });
  await node.ok('POST /fresh/_update/1', '{"doc":{"price":2.0}}');
  expect((await node.ok('GET /fresh/_mapping')).fresh.mappings.properties.price).toEqual({ type: 'float' });
});

test('reindex with a source filter keeps doubles', async () => {
  await node.ok('POST /_reindex?refresh=true', {
    source: { index: 'docs', _source: ['a'], query: { ids: { values: ['1'] } } },
    dest: { index: 'copy' },
  });
  expect(await textOf('GET /copy/_source/1')).toBe('{"a":1.0}');
});

test.each([
  ['{"e":[1.0,2.5]}', 201],
  ['{"e":[2.5,1.0]}', 201],
  ['{"o":[{"x":1.0},{"x":2.5}]}', 201],
  ['{"e":[1,2.5]}', 400],
  ['{"e":[1.0,2]}', 400],
  ['{"e":[1.0,"word"]}', 400],
])('a new field takes the type of its first number: %s gives %i', async (document, status) => {
  const answer = await node.send('PUT /mixed/_doc/1', document);
  expect(answer.status, answer.text).toBe(status);
  if (status === 201) expect(JSON.stringify(await node.ok('GET /mixed/_mapping'))).toContain('"type":"float"');
  else expect(answer.json.error.reason).toMatch(/^mapper \[e\] cannot be changed from type \[(long|float)\] to/);
  await node.ok('DELETE /mixed');
});
