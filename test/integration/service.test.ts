// The service process as a whole: start, stop, restart after a kill, one process per directory, bad settings.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { startService, untilAnswering } from '../support/service.ts';

const bin = path.resolve(import.meta.dirname, '../../bin/gannet.js');

test('writes survive a graceful stop and a killed service; a second process on the directory is refused', async () => {
  let service = await startService();
  const { data } = service;
  expect((await service.request('PUT', '/notes/_doc/1?refresh=true', { text: 'first note', n: 1 })).status).toBe(201);
  expect(await service.stop({ keepData: true })).toBe(0);

  service = await startService([], data);
  expect((await service.request('GET', '/notes/_search?q=text:first')).body.hits.total.value).toBe(1);
  expect((await service.request('PUT', '/notes/_doc/2', { text: 'second note', n: 2 })).status).toBe(201);

  const second = spawnSync(process.execPath, [bin, 'serve', `--path.data=${data}`, '--http.port=0'], {
    encoding: 'utf8',
    timeout: 120_000,
  });
  expect(second.status).not.toBe(0);
  expect(second.stderr).toContain('in use');

  const pid = service.servicePid();
  process.kill(pid, 'SIGKILL');
  await expect.poll(() => service.servicePid()).not.toBe(pid);
  await untilAnswering(service.url);
  expect((await service.request('GET', '/notes/_doc/2')).body._source).toEqual({ text: 'second note', n: 2 });
  expect((await service.request('GET', '/notes/_count')).body.count).toBe(2);
  expect(await service.stop()).toBe(0);
});

test('the service stops when its parent process is killed', async () => {
  const service = await startService();
  const pid = service.servicePid();
  service.process.kill('SIGKILL');
  await expect.poll(() => isRunning(pid)).toBe(false);
});

test('a service started by node has the same parent, restarts after a kill, and ends after a stop', async () => {
  const service = await startService([], undefined, [process.execPath, bin]);
  const pid = service.servicePid();
  process.kill(pid, 'SIGKILL');
  await expect.poll(() => service.servicePid()).not.toBe(pid);
  await untilAnswering(service.url);
  expect(await service.stop()).toBe(0);
});

test('a signal that reaches both parent and service stops the service once and cleanly', async () => {
  const service = await startService();
  const ended = new Promise((resolve) => service.process.once('exit', resolve));
  process.kill(service.servicePid(), 'SIGTERM');
  service.process.kill('SIGTERM');
  expect(await ended).toBe(0);
});

test('one thread responds, too', async () => {
  const service = await startService(['--threads=1']);
  expect((await service.request('PUT', '/one/_doc/a?refresh=true', { k: 'v', n: 3 })).status).toBe(201);
  const { body } = await service.request('POST', '/one/_search', { query: { term: { n: 3 } }, aggs: { s: { sum: { field: 'n' } } } });
  expect(body.hits.total.value).toBe(1);
  expect(body.aggregations.s.value).toBe(3);
  expect(await service.stop()).toBe(0);
});

test('the heap may grow to the bound of NODE_OPTIONS and reports it; options that Node refuses end the parent at once', async () => {
  const given = process.env.NODE_OPTIONS;
  process.env.NODE_OPTIONS = '--max-old-space-size=300';
  const service = await startService();
  process.env.NODE_OPTIONS = '--no-such-option';
  const refused = spawnSync(path.resolve(import.meta.dirname, '../../bin/gannet'), ['serve'], { encoding: 'utf8', timeout: 120_000 });
  if (given === undefined) delete process.env.NODE_OPTIONS;
  else process.env.NODE_OPTIONS = given;
  expect(refused).toMatchObject({ status: 9, stderr: expect.not.stringContaining('restarting it') });
  const [node] = Object.values<any>((await service.request('GET', '/_nodes/stats/jvm')).body.nodes);
  expect(node.jvm.mem.heap_max_in_bytes).toBeGreaterThanOrEqual(300 << 20);
  expect(node.jvm.mem.heap_max_in_bytes).toBeLessThan(560 << 20);
  const row = (await service.request('GET', '/_cat/nodes?h=heap.percent&format=json')).body[0];
  expect(Number(row['heap.percent'])).toBeLessThan(50);
  expect(await service.stop()).toBe(0);
});

test('a bad setting stops the start with its name and the reason', () => {
  const run = spawnSync(process.execPath, [bin, 'serve', '--http.prt=1'], { encoding: 'utf8', timeout: 120_000 });
  expect(run.status).not.toBe(0);
  expect(run.stderr).toMatch(/http\.prt.*did you mean.*http\.port/s);
});

test('the service does not read unused certificates', () => {
  const env = { ...process.env, NODE_EXTRA_CA_CERTS: '/none.pem' };
  const run = spawnSync(bin.replace(/\.js$/, ''), ['serve', '--http.prt=1'], { encoding: 'utf8', timeout: 120_000, env });
  expect(run.stderr).toContain('http.port');
  expect(run.stderr).not.toContain('certs');
});

test('a flipped byte in a segment file is found at the start and named; the index returns an error, not wrong results', async () => {
  let service = await startService();
  const { data } = service;
  await service.request('PUT', '/notes/_doc/1?refresh=true', { text: 'a note that will be damaged' });
  await service.request('PUT', '/other/_doc/1?refresh=true', { text: 'untouched' });
  const { uuid } = (await service.request('GET', '/notes/_settings')).body.notes.settings.index;
  expect(await service.stop({ keepData: true })).toBe(0);
  const folder = path.join(data, 'indices', uuid, '0');
  const [name] = readdirSync(folder).filter((file) => file.endsWith('.seg'));
  const bytes = readFileSync(path.join(folder, name));
  bytes[bytes.length >> 1] ^= 4;
  writeFileSync(path.join(folder, name), bytes);

  service = await startService(['--path.logs=logs'], data);
  const search = await service.request('GET', '/notes/_search');
  expect(search.status).toBeGreaterThanOrEqual(500);
  expect((await service.request('GET', '/other/_count')).body.count).toBe(1);
  await expect.poll(() => readFileSync(path.join(data, 'logs/gannet.log'), 'utf8')).toContain(name);
  expect(await service.stop()).toBe(0);
});

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
