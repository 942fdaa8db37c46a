// Documents of every size up to http.max_content_length: every operation that returns sources reads acknowledged documents, whole and in parts.
// GANNET_SIZES=all tries every power of two up to the default limit of 100 MB; otherwise those up to 4 MB, and both sides of 16 MB.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRestNode, type RestNode } from '../support/rest-node.ts';

const TRIES_ALL = process.env.GANNET_SIZES === 'all';
const LIMIT_BYTES = TRIES_ALL ? 100 << 20 : 17 << 20;
const LARGEST_POWER = TRIES_ALL ? LIMIT_BYTES : 4 << 20;
/** Size from which lmdb reads and stores values in another way. */
const BOUNDARY_BYTES = 16 << 20;
const SMALLEST_BYTES = 64;

const powers = Array.from({ length: 40 }, (_, i) => 2 ** i).filter((bytes) => bytes >= SMALLEST_BYTES && bytes <= LARGEST_POWER);
/** The log's record has a header and an id before the source, so the boundary is crossed a little earlier as well. */
const BOUNDARIES = TRIES_ALL ? [-33, -1, 0, 1] : [-33, 1];
const SIZES = [...new Set([...powers, ...BOUNDARIES.map((by) => BOUNDARY_BYTES + by), ...(TRIES_ALL ? [LIMIT_BYTES] : [])])].sort(
  (a, b) => a - b,
);

let node: RestNode;
beforeAll(async () => {
  node = await openRestNode({ 'http.max_content_length': `${LIMIT_BYTES}b`, 'memory.limit': '3gb' });
  const mappings = {
    properties: { head: { type: 'text' }, blob: { type: 'keyword', index: false, doc_values: false }, n: { type: 'integer' } },
  };
  await node.ok('PUT /sizes', { mappings });
});
afterAll(() => node.close());

const EMPTY = '{"head":"the needle","n":1,"blob":""}';
const source = (bytes: number): string => EMPTY.replace('"blob":""', `"blob":"${'x'.repeat(bytes - EMPTY.length)}"`);

test.each(SIZES)('a document of %i bytes is read by every operation', async (bytes) => {
  const text = source(bytes);
  const blobChars = bytes - EMPTY.length;
  const whole = (document: { _source: { blob: string; head: string } }): void => {
    expect([document._source.blob.length, document._source.head]).toEqual([blobChars, 'the needle']);
  };
  await node.ok('PUT /sizes/_doc/a?refresh=true', text);
  whole(await node.ok('GET /sizes/_doc/a'));
  const [first, second] = (
    await node.ok('POST /_mget', {
      docs: [
        { _index: 'sizes', _id: 'a' },
        { _index: 'sizes', _id: 'a', _source: ['head'] },
      ],
    })
  ).docs;
  whole(first);
  expect(second._source).toEqual({ head: 'the needle' });
  expect(await node.ok('GET /sizes/_source/a?_source_excludes=blob')).toEqual({ head: 'the needle', n: 1 });

  const { hits } = (await node.ok('POST /sizes/_search', { query: { match: { head: 'needle' } }, highlight: { fields: { head: {} } } }))
    .hits;
  whole(hits[0]);
  expect(hits[0].highlight.head).toEqual(['the <em>needle</em>']);
  const filtered = (await node.ok('POST /sizes/_search', { _source: { excludes: ['b*'] }, fields: ['head'], sort: 'n' })).hits.hits[0];
  expect([filtered._source, filtered.fields]).toEqual([{ head: 'the needle', n: 1 }, { head: ['the needle'] }]);
  const scrolled = await node.ok('POST /sizes/_search?scroll=1m&size=1', {});
  whole(scrolled.hits.hits[0]);
  await node.ok('DELETE /_search/scroll', { scroll_id: scrolled._scroll_id });

  // A bulk has an action line besides the source, which must fit into the limit as well.
  if (bytes + 100 <= LIMIT_BYTES) await node.ok('POST /_bulk', `{"index":{"_index":"sizes","_id":"a"}}\n${text}\n`);
  expect((await node.ok('POST /sizes/_update/a', { doc: { n: 2 } })).result).toBe('updated');
  whole(await node.ok('GET /sizes/_doc/a'));
  const copied = await node.ok('POST /_reindex?refresh=true', { source: { index: 'sizes' }, dest: { index: 'copy' } });
  expect([copied.failures, copied.created]).toEqual([[], 1]);
  whole(await node.ok('GET /copy/_doc/a'));
  await node.ok('DELETE /copy');
  expect((await node.ok('DELETE /sizes/_doc/a?refresh=true')).result).toBe('deleted');
});

test('the largest document is read after a restart, before and after its segment was written', async () => {
  await node.ok('PUT /sizes/_doc/a', source(LIMIT_BYTES));
  for (let round = 0; round < 2; round++) {
    await node.restart();
    expect((await node.ok('GET /sizes/_doc/a'))._source.blob.length).toBe(LIMIT_BYTES - EMPTY.length);
  }
});
