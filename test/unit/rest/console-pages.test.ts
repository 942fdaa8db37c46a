import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { HttpReply, HttpRequest } from '../../../src/http/listener.ts';
import { ConsolePages } from '../../../src/rest/console-pages.ts';

let folder: string;

beforeAll(() => {
  folder = `${mkdtempSync(path.join(tmpdir(), 'gannet-console-'))}/`;
  for (const [name, content] of Object.entries({
    'index.html': '<p data-nonce="__NONCE__">',
    'main-ABCD1234.js': 'let a;',
    'api.json': '{}',
  }))
    writeFileSync(`${folder}${name}.gz`, gzipSync(content));
});

afterAll(() => rmSync(folder, { recursive: true }));

function ask(method: string, target: string, headers: Record<string, string> = {}) {
  const sent: { status: number; headers: Record<string, string>; body: string | Uint8Array }[] = [];
  const http = { method, path: target, query: '', header: (name: string) => headers[name] } as HttpRequest;
  const reply = {
    aborted: false,
    send: (status: number, sentHeaders: Record<string, string>, body: string | Uint8Array = '') =>
      sent.push({ status, headers: sentHeaders, body }),
  } as unknown as HttpReply;
  const pages = new ConsolePages(folder);
  if (!pages.takes(http)) return null;
  pages.answer(http, reply, {});
  return sent[0];
}

describe('the files of the console', () => {
  test('are served compressed, and plain to clients that accept nothing else', () => {
    const packed = ask('GET', '/_console/main-ABCD1234.js', { 'accept-encoding': 'gzip' });
    expect(packed?.headers['content-encoding']).toBe('gzip');
    expect(gunzipSync(packed?.body as Uint8Array).toString()).toBe('let a;');
    expect(String(ask('GET', '/_console/main-ABCD1234.js')?.body)).toBe('let a;');
  });

  test('are cached indefinitely only with a hash in their name', () => {
    expect(ask('GET', '/_console/main-ABCD1234.js')?.headers['cache-control']).toContain('immutable');
    expect(ask('GET', '/_console/api.json')?.headers['cache-control']).toBe('no-cache');
  });

  test('have a policy with a nonce of each response', () => {
    const nonces = [1, 2].map(() => {
      const answer = ask('GET', '/_console/');
      const policy = answer?.headers['content-security-policy'] ?? '';
      const nonce = /'nonce-([^']+)'/.exec(policy)?.[1] ?? '';
      expect(policy).toContain("default-src 'none'");
      expect(policy).not.toContain('unsafe-inline');
      expect(String(answer?.body)).toBe(`<p data-nonce="${nonce}">`);
      return nonce;
    });
    expect(nonces[0]).not.toBe(nonces[1]);
  });

  test('are only those of the folder', () => {
    for (const name of ['missing.js', '../package.json', '..%2fpackage.json', 'index.html.gz'])
      expect(ask('GET', `/_console/${name}`)?.status).toBe(404);
  });

  test('are read only', () => {
    expect(ask('POST', '/_console/')?.status).toBe(405);
  });

  test('are where browsers that request / are redirected, but not other clients', () => {
    expect(ask('GET', '/', { accept: 'text/html,*/*;q=0.8' })).toMatchObject({ status: 302, headers: { location: '_console/' } });
    expect(ask('GET', '/', { accept: '*/*' })).toBeNull();
    expect(ask('GET', '/')).toBeNull();
    expect(ask('GET', '/_consoles')).toBeNull();
    expect(ask('GET', '/_console')).toMatchObject({ status: 301, headers: { location: '_console/' } });
  });
});
