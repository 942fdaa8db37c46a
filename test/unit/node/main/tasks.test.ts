import { expect, test } from 'vitest';
import { Tasks } from '../../../../src/node/main/tasks.ts';

const TASK = { action: 'indices:data/write/reindex', description: 'd', headers: {}, requestsPerSecond: null };

test('a task reports progress, receives control, and its result is stored', () => {
  let now = 1000;
  const tasks = new Tasks(() => now);
  const id = tasks.handle({ action: 'start', task: TASK }) as number;
  expect(tasks.handle({ action: 'report', id, status: { total: 3 } })).toEqual({ isCancelled: false, requestsPerSecond: null });
  expect(tasks.handle({ action: 'rethrottle', id, requestsPerSecond: 5 })).toMatchObject({ id, requestsPerSecond: 5 });
  expect(tasks.handle({ action: 'cancel', ids: null })).toMatchObject([{ id, isCancelled: true }]);
  expect(tasks.handle({ action: 'report', id, status: { total: 3 } })).toEqual({ isCancelled: true, requestsPerSecond: 5 });
  expect(tasks.handle({ action: 'list' })).toHaveLength(1);
  now = 1500;
  tasks.handle({ action: 'finish', id, result: { status: null, response: { took: 1 }, error: null } });
  expect(tasks.handle({ action: 'get', id })).toMatchObject({
    startMs: 1000,
    endMs: 1500,
    status: { total: 3 },
    result: { response: { took: 1 } },
  });
  expect(tasks.handle({ action: 'list' })).toEqual([]);
  expect(tasks.handle({ action: 'cancel', ids: [id] })).toEqual([]);
  expect(tasks.handle({ action: 'rethrottle', id, requestsPerSecond: 1 })).toBeNull();
});

test('an unknown task is told to stop; the oldest finished tasks are dropped', () => {
  const tasks = new Tasks();
  expect(tasks.handle({ action: 'report', id: 7, status: {} })).toMatchObject({ isCancelled: true });
  const start = () => tasks.handle({ action: 'start', task: TASK }) as number;
  const running = start();
  for (let i = 0; i < 1010; i++) tasks.handle({ action: 'finish', id: start(), result: { status: null, response: {}, error: null } });
  start();
  expect(tasks.handle({ action: 'get', id: 2 })).toBeNull();
  expect(tasks.handle({ action: 'get', id: 1000 })).not.toBeNull();
  expect(tasks.handle({ action: 'get', id: running })).not.toBeNull();
});
