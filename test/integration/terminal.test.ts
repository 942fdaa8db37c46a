/** `gannet search`, `index` and `top` against a real service. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { main } from '../../src/main.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
  const docs = [
    { title: 'The old man and the sea', year: 1952, author: { name: 'Hemingway' }, tags: ['sea', 'fish'] },
    { title: 'Moby Dick', year: 1851, note: 'a\u001b[31mb' },
  ];
  for (const [i, doc] of docs.entries()) await service.request('PUT', `/books/_doc/${i + 1}?refresh=true`, doc);
});
afterAll(() => service.stop());
afterEach(() => vi.restoreAllMocks());

/** Runs a command against the service. */
async function run(...argv: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  let [stdout, stderr] = ['', ''];
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    stdout += text;
    return true;
  });
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    stderr += text;
    return true;
  });
  const code = await main([...argv, `--url=${service.url}`]);
  vi.restoreAllMocks();
  return { code, stdout, stderr };
}
const cellsOf = (text: string): string[][] =>
  text
    .trim()
    .split('\n')
    .map((line) => line.split(/ {2,}/));

describe('search', () => {
  test('shows hits of a query string as a table', async () => {
    const { code, stdout } = await run('search', 'books', 'title:sea');
    const [head, hit, summary] = cellsOf(stdout);
    expect(code).toBe(0);
    expect(head).toEqual(['_id', '_score', 'title', 'year', 'author.name', 'tags']);
    expect(hit.filter((_, i) => i !== 1)).toEqual(['1', 'The old man and the sea', '1952', 'Hemingway', 'sea, fish']);
    expect(summary[0]).toMatch(/^1 of 1 hits, \d+ ms$/);
  });

  test('accepts fields, sort, size and JSON queries', async () => {
    const { stdout } = await run('search', 'books', '{"match_all":{}}', '--fields', 'title', '--sort', 'year:desc', '--size', '1');
    expect(cellsOf(stdout).slice(0, 2)).toEqual([
      ['_id', 'title'],
      ['1', 'The old man and the sea'],
    ]);
    expect(stdout).toContain('1 of 2 hits');
  });

  test('prints the whole response as JSON', async () => {
    const { stdout } = await run('search', 'books', 'moby', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ hits: { total: { value: 1 }, hits: [{ _id: '2' }] } });
  });

  test('passes no control characters of documents to the terminal', async () => {
    expect((await run('search', 'books')).stdout).not.toContain('\u001b');
  });

  test('reports the reason of the service, and wrong calls', async () => {
    expect(await run('search', 'none')).toMatchObject({ code: 1, stderr: 'gannet: no such index [none]\n' });
    expect(await run('search', 'books', '{')).toMatchObject({ code: 2 });
    expect(await run('search', 'books', '--json', '--table')).toMatchObject({ code: 2 });
    expect(await run('search', 'books', '--siez', '3')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('unknown flag [--siez]'),
    });
  });
});

describe('index', () => {
  test('creates, lists and deletes', async () => {
    const file = path.join(service.data, 'body.json');
    writeFileSync(file, JSON.stringify({ settings: { number_of_replicas: 0 }, mappings: { properties: { name: { type: 'keyword' } } } }));
    expect(await run('index', 'create', 'people', '--body', file, '--shards', '2')).toMatchObject({ code: 0, stdout: 'created people\n' });
    const { body } = await service.request('GET', '/people');
    expect(body.people).toMatchObject({
      mappings: { properties: { name: { type: 'keyword' } } },
      settings: { index: { number_of_shards: '2', number_of_replicas: '0' } },
    });
    expect(cellsOf((await run('index', 'ls', 'people')).stdout)[1]).toEqual(['people', 'green', '0', '0', expect.any(String), '2 x 1']);
    expect(JSON.parse((await run('index', 'ls', '--json')).stdout).map(({ index }: { index: string }) => index)).toEqual([
      'books',
      'people',
    ]);
    expect(await run('index', 'rm', 'people', '--yes')).toMatchObject({ code: 0, stdout: 'deleted people\n' });
    expect((await service.request('HEAD', '/people')).status).toBe(404);
  });

  test('deletes only by exact names, after confirmation', async () => {
    for (const name of ['b*', '_all', 'books,people']) expect((await run('index', 'rm', name, '--yes')).code).toBe(2);
    const isTTY = process.stdin.isTTY;
    process.stdin.isTTY = false;
    expect(await run('index', 'rm', 'books')).toMatchObject({ code: 2, stderr: expect.stringContaining('--yes') });
    process.stdin.isTTY = isTTY;
    expect((await service.request('HEAD', '/books')).status).toBe(200);
  });

  test('refuses unknown subcommands', async () => {
    expect(await run('index', 'drop', 'books')).toMatchObject({ code: 2, stderr: expect.stringContaining('it is one of ls, create, rm') });
  });
});

test('top prints one report', async () => {
  const { code, stdout } = await run('top', '--once', '--interval', '0.1');
  expect(code).toBe(0);
  expect(stdout).toMatch(/^gannet \S+ {2}up .* cpu \d+ % {2}heap /);
  const rows = cellsOf(stdout);
  expect(rows.find(([name]) => name === 'books')?.[4]).toBe('2');
  expect(rows.find(([name]) => name === 'index')?.slice(3)).toEqual(['2', '0', '0']);
});

test('a service that does not respond is reported with a hint', async () => {
  vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  expect(await main(['top', '--once', '--url=http://127.0.0.1:1'])).toBe(1);
  expect(process.stderr.write).toHaveBeenCalledWith(expect.stringContaining('start one with `gannet serve`'));
});
