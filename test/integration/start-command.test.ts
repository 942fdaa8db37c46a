/** `gannet start` in an empty folder: serves, and opens the console at its first steps. */
import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test, vi } from 'vitest';
import { freePort } from '../support/free-port.ts';

const bin = path.resolve(import.meta.dirname, '../../bin/gannet');

test.skipIf(process.platform === 'win32')(
  'opens the tour in the browser, and ends with its service',
  async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'gannet-start-'));
    const browser = path.join(folder, 'browser');
    writeFileSync(browser, '#!/bin/sh\nprintf %s "$1" > "$0.tmp" && mv "$0.tmp" "$0.opened"\n');
    chmodSync(browser, 0o755);
    const port = await freePort();
    const child = spawn(bin, ['start', `--http.port=${port}`], { cwd: folder, env: { ...process.env, BROWSER: browser }, stdio: 'pipe' });
    const ended = new Promise((resolve) => child.once('exit', resolve));
    let output = '';
    child.stdout.on('data', (chunk) => {
      output += chunk;
    });
    const address = `http://127.0.0.1:${port}/_console/#/tour`;
    try {
      await vi.waitFor(() => expect(existsSync(`${browser}.opened`)).toBe(true), { timeout: 60_000, interval: 50 });
      expect(readFileSync(`${browser}.opened`, 'utf8')).toBe(address);
      expect(output).toContain(`console: ${address}`);
      expect((await fetch(address)).headers.get('content-type')).toContain('text/html');
    } finally {
      child.kill('SIGTERM');
      await ended;
      rmSync(folder, { recursive: true, maxRetries: 5 });
    }
  },
  90_000,
);
