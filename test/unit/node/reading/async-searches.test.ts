// Files of asynchronous searches: expiry, and the bound of their number.
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { AsyncSearch } from '../../../../src/api/core/async-search-store.ts';
import { AsyncSearches } from '../../../../src/node/reading/async-searches.ts';

let data: string;
beforeEach(async () => {
  data = await mkdtemp(path.join(tmpdir(), 'gannet-async-'));
});
afterEach(() => rm(data, { recursive: true }));

const HOUR_MS = 3_600_000;

function search(number: number, lifeMs = HOUR_MS): AsyncSearch {
  const startMs = Date.now();
  return {
    id: `search-${String(number).padStart(20, '0')}`,
    owner: 'ann',
    startMs,
    expirationMs: startMs + lifeMs,
    task: null,
    completionMs: startMs,
    shards: 1,
    status: 200,
    response: '{"took":1}',
    error: null,
  };
}

const files = async () => (await readdir(path.join(data, 'async-search'), { recursive: true })).filter((name) => name.endsWith('.json'));

test('a search is kept until it expires', async () => {
  const searches = new AsyncSearches(data);
  const kept = search(1);
  await searches.put(kept);
  expect(await new AsyncSearches(data).get(kept.id)).toEqual(kept);
  const expired = search(2, -1);
  await searches.put(expired);
  expect(await searches.get(expired.id)).toBeNull();
  expect(await searches.get('../../etc/passwd-0000000000')).toBeNull();
  expect(await searches.delete(kept.id)).toBe(true);
  expect(await files()).toEqual([]);
});

test('expired searches make room, others do not', async () => {
  const searches = new AsyncSearches(data);
  await searches.put(search(0, -1));
  for (let number = 1; number <= 999; number++) await searches.put(search(number));
  // The thousandth file is the expired one.
  await searches.put(search(1000));
  expect(await files()).toHaveLength(1000);
  await expect(searches.put(search(1001))).rejects.toMatchObject({ type: 'es_rejected_execution_exception', status: 429 });
  await searches.put({ ...search(1), response: '{"took":2}' });
  expect((await searches.get(search(1).id))?.response).toBe('{"took":2}');
  // The quota of another user is not affected, whatever the name.
  const other = { ...search(1001), owner: '../bob' };
  await searches.put(other);
  expect(await searches.get(other.id)).toEqual(other);
  expect(await readdir(data)).toEqual(['async-search']);
});
