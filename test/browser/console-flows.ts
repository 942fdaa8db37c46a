// What users do in the console, in a real browser against a real service. Messages on the browser's console, violations of the content security
// policy and serious faults that axe-core finds fail each test. Skipped where the browser is missing or the project is not built.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { arrowText, branchingPart, tokenGraph } from '../../src/console/analysis/token-graph.ts';
import { hashPassword } from '../../src/security/password-hash.ts';
import { type BrowserKind, browserPath, type OpenBrowser, openBrowser, openPage, type WatchedPage } from '../support/browsers.ts';
import { startService, type TestService } from '../support/service.ts';
import { testAdministration } from './console-administration.ts';
import {
  choose,
  clickText,
  finish,
  isConsoleBuilt,
  logIn,
  MARKUP,
  press,
  setText,
  textOf,
  waitForText,
  writeSheet,
} from './console-page.ts';

/** Defines the tests for a browser. */
export function testConsole(kind: BrowserKind): void {
  describe.skipIf(browserPath(kind) === null || !isConsoleBuilt)(`the console in ${kind}`, () => {
    let service: TestService;
    let opened: OpenBrowser;

    beforeAll(async () => {
      [service, opened] = await Promise.all([startService(), openBrowser(kind)]);
      const lines = ['Dune', 'Emma', 'Ulysses', MARKUP].flatMap((title, i) => [
        JSON.stringify({ index: { _id: String(i) } }),
        JSON.stringify({
          title,
          genre: i % 2 === 0 ? 'novel' : MARKUP,
          year: 1900 + i * 20,
          published: `19${10 + i}-05-01`,
          [MARKUP]: 'field',
        }),
      ]);
      await service.request('PUT', '/books', {
        settings: { number_of_replicas: 0 },
        mappings: {
          properties: { title: { type: 'text' }, genre: { type: 'keyword' }, year: { type: 'integer' }, published: { type: 'date' } },
        },
      });
      await service.request('POST', '/books/_bulk?refresh=true', `${lines.join('\n')}\n`);
    });

    afterAll(async () => {
      await Promise.all([opened?.close(), service?.stop()]);
    });

    const open = (hash: string, expectedStatuses: readonly number[] = []): Promise<WatchedPage> =>
      openPage(opened.browser, `${service.url}/_console/${hash}`, expectedStatuses);

    describe('requests', () => {
      test('run at the cursor with Ctrl-Enter, and show the response', async () => {
        const watched = await open('#/requests');
        const { page } = watched;
        await writeSheet(page, 'POST books/_search\n{ "query": { "match": { "title": "dune" } } }\n');
        await press(page, 'Control', 'Enter');
        expect(await textOf(page, '.badge')).toContain('200');
        expect(await textOf(page, '.facts')).toContain('1 hit');
        await waitForText(page, '.answers', 'Dune');
        await waitForText(page, '[role=status]:not(.toast)', 'POST /books/_search: 200 OK');
        await finish(watched);
      });

      test('keep the sheet over a reload', async () => {
        const watched = await open('#/requests');
        await writeSheet(watched.page, 'GET _cat/health');
        await watched.page.reload();
        await waitForText(watched.page, '.cm-content', 'GET _cat/health');
        await finish(watched);
      });

      test('are completed from routes, indices, the query DSL and mappings', async () => {
        const watched = await open('#/requests');
        const { page } = watched;
        await writeSheet(page, 'POST bo');
        await choose(page, 'books');
        await page.keyboard.type('/_sea');
        await choose(page, '_search');
        await page.keyboard.type('\n{ que');
        await choose(page, 'query');
        await choose(page, 'match', 'mat');
        await choose(page, 'title', 'tit');
        await page.keyboard.type('"emma"');
        await press(page, 'Control', 'Enter');
        await waitForText(page, '.answers', 'Emma');
        await finish(watched);
      });

      test('underline an error at the position that the service reports', async () => {
        const watched = await open('#/requests', [400]);
        const { page } = watched;
        await writeSheet(page, 'POST books/_search\n{\n  "query": {\n    "nonsense": {}\n  }\n}\n');
        await press(page, 'Control', 'Enter');
        expect(await textOf(page, '.badge')).toContain('400');
        await page.waitForSelector('.cm-lintRange-error');
        const line = await page.$eval('.cm-lintRange-error', (mark) => mark.closest('.cm-line')?.textContent);
        expect(line).toContain('"nonsense"');
        await finish(watched);
      });

      test('show markup in documents and names as text', async () => {
        const watched = await open('#/requests');
        const { page } = watched;
        await writeSheet(
          page,
          `POST books/_search\n{ "query": { "match": { "title": "img" } }, "highlight": { "fields": { "title": {} } } }\n`,
        );
        await press(page, 'Control', 'Enter');
        await waitForText(page, '.answers', MARKUP);
        expect(await page.$$('.answers img')).toEqual([]);
        await finish(watched);
      });
    });

    test('shows hits as a table and cards, and buckets as bars that filter the request', async () => {
      const watched = await open('#/requests');
      const { page } = watched;
      await writeSheet(page, 'POST books/_search\n{ "aggs": { "genres": { "terms": { "field": "genre" } } } }\n');
      await press(page, 'Control', 'Enter');
      await clickText(page, '[role=tab]', 'Hits');
      await waitForText(page, '.data-table', MARKUP);
      await clickText(page, '.segmented button', 'Cards');
      await waitForText(page, '.hit-cards', 'Ulysses');
      await clickText(page, '[role=tab]', 'Charts');
      await clickText(page, '.bar-label', 'novel');
      await waitForText(page, '.pane .cm-content', '"term"');
      await waitForText(page, '.facts', '2 hits');
      expect(await page.$$('.answers img')).toEqual([]);
      await finish(watched);
    });

    test('shows cells of a grid on a map, the largest as a list for keyboards', async () => {
      const places = ['60.17,24.94', '60.17,24.95', '-33.87,151.21'].map((place, i) => [{ create: { _id: String(i) } }, { place }]);
      await service.request('PUT', '/places', { mappings: { properties: { place: { type: 'geo_point' } } } });
      const lines = places.flat().map((line) => `${JSON.stringify(line)}\n`);
      await service.request('POST', '/places/_bulk?refresh=true', lines.join(''));
      const watched = await open('#/requests');
      const { page } = watched;
      await writeSheet(page, 'POST places/_search\n{ "aggs": { "cells": { "geohash_grid": { "field": "place", "precision": 3 } } } }\n');
      await press(page, 'Control', 'Enter');
      await clickText(page, '[role=tab]', 'Charts');
      await page.waitForSelector('.cell-map');
      expect(await page.$$eval('.bars button', (bars) => bars.map(({ textContent }) => textContent))).toEqual(['ud92', 'r3g1']);
      await page.focus('.bars button');
      await page.keyboard.press('Enter');
      await waitForText(page, '.pane .cm-content', '"geo_bounding_box"');
      await waitForText(page, '.facts', '2 hits');
      await service.request('DELETE', '/places');
      await finish(watched);
    });

    test('explores an index by words, filters and values of fields', async () => {
      const watched = await open('#/discover?index=books');
      const { page } = watched;
      await waitForText(page, '.discover-total', '4 documents');
      await waitForText(page, '.data-table', MARKUP);
      expect(await page.$$('.discover-documents .column')).not.toEqual([]);
      await clickText(page, '.field-list summary', 'genre');
      await page.waitForSelector('.top-value button');
      await clickText(page, '.top-value:has([title=novel]) button', '−');
      await waitForText(page, '.discover-total', '2 documents');
      await waitForText(page, '[role=status]:not(.toast)', '2 documents');
      expect(await textOf(page, '.chips')).toContain('not genre: novel');
      await page.type('.search-bar input', 'emma');
      await page.keyboard.press('Enter');
      await waitForText(page, '.discover-total', '1 document');
      expect(await page.$$('main img')).toEqual([]);
      await finish(watched);
    });

    test('shows the profile of a search as an icicle', async () => {
      const watched = await open('#/requests');
      const { page } = watched;
      await writeSheet(
        page,
        'POST books/_search\n{ "profile": true, "query": { "bool": { "must": { "match": { "title": "dune" } }, "filter": { "range": { "year": { "gte": 0 } } } } } }\n',
      );
      await press(page, 'Control', 'Enter');
      await clickText(page, '[role=tab]', 'Profile');
      await clickText(page, '.icicle button', 'title:dune');
      await waitForText(page, '.node-details', 'title:dune');
      await finish(watched);
    });

    test('compares two searches, and explains the score of a hit as a sum', async () => {
      const watched = await open('#/requests');
      const { page } = watched;
      await writeSheet(page, 'POST books/_search\n{ "profile": true, "query": { "match": { "title": "dune emma" } } }\n');
      await press(page, 'Control', 'Enter');
      await clickText(page, '[role=tab]', 'Profile');
      await clickText(page, 'button', 'Compare with another request');
      await waitForText(page, '[aria-label="Request A"] .cm-content', 'dune emma');
      await clickText(page, 'button', 'Profile A');
      await page.waitForSelector('.profile-page .icicle');
      await clickText(page, '.why summary', 'Why');
      await waitForText(page, '.score-sum', '= title:');
      await waitForText(page, '.score-parts', 'It occurs 1 time');
      await clickText(page, 'button', 'Compare A and B');
      await waitForText(page, '.notice.error', 'B has no request');
      await clickText(page, 'button', 'Start from A');
      await clickText(page, 'button', 'Compare A and B');
      await page.waitForSelector('[aria-label="Profile of B"] .icicle');
      await waitForText(page, '.comparison', 'documents scored');
      expect(await textOf(page, '.verdict')).toMatch(/rounds/);
      expect(await textOf(page, '.comparison')).not.toContain('hits differ');
      await finish(watched);
    });

    test('analyzes a text in the browser as the service does', async () => {
      const watched = await open('#/analysis');
      const { page } = watched;
      await page.waitForSelector('.tokens li');
      await page.$eval('.analysis .field textarea', (area) => {
        (area as HTMLTextAreaElement).value = "The foxes' Häuser were running <b>fast</b>";
        area.dispatchEvent(new InputEvent('input', { bubbles: true }));
      });
      for (const preset of ['english', 'german', 'search as you type', 'HTML pages']) {
        await page.select('select[aria-label="Start from"]', preset);
        const chain = await page.$eval(
          '.chain textarea',
          (area) => JSON.parse((area as HTMLTextAreaElement).value) as Record<string, unknown>,
        );
        const { body } = await service.request('POST', '/_analyze', { ...chain, text: "The foxes' Häuser were running <b>fast</b>" });
        const expected = body.tokens.map(({ token }: { token: string }) => token);
        await page.waitForFunction(
          (wanted) =>
            JSON.stringify(
              [...(document.querySelector('.lane:last-child')?.querySelectorAll('.term') ?? [])].map((term) => term.textContent),
            ) === wanted,
          {},
          JSON.stringify(expected),
        );
      }
      await setText(page, '.analysis .field textarea', 'from NY to ny fast');
      await page.select('select[aria-label="Start from"]', 'synonyms of several words');
      const chain = JSON.parse(await page.$eval('.chain textarea', (area) => (area as HTMLTextAreaElement).value));
      const { body } = await service.request('POST', '/_analyze', { ...chain, text: 'from NY to ny fast' });
      const graph = tokenGraph(branchingPart(body.tokens))?.arrows.map(arrowText).join(', ') ?? '';
      expect(graph).toContain('ny from 1 to 3');
      await page.waitForSelector(`.token-graph [aria-label="${graph}"]`);
      await finish(watched);
    });

    testAdministration(() => service, open);

    test('loads a sample for the first steps, and removes it', async () => {
      const watched = await open('#/tour');
      const { page } = watched;
      await clickText(page, '.tour-sample button:not(:disabled)', 'Load the sample');
      await waitForText(page, '.toast', '2,000 cities were indexed');
      await clickText(page, '.tour-steps button:not(:disabled)', 'Profile them');
      await waitForText(page, '[aria-label="Request B"] .cm-content', 'wildcard');
      await clickText(page, 'button', 'Compare A and B');
      await page.waitForSelector('[aria-label="Profile of B"] .icicle');
      await page.evaluate(() => history.back());
      await clickText(page, '.tour-steps button:not(:disabled)', 'Discover the cities');
      await waitForText(page, '.discover-total', '2,000 documents');
      await page.evaluate(() => history.back());
      await clickText(page, '.tour-sample button:not(:disabled)', 'Remove the sample');
      await waitForText(page, '.tour-sample', 'Load the sample');
      expect((await service.request('HEAD', '/sample-cities')).status).toBe(404);
      await finish(watched);
    });

    test('draws metrics as they arrive', async () => {
      const watched = await open('#/metrics');
      await watched.page.waitForSelector('.uplot canvas');
      await waitForText(watched.page, '.page-head', '4 documents');
      await finish(watched);
    });

    test('browsers that request / are redirected to it, other clients are not', async () => {
      const { page } = await openPage(opened.browser, `${service.url}/`);
      expect(page.url()).toContain('/_console/');
      const answer = await fetch(`${service.url}/`, { headers: { accept: '*/*' } });
      expect(await answer.json()).toHaveProperty('version');
    });

    test('loads less than 350 KB for its first view', async () => {
      const watched = await open('#/requests');
      await watched.page.waitForSelector('.cm-content');
      const bytes = await watched.page.evaluate(() =>
        performance.getEntriesByType('resource').reduce((sum, entry) => sum + (entry as PerformanceResourceTiming).encodedBodySize, 0),
      );
      expect(bytes).toBeGreaterThan(50_000);
      expect(bytes).toBeLessThan(350 * 1024);
    });
  });

  describe.skipIf(browserPath(kind) === null || !isConsoleBuilt)(`the console of a service with users in ${kind}`, () => {
    test('requests a password, keeps it in the tab, and logs out', async () => {
      const config = mkdtempSync(path.join(tmpdir(), 'gannet-config-'));
      const user = `security.users:\n  ann: { password_hash: "${await hashPassword('pässword')}", roles: [superuser] }\n`;
      writeFileSync(path.join(config, 'gannet.yml'), user, { mode: 0o600 });
      const [service, opened] = await Promise.all([startService([`--path.config=${config}`]), openBrowser(kind)]);
      try {
        const watched = await openPage(opened.browser, `${service.url}/_console/#/indices`, [401]);
        const { page } = watched;
        await logIn(page, 'ann', 'wrong');
        await waitForText(page, '.login .notice', 'not valid');
        await logIn(page, 'ann', 'pässword');
        await waitForText(page, '.page-head', '0 indices');
        await page.reload();
        await waitForText(page, '.page-head', '0 indices');
        await clickText(page, '.side-end button', 'Log out');
        await page.waitForSelector('.login form');
        expect(await page.evaluate(() => sessionStorage.getItem('gannet.console.credentials'))).toBeNull();
        await finish(watched);
      } finally {
        await Promise.all([opened.close(), service.stop()]);
        rmSync(config, { recursive: true });
      }
    });
  });
}
