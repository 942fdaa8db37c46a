// A store file with a flipped bit: damage that LMDB would trust is found before LMDB reads it, and named.
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newestMeta, PageFile } from '../../../src/store/page-file.ts';
import { walkPages } from '../../../src/store/page-walk.ts';
import { OP_INDEX, Store } from '../../../src/store/store.ts';
import { checkStoreAtStart, checkStorePages, markOpened } from '../../../src/store/store-check.ts';
import { Rng } from '../../support/rng.ts';

const PAGE_BYTES = 4096;
const root = mkdtempSync(path.join(tmpdir(), 'gannet-store-check-'));
const whole = path.join(root, 'whole');
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** Three levels of branch pages need more records than a test should write; there are two, and records on overflow pages. */
beforeAll(async () => {
  mkdirSync(whole);
  const store = Store.open(whole);
  const rng = new Rng(1);
  for (let batch = 0; batch < 10; batch++) {
    store.append(
      1,
      Array.from({ length: 200 }, (_, i) => ({
        seqNo: batch * 200 + i,
        op: OP_INDEX,
        id: `id-${batch}-${i}`,
        version: 1,
        primaryTerm: 1,
        routing: null,
        source: Buffer.from(JSON.stringify({ text: 'x'.repeat(rng.pick([10, 200, 900, 9000])) })),
      })),
    );
    store.remove(
      1,
      Array.from({ length: 50 }, (_, i) => batch * 200 + rng.int(0, 150 + i)),
    );
    store.commit(1, { generation: batch, segments: [], maxSeqNo: -1, nextSegment: 0, primaryTerm: 1 }, new Map(), []);
    store.putMeta(new Map([[`index/i${batch}`, { name: `i${batch}`, mappings: 'm'.repeat(500) }]]));
  }
  markOpened(whole);
  await store.close();
});

let copies = 0;
function copyOf(change: (bytes: Buffer) => void): string {
  const directory = path.join(root, `copy-${copies++}`);
  cpSync(whole, directory, { recursive: true });
  const file = path.join(directory, 'store/data.mdb');
  const bytes = readFileSync(file);
  change(bytes);
  writeFileSync(file, bytes);
  return directory;
}

function newest(): { file: PageFile; txnId: number } {
  const file = PageFile.open(path.join(whole, 'store/data.mdb'));
  return { file, txnId: newestMeta(file.metas().metas).txnId };
}

test('a whole store passes, and each of its pages is in use or free', () => {
  expect(checkStoreAtStart(whole, true)).toEqual({ isComplete: true });
  const { file } = newest();
  const walked = walkPages(file, newestMeta(file.metas().metas), { countsPages: true });
  file.close();
  expect(walked).toMatchObject({ damage: [], isComplete: true, unreachable: 0 });
});

test('a flipped bit in the header, the offsets or a node header of any page in use is found, with its page', () => {
  const { file } = newest();
  const { used } = walkPages(file, newestMeta(file.metas().metas), { countsPages: true });
  file.close();
  const rng = new Rng(7);
  const bytes = readFileSync(path.join(whole, 'store/data.mdb'));
  const pages = [...(used ?? [])].flatMap((isUsed, page) => (isUsed && page > 1 ? [page] : []));
  const heads = pages.filter((page) => bytes.readUIntLE(page * PAGE_BYTES, 6) === page);
  for (let round = 0; round < 60; round++) {
    const page = rng.pick(heads);
    const start = page * PAGE_BYTES;
    const isOverflow = bytes.readUInt16LE(start + 18) === 4;
    const nodes = isOverflow ? 0 : bytes.readUInt16LE(start + 20) >> 1;
    // Page number, flags, bounds; not the transaction, whose low bits nothing depends on.
    const places = [0, 1, 2, 7, 18, 19, 20, 21, ...(isOverflow ? [] : [22, 23])];
    if (nodes > 0) places.push(24 + 2 * rng.int(0, nodes - 1), 24 + bytes.readUInt16LE(start + 24 + 2 * rng.int(0, nodes - 1)) + 6);
    const at = start + rng.pick(places);
    const bit = 1 << rng.int(0, 7);
    const directory = copyOf((copy) => {
      copy[at] ^= bit;
    });
    expect(checkStorePages(directory).join('\n'), `byte ${at - start} of page ${page}, bit ${bit}`).toMatch(/data\.mdb/);
    rmSync(directory, { recursive: true });
  }
});

test.each([
  ['a meta page', (bytes: Buffer) => bytes.writeUInt32LE(0, 24), /page 0 \(meta page\)/],
  ['both meta pages', (bytes: Buffer) => bytes.fill(0, 0, 2 * PAGE_BYTES), /neither meta page/],
])('the start refuses a store with %s damaged, and says where', (_, change, expected) => {
  expect(() => checkStoreAtStart(copyOf(change), false)).toThrow(expected);
});

test('the start refuses a directory whose store is missing, empty or cut', () => {
  const missing = copyOf(() => undefined);
  rmSync(path.join(missing, 'store'), { recursive: true });
  expect(() => checkStoreAtStart(missing, false)).toThrow(/store\/data\.mdb is missing[\s\S]*gannet check --repair/);
  const empty = copyOf(() => undefined);
  truncateSync(path.join(empty, 'store/data.mdb'), 0);
  expect(() => checkStoreAtStart(empty, false)).toThrow(/is empty/);
  const cut = copyOf(() => undefined);
  truncateSync(path.join(cut, 'store/data.mdb'), 20 * PAGE_BYTES);
  expect(() => checkStoreAtStart(cut, false)).toThrow(/the file ends/);
});

test('segments without a store are not taken for a new directory', () => {
  const directory = path.join(root, 'segments');
  mkdirSync(path.join(directory, 'indices/uuid/0'), { recursive: true });
  expect(checkStoreAtStart(directory, false)).toEqual({ isComplete: true });
  writeFileSync(path.join(directory, 'indices/uuid/0/s0.seg'), '');
  expect(() => checkStoreAtStart(directory, false)).toThrow(/store\/data\.mdb is missing/);
});
