// tools/build/incremental.mjs on a project of two steps: `copy` copies in/ to out/copy.txt, `twice` depends on it. Runs are separate processes,
// as the lock and the stored state expect.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';

const incremental = pathToFileURL(path.resolve(import.meta.dirname, '../../../tools/build/incremental.mjs')).href;
const BUILD = `
  import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
  import { listFiles, runSteps, withLock } from '${incremental}';
  const write = (file, text) => { mkdirSync('out', { recursive: true }); writeFileSync(file, text); return file; };
  const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
  const steps = {
    copy: { inputs: ['in'], run: async () => {
      appendFileSync('log', 'copy ');
      if (existsSync('in/slow')) await wait(500);
      if (existsSync('in/broken')) throw new Error('broken input');
      return listFiles('in').map((file) => write(file.replace('in/', 'out/'), readFileSync(file)));
    } },
    twice: { inputs: [], after: ['copy'], run: async () => {
      appendFileSync('log', 'twice ');
      return [write('out/twice', readFileSync('out/a').toString().repeat(2))];
    } },
  };
  await withLock(() => runSteps(steps, ['twice'], { common: ['tool'], force: process.argv.includes('--force') }));
  appendFileSync('log', '. ');
`;

let folder: string;
const at = (file: string) => path.join(folder, file);
const write = (file: string, text: string) => writeFileSync(at(file), text);

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'gannet-build-'));
  mkdirSync(at('in'));
  write('build.mjs', BUILD);
  write('tool', '1');
  write('in/a', 'A');
  write('in/b', 'B');
});
afterEach(() => rmSync(folder, { recursive: true }));

const start = (...args: string[]): ChildProcess => spawn(process.execPath, ['build.mjs', ...args], { cwd: folder, stdio: 'ignore' });

/** The steps that ran; a dot for each build that succeeded. */
async function build(...args: string[]): Promise<string> {
  rmSync(at('log'), { force: true });
  await once(start(...args), 'exit');
  return existsSync(at('log')) ? readFileSync(at('log'), 'utf8').trim() : '';
}

test('runs steps in order, and not again while nothing changes', async () => {
  expect(await build()).toBe('copy twice .');
  expect(readFileSync(at('out/twice'), 'utf8')).toBe('AA');
  expect(await build()).toBe('.');
  utimesSync(at('in/a'), 1, 1);
  expect(await build()).toBe('.');
  expect(await build('--force')).toBe('copy twice .');
});

test('runs a step again after a change of an input, a common input, or the set of inputs', async () => {
  await build();
  write('in/a', 'C');
  expect(await build()).toBe('copy twice .');
  expect(readFileSync(at('out/twice'), 'utf8')).toBe('CC');
  write('tool', '2');
  expect(await build()).toBe('copy twice .');
  rmSync(at('in/b'));
  expect(await build()).toBe('copy twice .');
  expect(existsSync(at('out/b'))).toBe(false);
});

test('restores outputs that were deleted or edited', async () => {
  await build();
  rmSync(at('out/twice'));
  expect(await build()).toBe('twice .');
  write('out/b', 'edited');
  expect(await build()).toMatch(/^copy (twice )?\.$/);
  expect(readFileSync(at('out/b'), 'utf8')).toBe('B');
});

test('a failed step runs again, and fails the build', async () => {
  await build();
  write('in/broken', '');
  expect(await build()).toBe('copy');
  rmSync(at('in/broken'));
  expect(await build()).toMatch(/^copy (twice )?\.$/);
});

test('of two builds at once, the second waits and finds everything up to date', async () => {
  write('in/slow', '');
  await Promise.all([start(), start()].map((child) => once(child, 'exit')));
  expect(readFileSync(at('log'), 'utf8').trim()).toBe('copy twice . .');
});

test('the lock of a build that was killed does not block the next one', async () => {
  write('in/slow', '');
  const killed = start();
  await expect.poll(() => existsSync(at('log'))).toBe(true);
  killed.kill('SIGKILL');
  await once(killed, 'exit');
  expect(existsSync(at('build/.lock'))).toBe(true);
  expect(await build()).toBe('copy twice .');
});
