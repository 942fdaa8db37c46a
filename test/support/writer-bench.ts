// A shard's writer on the real store, segment images and kernels; readers and merger are local. Random operations with a model of what
// must be visible.
import { expect } from 'vitest';
import { ArenaSet } from '../../src/arena/arena.ts';
import { mergeSegments } from '../../src/arena/merge.ts';
import { openSegment } from '../../src/arena/segment-reader.ts';
import { BufferPool } from '../../src/indexing/buffer-pool.ts';
import { type OperationLog, StoreLog } from '../../src/indexing/operation-log.ts';
import { type Extent, extentKey, type SnapshotDescriptor } from '../../src/indexing/segment-set.ts';
import type { ShardOperation } from '../../src/indexing/shard-operation.ts';
import { wholeImage } from '../../src/indexing/shard-segments.ts';
import { ShardWriter } from '../../src/indexing/shard-writer.ts';
import type { WriterEnvironment } from '../../src/indexing/writer-environment.ts';
import { SegmentFiles } from '../../src/store/segment-files.ts';
import { Store } from '../../src/store/store.ts';
import { compileEngine, Kernels } from '../../src/wasm/kernels.ts';
import type { Rng } from './rng.ts';
import { ANALYSIS } from './segments.ts';
import { SimpleMapping } from './simple-mapping.ts';

const PAGES = 2048;
const module = compileEngine();
export const IDENTITY = { index: 'test', uuid: 'u', shard: 0, log: 1 };

export class WriterBench {
  static readonly module = module;
  readonly store: Store;
  readonly arenas = new ArenaSet(module, { pages: PAGES });
  readonly kernels: Kernels;
  mapping = new SimpleMapping(['t_body']);
  published: SnapshotDescriptor | null = null;
  failAppend = false;
  /** Entries of each transaction that was tried; one of more than `appendLimit` fails. */
  readonly appends: number[] = [];
  appendLimit = Infinity;
  /** Appends wait for this promise, as those to the log of a cluster do. */
  appending: Promise<void> | undefined;
  nowMs = 1000;
  /** Readers wait for this promise before they switch to a snapshot. */
  switching: Promise<void> = Promise.resolve();
  /** Merges wait for this promise before they return their results. */
  merging: Promise<void> | undefined;
  /** Merges under way, and the most there ever were. */
  merges = { now: 0, most: 0 };
  writer: ShardWriter;
  #nextId = 2 ** 40;

  constructor(directory: string, bufferBytes = 1 << 20) {
    this.store = Store.open(directory);
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
      slowWrite: () => undefined,
      openFile: async () => null,
      openSegment: (id, { extent }, file, verify) => {
        const reader = openSegment(this.kernels, extent.ptr, extent.bytes, { id, file, verify });
        return () => reader;
      },
      publish: async (snapshot) => {
        await this.switching;
        const before = this.published;
        this.published = snapshot;
        // As in the node: an image that no snapshot names is freed, and its memory is soon reused.
        const named = new Set(snapshot.segments.map(({ extent }) => extentKey(extent)));
        for (const { extent } of before?.segments ?? []) if (!named.has(extentKey(extent))) view(extent).fill(0);
      },
      updateMapping: async (_uuid, { properties }) => {
        this.mapping = this.mapping.with(Object.keys(properties as object));
        return { mapping: this.mapping.asMapping(), analysis: ANALYSIS };
      },
      sortSegment: (image, sort) => mergeSegments(module, [{ image, liveDocs: null, file: 'new' }], { pages: PAGES, sort }).image,
      merge: async (segments, layout) => {
        const descriptors = segments.map((segment) => segment.descriptor());
        const sources = descriptors.map(({ extent, liveDocs, name }) => ({
          image: view(extent),
          liveDocs: liveDocs && view(liveDocs),
          file: name,
        }));
        const { image, docMaps } = mergeSegments(module, sources, { pages: PAGES, ...layout });
        this.merges.most = Math.max(this.merges.most, ++this.merges.now);
        await this.merging;
        this.merges.now--;
        const extent = this.arenas.allocate(image.length);
        view(extent).set(image);
        return { image: wholeImage(extent), docMaps };
      },
      isHeld: () => false,
      mergeFailed: (_identity, error) => {
        throw error;
      },
      storedScript: () => null,
      nowMs: () => this.nowMs,
    };
    const stored = new StoreLog(store, IDENTITY.log);
    const log: OperationLog = {
      append: (entries) => (this.appending === undefined ? stored.append(entries) : this.appending.then(() => stored.append(entries))),
    };
    const storage = { files: new SegmentFiles(directory, 'u', 0), log };
    this.writer = new ShardWriter(IDENTITY, this.mapping.asMapping(), ANALYSIS, storage, env);
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

export const op = (
  kind: ShardOperation['kind'],
  id: string,
  source: unknown = null,
  changes: Partial<ShardOperation> = {},
): ShardOperation => ({
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

/** Random operations; the model determines what must be visible: its contents at the last refresh, however many flushes and merges there are. */
export async function runOperations(bench: WriterBench, rng: Rng, model: Map<string, { value: number }>, steps: number): Promise<void> {
  let seen = sorted(model);
  for (let step = 0; step < steps; step++) {
    const action = rng.int(0, 20);
    if (rng.int(0, 5) === 0) expect(sorted(bench.visible())).toEqual(seen);
    if (action === 0 || action === 2) seen = sorted(model);
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
export const sorted = (map: ReadonlyMap<string, { value: number }>) => [...map].map(([id, { value }]) => `${id}=${value}`).sort();
