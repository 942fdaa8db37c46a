// Headless Chromium (Debian: apt-get install chromium) and Firefox (firefox-esr) for tests of pages. Console messages, failed requests, uncaught errors
// and violations of the content security policy are collected, so that a test can require that there are none.
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Browser, LaunchOptions, Page } from 'puppeteer-core';

export type BrowserKind = 'chromium' | 'firefox';

const CANDIDATES: Readonly<Record<BrowserKind, readonly string[]>> = {
  chromium: ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'],
  firefox: ['/usr/bin/firefox-esr', '/usr/bin/firefox'],
};

/** Path of an installed browser; null without one, where tests are skipped. */
export const browserPath = (kind: BrowserKind): string | null => CANDIDATES[kind].find((file) => existsSync(file)) ?? null;

export interface OpenBrowser {
  readonly browser: Browser;
  close(): Promise<void>;
}

/** Every host but this machine leads to a closed port: a browser's own services are not contacted. */
const NO_NETWORK: Readonly<Record<BrowserKind, Partial<LaunchOptions>>> = {
  chromium: {
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-dev-shm-usage',
      '--hide-scrollbars',
      '--lang=en-GB',
      '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1',
    ],
  },
  firefox: {
    extraPrefsFirefox: {
      'network.proxy.type': 1,
      'network.proxy.http': '127.0.0.1',
      'network.proxy.http_port': 9,
      'network.proxy.ssl': '127.0.0.1',
      'network.proxy.ssl_port': 9,
      'network.proxy.no_proxies_on': '127.0.0.1',
      'datareporting.healthreport.uploadEnabled': false,
      'intl.accept_languages': 'en-GB',
    },
  },
};

export async function openBrowser(kind: BrowserKind = 'chromium'): Promise<OpenBrowser> {
  const { launch } = await import('puppeteer-core');
  const profile = mkdtempSync(path.join(tmpdir(), `gannet-${kind}-`));
  const browser = await launch({
    browser: kind === 'firefox' ? 'firefox' : 'chrome',
    executablePath: browserPath(kind) ?? undefined,
    userDataDir: profile,
    protocolTimeout: 120_000,
    timeout: 60_000,
    ...NO_NETWORK[kind],
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
