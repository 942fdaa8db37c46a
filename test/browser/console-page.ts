// What tests of the console in a browser share: steps of a user, and the checks at the end of each test.
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { Page } from 'puppeteer-core';
import { expect } from 'vitest';
import type { WatchedPage } from '../support/browsers.ts';

const root = path.resolve(import.meta.dirname, '../..');
export const isConsoleBuilt =
  existsSync(path.join(root, 'dist/console/index.html.gz')) && existsSync(path.join(root, 'dist/service/service-process.js'));
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** Runs a script and adds an element wherever it is shown as HTML. */
export const MARKUP = '<img src=x onerror=alert(1)>';

/** No problem was reported, and axe-core finds no serious fault. */
export async function finish({ page, problems }: WatchedPage): Promise<void> {
  expect(await seriousFaults(page)).toEqual([]);
  expect(problems).toEqual([]);
  await page.browserContext().close();
}

/** What axe-core considers serious or critical. */
export async function seriousFaults(page: Page): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(AXE);
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as {
      axe: {
        run(options: unknown): Promise<{ violations: { id: string; impact: string; nodes: { html: string; failureSummary: string }[] }[] }>;
      };
    };
    const { violations } = await axe.run({ resultTypes: ['violations'] });
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }) => `${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).join('; ')}`);
  });
}

export async function writeSheet(page: Page, text: string): Promise<void> {
  await page.waitForSelector('.pane .cm-content');
  await page.focus('.cm-content');
  await press(page, 'Control', 'a');
  await page.keyboard.press('Backspace');
  // Typing would close brackets and open completion.
  if (text.includes('\n')) {
    await page.evaluate((added) => document.execCommand('insertText', false, added), text);
    await press(page, 'Control', 'Home');
  } else await page.keyboard.type(text);
}

export async function press(page: Page, modifier: 'Control', key: 'Enter' | 'a' | 'Home'): Promise<void> {
  await page.keyboard.down(modifier);
  await page.keyboard.press(key);
  await page.keyboard.up(modifier);
}

/** Waits until a name is the first completion, and accepts it. @param typed  text to type before */
export async function choose(page: Page, name: string, typed = ''): Promise<void> {
  if (typed !== '') await page.keyboard.type(typed);
  // A list that just opened ignores keys for a moment, but not the mouse. Both are one step, since lists are rendered again as they are filtered.
  await page.waitForFunction(
    (wanted) => {
      const first = document.querySelector('.cm-tooltip-autocomplete li[aria-selected]');
      if (first?.querySelector('.cm-completionLabel')?.textContent !== wanted) return false;
      first.dispatchEvent(new MouseEvent('mousedown', { bubbles: true, cancelable: true }));
      return true;
    },
    {},
    name,
  );
}

export async function waitForText(page: Page, selector: string, text: string): Promise<void> {
  await page.waitForFunction((found, wanted) => document.querySelector(found)?.textContent?.includes(wanted), {}, selector, text);
}

/** Clicks the first element of a selector that has this text, once there is one. */
export async function clickText(page: Page, selector: string, text: string): Promise<void> {
  await page.waitForFunction(
    (found, wanted) => {
      const match = [...document.querySelectorAll<HTMLElement>(found)].find((element) => element.textContent?.includes(wanted));
      match?.click();
      return match !== undefined;
    },
    {},
    selector,
    text,
  );
}

/** Replaces the text of an area at once. */
export async function setText(page: Page, selector: string, text: string): Promise<void> {
  await page.waitForSelector(selector);
  await page.$eval(
    selector,
    (area, value) => {
      (area as HTMLTextAreaElement).value = value;
      area.dispatchEvent(new InputEvent('input', { bubbles: true }));
    },
    text,
  );
}

export async function textOf(page: Page, selector: string): Promise<string> {
  await page.waitForSelector(selector);
  return page.$eval(selector, (element) => element.textContent ?? '');
}

export async function logIn(page: Page, user: string, password: string): Promise<void> {
  await page.waitForSelector('.login form button:not(:disabled)');
  await page.$$eval(
    '.login input:not([type=radio])',
    (inputs, values) => {
      for (const [i, input] of inputs.entries()) (input as HTMLInputElement).value = values[i];
    },
    [user, password],
  );
  await page.click('.login button[type=submit]');
}
