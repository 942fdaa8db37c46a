// What a primary decides without appending to the log counts only while no other copy has taken over.
import { expect, test } from 'vitest';
import type { LogMessage, LogSubject } from '../../../src/cluster/log-subject.ts';
import { type CopyHost, LOG_START, ShardLog } from '../../../src/cluster/shard-log.ts';
import { NotPrimaryError } from '../../../src/indexing/operation-log.ts';

/** A log in memory that all copies reach. */
function sharedLog(): () => LogSubject {
  const messages: LogMessage[] = [];
  return () => ({
    maxBytes: 1000,
    publish: async (message) => (message.after === messages.length ? messages.push({ ...message, seq: messages.length + 1 }) : 'stale'),
    next: async (after) => messages[after] ?? null,
    last: async () => messages.length,
    // Nothing is delivered: the connection to the messages is cut.
    follow: () => () => undefined,
    trim: async () => undefined,
  });
}

function copyOf(subject: LogSubject, name: string): ShardLog {
  const host: CopyHost = {
    index: 'i',
    shard: 0,
    maxSeqNo: -1,
    termOf: () => null,
    apply: async () => undefined,
    put: () => undefined,
    lead: () => undefined,
    failed: (error) => expect.fail(error.message),
  };
  let ids = 0;
  const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
  return new ShardLog(subject, LOG_START, host, {
    pause: turn,
    overdue: turn,
    patience: () => async () => false,
    newId: () => `${name}${++ids}`,
  });
}

test('a primary that another copy has replaced without its knowledge is refused', async () => {
  const subject = sharedLog();
  const [first, second] = [copyOf(subject(), 'a'), copyOf(subject(), 'b')];
  await Promise.all([first.open(), second.open()]);
  first.setPrimary(true);
  await first.settled();
  await expect(first.confirmPrimary()).resolves.toBeUndefined();
  second.setPrimary(true);
  await second.settled();
  expect([first.isPrimary, second.isPrimary]).toEqual([true, true]);
  await expect(second.confirmPrimary()).resolves.toBeUndefined();
  await expect(first.confirmPrimary()).rejects.toBeInstanceOf(NotPrimaryError);
  first.close();
  second.close();
});

test('a copy that is closed while it reads its log says that another one can be asked', async () => {
  const subject = sharedLog();
  const [first, second] = [copyOf(subject(), 'a'), copyOf(subject(), 'b')];
  await Promise.all([first.open(), second.open()]);
  first.setPrimary(true);
  await first.settled();
  const moved = { type: 'shard_not_in_primary_mode_exception' };
  const reading = second.sync();
  second.close();
  await expect(reading).rejects.toMatchObject(moved);
  await expect(second.sync()).rejects.toMatchObject(moved);
  first.close();
});
