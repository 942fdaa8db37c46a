// `field()` and `$()` in scripts, grok() and dissect() in runtime fields, metadata() and fields that scripts of pipelines write.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRestNode, type RestNode } from '../../../support/rest-node.ts';

let node: RestNode;

const LINES = [
  { n: 5, w: 2.5, tag: ['b', 'a'], at: '2024-02-29T06:30:00Z', ip: '10.0.0.1', note: 'storm', line: 'GET /a 200 12' },
  { note: 'calm', line: 'no request' },
];

beforeAll(async () => {
  node = await openRestNode();
  const properties = {
    n: { type: 'long' },
    w: { type: 'double' },
    tag: { type: 'keyword' },
    at: { type: 'date' },
    ip: { type: 'ip' },
    note: { type: 'text' },
    line: { type: 'keyword' },
  };
  await node.ok('PUT /lines', { mappings: { properties } });
  for (const [i, line] of LINES.entries()) await node.ok(`PUT /lines/_doc/${i}?refresh=true`, line);
});

afterAll(() => node.close());

/** The result of a script field for both documents. */
async function fieldsOf(source: string): Promise<unknown[]> {
  const body = { sort: '_doc', script_fields: { x: { script: { source } } } };
  const { hits } = (await node.ok('POST /lines/_search', body)) as { hits: { hits: Array<{ fields?: { x: unknown[] } }> } };
  return hits.hits.map((hit) => hit.fields?.x?.[0]);
}

test.each([
  ["field('n').get(7)", [5, 7]],
  ["$('n', 7) + 1", [6, 8]],
  ["$('w', 1) / 2", [1.25, 0.5]],
  ["field('tag').get(1, 'none')", ['b', 'none']],
  ["field('tag').size()", [2, 0]],
  ["field('nothing').isEmpty() ? field('nothing').get('absent') : 'x'", ['absent', 'absent']],
  ["field('at').get(ZonedDateTime.of(2000, 1, 1, 0, 0, 0, 0, ZoneId.of('Z'))).getYear()", [2024, 2000]],
  ["field('ip').asString('-')", ['10.0.0.1', '-']],
  ["field('ip').get(new IPAddress('::1')).isV6()", [false, true]],
  ["field('note').get('')", ['storm', 'calm']],
  ["String s = ''; for (def t : field('tag')) { s += t } return s + field('tag').getName()", ['abtag', 'tag']],
])('%s', async (source, values) => {
  expect(await fieldsOf(source)).toEqual(values);
});

test('scores, filters and sorts see field()', async () => {
  const query = { script_score: { query: { match_all: {} }, script: { source: "$('n', 1) * 2" } } };
  const found = (await node.ok('POST /lines/_search', { query, sort: ['_score'] })) as { hits: { hits: Array<{ _id: string }> } };
  expect(found.hits.hits.map(({ _id }) => _id)).toEqual(['0', '1']);
  const filtered = await node.ok('POST /lines/_count', { query: { script: { script: "field('n').isEmpty()" } } });
  expect(filtered).toMatchObject({ count: 1 });
});

test.each([
  ["def m = grok('%{WORD:verb} %{NOTSPACE:path} %{NUMBER:code}').extract(doc['line'].value); if (m != null) emit(m.code)", ['200']],
  ["emit(dissect('%{verb} %{path} %{}').extract(doc['line'].value)?.path ?: 'none')", ['/a', 'none']],
])('runtime field: %s', async (source, values) => {
  const body = { sort: '_doc', fields: ['part'], runtime_mappings: { part: { type: 'keyword', script: { source } } } };
  const { hits } = (await node.ok('POST /lines/_search', body)) as { hits: { hits: Array<{ fields?: { part: unknown[] } }> } };
  expect(hits.hits.flatMap((hit) => hit.fields?.part ?? [])).toEqual(values);
});

test('an update sees its metadata and can change the operation', async () => {
  await node.ok('PUT /changed/_doc/1', { n: 1 });
  const noop = await node.ok('POST /changed/_update/1', { script: "if (metadata().index == 'changed') { metadata().op = 'none' }" });
  expect(noop).toMatchObject({ result: 'noop' });
  await node.ok('POST /changed/_update/1', {
    script: 'ctx._source.year = metadata().now.getYear() > 2000; ctx._source.id = metadata().id',
  });
  expect(await node.ok('GET /changed/_doc/1')).toMatchObject({ _source: { n: 1, year: true, id: '1' } });
});

test('scripts of pipelines read and write fields by path', async () => {
  const source = `
    field('a.b').set(1).append(2).append(2).deduplicate();
    field('old').move('new.place');
    field('list').transform(x -> x + 1).removeValuesIf(x -> x > 3);
    field('gone').remove();
    field('seen').set($('missing', 'default') + field('list').size());
    metadata().index = 'other';`;
  const docs = [{ _index: 'i', _id: '1', _source: { old: 'x', list: [1, 2, 3], gone: true } }];
  const answer = (await node.ok('POST /_ingest/pipeline/_simulate', { pipeline: { processors: [{ script: { source } }] }, docs })) as {
    docs: Array<{ doc: { _index: string; _source: unknown } }>;
  };
  expect(answer.docs[0].doc).toMatchObject({ _index: 'other' });
  expect(answer.docs[0].doc._source).toEqual({ a: { b: [1, 2] }, new: { place: 'x' }, list: [2, 3], seen: 'default2' });
});
