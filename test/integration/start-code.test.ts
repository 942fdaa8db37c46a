// The code that a start reads and evaluates: start-up time and idle memory grow with it, unnoticed, one import at a time.
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { startService, type TestService } from '../support/service.ts';

const root = path.resolve(import.meta.dirname, '../..');
const service = path.join(root, 'dist/service');
/** Just above its present size. Code that only requests need belongs in the engine: see tools/build/late-code.mjs. */
const MAX_START_BYTES = 1_200_000;

/** @returns the files of dist/service/ that the main thread has loaded when the service ends */
async function loadedFiles(use: (service: TestService) => Promise<unknown>): Promise<string[]> {
  const folder = mkdtempSync(path.join(tmpdir(), 'gannet-start-code-'));
  const preload = path.join(folder, 'list-modules.cjs');
  const list = path.join(folder, 'modules.json');
  writeFileSync(
    preload,
    `if (require('node:worker_threads').isMainThread)
       process.on('exit', () => require('node:fs').writeFileSync(${JSON.stringify(list)}, JSON.stringify(Object.keys(require.cache))));`,
  );
  const command = ['/usr/bin/env', `NODE_OPTIONS=--require=${preload}`, path.join(root, 'bin/gannet')];
  const started = await startService([], mkdtempSync(path.join(folder, 'data-')), command);
  await use(started);
  expect(await started.stop()).toBe(0);
  const files: string[] = JSON.parse(readFileSync(list, 'utf8'));
  rmSync(folder, { recursive: true, force: true });
  return files.filter((file) => path.dirname(file) === service).map((file) => path.basename(file));
}

test('a start without an index loads only the start code', async () => {
  const files = await loadedFiles((started) => started.request('GET', '/'));
  expect(files.sort()).toEqual(['launch.js', 'service-main.js', 'service-process.js']);
});

test('the first index loads the engine, but no word lists and no time zones', async () => {
  const files = await loadedFiles(async (started) => {
    expect((await started.request('PUT', '/notes/_doc/1?refresh=true', { text: 'a note' })).status).toBe(201);
    expect((await started.request('GET', '/notes/_search?q=text:note')).body.hits.total.value).toBe(1);
  });
  expect(files.sort()).toEqual(['engine.js', 'launch.js', 'service-main.js', 'service-process.js']);
});

test('the start code does not grow', () => {
  expect(statSync(path.join(service, 'service-main.code.js')).size).toBeLessThan(MAX_START_BYTES);
});
