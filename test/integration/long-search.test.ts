// A search of many steps in the thread that also is the main part: metadata commands and other searches get their turns between its segments.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { open } from 'gannet';
import { expect, test } from 'vitest';

const SHARDS = 8;
const DOCUMENTS = 160;
/** Each shard's part takes several slices of the event loop on any machine. */
const SLOW_SCRIPT = 'double s = 0; for (int i = 0; i < 3000; i++) { s += i % 7 } return s';

test('a metadata command and a short search are answered while a long search runs', async () => {
  const directory = mkdtempSync(path.join(tmpdir(), 'gannet-long-search-'));
  const engine = await open({ path: directory, settings: { threads: 1 } });
  try {
    await engine.indices.create({
      index: 'slow',
      body: { settings: { number_of_shards: SHARDS }, mappings: { properties: { n: { type: 'integer' } } } },
    });
    const operations = Array.from({ length: DOCUMENTS }, (_, n) => [{ index: { _id: String(n) } }, { n }]).flat();
    await engine.bulk({ index: 'slow', operations, refresh: true });
    const order: string[] = [];
    const note = <T>(name: string, answer: Promise<T>): Promise<T> =>
      answer.then((value) => {
        order.push(name);
        return value;
      });
    const long: any = note(
      'long search',
      engine.search({ index: 'slow', body: { query: { script_score: { query: { match_all: {} }, script: { source: SLOW_SCRIPT } } } } }),
    );
    const created = note('index created', engine.indices.create({ index: 'other' }));
    const short: any = note('short search', engine.search({ index: 'slow', body: { query: { term: { n: 7 } } } }));
    expect((await long).hits.total.value).toBe(DOCUMENTS);
    expect((await short).hits.hits[0]._id).toBe('7');
    expect(await created).toMatchObject({ acknowledged: true });
    expect(order.at(-1)).toBe('long search');
    expect(order.toSorted()).toEqual(['index created', 'long search', 'short search']);
  } finally {
    await engine.close();
    rmSync(directory, { recursive: true, force: true });
  }
});
