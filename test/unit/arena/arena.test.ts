import { expect, test } from 'vitest';
import { ArenaSet, type Extent } from '../../../src/arena/arena.ts';
import { compileEngine, staticBytes } from '../../../src/wasm/kernels.ts';
import { forSeeds } from '../../support/rng.ts';

const module = compileEngine();
const PAGES = staticBytes(module) / 65536 + 4;

test('extents are aligned, above static data, and never overlap', () =>
  forSeeds(60, (rng) => {
    const opened: number[] = [];
    const arenas = new ArenaSet(module, { pages: PAGES, onArena: (arena) => opened.push(arena) });
    const live: Extent[] = [];
    for (let step = 0; step < 200; step++) {
      if (live.length > 0 && rng.bool(0.45)) {
        arenas.release(live.splice(rng.int(0, live.length - 1), 1)[0]);
        continue;
      }
      const extent = arenas.allocate(rng.skewed(100_000));
      expect(extent.ptr % 64).toBe(0);
      expect(extent.ptr).toBeGreaterThanOrEqual(staticBytes(module));
      expect(extent.ptr + extent.bytes + 64).toBeLessThanOrEqual(PAGES * 65536);
      for (const other of live) {
        if (other.arena !== extent.arena) continue;
        expect(extent.ptr + extent.bytes <= other.ptr || other.ptr + other.bytes <= extent.ptr).toBe(true);
      }
      live.push(extent);
    }
    expect(opened).toEqual(arenas.memories.map((_, arena) => arena));
    for (const extent of live) arenas.release(extent);
    expect(arenas.usedBytes).toBe(0);
    // All free extents are merged again: the largest one fits into the first arena.
    expect(arenas.allocate(arenas.maxExtentBytes)).toMatchObject({ arena: 0 });
  }));

test('an arena is opened when the others are full, up to the limit', () => {
  const arenas = new ArenaSet(module, { pages: PAGES, maxArenas: 2 });
  const bytes = arenas.maxExtentBytes;
  expect([arenas.allocate(bytes).arena, arenas.allocate(bytes).arena]).toEqual([0, 1]);
  expect(() => arenas.allocate(1)).toThrow(/all 2 arenas are full/);
  expect(() => arenas.allocate(bytes + 1)).toThrow(/does not fit into an arena/);
});

test('an extent can be released once', () => {
  const arenas = new ArenaSet(module, { pages: PAGES });
  const extent = arenas.allocate(10);
  arenas.release(extent);
  expect(() => arenas.release(extent)).toThrow(/not in use/);
});
