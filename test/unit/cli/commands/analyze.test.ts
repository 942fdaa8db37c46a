// `gannet analyze` against a stand-in of the service that analyses with the module.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { ANALYZERS } from '../../../../src/analysis/registry.ts';
import { loadAnalyzer } from '../../../../src/analyzer-node.ts';
import { analyzeCommand } from '../../../../src/cli/commands/analyze.ts';
import type { ApiError } from '../../../../src/errors/api-error.ts';

let server: Server;
let url: string;

beforeAll(async () => {
  const analysis = await loadAnalyzer();
  server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    try {
      response.end(JSON.stringify(analysis.request(JSON.parse(Buffer.concat(chunks).toString()))));
    } catch (error) {
      const { type, reason, status } = error as ApiError;
      response.writeHead(status).end(JSON.stringify({ error: { type, reason }, status }));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(() => server.close());

/** Exit status and what the command printed. */
async function analyze(...args: string[]): Promise<{ status: number; out: string; err: string }> {
  const out = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  const err = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  try {
    const status = await analyzeCommand([...args, '--url', url]);
    const text = (spy: typeof out): string => spy.mock.calls.map(([chunk]) => String(chunk)).join('');
    return { status, out: text(out), err: text(err) };
  } finally {
    out.mockRestore();
    err.mockRestore();
  }
}

test('shows a row per token of one analyzer', async () => {
  const { status, out } = await analyze('Quick Foxes', '--analyzer', 'english');
  expect(status).toBe(0);
  expect(
    out
      .split('\n')
      .slice(0, 3)
      .map((line) => line.split(/ +/)),
  ).toEqual([
    ['position', 'token', 'offsets', 'type', 'length'],
    ['0', 'quick', '0-5', '<ALPHANUM>'],
    ['1', 'fox', '6-11', '<ALPHANUM>'],
  ]);
});

test('shows a row per analyzer', async () => {
  const { status, out } = await analyze('Die Häuser', '--analyzer', 'all');
  expect(status).toBe(0);
  const rows = out
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => line.split(/ {2,}/));
  expect(rows.map(([name]) => name)).toEqual([...ANALYZERS.keys()].sort());
  expect(rows.find(([name]) => name === 'german')).toEqual(['german', '1', 'haus']);
  expect(rows.find(([name]) => name === 'keyword')).toEqual(['keyword', '1', 'Die Häuser']);
});

test('an unknown analyzer is an error with its reason', async () => {
  expect(await analyze('x', '--analyzer', 'nope')).toEqual({ status: 1, out: '', err: 'gannet: failed to find analyzer [nope]\n' });
});
