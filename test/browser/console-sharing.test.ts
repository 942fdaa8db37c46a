// What users take out of the console and find again in it: commands and code, links, files, the history and saved searches. In Chromium alone.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Page } from 'puppeteer-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { browserPath, type OpenBrowser, openBrowser, openPage, type WatchedPage } from '../support/browsers.ts';
import { startService, type TestService } from '../support/service.ts';
import { clickText, finish, isConsoleBuilt, MARKUP, press, textOf, waitForText, writeSheet } from './console-page.ts';

const SEARCH = `POST books/_search\n{ "query": { "match": { "title": "it's" } } }\n`;

describe.skipIf(browserPath('chromium') === null || !isConsoleBuilt)('the console', () => {
  let service: TestService;
  let opened: OpenBrowser;

  beforeAll(async () => {
    [service, opened] = await Promise.all([startService(), openBrowser()]);
    const lines = ["It's Dune", 'Emma', 'Ulysses', MARKUP, '=1+1'].flatMap((title, i) => [
      JSON.stringify({ index: { _id: String(i) } }),
      JSON.stringify({ title, genre: i % 2 === 0 ? 'novel' : 'other', published: `19${10 + i}-05-01` }),
    ]);
    await service.request('PUT', '/books', {
      settings: { number_of_replicas: 0 },
      mappings: { properties: { title: { type: 'text' }, genre: { type: 'keyword' }, published: { type: 'date' } } },
    });
    await service.request('POST', '/books/_bulk?refresh=true', `${lines.join('\n')}\n`);
  });

  afterAll(async () => {
    await Promise.all([opened?.close(), service?.stop()]);
  });

  const open = async (hash: string): Promise<WatchedPage> => {
    const watched = await openPage(opened.browser, `${service.url}/_console/${hash}`);
    await watched.page.evaluate(recordTaken);
    return watched;
  };

  test('copies a request as a command and as code', async () => {
    const watched = await open('#/requests');
    const { page } = watched;
    await writeSheet(page, SEARCH);
    const command = await copied(page, 'Copy as', 'curl');
    const { stdout } = await promisify(execFile)('/bin/sh', ['-c', command]);
    expect(JSON.parse(stdout).hits.hits.map(({ _id }: { _id: string }) => _id)).toEqual(['0']);
    const client = await copied(page, 'Copy as', '@elastic/elasticsearch');
    expect(client).toContain('client.search({');
    expect(client).toContain(service.url);
    expect(await copied(page, 'Copy as', 'open()')).toContain('engine.search(');
    await finish(watched);
  });

  test('makes a link that another browser opens without running it', async () => {
    const watched = await open('#/requests');
    await writeSheet(watched.page, SEARCH);
    const link = await copied(watched.page, 'Share');
    expect(link).toContain(`${service.url}/_console/#/requests?`);
    await finish(watched);
    const other = await openPage(opened.browser, link);
    await waitForText(other.page, '.cm-content', `"it's"`);
    expect(await textOf(other.page, '.answers')).toContain('Answers are shown here');
    await press(other.page, 'Control', 'Enter');
    await waitForText(other.page, '.facts', '1 hit');
    await finish(other);
  });

  test('lists the requests that were run, and inserts one again', async () => {
    const watched = await open('#/requests');
    const { page } = watched;
    await writeSheet(page, SEARCH);
    await press(page, 'Control', 'Enter');
    await waitForText(page, '.facts', '1 hit');
    await writeSheet(page, 'GET _cat/health');
    await press(page, 'Control', 'Enter');
    await waitForText(page, '.answers', 'gannet');
    await page.reload();
    await clickText(page, '.toolbar button', 'History');
    await page.waitForSelector('[role=menuitem]');
    const items = await page.$$eval('[role=menuitem]', (all) => all.map(({ textContent }) => textContent));
    expect(items).toEqual([
      expect.stringMatching(/^GET \/_cat\/health.*200/),
      expect.stringMatching(/^POST \/books\/_search.*200/),
      'Clear the history',
    ]);
    await clickText(page, '[role=menuitem]', 'books/_search');
    await waitForText(page, '.cm-content', `"it's"`);
    await press(page, 'Control', 'Enter');
    await waitForText(page, '.facts', '1 hit');
    await clickText(page, '.toolbar button', 'History');
    await clickText(page, '[role=menuitem]', 'Clear the history');
    await clickText(page, '.toolbar button', 'History');
    await waitForText(page, '[role=menuitem]', 'Requests that you run are listed here');
    await finish(watched);
  });

  test('saves hits as a file that a spreadsheet does not execute', async () => {
    const watched = await open('#/requests');
    const { page } = watched;
    await writeSheet(page, 'POST books/_search\n{ "sort": "published", "_source": ["title"] }\n');
    await press(page, 'Control', 'Enter');
    await clickText(page, '[role=tab]', 'Hits');
    await clickText(page, '.answers button', 'CSV');
    const file = await taken(page);
    expect(file.split(/\r?\n/).slice(0, 2)).toEqual(['_index,_id,_score,title', "books,0,,It's Dune"]);
    expect(file).toContain("'=1+1");
    await finish(watched);
  });

  test('filters by a part of the time chart, and inverts filters', async () => {
    const watched = await open('#/discover?index=books');
    const { page } = watched;
    await waitForText(page, '.discover-total', '5 documents');
    const box = await page.$eval('.time-chart .columns', (columns) => {
      const { left, top, width, height } = columns.getBoundingClientRect();
      return { left, top, width, height };
    });
    const y = box.top + box.height / 2;
    await page.mouse.move(box.left + 1, y);
    await page.mouse.down();
    await page.mouse.move(box.left + box.width / 2, y, { steps: 5 });
    await page.mouse.up();
    await page.waitForSelector('.chips li');
    await page.waitForFunction(() => !document.querySelector('.discover-total')?.textContent?.includes('5 documents'));
    const within = Number.parseInt(await textOf(page, '.discover-total'), 10);
    expect(within).toBeGreaterThan(0);
    await page.click('.chips button');
    await waitForText(page, '.discover-total', `${5 - within} documents`);
    await finish(watched);
  });

  test('keeps a saved search, with its words and filters', async () => {
    const watched = await open('#/discover?index=books');
    const { page } = watched;
    await clickText(page, '.field-list summary', 'genre');
    await clickText(page, '.top-value:has([title=novel]) button', '+');
    await waitForText(page, '.discover-total', '3 documents');
    await page.type('.search-bar input', 'dune');
    await page.keyboard.press('Enter');
    await waitForText(page, '.discover-total', '1 document');
    await clickText(page, '.search-bar button', 'Saved');
    await clickText(page, '[role=menuitem]', 'Save this search');
    const [hash] = await page.evaluate(() => [location.hash]);
    await page.goto(`${service.url}/_console/#/discover?index=books&q=emma`);
    await waitForText(page, '.discover-total', '1 document');
    await clickText(page, '.search-bar button', 'Saved');
    await clickText(page, '[role=menuitem]', 'dune');
    await waitForText(page, '.chips', 'genre: novel');
    expect(await page.evaluate(() => location.hash)).toBe(hash);
    await clickText(page, '.search-bar button', 'Saved');
    await clickText(page, '[role=menuitem]', 'Forget this search');
    await clickText(page, '.search-bar button', 'Saved');
    await waitForText(page, '.search-bar .menu-list', 'Save this search');
    await finish(watched);
  });
});

/** Records what the page copies or saves, where a test can read it: the clipboard of a machine is shared by all programs. */
function recordTaken(): void {
  const taken = globalThis as unknown as { takenText: string | null };
  taken.takenText = null;
  navigator.clipboard.writeText = async (text) => {
    taken.takenText = text;
  };
  URL.createObjectURL = (blob) => {
    void (blob as Blob).text().then((text) => {
      taken.takenText = text;
    });
    return 'data:,';
  };
}

/** What the page copied or saved last, once it has. */
async function taken(page: Page): Promise<string> {
  const handle = await page.waitForFunction(() => {
    const source = globalThis as unknown as { takenText: string | null };
    const text = source.takenText;
    source.takenText = null;
    return text;
  });
  return (await handle.jsonValue()) as string;
}

async function copied(page: Page, button: string, item?: string): Promise<string> {
  await clickText(page, '.toolbar button', button);
  if (item !== undefined) await clickText(page, '[role=menuitem]', item);
  return taken(page);
}
