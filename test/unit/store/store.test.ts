import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { lockDirectory } from '../../../src/store/directory-lock.ts';
import { decodeRecord, encodeRecord } from '../../../src/store/log-record.ts';
import { SegmentFiles } from '../../../src/store/segment-files.ts';
import { OP_DELETE, OP_INDEX, Store } from '../../../src/store/store.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'gannet-store-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const entry = (seqNo: number, id: string, source: string | null, routing: string | null = null) => ({
  seqNo,
  op: source === null ? OP_DELETE : OP_INDEX,
  id,
  version: seqNo + 1,
  primaryTerm: 1,
  routing,
  source: source === null ? null : Buffer.from(source),
});

test('log records are read in order, with id, routing and source', async () => {
  const store = Store.open(directory);
  store.append(7, [entry(0, 'ä', '{"a":1}'), entry(1, 'b', null, 'r')]);
  store.append(8, [entry(0, 'other shard', '{}')]);
  expect(store.read(7, 0)).toMatchObject({ op: OP_INDEX, id: 'ä', routing: null, version: 1 });
  expect(Buffer.from(store.read(7, 0)!.source).toString()).toBe('{"a":1}');
  expect(store.read(7, 2)).toBeNull();
  const replayed = [...store.replay(7, -1)].map(({ seqNo, record }) => [seqNo, record.op, record.id, record.routing]);
  expect(replayed).toEqual([
    [0, OP_INDEX, 'ä', null],
    [1, OP_DELETE, 'b', 'r'],
  ]);
  expect([...store.replay(7, 0)]).toHaveLength(1);
  await store.drop(7);
  expect([...store.replay(7, -1)]).toHaveLength(0);
  expect([...store.replay(8, -1)]).toHaveLength(1);
  await store.close();
});

test('records are read back in whatever order logs and seqNos are written', async () => {
  const store = Store.open(directory);
  const writes: ReadonlyArray<readonly [log: number, seqNos: readonly number[]]> = [
    [5, [0, 1, 2]],
    [5, [3, 5, 4]],
    [5, [2, 6]],
    [9, [0, 1]],
    [5, [7, 8]],
    [3, [4, 0]],
    [9, [7, 2]],
    [9, [8, 9, 9]],
  ];
  const expected = new Map<string, string>();
  for (const [i, [log, seqNos]] of writes.entries()) {
    store.append(
      log,
      seqNos.map((seqNo) => entry(seqNo, `${log}-${seqNo}`, `{"write":${i}}`)),
    );
    for (const seqNo of seqNos) expected.set(`${log}-${seqNo}`, `{"write":${i}}`);
  }
  const found = [3, 5, 9].flatMap((log) => [...store.replay(log, -1)].map(({ seqNo, record }) => [`${log}-${seqNo}`, record] as const));
  expect(new Map(found.map(([key, record]) => [key, Buffer.from(record.source).toString()]))).toEqual(expected);
  expect(found).toHaveLength(expected.size);
  await store.drop(9);
  store.append(9, [entry(0, 'again', '{}')]);
  expect(Buffer.from(store.read(9, 0)!.source).toString()).toBe('{}');
  await store.close();
});

test('pages of the newest log are filled', async () => {
  const store = Store.open(directory);
  const source = `{"text":"${'x'.repeat(1000)}"}`;
  const count = 2000;
  for (let start = 0; start < count; start += 100) {
    store.append(
      1,
      Array.from({ length: 100 }, (_, i) => entry(start + i, String(start + i), source)),
    );
  }
  await store.close();
  const { size } = statSync(path.join(directory, 'store', 'data.mdb'));
  // Three records fit into a page of 4 KB; pages split in half would have two.
  expect(size / 4096).toBeLessThan(count / 2.5);
});

test('a source ends with its own bytes, not with those that follow in the shared read buffer of lmdb', async () => {
  const source = Buffer.from('{"n":1}');
  const key = Buffer.alloc(10);
  const record = encodeRecord(key, { op: OP_INDEX, id: 'a', version: 1, primaryTerm: 1, routing: null, source });
  const shared = Buffer.concat([record, Buffer.from('what was read before')]);
  Object.defineProperty(shared, 'length', { value: record.length });
  // Like newer versions of Node, which ignore the property.
  shared.subarray = (start, end) => Uint8Array.prototype.subarray.call(shared, start, end) as Buffer<ArrayBuffer>;
  expect(Buffer.from(decodeRecord(key, shared, () => '').source).toString()).toBe('{"n":1}');
});

test('commit points, live docs and metadata survive a reopen; a commit drops live docs of segments it no longer names', async () => {
  let store = Store.open(directory);
  const segment = (name: string) => ({ name, bytes: 10, maxDoc: 8, deleted: 1 });
  store.append(1, [entry(0, 'a', '{}'), entry(1, 'b', '{}')]);
  store.commit(
    1,
    { generation: 1, segments: [segment('s0'), segment('s1')], maxSeqNo: 1, nextSegment: 2, primaryTerm: 1 },
    new Map([['s0', Buffer.from([1, 2])]]),
    [0],
  );
  store.putMeta(new Map([['index/x', { name: 'x' }]]));
  await store.close();
  store = Store.open(directory);
  expect(store.commitPoint(1)?.segments.map((s) => s.name)).toEqual(['s0', 's1']);
  expect([...store.liveDocs(1, 's0')!]).toEqual([1, 2]);
  expect(store.liveDocs(1, 's1')).toBeNull();
  expect(store.read(1, 0)).toBeNull();
  expect(store.read(1, 1)?.id).toBe('b');
  expect(store.metaNames('index/')).toEqual(['index/x']);
  expect(store.getMeta('index/x')).toEqual({ name: 'x' });
  store.commit(1, { generation: 2, segments: [segment('s1')], maxSeqNo: 1, nextSegment: 2, primaryTerm: 1 }, new Map(), []);
  expect(store.liveDocs(1, 's0')).toBeNull();
  await store.close();
});

test('a flipped byte in the log is found and the operation named', async () => {
  let store = Store.open(directory);
  store.append(3, [entry(0, 'some-id', '{"marker":"look here for the flip"}')]);
  await store.close();
  const file = path.join(directory, 'store', 'data.mdb');
  const bytes = readFileSync(file);
  const at = bytes.indexOf('look here');
  expect(at).toBeGreaterThan(0);
  bytes[at] ^= 1;
  writeFileSync(file, bytes);
  store = Store.open(directory);
  expect(() => store.read(3, 0)).toThrow(/log 3, operation 0/);
  await store.close();
});

test('segment files are read back whole and others removed', () => {
  const files = new SegmentFiles(directory, 'uuid', 0);
  const image = Buffer.from('a segment image');
  files.write('s0', image);
  files.write('s1', image);
  const target = new Uint8Array(files.size('s0'));
  files.readInto('s0', target);
  expect(Buffer.from(target).equals(image)).toBe(true);
  files.removeOthers(new Set(['s0']));
  expect(() => files.size('s1')).toThrow(/cannot open segment/);
  expect(() => files.readInto('s0', new Uint8Array(100))).toThrow(/truncated/);
});

test('a directory is held once; a lock of a dead process is taken over', () => {
  const lock = lockDirectory(directory);
  expect(() => lockDirectory(directory)).toThrow(/in use by process/);
  lock.release();
  writeFileSync(path.join(directory, 'node.lock'), `${process.ppid} 1 0\n`); // the pid lives, but started at another time
  lockDirectory(directory).release();
  writeFileSync(path.join(directory, 'node.lock'), `${process.ppid} - 0\n`); // start time unknown: a living pid counts as the owner
  expect(() => lockDirectory(directory)).toThrow(/in use/);
});

test('records of any size can be read, also those of 16 MB and more, of which lmdb returns views of its map', async () => {
  const store = Store.open(directory);
  const header = 24 + 'big'.length;
  const sizes = [(1 << 24) - 1, 1 << 24, (1 << 24) + 1, 100 << 20].map((recordBytes) => recordBytes - header);
  for (const [i, size] of sizes.entries()) {
    const source = Buffer.alloc(size, 'ab');
    store.append(3, [{ ...entry(2 * i, 'big', null), op: OP_INDEX, source }, entry(2 * i + 1, 'small', '{}')]);
    expect(source.equals(store.read(3, 2 * i)!.source), String(size)).toBe(true);
    expect(store.read(3, 2 * i + 1)!.source).toHaveLength(2);
  }
  const replayed = [...store.replay(3, -1)].map(({ record }) => record.source.length);
  expect(replayed).toEqual(sizes.flatMap((size) => [size, 2]));
  await store.close();
});
