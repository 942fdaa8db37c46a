import { expect, test } from 'vitest';
import { type Batch, BatchAssembler, encodeBatch, LOG_VERSION, partId, UnknownVersionError } from '../../../src/cluster/batch.ts';
import type { LogMessage } from '../../../src/cluster/log-subject.ts';
import { Rng } from '../../support/rng.ts';

const MAX_BYTES = 100;

function batchOf(rng: Rng, first: number, count: number): Batch {
  return {
    primaryTerm: 3,
    entries: Array.from({ length: count }, (_, i) => ({
      seqNo: first + i,
      op: rng.bool() ? 1 : 2,
      id: rng.word(),
      version: rng.pick([1, 2 ** 40]),
      primaryTerm: 3,
      routing: rng.bool() ? null : rng.word(),
      source: rng.bool() ? null : Buffer.from(rng.bytes(rng.int(0, 300))),
    })),
  };
}

function messagesOf(batch: Batch, name: string): Omit<LogMessage, 'seq' | 'after'>[] {
  return encodeBatch(batch, MAX_BYTES).map((data, part) => ({ id: partId(name, part), data }));
}

test('batches of any size are reassembled from their parts', () => {
  for (let seed = 1; seed <= 50; seed++) {
    const rng = new Rng(seed);
    const batch = batchOf(rng, rng.int(0, 2 ** 33), rng.int(0, 20));
    const assembler = new BatchAssembler();
    const messages = messagesOf(batch, 'b');
    expect(messages.every(({ data }) => data.length <= MAX_BYTES)).toBe(true);
    const results = messages.map((message) => assembler.add({ seq: 1, after: 0, ...message }));
    expect(results.slice(0, -1).every((result) => result === null)).toBe(true);
    expect(results.at(-1)).toEqual(batch);
  }
});

test('a batch that another one interrupts does not count, nor does its rest', () => {
  const rng = new Rng(1);
  const cut = messagesOf(batchOf(rng, 0, 30), 'cut');
  const whole = batchOf(rng, 0, 3);
  expect(cut.length).toBeGreaterThan(3);
  const assembler = new BatchAssembler();
  const add = (message: Omit<LogMessage, 'seq' | 'after'>) => assembler.add({ seq: 1, after: 0, ...message });
  for (const message of cut.slice(0, 2)) expect(add(message)).toBeNull();
  expect(messagesOf(whole, 'whole').map(add).at(-1)).toEqual(whole);
  for (const message of cut.slice(2)) expect(add(message)).toBeNull();
});

test('a message of a newer version is refused by name', () => {
  const [message] = messagesOf({ primaryTerm: 1, entries: [] }, 'b');
  message.data[0] = LOG_VERSION + 1;
  expect(() => new BatchAssembler().add({ seq: 1, after: 0, ...message })).toThrow(UnknownVersionError);
});
