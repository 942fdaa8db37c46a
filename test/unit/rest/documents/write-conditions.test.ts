// Versions, sequence numbers and pipelines that requests about single documents must not name, and the time that pipelines took.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openRestNode, type RestNode } from '../../../support/rest-node.ts';

let node: RestNode;

beforeAll(async () => {
  node = await openRestNode();
  await node.ok('PUT /docs/_doc/1?refresh=true', { text: 'quick fox' });
  await node.ok('PUT /_ingest/pipeline/mark', { processors: [{ set: { field: 'marked', value: true } }] });
});

afterAll(() => node.close());

const problemsOf = async (line: string, body?: unknown): Promise<unknown[]> => {
  const { status, json } = await node.send(line, body);
  return [status, String(json.error?.reason).replace(/^Validation Failed: /, '')];
};

const NOT_INTERNAL =
  'internal versioning can not be used for optimistic concurrency control. Please use `if_seq_no` and `if_primary_term` instead;';

describe('conditions of writes', () => {
  test.each([
    ['PUT /docs/_create/1?version_type=external', '1: create operations only support internal versioning. use index instead;'],
    ['PUT /docs/_create/1?version=1', '1: create operations do not support explicit versions. use index instead;'],
    ['POST /docs/_doc?if_seq_no=1', '1: create operations do not support compare and set. use index instead;'],
    ['POST /docs/_doc?if_primary_term=1', '1: create operations do not support compare and set. use index instead;'],
    ['DELETE /docs/_doc/1?version=-1', `1: illegal version value [-1] for version type [INTERNAL];2: ${NOT_INTERNAL}`],
    ['DELETE /docs/_doc/1?version_type=external', '1: illegal version value [-3] for version type [EXTERNAL];'],
    ['DELETE /docs/_doc/1?version_type=external_gte&version=-1', '1: illegal version value [-1] for version type [EXTERNAL_GTE];'],
    ['PUT /docs/_doc/1?pipeline=', '1: pipeline cannot be an empty string;'],
  ])('%s is refused', async (line, problems) => {
    expect(await problemsOf(line, line.startsWith('DELETE') ? undefined : { a: 1 })).toEqual([400, problems]);
  });

  test('a bulk request with an empty pipeline is refused', async () => {
    expect(await problemsOf('POST /docs/_bulk?pipeline=', [{ index: {} }, { a: 1 }])).toEqual([
      400,
      '1: pipeline cannot be an empty string;',
    ]);
  });
});

describe('versions of reads', () => {
  test.each([
    ['version=0', 'INTERNAL', '0'],
    ['version=-1', 'INTERNAL', '-1'],
    ['version=-1&version_type=external', 'EXTERNAL', '-1'],
  ])('%s is refused', async (query, type, version) => {
    expect(await problemsOf(`GET /docs/_doc/1?${query}`)).toEqual([
      400,
      `1: illegal version value [${version}] for version type [${type}];`,
    ]);
  });

  test('are unknown to the source alone', async () => {
    expect((await problemsOf('GET /docs/_source/1?version=1'))[1]).toContain('unrecognized parameter: [version]');
  });
});

test('a bulk response has the time of pipelines only if an item has some', async () => {
  const lines = [{ index: { _id: '7' } }, { a: 1 }];
  expect(await node.ok('POST /docs/_bulk', lines)).not.toHaveProperty('ingest_took');
  expect(Object.keys(await node.ok('POST /docs/_bulk?pipeline=mark', lines))).toEqual(['took', 'ingest_took', 'errors', 'items']);
  expect(await node.ok('POST /docs/_bulk?pipeline=missing', lines)).toMatchObject({ errors: true, ingest_took: expect.any(Number) });
});

test('_explain prefers the query of the body, and needs one index', async () => {
  expect(await node.ok('POST /docs/_explain/1?q=text:nothing', { query: { match: { text: 'fox' } } })).toMatchObject({ matched: true });
  expect(await problemsOf('POST /doc*/_explain/1', { query: { match_all: {} } })).toEqual([404, 'no such index [doc*]']);
});

test('_mtermvectors reads the index of each document before that of the path', async () => {
  const { docs } = await node.ok('POST /missing/_mtermvectors', { docs: [{ _index: 'docs', _id: '1', fields: ['text'] }] });
  expect(docs[0]).toMatchObject({ _index: 'docs', found: true });
  expect(await problemsOf('GET /docs/_termvectors')).toEqual([400, '1: id or doc is missing;']);
});

describe('a document that its mapping refuses', () => {
  beforeAll(async () => {
    await node.ok('PUT /typed', { mappings: { properties: { n: { type: 'long' } } } });
    await node.ok('PUT /typed/_doc/1', { n: 1 });
  });

  const LINES = [
    'PUT /typed/_create/1',
    'PUT /typed/_doc/1?version=1&version_type=external',
    'PUT /typed/_doc/2?if_seq_no=9&if_primary_term=1',
  ];

  test.each(LINES)('is reported as such where it would conflict: %s', async (line) => {
    expect((await node.send(line, { n: 'foo' })).json.error.type).toBe('document_parsing_exception');
    expect((await node.send(line, { mixed: [1, 2.5] })).json.error.reason).toBe(
      'mapper [mixed] cannot be changed from type [long] to [float]',
    );
    expect((await node.send(line, { n: 2 })).status).toBe(409);
  });

  test('a conflict leaves no document, but its new fields', async () => {
    expect((await node.send('PUT /typed/_create/1', { added: 1 })).status).toBe(409);
    expect((await node.ok('GET /typed/_mapping')).typed.mappings.properties).toHaveProperty('added');
    await node.ok('POST /typed/_refresh');
    const { hits } = await node.ok('POST /typed/_search', { query: { match_all: {} } });
    expect(hits.hits.map(({ _source }: any) => _source)).toEqual([{ n: 1 }]);
    expect((await node.ok('GET /typed/_stats/docs'))._all.total.docs.deleted).toBe(0);
  });
});
