import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { slowLevel, slowThresholds } from '../../../src/metadata/settings/slow-log-thresholds.ts';
import { SlowLogs } from '../../../src/node/main/slow-logs.ts';
import { openRestNode, type RestNode } from '../../support/rest-node.ts';

describe('thresholds of the slow log', () => {
  test('name the most severe level that was exceeded', () => {
    const thresholds = slowThresholds({
      'index.search.slowlog.threshold.query.warn': '1s',
      'index.search.slowlog.threshold.query.debug': '10ms',
      'index.search.slowlog.threshold.fetch.info': '-1',
    });
    const levels = [5, 10, 11, 999, 1001].map((ms) => slowLevel(thresholds?.query ?? null, ms));
    expect(levels).toEqual([null, null, 'debug', 'debug', 'warn']);
    expect(thresholds?.fetch).toBeNull();
  });

  test('are none without settings', () => {
    expect(slowThresholds({ 'index.search.slowlog.threshold.query.warn': '-1' })).toBeNull();
    expect(slowThresholds({})).toBeNull();
  });
});

describe('the slow log of an index', () => {
  let node: RestNode;
  beforeAll(async () => {
    node = await openRestNode();
    await node.ok('PUT /slow', {
      settings: {
        'index.number_of_shards': 2,
        'index.search.slowlog.threshold.query.warn': '0ms',
        'index.search.slowlog.threshold.fetch.trace': '0ms',
        'index.indexing.slowlog.threshold.index.info': '0ms',
        'index.indexing.slowlog.source': '10',
      },
    });
    await node.ok('PUT /fast', {});
  });
  afterAll(() => node.close());

  const entries = async (): Promise<Record<string, unknown>[]> => (await node.ok('GET /_slowlog')).entries;

  test('has the documents that were indexed, with the beginning of their source, and no deletions', async () => {
    await node.ok('PUT /slow/_doc/1?refresh=true&routing=q', { t: 'é fox jumps' });
    await node.send('DELETE /slow/_doc/2');
    await node.ok('PUT /fast/_doc/1?refresh=true', { t: 'a fox' });
    // Messages of the indexer and requests of the reader reach main on different channels.
    await expect.poll(entries).not.toEqual([]);
    const [entry, ...others] = await entries();
    expect(others).toEqual([]);
    expect(entry).toMatchObject({
      level: 'info',
      phase: 'index',
      index: 'slow',
      id: '1',
      routing: 'q',
      source: '{"t":"é fox'.slice(0, 10),
    });
    expect(entry.took_millis).toBeGreaterThan(0);
  });

  test('has the query phase of each shard, and the fetch phase of shards with hits', async () => {
    const body = { query: { match: { t: 'fox' } } };
    await node.ok('POST /slow,fast/_search', body);
    const found = (await entries()).filter(({ phase }) => phase !== 'index');
    expect(found.map(({ phase, level, index }) => [phase, level, index])).toEqual([
      ['fetch', 'trace', 'slow'],
      ['query', 'warn', 'slow'],
      ['query', 'warn', 'slow'],
    ]);
    expect(found[0]).toMatchObject({
      source: JSON.stringify(body),
      search_type: 'query_then_fetch',
      total_shards: 3,
      total_hits: { value: 1 },
    });
    await node.ok('POST /fast/_search', body);
    expect(await entries()).toHaveLength(4);
  });

  test('ends when the thresholds are removed', async () => {
    await node.ok('PUT /slow/_settings', {
      'index.search.slowlog.threshold.query.warn': null,
      'index.search.slowlog.threshold.fetch.trace': '-1',
      'index.indexing.slowlog.threshold.index.info': null,
    });
    const before = await entries();
    await node.ok('POST /slow/_search', {});
    await node.ok('PUT /slow/_doc/3', { t: 'x' });
    expect(await entries()).toEqual(before);
  });

  test('refuses invalid settings', async () => {
    for (const [name, value, reason] of [
      ['index.indexing.slowlog.source', 'x', 'Failed to parse value [x] as only [true] or [false] are allowed.'],
      ['index.search.slowlog.include.user', 'x', 'Failed to parse value [x] as only [true] or [false] are allowed.'],
    ]) {
      const { status, json } = await node.send('PUT /wrong', { settings: { [name]: value } });
      expect([status, json.error.reason]).toEqual([400, reason]);
    }
  });
});

describe('the files of the slow log', () => {
  test('have lines as Elasticsearch 8 writes them', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'gannet-slow-'));
    const logs = new SlowLogs(
      folder,
      () => ({ clusterName: 'c', clusterUuid: 'u', nodeId: 'n', nodeName: 'node' }),
      (message) => expect.fail(message),
    );
    const common = { timeMs: 0, index: 'a', indexUuid: 'x', shard: 1, source: '{}', level: 'warn' } as const;
    const search = { type: 'QUERY_THEN_FETCH', totalHits: { value: 1, relation: 'eq' }, totalShards: 2, user: null } as const;
    logs.add({ ...common, phase: 'query', tookMs: 47.46, id: 'me', search });
    logs.add({ ...common, phase: 'index', tookMs: 0.7473, id: '1', routing: 'q' });
    logs.close();
    const read = (name: string): unknown => JSON.parse(readFileSync(path.join(folder, name), 'utf8'));
    expect(read('index_search_slowlog.json')).toMatchObject({
      '@timestamp': '1970-01-01T00:00:00.000Z',
      'log.level': 'WARN',
      'elasticsearch.slowlog.id': 'me',
      'elasticsearch.slowlog.message': '[a][1]',
      'elasticsearch.slowlog.took': '47.4ms',
      'elasticsearch.slowlog.took_millis': '47',
      'elasticsearch.slowlog.total_hits': '1 hits',
      'elasticsearch.slowlog.total_shards': '2',
      'log.logger': 'index.search.slowlog.query',
    });
    expect(read('index_indexing_slowlog.json')).toMatchObject({
      'elasticsearch.slowlog.message': '[a/x]',
      'elasticsearch.slowlog.routing': 'q',
      'elasticsearch.slowlog.took': '747.3micros',
      'log.logger': 'index.indexing.slowlog.index',
    });
    expect(logs.recent().map(({ phase }) => phase)).toEqual(['index', 'query']);
    rmSync(folder, { recursive: true });
  });

  test('that cannot be opened are reported once, and the entries are kept', () => {
    const errors: string[] = [];
    const node = () => ({ clusterName: 'c', clusterUuid: 'u', nodeId: 'n', nodeName: 'node' });
    const logs = new SlowLogs(path.join(tmpdir(), 'gannet-no-such-folder'), node, (message) => errors.push(message));
    for (const tookMs of [1, 2])
      logs.add({ timeMs: 0, index: 'a', indexUuid: 'x', shard: 0, source: '', level: 'warn', phase: 'index', tookMs, id: null });
    expect(errors).toHaveLength(1);
    expect(errors[0]).toContain('ENOENT');
    expect(logs.recent().map(({ tookMs }) => tookMs)).toEqual([2, 1]);
    logs.close();
  });
});
