// The official clients index, bulk, search and aggregate against the real service.
import { Client as OpenSearch } from '@opensearch-project/opensearch';
import { Client as Elasticsearch7 } from 'elasticsearch-7';
import { Client as Elasticsearch8 } from 'elasticsearch-8';
import { Client as Elasticsearch9 } from 'elasticsearch-9';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const books = [
  { title: 'The herring fishery', year: 1999, tags: ['fish', 'history'] },
  { title: 'How gannets dive', year: 2005, tags: ['bird'] },
  { title: 'Gannets and herring', year: 2012, tags: ['bird', 'fish'] },
];
const mappings = { properties: { title: { type: 'text' }, year: { type: 'integer' }, tags: { type: 'keyword' } } } as const;

describe.each([
  ['8', Elasticsearch8],
  ['9', Elasticsearch9],
])('@elastic/elasticsearch %s', (version, Client) => {
  const index = `books-es${version}`;

  test('calls info, create, the bulk helper, search, aggregations, update and delete', async () => {
    const client = new (Client as typeof Elasticsearch8)({ node: service.url });
    expect((await client.info()).version.number).toMatch(/^\d+\.\d+\.\d+$/);
    expect((await client.indices.create({ index, mappings })).acknowledged).toBe(true);
    expect(await client.indices.exists({ index })).toBe(true);
    const stats = await client.helpers.bulk({
      datasource: books,
      onDocument: (doc: any) => ({ index: { _index: index, _id: String(doc.year) } }),
      refreshOnCompletion: index,
    });
    expect(stats).toMatchObject({ total: 3, successful: 3, failed: 0 });
    const found = await client.search<{ title: string }>({
      index,
      query: { match: { title: 'herring gannets' } },
      aggs: { tags: { terms: { field: 'tags' }, aggs: { newest: { max: { field: 'year' } } } } },
    });
    expect(found.hits.hits[0]._source?.title).toBe('Gannets and herring');
    expect(found.hits.total).toEqual({ value: 3, relation: 'eq' });
    const { buckets } = found.aggregations?.tags as any;
    expect(buckets.map(({ key, doc_count, newest }: any) => [key, doc_count, newest.value])).toEqual([
      ['bird', 2, 2012],
      ['fish', 2, 2012],
      ['history', 1, 1999],
    ]);
    await client.update({ index, id: '2005', doc: { year: 2006 } });
    expect((await client.get<{ year: number }>({ index, id: '2005' }))._source?.year).toBe(2006);
    expect((await client.delete({ index, id: '1999', refresh: true })).result).toBe('deleted');
    expect((await client.count({ index })).count).toBe(2);
    await expect(client.get({ index, id: '1999' })).rejects.toMatchObject({ meta: { statusCode: 404 } });
    await expect(client.search({ index, query: { nothing: {} } as any })).rejects.toMatchObject({ meta: { statusCode: 400 } });
    await client.indices.delete({ index });
    await client.close();
  });

  test('finds the node and its roles by sniffing', async () => {
    const client = new (Client as typeof Elasticsearch8)({ node: service.url, sniffOnStart: true, sniffOnConnectionFault: true });
    await new Promise<void>((resolve, reject) => {
      client.diagnostic.once('sniff', (error) => (error ? reject(error) : resolve()));
    });
    expect(client.connectionPool.connections.map(({ url }) => url.href)).toEqual([`${service.url}/`]);
    expect((await client.cat.nodes({ format: 'json' })).length).toBe(1);
    await client.close();
  });
});

describe.each(['7.17.14', '8.15.0'])('@elastic/elasticsearch 7 with a service of version %s', (version) => {
  let old: TestService;
  beforeAll(async () => {
    old = await startService([`--compat.version=${version}`]);
  });
  afterAll(() => old.stop());

  test('checks the product, sniffs, and calls the helpers and APIs of documents and searches', async () => {
    const client = new Elasticsearch7({ node: old.url, sniffOnStart: true, nodeFilter: ({ roles }) => roles?.master === true });
    const hosts = await new Promise<unknown[]>((resolve, reject) => {
      client.on('sniff', (error, { meta }) => (error ? reject(error) : resolve(meta.sniff?.hosts ?? [])));
    });
    expect(hosts).toMatchObject([{ url: new URL(old.url), roles: { master: true, data: true, ingest: true } }]);
    expect((await client.info()).body.version.number).toBe(version);
    await client.indices.create({ index: 'books', body: { mappings } });
    const stats = await client.helpers.bulk({
      datasource: books,
      onDocument: (doc: any) => ({ index: { _index: 'books', _id: String(doc.year) } }),
      refreshOnCompletion: 'books',
    });
    expect(stats).toMatchObject({ total: 3, successful: 3, failed: 0 });
    const { body: found } = await client.search({ index: 'books', body: { query: { match: { title: 'herring gannets' } } } });
    expect(found.hits.hits[0]).toMatchObject({ _id: '2012', _source: books[2], ...(version.startsWith('7') ? { _type: '_doc' } : {}) });
    const scrolled: unknown[] = [];
    for await (const book of client.helpers.scrollDocuments({ index: 'books', size: 1, body: { query: { match_all: {} } } }))
      scrolled.push(book);
    expect(scrolled).toHaveLength(3);
    const searches = client.helpers.msearch();
    expect(await searches.search({ index: 'books' }, { query: { term: { tags: 'bird' } } })).toMatchObject({
      documents: [books[1], books[2]],
    });
    searches.stop();
    await client.update({ index: 'books', id: '2005', body: { doc: { year: 2006 } } });
    expect((await client.get({ index: 'books', id: '2005' })).body._source.year).toBe(2006);
    await expect(client.get({ index: 'books', id: '1' })).rejects.toMatchObject({ name: 'ResponseError', statusCode: 404 });
    expect((await client.exists({ index: 'books', id: '1' })).body).toBe(false);
    await client.close();
  });
});

test('@opensearch-project/opensearch', async () => {
  const client = new OpenSearch({ node: service.url });
  const index = 'books-os';
  await client.indices.create({ index, body: { mappings } as any });
  const body = books.flatMap((book) => [{ index: { _index: index } }, book]);
  expect((await client.bulk({ body: body as any, refresh: true })).body.errors).toBe(false);
  const { body: found } = await client.search({
    index,
    body: { query: { bool: { must: [{ match: { title: 'gannets' } }], filter: [{ range: { year: { gte: 2010 } } }] } } as any },
  });
  expect(found.hits.hits.map((hit: any) => hit._source.title)).toEqual(['Gannets and herring']);
  const { body: counted } = await client.search({ index, body: { size: 0, aggs: { years: { stats: { field: 'year' } } } } });
  expect((counted.aggregations as any).years).toMatchObject({ count: 3, min: 1999, max: 2012 });
  await client.indices.delete({ index });
  await client.close();
});

test('@opensearch-project/opensearch finds the node and its roles by sniffing', async () => {
  const client = new OpenSearch({ node: service.url, sniffOnStart: true });
  const hosts = await new Promise<Array<{ url: URL; roles: Record<string, boolean> }>>((resolve, reject) => {
    client.on('sniff', (error, { meta }) => (error ? reject(error) : resolve(meta.sniff?.hosts ?? [])));
  });
  expect(hosts.map(({ url }) => url.href)).toEqual([`${service.url}/`]);
  expect(hosts[0].roles).toMatchObject({ data: true, ingest: true, master: true });
  expect((await client.info()).statusCode).toBe(200);
  await client.close();
});
