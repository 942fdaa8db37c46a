// Every page of the console in Chromium at the widths of a phone, a laptop and a 4K screen, light and dark: nothing is cut off or overlaps, axe-core
// finds no serious fault, and a small picture looks as the one in pages.json. Pictures are compared as 48 by 27 grey cells: fonts of another machine
// change letters, which such cells hardly show, while a missing panel or a wrong colour changes many.
//   UPDATE_PICTURES=1 npx vitest run test/browser/pages.test.ts    accepts how pages look; DOCS_PICTURES=docs/pictures renews the ones of the docs
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'puppeteer-core';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { browserPath, type OpenBrowser, openBrowser, openPage } from '../support/browsers.ts';
import { startService, type TestService } from '../support/service.ts';
import { clickText, isConsoleBuilt, MARKUP, press, seriousFaults, waitForText, writeSheet } from './console-page.ts';

const WIDTHS = [
  [360, 780],
  [1280, 860],
  [3840, 2160],
] as const;
const THEMES = ['light', 'dark'] as const;
const BASELINE = path.join(import.meta.dirname, 'pages.json');
const COLUMNS = 48;
const ROWS = 27;
/** Of 255: mean difference of the cells, and what counts as another look of a cell. */
const MAX_MEAN = 6;
const OTHER_LOOK = 48;
/** Share of the cells that may look different, since times and ids change. */
const MAX_OTHERS = 0.04;

const SEARCH = `POST sample-cities/_search
{
  "query": { "match": { "name": "san new" } },
  "highlight": { "fields": { "name": {} } },
  "aggs": { "countries": { "terms": { "field": "country" }, "aggs": { "kinds": { "terms": { "field": "feature" } } } } }
}
`;

/** Name, address, and what a user does there until the page is complete. */
const PAGES: ReadonlyArray<readonly [name: string, hash: string, use: (page: Page) => Promise<unknown>]> = [
  ['tour', 'tour', (page) => page.waitForSelector('.tour-steps button:not(:disabled)')],
  ['requests', 'requests', (page) => run(page, SEARCH)],
  ['hits', 'requests', (page) => run(page, SEARCH, 'Hits', '.hit-cards')],
  ['charts', 'requests', (page) => run(page, SEARCH, 'Charts', '.bar-label')],
  ['discover', 'discover?index=sample-cities', (page) => page.waitForSelector('.data-table td')],
  ['analysis', 'analysis', compareAnalyzers],
  ['profile', 'profile', (page) => page.waitForSelector('[aria-label="Request B"] .cm-content')],
  ['indices', 'indices?index=sample-cities', (page) => waitForText(page, '.field-tree', '2,000')],
  ['manage', 'manage', newPipeline],
];

async function run(page: Page, sheet: string, tab?: string, content = '.badge'): Promise<void> {
  await writeSheet(page, sheet);
  await press(page, 'Control', 'Enter');
  if (tab !== undefined) await clickText(page, '[role=tab]', tab);
  await page.waitForSelector(content);
  // The caret blinks.
  await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
}

async function compareAnalyzers(page: Page): Promise<void> {
  await page.waitForSelector('.tokens li');
  await page.select('select[aria-label="Start from"]', 'synonyms of several words');
  await clickText(page, 'button', 'Compare with another');
  await page.waitForSelector('.chains.two .token-graph');
}

async function newPipeline(page: Page): Promise<void> {
  await clickText(page, 'button', 'New pipeline');
  await page.waitForSelector('.manage-editor textarea');
}

describe.skipIf(browserPath('chromium') === null || !isConsoleBuilt)('pages of the console', () => {
  let service: TestService;
  let opened: OpenBrowser;
  const expected: Record<string, string> = existsSync(BASELINE) ? JSON.parse(readFileSync(BASELINE, 'utf8')) : {};
  const seen: Record<string, string> = {};

  beforeAll(async () => {
    [service, opened] = await Promise.all([startService(), openBrowser()]);
    const { page } = await openPage(opened.browser, `${service.url}/_console/#/tour`);
    await clickText(page, '.tour-sample button:not(:disabled)', 'Load the sample');
    await waitForText(page, '.toast', '2,000 cities were indexed');
    await page.browserContext().close();
  });

  afterAll(async () => {
    await Promise.all([opened?.close(), service?.stop()]);
    if (process.env.UPDATE_PICTURES !== undefined) writeFileSync(BASELINE, `${JSON.stringify({ ...expected, ...seen }, null, 2)}\n`);
  });

  test.each(PAGES)('%s', async (name, hash, use) => {
    const { page, problems } = await openPage(opened.browser, `${service.url}/_console/#/${hash}`);
    await use(page);
    const faults: string[] = [];
    for (const theme of THEMES) {
      await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: theme }]);
      for (const [width, height] of WIDTHS) {
        const where = `${name} ${width} ${theme}`;
        await page.setViewport({ width, height });
        await painted(page);
        faults.push(...(await layoutFaults(page)).map((fault) => `${where}: ${fault}`));
        if (width !== 3840) faults.push(...(await seriousFaults(page)).map((fault) => `${where}: ${fault}`));
        const shot = Buffer.from(await page.screenshot());
        seen[where] = await cellsOf(shot);
        if (width === 1280 && theme === 'light') await savePicture(name, shot);
        if (process.env.UPDATE_PICTURES === undefined) faults.push(...differences(where, expected[where], seen[where]));
      }
    }
    expect(faults).toEqual([]);
    expect(problems).toEqual([]);
    await page.browserContext().close();
  });

  test('names that contain markup appear as text', async () => {
    const named = encodeURIComponent(MARKUP);
    await service.request('PUT', `/_ingest/pipeline/${named}`, { processors: [{ set: { field: MARKUP, value: MARKUP } }] });
    // Names of templates are checked, unlike those of fields.
    await service.request('PUT', '/_component_template/marked', {
      template: { mappings: { properties: { [MARKUP]: { type: 'keyword' } } } },
    });
    await service.request('PUT', '/a&lt;b&gt;', {
      settings: { number_of_replicas: 0 },
      aliases: { [`alias${MARKUP.replaceAll(/[ <>]/g, '&lt;')}`]: {} },
      mappings: { properties: { [MARKUP]: { type: 'keyword' } } },
    });
    await service.request('POST', `/${encodeURIComponent('a&lt;b&gt;')}/_doc?refresh=true`, { [MARKUP]: MARKUP, text: '<b>bold</b>' });
    const { page, problems } = await openPage(opened.browser, `${service.url}/_console/#/manage`);
    await waitForText(page, '.manage-list ul', MARKUP);
    await clickText(page, '.manage-list li button', MARKUP);
    await page.waitForSelector('.manage-editor textarea');
    await clickText(page, '[role=tab]', 'Component templates');
    await clickText(page, '.manage-list li button', 'marked');
    await page.waitForFunction(
      (wanted) => document.querySelector<HTMLTextAreaElement>('.manage-editor textarea')?.value.includes(wanted),
      {},
      MARKUP,
    );
    await expectNoMarkup(page);
    for (const [hash, selector, text] of [
      ['indices?index=a%26lt%3Bb%26gt%3B', '.field-tree', MARKUP],
      ['discover?index=a%26lt%3Bb%26gt%3B', '.data-table', '<b>bold</b>'],
    ] as const) {
      await page.evaluate((to) => {
        location.hash = to;
      }, `#/${hash}`);
      await waitForText(page, selector, text);
      await expectNoMarkup(page);
    }
    expect(await page.evaluate(() => document.body.textContent)).toContain('a&lt;b&gt;');
    await page.goto(`${service.url}/_console/#/requests`);
    await writeSheet(page, `GET ${encodeURIComponent('a&lt;b&gt;')}/_mapping\n`);
    await press(page, 'Control', 'Enter');
    await waitForText(page, '.answers', MARKUP);
    await expectNoMarkup(page);
    expect(problems).toEqual([]);
    for (const target of [`/_ingest/pipeline/${named}`, '/_component_template/marked', `/${encodeURIComponent('a&lt;b&gt;')}`])
      expect((await service.request('DELETE', target)).status).toBe(200);
    await page.browserContext().close();
  });

  test('every control is reached by Tab and shows that it has the focus', async () => {
    const { page, problems } = await openPage(opened.browser, `${service.url}/_console/#/tour`);
    for (const [name, hash, use] of PAGES) {
      await page.evaluate((to) => {
        location.hash = to;
      }, `#/${hash}`);
      await use(page);
      expect(await unreachedControls(page), name).toEqual([]);
    }
    expect(problems).toEqual([]);
    await page.browserContext().close();
  });

  test('a pipeline is made, an index is explored and a request is sent with the keyboard alone', async () => {
    const { page, problems } = await openPage(opened.browser, `${service.url}/_console/#/tour`);
    await page.waitForSelector('.tour-steps button:not(:disabled)');
    await tabTo(page, 'Manage');
    await page.keyboard.press('Enter');
    await page.waitForSelector('.manage-list');
    await tabTo(page, 'New pipeline');
    await page.keyboard.press('Enter');
    await page.waitForSelector('.manage-editor input');
    await tabTo(page, '', 'INPUT');
    await page.keyboard.type('by-keyboard');
    await tabTo(page, 'Save');
    await page.keyboard.press('Space');
    await waitForText(page, '.manage-list ul', 'by-keyboard');
    expect((await service.request('GET', '/_ingest/pipeline/by-keyboard')).status).toBe(200);
    await tabTo(page, 'Discover');
    await page.keyboard.press('Enter');
    await page.waitForSelector('.search-bar input');
    await tabTo(page, '', 'INPUT');
    await page.keyboard.type('Shanghai');
    await page.keyboard.press('Enter');
    await waitForText(page, '.discover-total', '1 document');
    await tabTo(page, 'country');
    await page.keyboard.press('Enter');
    await waitForText(page, '.field-list', 'CN');
    await tabTo(page, 'Requests');
    await page.keyboard.press('Enter');
    await page.waitForSelector('.cm-content');
    await tabTo(page, '', 'DIV');
    await press(page, 'Control', 'a');
    await page.keyboard.type('GET _cluster/health');
    await press(page, 'Control', 'Enter');
    await waitForText(page, '.badge', '200');
    await tabTo(page, '', 'INPUT');
    expect(await page.evaluate(() => document.activeElement?.closest('.answers') !== null)).toBe(true);
    expect(problems).toEqual([]);
    await service.request('DELETE', '/_ingest/pipeline/by-keyboard');
    await page.browserContext().close();
  });
});

async function expectNoMarkup(page: Page): Promise<void> {
  expect(await page.$$('img[src=x], main b > b, [onerror]')).toEqual([]);
}

/** Resolves when the page has been drawn in its present size, and its colours have changed to those of the theme. */
const painted = (page: Page): Promise<void> =>
  page.evaluate(async () => {
    await new Promise<void>((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve())));
    await Promise.allSettled(document.getAnimations().map(({ finished }) => finished));
  });

/** What is wider than the window, cut off without a sign of it, or covered by another control. */
function layoutFaults(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const found: string[] = [];
    const nameOf = (element: Element): string =>
      `${element.tagName.toLowerCase()}.${element.className} "${(element.textContent ?? '').slice(0, 30)}"`;
    const { scrollWidth } = document.documentElement;
    if (scrollWidth > innerWidth) found.push(`the page is ${scrollWidth - innerWidth} px wider than the window`);
    const controls = [...document.querySelectorAll<HTMLElement>('button, select, h1, h2, [role=tab]')].filter(
      (element) =>
        element.checkVisibility({ visibilityProperty: true, opacityProperty: true }) && !element.matches('.skip, .visually-hidden'),
    );
    for (const element of controls) {
      const style = getComputedStyle(element);
      const isCut = element.scrollWidth > element.clientWidth + 1 && style.overflowX !== 'visible' && style.textOverflow !== 'ellipsis';
      if (isCut && !element.querySelector('[class*=label], code, b, span')) found.push(`the text of ${nameOf(element)} is cut off`);
      const { left, right } = element.getBoundingClientRect();
      const scroller = element.closest('.table-scroll, .cm-scroller, .lane-scroll, .bars, .icicle, .data-table, .side');
      if (scroller === null && (left < -1 || right > innerWidth + 1)) found.push(`${nameOf(element)} is beyond the window`);
    }
    const boxes = controls
      .filter((element) => /^(?:BUTTON|SELECT)$/.test(element.tagName) && !element.closest('.icicle, .cm-editor'))
      .map((element) => [element, element.getBoundingClientRect()] as const);
    for (const [i, [a, first]] of boxes.entries()) {
      for (const [b, second] of boxes.slice(i + 1)) {
        const width = Math.min(first.right, second.right) - Math.max(first.left, second.left);
        const height = Math.min(first.bottom, second.bottom) - Math.max(first.top, second.top);
        const isShown = (element: Element, box: DOMRect): boolean => {
          const top = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
          return top !== null && (element.contains(top) || top.contains(element));
        };
        if (width > 2 && height > 2 && !a.contains(b) && !b.contains(a) && isShown(a, first) !== isShown(b, second))
          found.push(`${nameOf(a)} and ${nameOf(b)} overlap`);
      }
    }
    return found;
  });
}

/** The picture as grey cells, in base64. */
async function cellsOf(shot: Buffer): Promise<string> {
  const cells = await sharp(shot).greyscale().resize(COLUMNS, ROWS, { fit: 'fill', kernel: 'cubic' }).raw().toBuffer();
  return cells.toString('base64');
}

function differences(where: string, expected: string | undefined, seen: string): string[] {
  if (expected === undefined) return [`${where}: pages.json has no picture of it`];
  const [before, now] = [Buffer.from(expected, 'base64'), Buffer.from(seen, 'base64')];
  const apart = [...now].map((cell, i) => Math.abs(cell - before[i]));
  const mean = apart.reduce((sum, value) => sum + value, 0) / apart.length;
  const others = apart.filter((value) => value > OTHER_LOOK).length / apart.length;
  return mean > MAX_MEAN || others > MAX_OTHERS
    ? [`${where}: looks different: mean ${mean.toFixed(1)}, ${(others * 100).toFixed(1)} % of the cells`]
    : [];
}

async function savePicture(name: string, shot: Buffer): Promise<void> {
  const folder = process.env.DOCS_PICTURES;
  if (folder === undefined) return;
  mkdirSync(folder, { recursive: true });
  await sharp(shot)
    .png({ palette: true, colours: 64, effort: 10 })
    .toFile(path.join(folder, `${name}.png`));
}

/** Presses Tab through the whole page. @returns the controls that never had the focus, or did not show it */
async function unreachedControls(page: Page): Promise<string[]> {
  await page.evaluate(() => {
    (document.activeElement as HTMLElement | null)?.blur();
    for (const element of document.querySelectorAll('[data-reached]')) element.removeAttribute('data-reached');
  });
  const hidden: string[] = [];
  let ends = 0;
  for (let presses = 0; presses < 400; presses++) {
    // In an editor, Escape makes the next Tab leave it.
    if (await page.evaluate(() => document.activeElement?.closest('.cm-editor') !== null)) await page.keyboard.press('Escape');
    await page.keyboard.press('Tab');
    const step = await page.evaluate(() => {
      const { activeElement } = document;
      if (activeElement === null || activeElement === document.body) return 'end';
      if (activeElement.hasAttribute('data-reached')) return 'known';
      activeElement.setAttribute('data-reached', '');
      const { outlineStyle, boxShadow, borderColor } = getComputedStyle(activeElement);
      const shows = outlineStyle !== 'none' || boxShadow !== 'none' || activeElement.closest('.cm-editor, :focus-within[class]') !== null;
      return shows ? 'on' : `${activeElement.tagName} ${activeElement.className} shows no focus (${borderColor})`;
    });
    // The first Tab goes on from where the focus was last, so the end of the page is passed once.
    if (step === 'end') ends++;
    if (step === 'known' || ends === 2) break;
    if (step !== 'on' && step !== 'end') hidden.push(step);
  }
  const unreached = await page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>('button, a[href], input, select, textarea, summary')]
      .filter(
        (element) =>
          element.checkVisibility({ visibilityProperty: true }) &&
          !element.matches(':disabled, [tabindex="-1"], [type=radio]') &&
          !element.closest('.cm-editor, [inert], [aria-hidden=true]') &&
          !element.hasAttribute('data-reached'),
      )
      .map((element) => `${element.tagName} ${element.className} "${(element.textContent ?? '').slice(0, 30)}" is not reached`),
  );
  return [...hidden, ...unreached];
}

/** Presses Tab until a control of `main` or the navigation with this text, or with this tag, has the focus. @throws Error there is none */
async function tabTo(page: Page, text: string, tag?: string): Promise<void> {
  for (let presses = 0; presses < 300; presses++) {
    if (await page.evaluate(() => document.activeElement?.closest('.cm-editor') !== null)) await page.keyboard.press('Escape');
    await page.keyboard.press('Tab');
    const isThere = await page.evaluate(
      (wanted, wantedTag) => {
        const { activeElement } = document;
        if (activeElement === null || activeElement === document.body) return false;
        return wantedTag === undefined ? (activeElement.textContent ?? '').includes(wanted) : activeElement.tagName === wantedTag;
      },
      text,
      tag,
    );
    if (isThere) return;
  }
  throw new Error(`Tab does not reach [${text}${tag ?? ''}]`);
}
