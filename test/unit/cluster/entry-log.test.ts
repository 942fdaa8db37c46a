import { expect, test } from 'vitest';
import { LOG_VERSION } from '../../../src/cluster/batch.ts';
import { EntryLog } from '../../../src/cluster/entry-log.ts';
import { type LogMessage, type LogSubject, publishSurely } from '../../../src/cluster/log-subject.ts';
import type { LogTiming } from '../../../src/cluster/shard-log.ts';

const TIMING: LogTiming = {
  pause: async () => undefined,
  overdue: async () => undefined,
  patience: () => async () => true,
  newId: () => 'own',
};

const message = (seq: number, after: number, word: string): LogMessage => ({
  seq,
  after,
  id: word,
  data: Buffer.concat([Buffer.of(LOG_VERSION), Buffer.from(JSON.stringify(word))]),
});

/** A subject whose consumer delivers nothing. */
function subjectOf(messages: LogMessage[], publish: LogSubject['publish'] = async () => 'stale'): LogSubject {
  return {
    maxBytes: 1000,
    publish,
    next: async (after) => messages.find(({ seq }) => seq > after) ?? null,
    last: async () => messages.at(-1)?.seq ?? 0,
    trim: async () => undefined,
    follow: () => () => undefined,
  };
}

async function appliedFrom(messages: LogMessage[], position = 0): Promise<string[]> {
  const log = new EntryLog<string>(subjectOf(messages), 'the log', position, TIMING);
  log.follow(() => undefined);
  const applied: string[] = [];
  await log.catchUp(async (entry) => void applied.push(entry));
  expect(log.position).toBe(messages.at(-1)?.seq);
  return applied;
}

test('entries that are not delivered are read', async () => {
  expect(await appliedFrom([message(1, 0, 'a'), message(2, 1, 'b')])).toEqual(['a', 'b']);
});

test('of two entries after the same one only the first counts, also for a node that starts between them', async () => {
  const messages = [message(1, 0, 'a'), message(2, 1, 'b'), message(3, 1, 'void'), message(5, 3, 'c')];
  expect(await appliedFrom(messages)).toEqual(['a', 'b', 'c']);
  expect(await appliedFrom(messages, 2)).toEqual(['c']);
});

test('a node stops at an entry whose predecessor it has never seen', async () => {
  await expect(appliedFrom([message(1, 0, 'a'), message(4, 3, 'd')])).rejects.toThrow('message 4 follows 3, this node has applied 1');
});

test('a sender whose message was stored after another one learns that it does not count', async () => {
  const own = { id: 'own', after: 1, data: Buffer.of(LOG_VERSION) };
  const stored = (messages: LogMessage[], seq: number) =>
    publishSurely(
      subjectOf(messages, async () => seq),
      own,
      async () => true,
    );
  expect(await stored([message(1, 0, 'a'), message(2, 1, 'b'), { ...own, seq: 3 }], 3)).toBe('stale');
  expect(await stored([message(1, 0, 'a'), { ...own, seq: 3 }, message(4, 1, 'b')], 3)).toBe(3);
  expect(await stored([message(1, 0, 'a'), { ...own, seq: 2 }, message(3, 1, 'b')], 2)).toBe(2);
});
