// The table of sections: pinned sections stay in place, the least recently used ones are evicted, threads that end leave no pins.
import { expect, test } from 'vitest';
import { newSectionMemory, type PinnedSections, type SectionSource, SectionTable } from '../../../src/arena/section-table.ts';
import { forSeeds } from '../../support/rng.ts';

const POOL_START = 4096;

/** A table over an array in place of the arena. */
function setUp(poolBytes: number, sizes: readonly number[], pause = (): void => undefined) {
  const threads = 3;
  const shared = newSectionMemory(threads);
  const tables = Array.from({ length: threads }, (_, thread) => new SectionTable(shared, thread, pause));
  const [main] = tables;
  const arena = new Uint8Array(POOL_START + poolBytes);
  const pool = main.addPool(POOL_START, poolBytes);
  const first = main.addRows(pool, sizes);
  const loads: number[] = [];
  const sources = sizes.map(
    (bytes, i): SectionSource => ({
      name: `section ${i}`,
      bytes,
      load(address) {
        if (address + bytes > arena.length) throw new Error('outside of the pool');
        arena.fill(i + 1, address, address + bytes);
        loads.push(i);
      },
    }),
  );
  const isIntact = (address: number, i: number): boolean => arena.subarray(address, address + sizes[i]).every((byte) => byte === i + 1);
  return { shared, tables, main, first, sources, loads, isIntact };
}

test('pinned sections keep their place and content while others are loaded and evicted', () =>
  forSeeds(30, (rng) => {
    const sizes = Array.from({ length: 40 }, () => rng.int(1, 2500));
    const { tables, first, sources, isIntact, main } = setUp(24_000, sizes);
    main.setScarce();
    const open: { pins: PinnedSections; held: Map<number, number> }[] = [];
    for (let step = 0; step < 300; step++) {
      if (open.length < 3 && rng.bool(0.3)) open.push({ pins: rng.pick(tables).pinned(), held: new Map() });
      if (open.length === 0) continue;
      const at = rng.int(0, open.length - 1);
      const { pins, held } = open[at];
      if (held.size >= 2 || rng.bool(0.2)) {
        pins.release();
        open.splice(at, 1);
      } else {
        const i = rng.int(0, sizes.length - 1);
        held.set(i, pins.address(first + i, sources[i]));
      }
      for (const { held: kept } of open) for (const [i, address] of kept) expect(isIntact(address, i)).toBe(true);
    }
    for (const { pins } of open) pins.release();
    const stats = main.stats();
    expect(stats.residentBytes).toBeLessThanOrEqual(17_000 + 40 * 1024);
    expect(stats.evictions).toBeGreaterThan(0);
    expect(stats.loads).toBeGreaterThan(stats.evictions);
  }));

test('the least recently used section is evicted', () => {
  const { main, first, sources, loads } = setUp(3 * 1088, [1000, 1000, 1000, 1000]);
  main.setScarce();
  const use = (i: number): void => {
    const pins = main.pinned();
    pins.address(first + i, sources[i]);
    pins.release();
  };
  for (const i of [0, 1, 2, 0, 2, 3]) use(i);
  expect(loads).toEqual([0, 1, 2, 3]);
  use(0);
  use(2);
  expect(loads).toEqual([0, 1, 2, 3]);
  use(1);
  expect(loads).toEqual([0, 1, 2, 3, 1]);
  expect(main.stats()).toMatchObject({ loads: 5, evictions: 2 });
});

test('a section without room is refused with the current use, and loaded once room is released', () => {
  const { main, first, sources } = setUp(3000, [1500, 2000, 9000]);
  main.setScarce();
  const pins = main.pinned();
  pins.address(first, sources[0]);
  const refused = (i: number) => () => main.pinned().address(first + i, sources[i]);
  expect(refused(1)).toThrow(
    expect.objectContaining({
      type: 'circuit_breaking_exception',
      status: 429,
      details: { bytes_wanted: 3500, bytes_limit: 2944, durability: 'TRANSIENT' },
    }),
  );
  expect(refused(1)).toThrow(
    'usages [section=2000/1.9kb, 1 sections that running requests read=1500/1.4kb, largest range between them=1344/1.3kb]',
  );
  pins.release();
  expect(refused(2)).toThrow(expect.objectContaining({ details: expect.objectContaining({ durability: 'PERMANENT' }) }));
  expect(refused(1)).not.toThrow();
});

test('a request waits for room that requests of other threads hold, but not for that of its own thread', () => {
  let pauses = 0;
  let onPause = (): void => undefined;
  const { tables, main, first, sources, isIntact } = setUp(3000, [1500, 2000, 9000], () => {
    pauses++;
    onPause();
  });
  const [, reader, other] = tables;
  main.setScarce();
  const held = other.pinned();
  held.address(first, sources[0]);
  onPause = () => {
    if (pauses === 3) held.release();
  };
  const pins = reader.pinned();
  const address = pins.address(first + 1, sources[1]);
  expect(isIntact(address, 1)).toBe(true);
  expect(pauses).toBe(3);
  expect([main.stats().waits, reader.ownCounts().waits, other.ownCounts().waits]).toEqual([1, 1, 0]);
  // The other request never ends.
  expect(() => other.pinned().address(first, sources[0])).toThrow('Data too large');
  expect(pauses).toBeGreaterThan(100);
  pauses = 0;
  expect(() => reader.pinned().address(first, sources[0])).toThrow('Data too large');
  expect(() => other.pinned().address(first + 2, sources[2])).toThrow('Data too large');
  expect(pauses).toBe(0);
});

test('requests that began while there was room for all sections keep them', () => {
  const { tables, main, first, sources, isIntact } = setUp(3000, [1500, 1000, 1500]);
  const [, reader, other] = tables;
  expect(reader.enter()).toBe(true);
  const address = reader.address(first, sources[0]);
  main.setScarce();
  expect(other.enter()).toBe(false);
  const wanted = () => other.pinned().address(first + 2, sources[2]);
  expect(wanted).toThrow('Data too large');
  expect(isIntact(address, 0)).toBe(true);
  reader.leave();
  expect(wanted).not.toThrow();
});

test('a thread that ends loses its pins, its requests and what it was loading; its sections are loaded by others', () => {
  const { tables, main, first, sources, loads } = setUp(3200, [1500, 1500]);
  const [, ended, other] = tables;
  ended.enter();
  main.setScarce();
  ended.pinned().address(first, sources[0]);
  // It ends while it loads another section: other threads take over.
  const interrupted = {
    ...sources[1],
    load() {
      main.endThread(1);
      other.pinned().address(first + 1, sources[1]);
      expect(loads).toEqual([0, 1]);
      expect(main.residentBytes(first, 2)).toBe(3000);
    },
  };
  ended.pinned().address(first + 1, interrupted);
  expect.assertions(2);
});

test('rows of removed segments are reused', () => {
  const { main, first, sources } = setUp(3000, [1000]);
  main.address(first, sources[0]);
  expect(main.stats().residentBytes).toBe(1024);
  main.removeRows(first, 1);
  expect(main.stats().residentBytes).toBe(0);
  expect(main.addRows(0, [500, 500])).toBe(first);
});
