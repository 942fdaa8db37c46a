// `max_children` of nested sorts: of each document only the first nested documents that have a value count. Compared with Elasticsearch 7.10.2
// and 8.15.0.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRestNode, type RestNode } from '../../../support/rest-node.ts';

interface Line {
  readonly price?: number;
  readonly kind: string;
}

let node: RestNode;
const documents: Line[][] = Array.from({ length: 90 }, (_, n) =>
  Array.from({ length: (n * 7) % 6 }, (_line, i): Line => {
    const kind = (n + i * i) % 3 === 0 ? 'b' : 'a';
    return (n * 5 + i * 3) % 4 === 0 ? { kind } : { kind, price: (n * 31 + i * 17) % 53 };
  }),
);

beforeAll(async () => {
  node = await openRestNode();
  const properties = { price: { type: 'integer' }, kind: { type: 'keyword' } };
  await node.ok('PUT /orders', { mappings: { properties: { n: { type: 'integer' }, lines: { type: 'nested', properties } } } });
  for (const [n, lines] of documents.entries()) {
    // Several segments, and blocks across the words of the bitsets.
    await node.ok(`PUT /orders/_doc/${n}${n % 30 === 29 ? '?refresh=true' : ''}`, { n, lines });
  }
});
afterAll(() => node.close());

function expectedOf(lines: readonly Line[], limit: number, kind: string | null, descending: boolean): number | null {
  const prices = lines.filter((line) => kind === null || line.kind === kind).flatMap(({ price }) => (price === undefined ? [] : [price]));
  const counted = prices.slice(0, Math.max(0, limit));
  if (counted.length === 0) return null;
  return descending ? Math.max(...counted) : Math.min(...counted);
}

const LIMITS = [-1, 0, 1, 2, 3, 100];
test.each(LIMITS.flatMap((limit) => [null, 'a'].flatMap((kind) => ['asc', 'desc'].map((order) => ({ limit, kind, order })))))(
  'max_children $limit of kind $kind, $order',
  async ({ limit, kind, order }) => {
    const nested = { path: 'lines', max_children: limit, ...(kind === null ? {} : { filter: { term: { 'lines.kind': kind } } }) };
    const { hits } = await node.ok('POST /orders/_search', { size: 100, sort: [{ 'lines.price': { order, nested, missing: 999 } }, 'n'] });
    const values = new Map(hits.hits.map((hit: { _id: string; sort: number[] }) => [Number(hit._id), hit.sort[0]]));
    const expected = documents.map((lines, n) => [n, expectedOf(lines, limit, kind, order === 'desc') ?? 999] as const);
    expect([...values].sort(([a], [b]) => Number(a) - Number(b))).toEqual(expected);
  },
);

test('refuses a max_children that is not an integer', async () => {
  const sort = [{ 'lines.price': { nested: { path: 'lines', max_children: 'many' } } }];
  expect((await node.send('POST /orders/_search', { sort })).status).toBe(400);
});

test('a path without nested documents is refused', async () => {
  await node.ok('PUT /plain/_doc/1?refresh=true', { n: 1, o: { x: 1 } });
  for (const [path, problem] of [
    ['nope', 'failed to find nested object under path [nope]'],
    ['o', 'nested object under path [o] is not of nested type'],
  ]) {
    const { json } = await node.send('POST /plain/_search', { sort: [{ n: { nested: { path } } }] });
    expect(json.error.root_cause[0]).toMatchObject({ type: 'query_shard_exception', reason: `[nested] ${problem}` });
  }
});

test('values of search_after that do not fit their field', async () => {
  await node.ok('PUT /typed', { mappings: { properties: { n: { type: 'long' }, flag: { type: 'boolean' } } } });
  await node.ok('PUT /typed/_doc/1?refresh=true', { n: 1, flag: false });
  const reason = async (sort: string, value: unknown) =>
    (await node.send('POST /typed/_search', { sort: [sort], search_after: [value] })).json.error.root_cause[0].reason;
  expect(await reason('n', 'x')).toBe('Failed to parse search_after value for field [n].');
  expect(await reason('_doc', 'x')).toBe('Failed to parse search_after value for field [null].');
  expect(await reason('flag', 'x')).toBe('Cannot parse boolean [x], expected either [true] or [false]');
  const { hits } = await node.ok('POST /typed/_search', { sort: ['flag'], search_after: ['false'] });
  expect(hits.hits).toEqual([]);
});
