// Time from the response of a search to its documents on the screen of the console's Discover page, in Chromium.
//   npm run bench:console [-- --rounds 3]
// Corpus: the cities of `gannet demo`. Each search shows 100 documents, which is checked. Printed per search: ms from the moment the page has read the
// response until the table is in the document, and until the frame after that was painted (a task queued by requestAnimationFrame).
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { browserPath, openBrowser, openPage } from '../../test/support/browsers.ts';
import { freePort } from '../../test/support/free-port.ts';

const { values: args } = parseArgs({ options: { rounds: { type: 'string', default: '3' } } });
const QUERIES = ['a*', 'b*', 'san', 'new', 'name:c*', 'saint', 'm*', 'santa', 'population:[50000 TO *]', 'feature:PPLA2'];
const HITS = 100;

/** Runs in the page: wraps fetch so that `times` gets an entry for each search. */
const WATCH = `
  globalThis.times = [];
  const realFetch = fetch;
  globalThis.fetch = async (...request) => {
    const response = await realFetch(...request);
    if (!String(request[0]).includes('_search')) return response;
    const read = response.text.bind(response);
    response.text = async () => {
      const text = await read();
      const start = performance.now();
      const watched = document.querySelector('.discover-documents');
      new MutationObserver((_, observer) => {
        observer.disconnect();
        const inDocument = performance.now() - start;
        requestAnimationFrame(() => {
          const afterFrame = new MessageChannel();
          afterFrame.port1.onmessage = () =>
            times.push({ inDocument, painted: performance.now() - start, rows: watched.querySelectorAll('tbody tr').length });
          afterFrame.port2.postMessage(0);
        });
      }).observe(watched, { subtree: true, childList: true, characterData: true });
      return text;
    };
    return response;
  };`;

interface Times {
  readonly inDocument: number;
  readonly painted: number;
  readonly rows: number;
}

const root = path.resolve(import.meta.dirname, '../..');
const data = mkdtempSync(path.join(tmpdir(), 'gannet-bench-'));
const port = await freePort();
const service = spawn(path.join(root, 'bin/gannet'), ['demo', `--http.port=${port}`, `--path.data=${data}`], {
  stdio: ['ignore', 'ignore', 'ignore'],
});
try {
  if (browserPath('chromium') === null) throw new Error('Chromium is not installed');
  await untilImported(`http://127.0.0.1:${port}`);
  const { browser, close } = await openBrowser();
  const { page, problems } = await openPage(browser, `http://127.0.0.1:${port}/_console/#/discover?index=cities`);
  await page.waitForSelector('.discover-total');
  await page.evaluate(WATCH);
  for (let round = 0; round < Number(args.rounds); round++)
    for (const query of QUERIES) {
      const before = Number(await page.evaluate('times.length'));
      await page.evaluate(`location.hash = '#/discover?index=cities&q=' + encodeURIComponent(${JSON.stringify(query)})`);
      await page.waitForFunction(`times.length > ${before}`);
    }
  const times = (await page.evaluate('times')) as Times[];
  await close();
  if (problems.length > 0) throw new Error(problems.join('\n'));
  if (times.some(({ rows }) => rows !== HITS)) throw new Error(`not all searches show ${HITS} documents`);
  const figures = (name: 'inDocument' | 'painted'): Record<string, number> => {
    const sorted = times.map((time) => time[name]).sort((a, b) => a - b);
    return { median: round(sorted[sorted.length >> 1]), worst: round(sorted[sorted.length - 1]) };
  };
  const machine = `${cpus().length} x ${cpus()[0].model}`;
  console.log(
    JSON.stringify({ machine, searches: times.length, inDocumentMs: figures('inDocument'), paintedMs: figures('painted') }, null, 1),
  );
} finally {
  const ended = new Promise((resolve) => service.once('exit', resolve));
  service.kill();
  await ended;
  rmSync(data, { recursive: true, force: true });
}

function round(ms: number): number {
  return Math.round(ms * 10) / 10;
}

async function untilImported(url: string): Promise<void> {
  for (const end = Date.now() + 60_000; Date.now() < end; await new Promise((resolve) => setTimeout(resolve, 200))) {
    const response = await fetch(`${url}/cities/_count`).catch(() => null);
    if (response?.ok && ((await response.json()) as { count: number }).count > 135_000) return;
  }
  throw new Error('the cities are not imported');
}
