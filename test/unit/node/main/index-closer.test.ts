import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { IndexCloser, type IndexCloserParts } from '../../../../src/node/main/index-closer.ts';

function fixture(count: number) {
  const dataPath = mkdtempSync(path.join(tmpdir(), 'gannet-closer-'));
  onTestFinished(() => rmSync(dataPath, { recursive: true, force: true }));
  const uuids = Array.from({ length: count }, (_, i) => `uuid-${i}`);
  const folderOf = (uuid: string): string => path.join(dataPath, 'indices', uuid);
  for (const uuid of uuids) {
    mkdirSync(path.join(folderOf(uuid), '0'), { recursive: true });
    writeFileSync(path.join(folderOf(uuid), '0', 'a.seg'), 'segment');
  }
  const transactions: string[][] = [];
  const closed: string[] = [];
  const closer = new IndexCloser({
    dataPath,
    metadata: {
      logs: () => [1],
      forgetLogs: (forgotten: readonly string[]) => {
        // A log that is still known leads a start after a crash to the files.
        for (const uuid of forgotten) expect(existsSync(folderOf(uuid))).toBe(false);
        transactions.push([...forgotten]);
      },
    },
    placements: { indexerOf: () => 0, forget: () => undefined },
    registry: { forget: () => undefined },
    indexers: { channel: () => ({ request: async ({ uuid }: { uuid: string }) => closed.push(uuid) }) },
  } as unknown as IndexCloserParts);
  return { closer, uuids, folderOf, transactions, closed };
}

test('a thousand deleted indices are forgotten in few transactions, and their files are not removed in one turn of the event loop', async () => {
  const { closer, uuids, folderOf, transactions, closed } = fixture(1000);
  const whole = Promise.all(uuids.map((uuid) => closer.close(uuid, true)));
  // The indexers have answered.
  await new Promise((resolve) => setImmediate(resolve));
  expect(closed).toEqual(uuids);
  expect(uuids.filter((uuid) => existsSync(folderOf(uuid))).length).toBeGreaterThan(900);
  await whole;
  expect(transactions.length).toBeLessThan(5);
  expect(transactions.flat().sort()).toEqual([...uuids].sort());
});

test('an index that is closed keeps its files and logs', async () => {
  const { closer, uuids, folderOf, transactions } = fixture(2);
  await Promise.all([closer.close(uuids[0], false), closer.close(uuids[1], true)]);
  expect(uuids.map((uuid) => existsSync(folderOf(uuid)))).toEqual([true, false]);
  expect(transactions).toEqual([[uuids[1]]]);
});
