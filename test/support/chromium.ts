// Headless Chromium (Debian: apt-get install chromium) for tests of pages. Console messages, failed requests, uncaught errors and violations of the
// content security policy are collected, so that a test can require that there are none.
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Browser, Page } from 'puppeteer-core';

const CANDIDATES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** Path of an installed Chromium; null without one, where tests are skipped. */
export const chromiumPath: string | null = CANDIDATES.find((file) => existsSync(file)) ?? null;

export interface OpenBrowser {
  readonly browser: Browser;
  close(): Promise<void>;
}

export async function openBrowser(): Promise<OpenBrowser> {
  const { launch } = await import('puppeteer-core');
  const profile = mkdtempSync(path.join(tmpdir(), 'gannet-chromium-'));
  const browser = await launch({
    executablePath: chromiumPath ?? undefined,
    userDataDir: profile,
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--hide-scrollbars', '--lang=en-GB'],
    protocolTimeout: 120_000,
    timeout: 60_000,
  });
  return {
    browser,
    close: async () => {
      await browser.close();
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

export interface WatchedPage {
  readonly page: Page;
  /** What went wrong so far. */
  readonly problems: string[];
}

/** A page in a browser context of its own, with storage of its own. @param expectedStatuses  error statuses that the test provokes */
export async function openPage(browser: Browser, url: string, expectedStatuses: readonly number[] = []): Promise<WatchedPage> {
  const context = await browser.createBrowserContext();
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  await page.setViewport({ width: 1440, height: 900 });
  const problems: string[] = [];
  page.on('console', (message) => {
    const text = message.text();
    const isExpected = expectedStatuses.some((status) => text.includes(`status of ${status}`));
    if ((message.type() === 'error' || message.type() === 'warn') && !isExpected) problems.push(`${message.type()}: ${text}`);
  });
  page.on('pageerror', (error) => problems.push(`uncaught: ${error instanceof Error ? error.message : String(error)}`));
  await page.evaluateOnNewDocument(() => {
    const watched = globalThis as unknown as {
      document: { addEventListener(type: string, listener: (event: Record<string, string>) => void): void };
    };
    watched.document.addEventListener('securitypolicyviolation', (event) =>
      console.error(`policy: ${event.violatedDirective} ${event.blockedURI}`),
    );
  });
  await page.goto(url, { waitUntil: 'load' });
  return { page, problems };
}
