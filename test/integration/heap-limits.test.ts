// The bounds of bin/gannet's flags apply in main and in threads although the flags themselves are not passed on. Needs `npm run build`.
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { threadLimits } from '../../src/node/threads/heap-limits.ts';

const file = path.resolve(import.meta.dirname, '../../dist/node/threads/heap-limits.js');

test('threads get the bounds of the process; the last flags count', () => {
  expect(threadLimits('')).toEqual({});
  expect(threadLimits('--max-old-space-size=768 --max-semi-space-size=8 --max_old_space_size=900 --trace-gc')).toEqual({
    maxOldGenerationSizeMb: 900,
    maxYoungGenerationSizeMb: 24,
  });
});

test.each([[['--max-old-space-size=300', '--max-semi-space-size=8', '--min-semi-space-size=8']], [['--max-old-space-size=500']]])(
  'main and a thread keep %j',
  (flags) => {
    const thread = `
      import { parentPort } from 'node:worker_threads';
      import { getHeapStatistics } from 'node:v8';
      parentPort.postMessage(getHeapStatistics().heap_size_limit);`;
    const script = `
      const { forgetHeapFlags, threadLimits } = await import(${JSON.stringify(pathToFileURL(file).href)});
      const { getHeapStatistics } = await import('node:v8');
      const before = getHeapStatistics().heap_size_limit;
      forgetHeapFlags();
      const { Worker } = await import('node:worker_threads');
      const worker = new Worker(${JSON.stringify(thread)}, { eval: true, resourceLimits: threadLimits() });
      worker.once('message', (limit) => console.log(JSON.stringify({ before, main: getHeapStatistics().heap_size_limit, thread: limit })));`;
    const run = spawnSync(process.execPath, [...flags, '--input-type=module', '-e', script], {
      encoding: 'utf8',
      timeout: 120_000,
      env: { ...process.env, NODE_OPTIONS: '', NODE_EXTRA_CA_CERTS: '' },
    });
    expect(run.stderr).toBe('');
    const { before, main, thread: inThread } = JSON.parse(run.stdout);
    expect(main).toBe(before);
    const given = Number(flags[0].split('=')[1]) << 20;
    // Young generations add to this; they are larger in newer versions of Node. Without bounds it would be gigabytes.
    const most = given + (256 << 20);
    expect(before).toBeGreaterThanOrEqual(given);
    expect(before).toBeLessThan(most);
    expect(inThread).toBeGreaterThanOrEqual(given);
    expect(inThread).toBeLessThan(most);
  },
);
