import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { importCommand } from '../../../../src/cli/commands/import.ts';
import { documentLines } from '../../../../src/cli/document-lines.ts';
import { NetListener } from '../../../../src/http/net-listener.ts';

const folder = mkdtempSync(path.join(os.tmpdir(), 'gannet-import-'));
let url = '';
let calls = 0;
const seen: Array<{ path: string; docs: string[] }> = [];

/** A service that is busy at first, then accepts documents except those marked for refusal. */
beforeAll(async () => {
  const listener = new NetListener(
    {
      host: '127.0.0.1',
      port: 0,
      maxContentLength: 1e8,
      maxHeaderSize: 8192,
      readTimeoutMs: 10_000,
      minBodyRate: 0,
      isShared: false,
      tls: null,
    },
    async (request, reply) => {
      const lines = (await request.body.bytes(1e8)).toString().trimEnd().split('\n');
      if (++calls === 1) {
        reply.send(429, {}, '{}');
        return;
      }
      const docs = lines.filter((_, i) => i % 2 === 1);
      seen.push({ path: `${request.path}?${request.query}`, docs });
      const items = docs.map((doc, i) => {
        if (doc.includes('"busy"') && calls === 2)
          return { index: { status: 429, error: { type: 'es_rejected_execution_exception', reason: 'full' } } };
        if (doc.includes('"bad"'))
          return {
            index: {
              status: 400,
              error: { type: 'mapper_parsing_exception', reason: 'failed to parse', caused_by: { reason: `number ${i % 1}` } },
            },
          };
        return { index: { status: 201 } };
      });
      reply.send(
        200,
        { 'content-type': 'application/json' },
        JSON.stringify({ errors: items.some((item) => 'error' in item.index), items }),
      );
    },
  );
  url = `http://127.0.0.1:${(await listener.listen()).port}`;
});
afterAll(() => rmSync(folder, { recursive: true }));

test('imports a gzip file, repeats requests and items after 429, and sums up refusals', async () => {
  const file = path.join(folder, 'docs.ndjson.gz');
  const docs = [{ id: 'one' }, { id: 'busy' }, { id: 'bad' }, { id: 'bad' }, { id: 'é' }];
  writeFileSync(file, gzipSync(`${docs.map((doc) => JSON.stringify(doc)).join('\n')}\n\n`));
  const out = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  const err = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  const code = await importCommand([file, '--index', 'a b', '--url', url, '--id-field', 'id', '--connections', '1']);
  const text = out.mock.calls.map(([chunk]) => String(chunk)).join('');
  out.mockRestore();
  err.mockRestore();
  expect(code).toBe(1);
  expect(text).toBe(
    '3 documents indexed, 2 refused, 2 retries\n  2 x  mapper_parsing_exception: failed to parse: number 0  (first: line 3)\n',
  );
  expect(seen.map(({ docs: sent }) => sent.length)).toEqual([5, 1]);
  expect(seen[0].path).toMatch(/^\/a%20b\/_bulk\?filter_path=/);
});

async function lines(text: string, idField: string | null): Promise<string[]> {
  async function* stream(): AsyncGenerator<Buffer> {
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; at += 7) yield bytes.subarray(at, at + 7);
  }
  const found: string[] = [];
  for await (const line of documentLines(stream(), idField)) found.push(`${line.lineNumber}:${line.text}`);
  return found;
}

test('documents get an action, bulk lines keep theirs', async () => {
  expect(await lines('{"a":"ü"}\n\n{"a":2}', null)).toEqual(['1:{"index":{}}\n{"a":"ü"}\n', '3:{"index":{}}\n{"a":2}\n']);
  expect(await lines('{"a":7}\n', 'a')).toEqual(['1:{"index":{"_id":"7"}}\n{"a":7}\n']);
  expect(await lines('{"create":{}}\n{"a":1}\n{"delete":{"_id":"1"}}\n', null)).toEqual([
    '2:{"create":{}}\n{"a":1}\n',
    '3:{"delete":{"_id":"1"}}\n',
  ]);
  await expect(lines('{"b":1}\n', 'a')).rejects.toThrow('line 1: field [a] must be a string or a number');
  await expect(lines('{"index":{}}\n', null)).rejects.toThrow('an action without its document');
});
