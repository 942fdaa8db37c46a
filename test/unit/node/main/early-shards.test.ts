// Shards that main opens before their indexer is ready, and that the indexer then continues.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { READ_COUNTERS_BYTES } from '../../../../src/api/core/read-counters.ts';
import { newSectionMemory } from '../../../../src/arena/section-table.ts';
import { EarlyShards } from '../../../../src/node/main/early-shards.ts';
import { forSeedsAsync } from '../../../support/rng.ts';
import { ANALYSIS } from '../../../support/segments.ts';
import { IDENTITY, op, runOperations, sorted, WriterBench } from '../../../support/writer-bench.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'gannet-early-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

/** Opens a shard as main does; null leaves it to the writer. */
async function openEarly({ store, arenas, kernels }: WriterBench, maxBytes?: number) {
  const early = new EarlyShards({
    dataPath: directory,
    store,
    module: WriterBench.module,
    allocate: (bytes) => arenas.allocate(bytes),
    release: (extent) => arenas.release(extent),
    openFile: () => null,
    maxBytes,
  });
  early.addArena(0, kernels.memory, { memory: newSectionMemory(1), thread: 0 });
  const progress = new SharedArrayBuffer(8);
  const snapshot = await early.open({ ...IDENTITY, indexer: 0, damage: null, progress, reads: new SharedArrayBuffer(READ_COUNTERS_BYTES) });
  return { snapshot, maxSeqNo: new Float64Array(progress)[0] };
}

test('committed documents are visible before the writer is ready, which continues from them; shards with more in their log are left to it', () =>
  forSeedsAsync(12, async (rng) => {
    rmSync(directory, { recursive: true, force: true });
    const model = new Map<string, { value: number }>();
    let bench = new WriterBench(directory, rng.pick([1 << 20, 40_000]));
    for (let life = 0; life < 4; life++) {
      await runOperations(bench, rng, model, 15);
      const isFlushed = rng.int(0, 2) > 0;
      if (isFlushed) await bench.writer.flush();
      const { mapping } = bench;
      const { maxSeqNo } = bench.writer;
      const isClean = !bench.store.hasRecords(IDENTITY.log, bench.store.commitPoint(IDENTITY.log)?.maxSeqNo ?? -1);
      await bench.store.close();

      bench = new WriterBench(directory);
      bench.mapping = mapping;
      bench.writer.useMapping(mapping.asMapping(), ANALYSIS);
      const { snapshot, ...early } = await openEarly(bench);
      expect(snapshot !== null).toBe(isClean);
      if (isFlushed) expect(isClean).toBe(true);
      bench.published = snapshot;
      if (snapshot) {
        expect(early.maxSeqNo).toBe(maxSeqNo);
        expect(sorted(bench.visible())).toEqual(sorted(model));
      }
      await bench.writer.recover(snapshot);
      // The snapshot is not published again.
      if (snapshot) expect(bench.published).toBe(snapshot);
      expect(bench.writer.maxSeqNo).toBe(maxSeqNo);
      expect(sorted(bench.visible())).toEqual(sorted(model));
    }
    await bench.store.close();
  }));

test('a shard without writes is opened empty', async () => {
  const bench = new WriterBench(directory);
  const { snapshot, maxSeqNo } = await openEarly(bench);
  expect(snapshot).toMatchObject({ segments: [], maxSeqNo: -1 });
  expect(maxSeqNo).toBe(-1);
  await bench.writer.recover(snapshot);
  expect(await bench.writer.apply([op('index', 'a', { n_value: 1 })])).toMatchObject([{ ok: true, seqNo: 0, primaryTerm: 1 }]);
  await bench.writer.refresh();
  expect(bench.published?.generation).toBe((snapshot?.generation ?? 0) + 1);
  await bench.store.close();
});

test('a damaged segment, and more bytes than main reads, are left to the indexer, without memory in use', async () => {
  let bench = new WriterBench(directory);
  for (const id of ['a', 'b']) {
    await bench.writer.apply([op('index', id, { n_value: 1 })]);
    await bench.writer.flush();
  }
  await bench.store.close();
  bench = new WriterBench(directory);
  const before = bench.arenas.usedBytes;
  const bytes = bench.store.commitPoint(IDENTITY.log)!.segments.reduce((sum, segment) => sum + segment.bytes, 0);
  expect((await openEarly(bench, bytes - 1)).snapshot).toBeNull();
  const file = path.join(directory, 'indices/u/0', readdirSync(path.join(directory, 'indices/u/0')).sort().at(-1)!);
  const image = readFileSync(file);
  image[image.length >> 1] ^= 16;
  writeFileSync(file, image);
  expect((await openEarly(bench, bytes)).snapshot).toBeNull();
  expect(bench.arenas.usedBytes).toBe(before);
  await expect(bench.writer.recover()).rejects.toMatchObject({ type: 'corrupt_index_exception' });
  image[image.length >> 1] ^= 16;
  writeFileSync(file, image);
  expect((await openEarly(bench, bytes)).snapshot?.segments).toHaveLength(2);
  await bench.store.close();
});
