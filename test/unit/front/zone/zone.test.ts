/** Shared tables against a plain map that tracks the order of use; the lock between threads. */
import { Worker } from 'node:worker_threads';
import { describe, expect, test } from 'vitest';
import { Counters } from '../../../../src/front/zone/memory.ts';
import { SharedTable } from '../../../../src/front/zone/table.ts';
import { random } from '../../../fuzz/front/random.ts';

describe('front zones', () => {
  test('a table is a map that evicts the least recently used entries', () => {
    for (let seed = 1; seed <= 30; seed++) {
      const rng = random(seed);
      const capacity = 1 + rng(40);
      const table = new SharedTable(`model-${seed}`, capacity, 2);
      const model = new Map<string, number>();
      for (let step = 0; step < 400; step++) {
        const key = `k${rng(60)}`;
        const action = rng(4);
        if (action === 0) {
          const record = table.find(key);
          expect(record >= 0 ? table.data[record * 2 + 1] : undefined, `seed ${seed} step ${step}`).toBe(model.get(key));
          if (record >= 0) {
            const value = model.get(key)!;
            model.delete(key);
            model.set(key, value);
          }
        } else if (action === 1) {
          const record = table.find(key);
          if (record >= 0) table.remove(record);
          model.delete(key);
        } else {
          const record = table.take(key);
          if (!model.has(key)) expect(table.data[record * 2 + 1]).toBe(0);
          table.data[record * 2 + 1] = step;
          model.delete(key);
          model.set(key, step);
          if (model.size > capacity) model.delete(model.keys().next().value!);
        }
        expect(table.size).toBe(model.size);
      }
      const copy = new SharedTable(`copy-${seed}`, capacity, 2);
      copy.importState(table.exportState());
      for (const [key, value] of model) expect(copy.data[copy.find(key) * 2 + 1]).toBe(value);
      copy.importState(new Uint8Array(8));
      expect(copy.size).toBe(model.size);
    }
  });

  test('a full table without eviction reports it', () => {
    const table = new SharedTable('full', 2, 1, false);
    expect([table.take('a'), table.take('b'), table.take('c'), table.take('a')]).toEqual([0, 1, -1, 0]);
    table.remove(0);
    expect(table.take('c')).toBe(0);
  });

  test('counters add up', () => {
    const counters = new Counters('unit', 3);
    counters.add(1);
    counters.add(1, 4);
    expect([counters.total(0), counters.total(1)]).toEqual([0, 5]);
  });

  test('the lock excludes other threads', async () => {
    const memory = new SharedArrayBuffer(16);
    // the mutex of zone/memory.ts once more: threads of Node cannot load TypeScript
    const code = `const { workerData } = require('node:worker_threads'); const w = new Int32Array(workerData);
      const lock = () => { let s = Atomics.compareExchange(w, 0, 0, 1); while (s !== 0) { if (s === 2 || Atomics.compareExchange(w, 0, 1, 2) !== 0) Atomics.wait(w, 0, 2); s = Atomics.compareExchange(w, 0, 0, 2); } };
      const unlock = () => { if (Atomics.sub(w, 0, 1) === 1) return; Atomics.store(w, 0, 0); Atomics.notify(w, 0, 1); };
      for (let n = 0; n < 20000; n++) { lock(); w[1] = w[1] + 1; unlock(); }`;
    const { Mutex } = await import('../../../../src/front/zone/memory.ts');
    const words = new Int32Array(memory);
    const mutex = new Mutex(words, 0);
    const others = [1, 2].map(() => new Worker(code, { eval: true, workerData: memory }));
    const ended = Promise.all(others.map((worker) => new Promise((resolve) => worker.once('exit', resolve))));
    for (let n = 0; n < 20_000; n++) {
      mutex.lock();
      words[1] = words[1] + 1;
      mutex.unlock();
    }
    await ended;
    expect(words[1]).toBe(60_000);
    expect(words[0]).toBe(0);
  });
});
