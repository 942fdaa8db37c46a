// A log of entries on a subject in memory: entries that are larger than a message, and nodes that lack what was trimmed.
import { expect, test } from 'vitest';
import { LOG_VERSION } from '../../../src/cluster/batch.ts';
import { EntryLog, type EntryStore } from '../../../src/cluster/entry-log.ts';
import { type LogMessage, type LogSubject, publishSurely } from '../../../src/cluster/log-subject.ts';
import type { LogTiming } from '../../../src/cluster/shard-log.ts';

interface Word {
  readonly kind: 'word';
  readonly text: string;
}

const MAX_BYTES = 200;

class MemorySubject implements LogSubject {
  readonly maxBytes = MAX_BYTES;
  messages: LogMessage[] = [];
  readonly #followers: Array<(message: LogMessage) => void> = [];

  async publish(message: Omit<LogMessage, 'seq'>) {
    if (message.after !== (this.messages.at(-1)?.seq ?? 0)) return 'stale' as const;
    const stored = { ...message, seq: message.after + 2 };
    this.messages.push(stored);
    for (const deliver of this.#followers) deliver(stored);
    return stored.seq;
  }

  async next(after: number) {
    return this.messages.find(({ seq }) => seq > after) ?? null;
  }

  async last() {
    return this.messages.at(-1)?.seq ?? 0;
  }

  follow(after: number, deliver: (message: LogMessage) => void) {
    for (const message of this.messages) if (message.seq > after) deliver(message);
    this.#followers.push(deliver);
    return () => undefined;
  }

  async trim(before: number) {
    this.messages = this.messages.filter(({ seq }) => seq >= before);
  }
}

class MemoryStore implements EntryStore<readonly string[]> {
  readonly stored = new Map<string, Buffer>();
  snapshot: { readonly position: number; readonly content: readonly string[] } | null = null;
  readonly blobs = {
    read: async (name: string) => this.stored.get(name) ?? null,
    replace: async (name: string, bytes: Uint8Array) => void this.stored.set(name, Buffer.from(bytes)),
  };

  async newest() {
    return this.snapshot;
  }
}

let ids = 0;
const TIMING: LogTiming = {
  pause: async () => undefined,
  overdue: async () => undefined,
  patience: () => async () => false,
  newId: () => String(++ids),
};

/** A node with the words that it has applied. */
class Reader {
  words: string[] = [];
  readonly log: EntryLog<Word, readonly string[]>;

  constructor(subject: LogSubject, store: MemoryStore) {
    this.log = new EntryLog(subject, 'the log', 0, TIMING, store);
    this.log.follow(() => undefined);
  }

  async catchUp(): Promise<string[]> {
    await this.log.catchUp({
      apply: async ({ text }) => void this.words.push(text),
      adopt: async (words) => {
        this.words = [...words];
      },
    });
    return this.words;
  }

  async append(text: string): Promise<void> {
    await this.catchUp();
    expect(await this.log.append({ kind: 'word', text })).toBe(true);
    this.words.push(text);
  }
}

test('an entry that is larger than a message reaches other nodes', async () => {
  const subject = new MemorySubject();
  const store = new MemoryStore();
  const long = 'long '.repeat(MAX_BYTES);
  const writer = new Reader(subject, store);
  for (const text of ['first', long, 'last']) await writer.append(text);
  expect(subject.messages.every(({ data }) => data.length <= MAX_BYTES)).toBe(true);
  expect(await new Reader(subject, store).catchUp()).toEqual(['first', long, 'last']);
});

test('a node that lacks trimmed entries adopts the snapshot and applies what follows it', async () => {
  const subject = new MemorySubject();
  const store = new MemoryStore();
  const writer = new Reader(subject, store);
  for (const text of ['a', 'b', 'c', 'd']) await writer.append(text);
  store.snapshot = { position: 6, content: ['a', 'b', 'c'] };
  await subject.trim(6);
  expect(await new Reader(subject, store).catchUp()).toEqual(['a', 'b', 'c', 'd']);
});

test('a node that reads a large entry after it was trimmed adopts the snapshot', async () => {
  const subject = new MemorySubject();
  const store = new MemoryStore();
  const writer = new Reader(subject, store);
  for (const text of ['a', 'long '.repeat(MAX_BYTES), 'c']) await writer.append(text);
  const late = new Reader(subject, store);
  store.snapshot = { position: 4, content: ['a', 'b'] };
  store.stored.clear();
  await subject.trim(4);
  expect(await late.catchUp()).toEqual(['a', 'b', 'c']);
});

test('a node that lacks entries which no snapshot contains stops', async () => {
  const subject = new MemorySubject();
  const writer = new Reader(subject, new MemoryStore());
  for (const text of ['a', 'b', 'c']) await writer.append(text);
  await subject.trim(6);
  await expect(new Reader(subject, new MemoryStore()).catchUp()).rejects.toThrow('no snapshot contains them');
});

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
  const log = new EntryLog<string, readonly string[]>(subjectOf(messages), 'the log', position, TIMING, new MemoryStore());
  log.follow(() => undefined);
  const applied: string[] = [];
  await log.catchUp({ apply: async (entry) => void applied.push(entry), adopt: async () => undefined });
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
  await expect(appliedFrom([message(1, 0, 'a'), message(4, 3, 'd')])).rejects.toThrow(
    'entries after 1 are missing, and no snapshot contains them',
  );
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
