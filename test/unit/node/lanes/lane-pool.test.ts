// Help between lanes: idle lanes run parts of a request, and give way to requests that wait.
import { afterEach, expect, test } from 'vitest';
import { LanePool, type LaneThread } from '../../../../src/node/lanes/lane-pool.ts';
import { SIGNAL_CANCEL, SIGNAL_NONE, SIGNAL_TIME_UP } from '../../../../src/node/lanes/signal.ts';
import type { JobAnswer } from '../../../../src/node/messages/messages.ts';
import type { LaneRequest } from '../../../../src/rest/core/lane.ts';

interface FakeLane extends LaneThread {
  readonly requests: LaneRequest[];
  answer(text: string): void;
}

let pool: LanePool;
let lanes: FakeLane[];

afterEach(() => pool.stop());

function openPool(size: number): void {
  lanes = [];
  pool = new LanePool({
    start(slot) {
      const waiting: ((answer: JobAnswer) => void)[] = [];
      const lane: FakeLane = {
        signal: new Int32Array(new SharedArrayBuffer(8)),
        requests: [],
        run(request) {
          lane.requests.push(request);
          return new Promise((resolve) => waiting.push(resolve));
        },
        answer: (text) => waiting.shift()?.({ status: 200, headers: {}, body: Buffer.from(text), ranMs: 1, heldBytes: 0 }),
        end: async () => undefined,
      };
      lanes[slot] = lane;
      return lane;
    },
    list: () => () => undefined,
    overMemory: () => null,
    onMemoryTrip: () => undefined,
    log: () => undefined,
    load: new Int32Array(new SharedArrayBuffer(4)),
    lanes: size,
    queueSize: 10,
    maxRunMs: Number.POSITIVE_INFINITY,
    heapBytes: 1 << 20,
  });
}

const request = (id: number): LaneRequest => ({
  id,
  method: 'POST',
  path: '/docs/_search',
  query: '',
  headers: {},
  remoteAddress: '',
  body: Buffer.from('{}'),
  caller: null,
  action: null,
  part: null,
  sender: `${id}`,
  timeoutMs: null,
});
const textOf = async (answer: Promise<{ readonly body: Uint8Array }>) => Buffer.from((await answer).body).toString();

test('all idle lanes help, each with a body of its own', async () => {
  openPool(3);
  const whole = pool.run(1, request(1));
  const [second, third, ...others] = pool.help(7, request(2));
  expect(others).toEqual([]);
  expect(lanes.map(({ requests }) => requests.length)).toEqual([1, 1, 1]);
  expect(lanes[1].requests[0].body).not.toBe(lanes[2].requests[0].body);
  lanes[1].answer('b');
  lanes[2].answer('c');
  lanes[0].answer('a');
  expect(await Promise.all([whole, second, third].map(textOf))).toEqual(['a', 'b', 'c']);
  expect(pool.stats).toMatchObject({ active: 0, completed: 1 });
});

test('nobody helps while requests wait, and helpers are asked to end when one does', async () => {
  openPool(2);
  const whole = pool.run(1, request(1));
  const [helped] = pool.help(7, request(2));
  expect(Atomics.load(lanes[1].signal, 0)).toBe(SIGNAL_NONE);
  const waiting = pool.run(1, request(3));
  expect([Atomics.load(lanes[0].signal, 0), Atomics.load(lanes[1].signal, 0)]).toEqual([SIGNAL_NONE, SIGNAL_TIME_UP]);
  expect(pool.help(7, request(4))).toEqual([]);
  lanes[1].answer('what was found');
  expect(await textOf(helped)).toBe('what was found');
  await new Promise(setImmediate);
  expect(lanes[1].requests.map(({ id }) => id)).toEqual([2, 3]);
  lanes[1].answer('late');
  lanes[0].answer('whole');
  expect(await Promise.all([whole, waiting].map(textOf))).toEqual(['whole', 'late']);
});

test('help ends with the lane that has asked for it', async () => {
  openPool(2);
  void pool.run(1, request(1)).catch(() => undefined);
  const [helped] = pool.help(7, request(2));
  pool.endHelp(8);
  expect(Atomics.load(lanes[1].signal, 0)).toBe(SIGNAL_NONE);
  pool.endHelp(7);
  expect(Atomics.load(lanes[1].signal, 0)).toBe(SIGNAL_CANCEL);
  await expect(helped).rejects.toMatchObject({ type: 'task_cancelled_exception' });
});
