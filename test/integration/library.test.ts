// The engine as a library: the example of docs/getting-started.md, in one thread and with threads; a node opened again sees what the last one wrote.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ApiError, open } from 'gannet';
import { expect, test } from 'vitest';

test.each([1, 2])('indexes, searches, aggregates, updates and deletes with %i threads', async (threads) => {
  const directory = mkdtempSync(path.join(tmpdir(), 'gannet-library-'));
  for (let life = 1; life <= 2; life++) {
    const engine = await open({ path: directory, settings: { threads } });
    const written = await engine.index({
      index: 'books',
      id: `b${life}`,
      document: { title: 'The sea', year: 1900 + life },
      refresh: true,
    });
    expect(written).toMatchObject({ result: 'created', _version: 1 });
    const found: any = await engine.search({
      index: 'books',
      body: { query: { match: { title: 'sea' } }, aggs: { y: { max: { field: 'year' } } } },
    });
    expect(found.hits.total.value).toBe(life);
    expect(found.aggregations.y.value).toBe(1900 + life);
    await expect(open({ path: directory })).rejects.toThrow('in use');
    await expect(engine.search({ index: 'nothing', body: {} })).rejects.toBeInstanceOf(ApiError);
    await engine.close();
  }
  rmSync(directory, { recursive: true, force: true });
});
