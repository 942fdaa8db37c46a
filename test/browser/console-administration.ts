// Flows of those who look after a service: indices, definitions, the slow log, imports.
import { expect, test } from 'vitest';
import type { WatchedPage } from '../support/browsers.ts';
import type { TestService } from '../support/service.ts';
import { clickText, finish, MARKUP, setText, textOf, waitForText } from './console-page.ts';

/** Defines the tests. @param service  has the index `books` when tests run @param open  opens a page of the console */
export function testAdministration(service: () => TestService, open: (hash: string) => Promise<WatchedPage>): void {
  test('creates an index, changes its settings, and deletes it', async () => {
    const watched = await open('#/indices?index=books');
    const { page } = watched;
    await waitForText(page, '.index-view', MARKUP);
    expect(await page.$$('main img')).toEqual([]);
    await clickText(page, 'button', 'New index');
    await page.type('.new-index input', 'drafts');
    await clickText(page, '.new-index button', 'Add field');
    await page.type('.new-field input', 'status');
    await clickText(page, '.new-index button', 'Create');
    await waitForText(page, '.index-head', 'drafts');
    await waitForText(page, '.index-view', 'status');
    await clickText(page, '[role=tab]', 'Settings');
    await page.waitForSelector('.settings-editor textarea');
    await page.$eval('.settings-editor textarea', (area) => {
      (area as HTMLTextAreaElement).value = JSON.stringify({
        ...JSON.parse((area as HTMLTextAreaElement).value),
        'index.refresh_interval': '7s',
      });
      area.dispatchEvent(new InputEvent('input', { bubbles: true }));
    });
    await waitForText(page, '.diff', 'index.refresh_interval: "7s"');
    await clickText(page, '.settings-changes button', 'Save 1 change');
    await waitForText(page, '.toast', 'Settings saved');
    const { body } = await service().request('GET', '/drafts/_settings');
    expect(body.drafts.settings.index.refresh_interval).toBe('7s');
    await clickText(page, '[role=tab]', 'Aliases');
    await page.waitForSelector('[aria-label="New alias"] input');
    await page.type('[aria-label="New alias"] input', 'sketches');
    await clickText(page, 'button', 'Add alias');
    await page.waitForSelector('[aria-label="Remove the alias sketches"]');
    expect((await service().request('HEAD', '/_alias/sketches')).status).toBe(200);
    await page.click('[aria-label="Remove the alias sketches"]');
    await waitForText(page, '.index-view', 'no aliases');
    await clickText(page, '.index-head button', 'Delete');
    await clickText(page, '.index-head button', 'permanently?');
    await waitForText(page, '.toast', 'drafts was deleted');
    expect((await service().request('HEAD', '/drafts')).status).toBe(404);
    await finish(watched);
  });

  test('creates a pipeline after simulating it, and deletes it', async () => {
    const watched = await open('#/manage');
    const { page } = watched;
    await clickText(page, 'button', 'New pipeline');
    await page.waitForSelector('.manage-editor textarea');
    await page.type('.manage-editor input', 'loud');
    await setText(
      page,
      '.manage-editor textarea',
      JSON.stringify({ processors: [{ uppercase: { field: 'title' } }, { remove: { field: 'x' } }] }),
    );
    await setText(page, '.simulation textarea', JSON.stringify({ title: MARKUP }));
    await clickText(page, '.simulation button', 'Simulate');
    await waitForText(page, '.steps', 'uppercase');
    await waitForText(page, '.steps ins', MARKUP.toUpperCase());
    await waitForText(page, '.steps', "field [x] doesn't exist");
    await clickText(page, '.manage-editor button', 'Save');
    await waitForText(page, '.manage-list ul', 'loud');
    const { body } = await service().request('GET', '/_ingest/pipeline/loud');
    expect(body.loud.processors).toHaveLength(2);
    await clickText(page, '.manage-editor button', 'Delete');
    await clickText(page, '.manage-editor button', 'permanently?');
    await waitForText(page, '.manage-list', 'There is none yet');
    await finish(watched);
  });

  test('lists the definitions of each kind', async () => {
    const template = { index_patterns: ['zz-*'], template: { settings: { number_of_replicas: 0 } } };
    await service().request('PUT', '/_index_template/zz', template);
    const watched = await open('#/manage?part=templates');
    const { page } = watched;
    await clickText(page, '.manage-list li button', 'zz');
    await page.waitForSelector('.manage-editor textarea');
    expect(await page.$eval('.manage-editor textarea', (area) => JSON.parse((area as HTMLTextAreaElement).value).index_patterns)).toEqual([
      'zz-*',
    ]);
    for (const [tab, text] of [
      ['Component templates', 'New component template'],
      ['Lifecycles', 'New lifecycle policy'],
      ['Repositories', 'New repository'],
      ['Snapshot policies', 'New snapshot policy'],
      ['Users', 'New user'],
      ['Roles', 'New role'],
    ]) {
      await clickText(page, '[role=tab]', tab);
      await waitForText(page, '.manage-list', text);
    }
    await clickText(page, '[role=tab]', 'Snapshots');
    await waitForText(page, '.snapshots', 'need a repository');
    await clickText(page, '[role=tab]', 'API keys');
    await waitForText(page, '.new-key', 'Roles that limit it');
    await service().request('DELETE', '/_index_template/zz');
    await finish(watched);
  });

  test('shows the slow log as it grows', async () => {
    await service().request('PUT', '/snails', { settings: { 'index.search.slowlog.threshold.query.warn': '0ms', number_of_replicas: 0 } });
    const watched = await open('#/indices');
    const { page } = watched;
    await page.waitForSelector('.slow-log');
    await service().request('POST', '/snails/_search', { query: { match: { title: MARKUP } } });
    await waitForText(page, '.slow-log tbody', 'snails');
    expect(await page.$$('main img')).toEqual([]);
    await clickText(page, '.slow-log .link', 'title');
    await waitForText(page, '.cm-content', 'POST snails/_search');
    await service().request('DELETE', '/snails');
    await finish(watched);
  });

  test('imports a file that is dropped, and shows the lines that were rejected', async () => {
    const watched = await open('#/indices');
    const { page } = watched;
    await page.waitForSelector('.index-list');
    const lines = [
      'name,year,opened',
      `"${MARKUP}, north",1890,1890-05-01`,
      'bad,1890.5,1891-05-01',
      'late,1900,never',
      'good,1910,1911-01-01',
    ];
    await page.evaluate((text) => {
      const data = new DataTransfer();
      data.items.add(new File([text], 'My Piers.csv'));
      const target = document.querySelector('.indices');
      for (const type of ['dragover', 'drop'])
        target?.dispatchEvent(new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true }));
    }, lines.join('\n'));
    await page.waitForSelector('.import-form textarea');
    expect(await page.$eval('.import-form input', (input) => (input as HTMLInputElement).value)).toBe('my-piers');
    await page.$eval('.import-form textarea', (area) => {
      (area as HTMLTextAreaElement).value = JSON.stringify({
        name: { type: 'text' },
        year: { type: 'integer' },
        opened: { type: 'date' },
      });
      area.dispatchEvent(new InputEvent('input', { bubbles: true }));
    });
    await clickText(page, '.import-form button', 'Import');
    await waitForText(page, '.import-progress', 'Discover my-piers');
    await waitForText(page, '.rejected', '1 line rejected');
    expect(await textOf(page, '.rejected tbody')).toContain('never');
    await waitForText(page, '.index-list', 'my-piers');
    const { body } = await service().request('POST', '/my-piers/_search', { sort: 'year' });
    expect(body.hits.hits.map((hit: { _source: unknown }) => hit._source)).toEqual([
      { name: `${MARKUP}, north`, year: 1890, opened: '1890-05-01' },
      { name: 'bad', year: 1890.5, opened: '1891-05-01' },
      { name: 'good', year: 1910, opened: '1911-01-01' },
    ]);
    expect(await page.$$('main img')).toEqual([]);
    await service().request('DELETE', '/my-piers');
    await finish(watched);
  });
}
