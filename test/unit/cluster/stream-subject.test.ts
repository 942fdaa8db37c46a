// Logs on streams whose servers disagree. A failure names its seed.
import { describe, expect, test } from 'vitest';
import { publishSurely } from '../../../src/cluster/log-subject.ts';
import { type StreamMessage, type StreamReader, StreamSubject } from '../../../src/cluster/stream-subject.ts';
import { Rng } from '../../support/rng.ts';
import { type StreamFaults, StreamWorld } from '../../support/stream-world.ts';

const SCHEDULES = Number(process.env['CLUSTER_SCHEDULES'] ?? 15);
const APPENDS = 25;
const FAULTS: StreamFaults = { lostAnswers: 5, repeats: 4, elections: 4, conflicts: 50 };
const NONE: StreamFaults = { lostAnswers: 0, repeats: 0, elections: 0, conflicts: 0 };

function subjectOf(world: StreamWorld, isClosed = () => false): StreamSubject {
  return new StreamSubject(world.reader(), {
    maxBytes: 100,
    what: 'the log',
    pause: () => new Promise((resolve) => setImmediate(resolve)),
    isClosed,
    now: () => world.nowMs,
  });
}

/** A node: reads the log, and appends to what it has read. */
class Node {
  readonly name: string;
  readonly subject: StreamSubject;
  readonly seen: string[] = [];
  readonly acknowledged: string[] = [];
  readonly refused: string[] = [];
  readonly #stop: () => void;

  constructor(world: StreamWorld, name: string) {
    this.name = name;
    this.subject = subjectOf(world);
    this.#stop = this.subject.follow(0, ({ seq, after, id }) => {
      expect(after, `${name} reads the log without gaps`).toBe(this.seen.length);
      expect(seq).toBe(after + 1);
      this.seen.push(id);
    });
  }

  async append(n: number): Promise<void> {
    const id = `${this.name}-${n}`;
    let tries = 5;
    const fate = await publishSurely(this.subject, { id, after: this.seen.length, data: new Uint8Array(1) }, async () => --tries > 0);
    if (fate === 'stale') this.refused.push(id);
    else if (fate !== null) this.acknowledged.push(id);
  }

  async until(isTrue: () => boolean): Promise<void> {
    for (let turn = 0; turn < 2000 && !isTrue(); turn++) await new Promise((resolve) => setImmediate(resolve));
  }

  close(): void {
    this.#stop();
  }
}

async function runSchedule(seed: number): Promise<StreamWorld> {
  const rng = new Rng(seed);
  const world = new StreamWorld(rng, FAULTS);
  const nodes = ['a', 'b', 'c'].map((name) => new Node(world, name));
  await Promise.all(
    nodes.map(async (node) => {
      for (let n = 0; n < APPENDS; n++) {
        await node.append(n);
        if (rng.bool()) await node.until(() => node.seen.length >= world.log().length);
      }
    }),
  );
  const log = world.log();
  for (const node of nodes) {
    const what = `seed ${seed}, node ${node.name}`;
    // A message that came while no server told this consumer is found by the reader of the log (ShardLog.sync, EntryLog.catchUp).
    await node.until(() => node.seen.length >= log.length);
    for (let next = await untilRead(node); next !== null && node.seen.length < log.length; next = await untilRead(node))
      node.seen.push(next);
    expect(node.seen, what).toEqual(log);
    expect(new Set(log).size, what).toBe(log.length);
    for (const id of node.acknowledged) expect(log, `${what}: acknowledged`).toContain(id);
    for (const id of node.refused) expect(log, `${what}: refused`).not.toContain(id);
    node.close();
  }
  return world;
}

async function untilRead(node: Node): Promise<string | null> {
  for (;;) {
    const next = await node.subject.next(node.seen.length).catch(() => undefined);
    if (next !== undefined) return next?.id ?? null;
  }
}

async function filled(count: number): Promise<{ world: StreamWorld; subject: StreamSubject }> {
  const world = new StreamWorld(new Rng(1), NONE);
  const subject = subjectOf(world);
  for (let n = 0; n < count; n++) expect(await subject.publish({ id: `m${n}`, after: n, data: new Uint8Array(1) })).toBe(n + 1);
  return { world, subject };
}

describe('a log on a stream', () => {
  test('is the same for all readers, with every acknowledged message and no refused one, when servers disagree', async () => {
    const first = Number(process.env['GANNET_SEED'] ?? 1);
    let [repeated, conflicts, messages] = [0, 0, 0];
    for (let seed = first; seed < first + SCHEDULES; seed++) {
      const world = await runSchedule(seed);
      repeated += world.repeated;
      conflicts += world.conflicts;
      messages += world.log().length;
    }
    // The faults must happen, and leave enough to check.
    expect(repeated).toBeGreaterThan(5 * SCHEDULES);
    expect(conflicts).toBeGreaterThan(SCHEDULES);
    expect(messages).toBeGreaterThan(10 * SCHEDULES);
  });

  test('refuses a message after one that is not the last, and appends without reading while the last is known', async () => {
    const { world, subject } = await filled(3);
    expect(await subject.publish({ id: 'late', after: 1, data: new Uint8Array(1) })).toBe('stale');
    expect(await subject.last()).toBe(3);
    const costs: number[] = [];
    const append = async (n: number) => {
      const before = world.requests;
      expect(await subject.publish({ id: `m${n}`, after: n, data: new Uint8Array(1) })).toBe(n + 1);
      costs.push(world.requests - before);
    };
    for (let n = 3; n < 20; n++) await append(n);
    // One request, and another one if a message of another subject came between.
    expect(costs).toContain(1);
    expect(Math.max(...costs)).toBe(2);
    world.nowMs += 1000;
    costs.length = 0;
    await append(20);
    expect(costs[0]).toBeLessThan(4);
  });

  test('finds any message of a long log in few requests, and reads on in one each', async () => {
    const { world } = await filled(300);
    for (const after of [0, 1, 149, 297, 298, 299]) {
      const subject = subjectOf(world);
      const before = world.requests;
      expect((await subject.next(after))?.seq, `after ${after}`).toBe(after + 1);
      expect(world.requests - before).toBeLessThan(18);
      const read = world.requests;
      expect((await subject.next(after + 1))?.seq ?? null).toBe(after + 2 <= 300 ? after + 2 : null);
      expect(world.requests - read).toBeLessThan(after + 2 <= 300 ? 2 : 4);
    }
  });

  test('begins with a later message once it is trimmed, of which some before the position are kept', async () => {
    const { subject } = await filled(500);
    await subject.trim(400);
    const first = await subject.next(0);
    expect(first?.after).toBeGreaterThan(300);
    expect(first?.seq).toBeLessThan(400);
    expect((await subject.next(399))?.id).toBe('m399');
  });
});

test('a trim leaves some room for servers that count otherwise, and never asks to remove what is before the first message', async () => {
  const purged: number[] = [];
  const at = (sequence: number): StreamMessage => ({ sequence, number: sequence, id: `m${sequence}`, data: new Uint8Array() });
  const stream: StreamReader = {
    read: async (sequence) => at(Math.max(1, sequence)),
    readLast: async () => at(30),
    append: async () => 'unknown',
    consume: async () => undefined,
    // A server takes 1 for no sequence, and removes every message.
    purge: async (before) => void purged.push(before),
  };
  const subject = new StreamSubject(stream, {
    maxBytes: 1,
    what: 'the log',
    pause: async () => undefined,
    isClosed: () => false,
    now: () => 0,
  });
  for (const before of [1, 4, 5, 6, 20]) await subject.trim(before);
  expect(purged).toEqual([2, 16]);
});
