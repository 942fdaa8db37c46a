// The writer of a shard against a plain model, with the real store, segment images and kernels; readers and merger are local.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { readShardSettings } from '../../../src/indexing/shard-settings.ts';
import { forSeedsAsync } from '../../support/rng.ts';
import { ANALYSIS } from '../../support/segments.ts';
import { op, runOperations, sorted, WriterBench } from '../../support/writer-bench.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'gannet-writer-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const newBench = (bufferBytes?: number) => new WriterBench(directory, bufferBytes);

test('a document is found after a refresh, in its newest version only', async () => {
  const bench = newBench();
  const [first] = await bench.writer.apply([op('index', 'a', { n_value: 1, t_body: 'the quick fox' })]);
  expect(first).toMatchObject({ ok: true, result: 'created', seqNo: 0, version: 1 });
  expect(bench.writer.locate('a')).toBe(0);
  expect(bench.visible().size).toBe(0);
  await bench.writer.refresh();
  const [second] = await bench.writer.apply([op('index', 'a', { n_value: 2 }), op('delete', 'missing')]);
  expect(second).toMatchObject({ result: 'updated', seqNo: 1, version: 2 });
  expect(bench.visible()).toEqual(new Map([['a', { version: 1, value: 1 }]]));
  await bench.writer.refresh();
  expect(bench.visible()).toEqual(new Map([['a', { version: 2, value: 2 }]]));
  await bench.store.close();
});

test('a read during a write is answered when the log has accepted or refused it', async () => {
  const bench = newBench();
  await bench.writer.apply([op('index', 'a', { n_value: 1 }), op('index', 'b', { n_value: 1 })]);
  for (const isAccepted of [true, false]) {
    let answer: (error?: Error) => void = () => undefined;
    bench.appending = new Promise((resolve, reject) => {
      answer = (error) => (error === undefined ? resolve() : reject(error));
    });
    const before = [bench.writer.locate('a'), bench.writer.locate('b')];
    const applied = bench.writer.apply([op('index', 'a', { n_value: 2 }), op('delete', 'b')]).catch((error: Error) => error.message);
    await vi.waitUntil(() => bench.writer.locate('b') instanceof Promise, { interval: 1, timeout: 60_000 });
    const during = [bench.writer.locate('a'), bench.writer.locate('b')];
    for (const located of during) expect(located).toBeInstanceOf(Promise);
    answer(isAccepted ? undefined : new Error('refused'));
    if (!isAccepted) expect(await applied).toBe('refused');
    const after = await Promise.all(during);
    expect(after).toEqual(isAccepted ? [2, null] : before);
    expect([bench.writer.locate('a'), bench.writer.locate('b')]).toEqual(after);
  }
});

test('refused documents leave nothing and do not stop the others', async () => {
  const bench = newBench();
  const outcomes = await bench.writer.apply([
    op('index', 'a', { n_value: 1 }),
    op('index', 'b', { n_value: 'x' }),
    op('create', 'a', { n_value: 2 }),
    op('index', 'c', { n_value: 3 }),
  ]);
  expect(outcomes.map(({ ok }) => ok)).toEqual([true, false, false, true]);
  expect(outcomes[1]).toMatchObject({ error: { type: 'document_parsing_exception' } });
  expect(outcomes[2]).toMatchObject({ error: { type: 'version_conflict_engine_exception', status: 409 } });
  await bench.writer.refresh();
  expect([...bench.visible().keys()].sort()).toEqual(['a', 'c']);
  expect(bench.writer.maxSeqNo).toBe(1);
});

test('an update sees what operations before it in the same batch wrote', async () => {
  const bench = newBench();
  const outcomes = await bench.writer.apply([
    op('index', 'a', { n_value: 1, k_tag: 'x' }),
    op('index', 'a', { n_value: 'x' }),
    op('update', 'a', { doc: { n_value: 2 } }, { wantSource: true }),
    op('update', 'a', { doc: { n_value: 2 } }, { wantSource: true }),
    op('update', 'a', { doc: { n_value: 3 } }, { wantSource: true }),
    op('delete', 'a'),
    op('update', 'a', { doc: { n_value: 4 } }),
    op('update', 'a', { doc: { n_value: 5 }, doc_as_upsert: true }),
  ]);
  expect(outcomes.map((outcome) => (outcome.ok ? outcome.result : outcome.error.type))).toEqual([
    'created',
    'document_parsing_exception',
    'updated',
    'noop',
    'updated',
    'deleted',
    'document_missing_exception',
    'created',
  ]);
  const sources = outcomes.slice(2, 5).map((outcome) => outcome.ok && JSON.parse(Buffer.from(outcome.source!).toString()));
  expect(sources).toEqual([2, 2, 3].map((n_value) => ({ n_value, k_tag: 'x' })));
  await bench.writer.refresh();
  expect([...bench.visible()]).toEqual([['a', { version: 5, value: 5 }]]);
  await bench.store.close();
});

test('if the log cannot be written, nothing of the batch remains', async () => {
  const bench = newBench();
  await bench.writer.apply([op('index', 'a', { n_value: 1 })]);
  bench.failAppend = true;
  await expect(bench.writer.apply([op('index', 'a', { n_value: 2 }), op('index', 'b', { n_value: 3 }), op('delete', 'a')])).rejects.toThrow(
    'disk full',
  );
  bench.failAppend = false;
  await bench.writer.refresh();
  expect(bench.visible()).toEqual(new Map([['a', { version: 1, value: 1 }]]));
  const [next] = await bench.writer.apply([op('index', 'a', { n_value: 4 })]);
  expect(next).toMatchObject({ ok: true, seqNo: 1, version: 2 });
});

test('a segment without live documents is released by writer and readers together', async () => {
  const bench = newBench();
  await bench.writer.apply([op('index', 'a', { n_value: 1 }), op('index', 'b', { n_value: 2 })]);
  await bench.writer.refresh();
  await bench.writer.apply([op('delete', 'a'), op('index', 'b', { n_value: 3 })]);
  await bench.writer.refresh();
  expect(bench.published?.segments).toHaveLength(1);
  await bench.writer.apply([op('delete', 'b')]);
  await bench.writer.refresh();
  expect(bench.published?.segments).toHaveLength(0);
  const outcomes = await bench.writer.apply([op('delete', 'a'), op('index', 'b', { n_value: 4 }), op('create', 'a', { n_value: 5 })]);
  expect(outcomes.map((outcome) => outcome.ok && outcome.result)).toEqual(['not_found', 'created', 'created']);
  await bench.writer.flush();
  await bench.writer.forceMerge(1, false);
  expect(sorted(bench.visible())).toEqual(['a=5', 'b=4']);
  await bench.store.close();
});

test('a merge shows nothing that was written since the last refresh, and loses none of it', async () => {
  const bench = newBench();
  for (const id of ['a', 'b', 'c']) {
    await bench.writer.apply([op('index', id, { n_value: 1 }), op('index', `${id}x`, { n_value: 1 })]);
    await bench.writer.refresh();
  }
  await bench.writer.apply([op('index', 'd', { n_value: 1 }), op('delete', 'ax')]);
  let letMergeEnd = (): void => undefined;
  bench.merging = new Promise((resolve) => {
    letMergeEnd = resolve;
  });
  const turns = async (): Promise<void> => {
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
  };
  const merged = bench.writer.forceMerge(1, false);
  await turns();
  const seen = ['a=1', 'b=1', 'bx=1', 'c=1', 'cx=1', 'd=1'];
  expect(sorted(bench.visible())).toEqual(seen);
  await bench.writer.apply([op('index', 'a', { n_value: 2 }), op('delete', 'bx'), op('index', 'e', { n_value: 1 })]);
  await bench.writer.flush();
  await bench.writer.apply([op('delete', 'c'), op('index', 'f', { n_value: 1 })]);
  letMergeEnd();
  await merged;
  expect(bench.published?.segments).toHaveLength(1);
  expect(sorted(bench.visible())).toEqual(seen);
  const late = await bench.writer.apply([op('create', 'bx', { n_value: 3 }), op('delete', 'c'), op('create', 'cx', { n_value: 3 })]);
  expect(late.map((outcome) => (outcome.ok ? outcome.result : outcome.error.status))).toEqual(['created', 'not_found', 409]);
  expect(sorted(bench.visible())).toEqual(seen);
  await bench.writer.refresh();
  expect(sorted(bench.visible())).toEqual(['a=2', 'b=1', 'bx=3', 'cx=1', 'd=1', 'e=1', 'f=1']);
  await bench.store.close();
});

test('a refresh during a merge is visible at once and after the merge', async () => {
  const bench = newBench();
  for (const id of ['a', 'b']) {
    await bench.writer.apply([op('index', id, { n_value: 1 }), op('index', `${id}x`, { n_value: 1 })]);
    await bench.writer.refresh();
  }
  let letMergeEnd = (): void => undefined;
  bench.merging = new Promise((resolve) => {
    letMergeEnd = resolve;
  });
  const merged = bench.writer.forceMerge(1, false);
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
  await bench.writer.apply([op('delete', 'ax'), op('index', 'b', { n_value: 2 })]);
  await bench.writer.refresh();
  await bench.writer.apply([op('delete', 'bx')]);
  const seen = ['a=1', 'b=2', 'bx=1'];
  expect(sorted(bench.visible())).toEqual(seen);
  letMergeEnd();
  await merged;
  expect(sorted(bench.visible())).toEqual(seen);
  await bench.writer.refresh();
  expect(sorted(bench.visible())).toEqual(['a=1', 'b=2']);
  await bench.store.close();
});

test('a refresh with nothing new waits for readers that still switch to the snapshot before', async () => {
  const bench = newBench();
  let letReadersSwitch = (): void => undefined;
  bench.switching = new Promise((resolve) => {
    letReadersSwitch = resolve;
  });
  await bench.writer.apply([op('index', 'a', { n_value: 1 })]);
  const first = bench.writer.refresh();
  let isDone = false;
  const second = bench.writer.refresh().then(() => {
    isDone = true;
  });
  for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
  expect(isDone).toBe(false);
  letReadersSwitch();
  await Promise.all([first, second]);
  expect([...bench.visible().keys()]).toEqual(['a']);
  await bench.store.close();
});

test('merges of a shard run one after another, however many are requested', async () => {
  const bench = newBench();
  for (const id of 'abcdefgh') {
    await bench.writer.apply([op('index', id, { n_value: 1 })]);
    await bench.writer.refresh();
  }
  const ends: Array<() => void> = [];
  const holdNext = () => {
    bench.merging = new Promise((resolve) => {
      ends.push(resolve);
    });
  };
  const turns = async () => {
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
  };
  holdNext();
  const forced = [4, 2, 1].map((segments) => bench.writer.forceMerge(segments, false));
  await turns();
  // The others, which waited for the first, are free at the same moment.
  holdNext();
  ends[0]();
  await turns();
  ends[1]();
  await Promise.all(forced);
  expect(bench.merges).toEqual({ now: 0, most: 1 });
  expect(bench.published!.segments).toHaveLength(1);
  expect(bench.visible().size).toBe(8);
  await bench.store.close();
});

test('random operations, refreshes, flushes and merges agree with a model, also after a restart without a flush', () =>
  forSeedsAsync(8, async (rng) => {
    rmSync(directory, { recursive: true, force: true });
    const model = new Map<string, { value: number }>();
    let bench = newBench(rng.pick([1 << 20, 40_000]));
    for (let life = 0; life < 3; life++) {
      await runOperations(bench, rng, model, 40);
      await bench.store.close();
      const { mapping } = bench;
      bench = newBench();
      bench.mapping = mapping;
      bench.writer.useMapping(mapping.asMapping(), ANALYSIS);
      await bench.writer.recover();
      expect(sorted(bench.visible())).toEqual(sorted(model));
    }
    await bench.store.close();
  }));

test('the primary term rises each time a written shard is opened; older documents keep theirs', async () => {
  let bench = newBench();
  for (const term of [1, 2, 3]) {
    const [outcome] = await bench.writer.apply([op('index', `doc${term}`, { n_value: term })]);
    expect(outcome).toMatchObject({ ok: true, primaryTerm: term });
    if (term === 2) await bench.writer.flush(); // known from the commit point this time, from the log the others
    await bench.store.close();
    bench = newBench();
    await bench.writer.recover();
  }
  const [wrong, right] = await bench.writer.apply([
    op('index', 'doc1', { n_value: 9 }, { ifSeqNo: 0, ifPrimaryTerm: 4 }),
    op('index', 'doc1', { n_value: 9 }, { ifSeqNo: 0, ifPrimaryTerm: 1 }),
  ]);
  expect(wrong).toMatchObject({ ok: false, error: { type: 'version_conflict_engine_exception' } });
  expect(right).toMatchObject({ ok: true, primaryTerm: 4 });
  await bench.store.close();
});

test('a deletion is remembered for gc_deletes, in versions of later writes', async () => {
  const bench = newBench();
  bench.writer.useSettings(readShardSettings({ 'index.gc_deletes': '0ms' }));
  await bench.writer.apply([op('index', 'a', { n_value: 1 }), op('delete', 'a')]);
  await bench.writer.refresh();
  const [remembered] = await bench.writer.apply([op('index', 'a', { n_value: 1 })]);
  expect(remembered).toMatchObject({ ok: true, version: 3 });
  await bench.writer.apply([op('delete', 'a')]);
  await bench.writer.refresh();
  bench.nowMs += 10;
  await bench.writer.apply([op('index', 'b', { n_value: 1 })]);
  await bench.writer.refresh();
  const [forgotten] = await bench.writer.apply([op('index', 'a', { n_value: 1 })]);
  expect(forgotten).toMatchObject({ ok: true, version: 1 });
  await bench.store.close();
});

test('writes that wait for each other share a transaction, in their order', async () => {
  const bench = newBench();
  const [first, second, third] = await Promise.all([
    bench.writer.apply([op('index', 'a', { n_value: 1 }), op('index', 'b', { n_value: 'x' })]),
    bench.writer.apply([op('index', 'a', { n_value: 2 })]),
    bench.writer.apply([op('create', 'a', { n_value: 3 }), op('index', 'c', { n_value: 4 })]),
  ]);
  expect(bench.appends).toEqual([3]);
  expect(first.map(({ ok }) => ok)).toEqual([true, false]);
  expect(second).toMatchObject([{ ok: true, result: 'updated', version: 2, seqNo: 1 }]);
  expect(third).toMatchObject([
    { ok: false, error: { status: 409 } },
    { ok: true, result: 'created', seqNo: 2 },
  ]);
  await bench.writer.refresh();
  expect(bench.visible().get('a')).toEqual({ version: 2, value: 2 });
  await bench.store.close();
});

test('when a shared transaction fails, each write gets its own response', async () => {
  const bench = newBench();
  bench.appendLimit = 2;
  const results = await Promise.allSettled([
    bench.writer.apply([op('index', 'a', { n_value: 1 })]),
    bench.writer.apply(['b', 'c', 'd'].map((id) => op('index', id, { n_value: 2 }))),
    bench.writer.apply([op('index', 'a', { n_value: 3 }), op('index', 'e', { n_value: 4 })]),
  ]);
  expect(bench.appends).toEqual([6, 1, 3, 2]);
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  await bench.writer.refresh();
  expect([...bench.visible()].sort()).toEqual([
    ['a', { version: 2, value: 3 }],
    ['e', { version: 1, value: 4 }],
  ]);
  expect(bench.writer.maxSeqNo).toBe(2);
  await bench.store.close();
});
