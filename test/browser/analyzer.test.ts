// The analysis module in a browser: tokens of the example page in headless Chromium equal those in Node. Skipped where there is no Chromium
// (Debian: apt-get install chromium) or the project is not built.
import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadAnalyzer } from '../../src/analyzer-node.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const browser = ['chromium', 'chromium-browser', 'google-chrome'].find((name) => {
  try {
    execFileSync('which', [name]);
    return true;
  } catch {
    return false;
  }
});
const built = existsSync(path.join(root, 'dist/main.js'));
const TYPES: Record<string, string> = { '.html': 'text/html', '.js': 'text/javascript', '.wasm': 'application/wasm' };

let server: Server;
let profile: string;

beforeAll(async () => {
  profile = mkdtempSync(path.join(tmpdir(), 'gannet-chromium-'));
  server = createServer((request, response) => {
    const file = path.join(root, decodeURIComponent(new URL(request.url ?? '/', 'http://x').pathname));
    if (!file.startsWith(root) || !existsSync(file)) {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, { 'content-type': TYPES[path.extname(file)] ?? 'application/octet-stream' }).end(readFileSync(file));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});

afterAll(() => {
  server.close();
  rmSync(profile, { recursive: true, force: true });
});

/** Rows of the page's table of tokens. */
async function rowsOfPage(analyzer: string, text: string): Promise<string[][]> {
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}/examples/analyzer/index.html?analyzer=${analyzer}&text=${encodeURIComponent(text)}`;
  const flags = [
    '--headless=new',
    '--no-sandbox',
    '--disable-gpu',
    '--disable-dev-shm-usage',
    `--user-data-dir=${profile}`,
    '--virtual-time-budget=20000',
    '--dump-dom',
  ];
  const { stdout } = await promisify(execFile)(browser!, [...flags, url], { maxBuffer: 1 << 24, timeout: 60_000 });
  return [...stdout.matchAll(/<tr>((?:<td>[^<]*<\/td>)+)<\/tr>/g)].map(([, cells]) =>
    [...cells.matchAll(/<td>([^<]*)<\/td>/g)].map(([, value]) => value.replaceAll('&lt;', '<').replaceAll('&gt;', '>')),
  );
}

describe.skipIf(!browser || !built)('a page in headless Chromium', () => {
  for (const analyzer of ['standard', 'german', 'thai', 'pattern']) {
    test(`shows the same tokens of ${analyzer} as Node`, async () => {
      const text = 'The QUICK Häuser’ 3.14 naïve 日本語 ภาษาไทยไม่มีช่องว่าง 👩‍🚀';
      const analysis = await loadAnalyzer();
      const expected = analysis
        .analyze(text, analyzer)
        .map((token) => [token.term, token.startOffset, token.endOffset, token.type, token.position].map(String));
      expect(await rowsOfPage(analyzer, text)).toEqual(expected);
    });
  }

  test('accepts custom chains, and files as strings', async () => {
    const terms = (await rowsOfPage('synonyms', 'Quick fox')).map(([term]) => term);
    expect(terms.sort()).toEqual(['animal', 'fast', 'fox', 'quick', 'small']);
  });
});
