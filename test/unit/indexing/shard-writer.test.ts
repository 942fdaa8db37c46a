// The writer of a shard against a plain model, with the real store, segment images and kernels; readers and merger are local.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ArenaSet } from '../../../src/arena/arena.ts';
import { mergeSegments } from '../../../src/arena/merge.ts';
import { openSegment } from '../../../src/arena/segment-image.ts';
import { BufferPool } from '../../../src/indexing/buffer-pool.ts';
import { type Extent, extentKey, type SnapshotDescriptor } from '../../../src/indexing/segment-set.ts';
import type { ShardOperation } from '../../../src/indexing/shard-operation.ts';
import { readShardSettings } from '../../../src/indexing/shard-settings.ts';
import { ShardWriter } from '../../../src/indexing/shard-writer.ts';
import type { WriterEnvironment } from '../../../src/indexing/writer-environment.ts';
import { SegmentFiles } from '../../../src/store/segment-files.ts';
import { Store } from '../../../src/store/store.ts';
import { compileEngine, Kernels } from '../../../src/wasm/kernels.ts';
import { forSeedsAsync, type Rng } from '../../support/rng.ts';
import { ANALYSIS } from '../../support/segments.ts';
import { SimpleMapping } from '../../support/simple-mapping.ts';

const PAGES = 2048;
const module = compileEngine();
let directory: string;
beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'gannet-writer-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

class Bench {
  readonly store = Store.open(directory);
  readonly arenas = new ArenaSet(module, { pages: PAGES });
  readonly kernels: Kernels;
  mapping = new SimpleMapping(['t_body']);
  published: SnapshotDescriptor | null = null;
  failAppend = false;
  /** Entries of each transaction that was tried; one of more than `appendLimit` fails. */
  readonly appends: number[] = [];
  appendLimit = Infinity;
  nowMs = 1000;
  /** What readers wait for before they switch to a snapshot. */
  switching: Promise<void> = Promise.resolve();
  writer: ShardWriter;
  #nextId = 1;

  constructor(bufferBytes = 1 << 20) {
    const scratch = this.arenas.allocate(8 << 20);
    this.kernels = new Kernels(module, this.arenas.memories[0], scratch.ptr, scratch.bytes);
    const buffers = new BufferPool(module, bufferBytes, PAGES);
    const bench = this;
    const store = new Proxy(this.store, {
      get(target, name) {
        if (name === 'append')
          return (log: number, entries: Parameters<Store['append']>[1]) => {
            bench.appends.push(entries.length);
            if (bench.failAppend || entries.length > bench.appendLimit) throw new Error('disk full');
            target.append(log, entries);
          };
        const value = Reflect.get(target, name, target);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    const view = ({ ptr, bytes }: Extent) => this.kernels.u8.subarray(ptr, ptr + bytes);
    const env: WriterEnvironment = {
      store,
      buffers,
      nextSegmentId: () => this.#nextId++,
      allocate: async (bytes) => this.arenas.allocate(bytes),
      view,
      openSegment: (id, extent, file, verify) => openSegment(this.kernels, extent.ptr, extent.bytes, { id, file, verify }),
      publish: async (snapshot) => {
        await this.switching;
        const before = this.published;
        this.published = snapshot;
        // As the node does: an image that no snapshot names is freed, and its memory is soon another's.
        const named = new Set(snapshot.segments.map(({ extent }) => extentKey(extent)));
        for (const { extent } of before?.segments ?? []) if (!named.has(extentKey(extent))) view(extent).fill(0);
      },
      updateMapping: async (_uuid, { properties }) => {
        this.mapping = this.mapping.with(Object.keys(properties as object));
        return { mapping: this.mapping.asMapping(), analysis: ANALYSIS };
      },
      sortSegment: (image, sort) => mergeSegments(module, [{ image, liveDocs: null, file: 'new' }], { pages: PAGES, sort }).image,
      merge: async (segments, sort) => {
        const descriptors = segments.map((segment) => segment.descriptor());
        const sources = descriptors.map(({ extent, liveDocs, name }) => ({
          image: view(extent),
          liveDocs: liveDocs && view(liveDocs),
          file: name,
        }));
        const { image, docMaps } = mergeSegments(module, sources, { pages: PAGES, sort });
        const extent = this.arenas.allocate(image.length);
        view(extent).set(image);
        return { extent, docMaps };
      },
      mergeFailed: (_identity, error) => {
        throw error;
      },
      storedScript: () => null,
      nowMs: () => this.nowMs,
    };
    const identity = { index: 'test', uuid: 'u', shard: 0, log: 1 };
    this.writer = new ShardWriter(identity, this.mapping.asMapping(), ANALYSIS, new SegmentFiles(directory, 'u', 0), env);
  }

  /** Live root documents of the published snapshot: id to its version and n_value. */
  visible(): Map<string, { version: number; value: number }> {
    const found = new Map<string, { version: number; value: number }>();
    for (const { id, name, extent, liveDocs } of this.published?.segments ?? []) {
      const reader = openSegment(this.kernels, extent.ptr, extent.bytes, { id, file: name, verify: true }).withLiveDocs(liveDocs?.ptr ?? 0);
      for (let doc = 0; doc < reader.maxDoc; doc++) {
        if (reader.rootOf(doc) !== doc || !isLive(this.kernels, liveDocs?.ptr ?? 0, doc)) continue;
        const docId = reader.idOf(doc);
        if (found.has(docId)) throw new Error(`${docId} is there twice`);
        const [value] = reader.values('n_value', doc);
        expect(reader.docOfId(docId)).toBe(doc);
        found.set(docId, { version: Number(reader.values('_version', doc)[0]), value: Number(value ?? -1) });
      }
    }
    return found;
  }
}

const isLive = (kernels: Kernels, bits: number, doc: number) => bits === 0 || ((kernels.u8[bits + (doc >>> 3)] >>> (doc & 7)) & 1) === 1;

const op = (kind: ShardOperation['kind'], id: string, source: unknown = null, changes: Partial<ShardOperation> = {}): ShardOperation => ({
  kind,
  id,
  autoId: false,
  routing: null,
  source: source === null ? null : Buffer.from(JSON.stringify(source)),
  ifSeqNo: null,
  ifPrimaryTerm: null,
  version: null,
  versionType: 'internal',
  docAsUpsert: false,
  wantSource: false,
  ...changes,
});

test('a document is found after a refresh, in its newest version only', async () => {
  const bench = new Bench();
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

test('refused documents leave nothing and do not stop the others', async () => {
  const bench = new Bench();
  const outcomes = await bench.writer.apply([
    op('index', 'a', { n_value: 1 }),
    op('index', 'b', { n_value: 'x' }),
    op('create', 'a', { n_value: 2 }),
    op('index', 'c', { n_value: 3 }),
  ]);
  expect(outcomes.map(({ ok }) => ok)).toEqual([true, false, false, true]);
  expect(outcomes[1]).toMatchObject({ error: { type: 'mapper_parsing_exception' } });
  expect(outcomes[2]).toMatchObject({ error: { type: 'version_conflict_engine_exception', status: 409 } });
  await bench.writer.refresh();
  expect([...bench.visible().keys()].sort()).toEqual(['a', 'c']);
  expect(bench.writer.maxSeqNo).toBe(1);
});

test('an update sees what operations before it in the same batch wrote', async () => {
  const bench = new Bench();
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
    'mapper_parsing_exception',
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

test('when the log cannot be written, nothing of the batch remains', async () => {
  const bench = new Bench();
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

/** Random operations; the model knows what must be visible. */
async function runOperations(bench: Bench, rng: Rng, model: Map<string, { value: number }>, steps: number): Promise<void> {
  for (let step = 0; step < steps; step++) {
    const action = rng.int(0, 20);
    if (action === 0) await bench.writer.refresh();
    else if (action === 1) await bench.writer.flush();
    else if (action === 2) await bench.writer.forceMerge(rng.int(1, 3), rng.int(0, 1) === 0);
    else {
      const operations: ShardOperation[] = [];
      for (let i = rng.int(1, 12); i > 0; i--) {
        const id = `d${rng.int(0, 25)}`;
        const value = rng.int(0, 1000);
        const nested = rng.int(0, 3) === 0 ? { nested: [{ n_value: 7, k_tag: 'x' }, { n_value: 8 }] } : {};
        if (rng.int(0, 4) === 0) {
          operations.push(op('delete', id));
          model.delete(id);
        } else if (rng.int(0, 3) === 0) {
          operations.push(op('update', id, { doc: { n_value: value }, doc_as_upsert: true }));
          model.set(id, { value });
        } else {
          operations.push(
            op('index', id, { n_value: value, t_body: `word${value % 7} common`, [`k_dyn${rng.int(0, 3)}`]: `v${value % 5}`, ...nested }),
          );
          model.set(id, { value });
        }
      }
      for (const outcome of await bench.writer.apply(operations)) expect(outcome.ok).toBe(true);
    }
  }
  await bench.writer.refresh();
  expect(sorted(bench.visible())).toEqual(sorted(model));
}

/** Without versions: those of deleted documents are forgotten by a restart. */
const sorted = (map: ReadonlyMap<string, { value: number }>) => [...map].map(([id, { value }]) => `${id}=${value}`).sort();

test('a segment without a live document is let go of by writer and readers together', async () => {
  const bench = new Bench();
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

test('a refresh with nothing new waits for readers that still switch to the snapshot before', async () => {
  const bench = new Bench();
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

test('random operations, refreshes, flushes and merges agree with a model, also after a restart without a flush', () =>
  forSeedsAsync(8, async (rng) => {
    rmSync(directory, { recursive: true, force: true });
    const model = new Map<string, { value: number }>();
    let bench = new Bench(rng.pick([1 << 20, 40_000]));
    for (let life = 0; life < 3; life++) {
      await runOperations(bench, rng, model, 40);
      await bench.store.close();
      const { mapping } = bench;
      bench = new Bench();
      bench.mapping = mapping;
      bench.writer.useMapping(mapping.asMapping(), ANALYSIS);
      await bench.writer.recover();
      expect(sorted(bench.visible())).toEqual(sorted(model));
    }
    await bench.store.close();
  }));

test('the term rises with each opening of a shard that was written to; older documents keep theirs', async () => {
  let bench = new Bench();
  for (const term of [1, 2, 3]) {
    const [outcome] = await bench.writer.apply([op('index', `doc${term}`, { n_value: term })]);
    expect(outcome).toMatchObject({ ok: true, primaryTerm: term });
    if (term === 2) await bench.writer.flush(); // told by the commit point this time, by the log the others
    await bench.store.close();
    bench = new Bench();
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
  const bench = new Bench();
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
  const bench = new Bench();
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

test('when a shared transaction fails each write gets an answer of its own', async () => {
  const bench = new Bench();
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
