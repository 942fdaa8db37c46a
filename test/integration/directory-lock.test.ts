// Of several processes that start at once on a data directory one gets it, whatever files are left there. Needs `npm run build`.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, expect, test } from 'vitest';

const PROCESSES = 4;
const ROUNDS = 60;
const directory = mkdtempSync(path.join(tmpdir(), 'gannet-locks-'));
const module = pathToFileURL(path.resolve(import.meta.dirname, '../../dist/store/directory-lock.js')).href;
/** Locks the directories one after the other, each at the same moment as the other processes; ends on request. */
const SCRIPT = `
  const { lockDirectory } = await import(${JSON.stringify(module)});
  const { once } = await import('node:events');
  process.send('ready');
  const [startMs] = await once(process, 'message');
  const got = [];
  for (let round = 0; round < ${ROUNDS}; round++) {
    while (Date.now() < startMs + round * 4);
    try {
      lockDirectory(${JSON.stringify(directory)} + '/' + round);
      got.push(round);
    } catch {}
  }
  process.send(got);
  await once(process, 'disconnect');`;

afterAll(() => rmSync(directory, { recursive: true, force: true }));

test.each([
  ['nothing', null],
  ['an empty file', ''],
  ['the lock of a process that was killed', '999999999 1 1\n'],
])('one process gets the directory if %s is there', async (_, left) => {
  for (let round = 0; round < ROUNDS; round++) {
    rmSync(path.join(directory, String(round)), { recursive: true, force: true });
    mkdirSync(path.join(directory, String(round)));
    if (left !== null) writeFileSync(path.join(directory, String(round), 'node.lock'), left);
  }
  const children = Array.from({ length: PROCESSES }, () =>
    spawn(process.execPath, ['--input-type=module', '-e', SCRIPT], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] }),
  );
  const next = (child: ChildProcess) => new Promise<unknown>((resolve) => child.once('message', resolve));
  await Promise.all(children.map(next));
  const results = children.map(next);
  for (const child of children) child.send(Date.now() + 20);
  const got = (await Promise.all(results)) as number[][];
  for (const child of children) child.disconnect();
  expect(got.flat().sort((a, b) => a - b)).toEqual(Array.from({ length: ROUNDS }, (_each, round) => round));
  expect(readdirSync(path.join(directory, '0'))).toEqual(['node.lock']);
});
