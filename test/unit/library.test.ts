import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { ApiError, type Engine, open } from '../../src/library.ts';

const folder = mkdtempSync(path.join(os.tmpdir(), 'gannet-library-'));
const opened: Engine[] = [];
afterAll(async () => {
  for (const engine of opened) await engine.close();
  rmSync(folder, { recursive: true });
});

interface Book {
  readonly title: string;
  readonly year: number;
  readonly tags: readonly string[];
}

test('indexes, searches, aggregates, closes and opens again', async () => {
  let engine = await open({ path: folder, settings: { 'memory.limit': '512mb' } });
  await engine.indices.create({
    index: 'books',
    body: { mappings: { properties: { title: { type: 'text' }, year: { type: 'integer' }, tags: { type: 'keyword' } } } },
  });
  const written = await engine.index<Book>({
    index: 'books',
    id: '1',
    document: { title: 'The old man and the sea', year: 1952, tags: ['novel', 'sea'] },
  });
  expect(written).toMatchObject({ _index: 'books', _id: '1', result: 'created', _version: 1 });
  const bulk = await engine.bulk({
    index: 'books',
    refresh: true,
    operations: [
      { index: { _id: '2' } },
      { title: 'Moby Dick, or the whale', year: 1851, tags: ['sea'] },
      { index: { _id: '3' } },
      { title: 'x', year: 'never', tags: [] },
    ],
  });
  expect(bulk.errors).toBe(true);
  expect(bulk.items.map((item) => item.index.status)).toEqual([201, 400]);
  expect(bulk.items[1].index.error).toMatchObject({ type: 'document_parsing_exception' });
  expect((await engine.get<Book>({ index: 'books', id: '2' }))._source?.year).toBe(1851);
  expect((await engine.get({ index: 'books', id: '3' })).found).toBe(false);

  const found = await engine.search<Book>({
    index: 'books',
    body: { query: { match: { title: 'sea' } }, aggs: { tags: { terms: { field: 'tags' } } } },
  });
  expect(found.hits.total).toEqual({ value: 1, relation: 'eq' });
  expect(found.hits.hits[0]._source?.title).toBe('The old man and the sea');
  expect(found.aggregations?.tags.buckets).toEqual([
    { key: 'novel', doc_count: 1 },
    { key: 'sea', doc_count: 1 },
  ]);
  expect(await engine.count({ index: 'b*', body: { query: { range: { year: { lt: 1900 } } } } })).toMatchObject({ count: 1 });
  const { responses } = await engine.msearch({
    searches: [
      { header: { index: 'books' }, body: { size: 0 } },
      { header: { index: 'none' }, body: {} },
    ],
  });
  expect(responses.map(({ status }) => status)).toEqual([200, 404]);

  await expect(engine.search({ index: 'none' })).rejects.toMatchObject({ type: 'index_not_found_exception', status: 404 });
  await expect(engine.create({ index: 'books', id: '1', document: {} })).rejects.toBeInstanceOf(ApiError);
  await engine.update({ index: 'books', id: '1', body: { doc: { year: 1953 } } });
  expect((await engine.analyze({ body: { text: 'Two words' } })).tokens).toHaveLength(2);
  await engine.close();

  engine = await open({ path: folder });
  opened.push(engine);
  expect((await engine.get<Book>({ index: 'books', id: '1' }))._source).toEqual({
    title: 'The old man and the sea',
    year: 1953,
    tags: ['novel', 'sea'],
  });
  expect((await engine.search({ index: 'books', body: { query: { term: { tags: 'sea' } } } })).hits.total?.value).toBe(2);
  expect(await engine.delete({ index: 'books', id: '2', refresh: true })).toMatchObject({ result: 'deleted' });
  expect(await engine.count({ index: 'books' })).toMatchObject({ count: 1 });
});

test('a bad setting and a folder in use are refused', async () => {
  await expect(open({ path: folder, settings: { thread: 2 } })).rejects.toThrow('unknown setting, did you mean [threads]?');
  await expect(open({ path: folder })).rejects.toBeInstanceOf(ApiError);
});
