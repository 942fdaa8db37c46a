// Where fragments begin and end over the REST API: boundary scanners, and the beginnings of values without matches. The answers were
// compared with those of Elasticsearch 7.10.2 and 8.15.0.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRestNode, type RestNode } from '../../../support/rest-node.ts';

let node: RestNode;

beforeAll(async () => {
  node = await openRestNode();
  await node.ok('PUT /docs', { mappings: { properties: { text: { type: 'text', term_vector: 'with_positions_offsets' } } } });
  await node.ok('PUT /docs/_doc/1?refresh=true', { text: 'The storm came. A storm, again: Storm-force winds. End.' });
});
afterAll(() => node.close());

async function fragments(options: object, word = 'storm'): Promise<string[] | undefined> {
  const body = { highlight: { highlight_query: { match: { text: word } }, fields: { text: options } } };
  return (await node.ok('POST /docs/_search', body)).hits.hits[0].highlight?.text;
}

test.each([10, 25, 100])('the word scanner returns single words, hyphenated ones whole, whatever the fragment size (%i)', async (size) => {
  const found = await fragments({ boundary_scanner: 'word', fragment_size: size });
  expect(found).toEqual(['<em>storm</em>', '<em>storm</em>', '<em>Storm</em>-force']);
});

test('a fragment size of 0 returns whole sentences', async () => {
  const found = await fragments({ fragment_size: 0 });
  expect(found).toEqual(['The <em>storm</em> came.', 'A <em>storm</em>, again: <em>Storm</em>-force winds.']);
});

test.each([
  ['unified', 12, 'The storm came'],
  ['unified', 14, 'The storm came.'],
  ['plain', 12, 'The storm'],
  ['plain', 14, 'The storm came'],
  ['fvh', 9, 'The storm'],
])('without matches, %s returns the first %i characters up to a word: %s', async (type, size, expected) => {
  expect(await fragments({ type, no_match_size: size }, 'absent')).toEqual([expected]);
});

test('plain returns nothing if the first word is longer than no_match_size', async () => {
  expect(await fragments({ type: 'plain', no_match_size: 2 }, 'absent')).toBeUndefined();
});

test.each([
  [{ fragment_size: 10 }, 'fragCharSize(10) is too small. It must be 18 or higher.'],
  [{ fragment_size: 29, fragment_offset: 10 }, 'fragCharSize(29) is too small. It must be 30 or higher.'],
])('fvh refuses fragments that are too small for their margins: %j', async (options, reason) => {
  const body = { highlight: { fields: { text: { type: 'fvh', ...options } } } };
  const { status, json } = await node.send('POST /docs/_search', body);
  expect({ status, reason: json.error.root_cause[0].reason }).toEqual({ status: 400, reason });
  expect(await fragments({ type: 'fvh', ...options, number_of_fragments: 0 })).toHaveLength(1);
});
