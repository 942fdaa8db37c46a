import { expect, test } from 'vitest';
import { SnapshotRegistry } from '../../../../src/node/memory/snapshot-registry.ts';

const extent = (ptr: number) => ({ arena: 0, ptr, bytes: 10 });
const segment = (id: number, liveDocs: number | null = null) => ({
  id,
  name: `s${id}`,
  extent: extent(id * 100),
  sizeBytes: 10,
  paging: null,
  maxDoc: 1,
  liveDocs: liveDocs === null ? null : extent(liveDocs),
  deleted: 0,
});
const snapshot = (generation: number, ...segments: ReturnType<typeof segment>[]) => ({
  indexUuid: 'u',
  shard: 0,
  generation,
  maxSeqNo: 0,
  segments,
});

test('an extent is freed when it is superseded, released by all readers and not held by a merge', () => {
  const freed: Array<[number, number | null]> = [];
  const registry = new SnapshotRegistry(({ ptr }, id) => freed.push([ptr, id]));
  registry.addReader(0);
  registry.addReader(1);
  registry.publish(snapshot(1, segment(1), segment(2, 250)));
  expect(registry.publishedBytes).toBe(30);
  const release = registry.hold([segment(2, 250)]);
  registry.publish(snapshot(2, segment(3)));
  expect(freed).toEqual([]);
  registry.released(0, [extent(100), extent(200), extent(250)]);
  expect(freed).toEqual([]);
  registry.released(1, [extent(100), extent(200), extent(250)]);
  expect(freed).toEqual([[100, 1]]);
  release();
  expect(freed).toEqual([
    [100, 1],
    [200, 2],
    [250, null],
  ]);
  registry.forget('u', 0);
  registry.released(0, [extent(300)]);
  registry.released(1, [extent(300)]);
  expect(freed.at(-1)).toEqual([300, 3]);
  expect(registry.publishedBytes).toBe(0);
});
