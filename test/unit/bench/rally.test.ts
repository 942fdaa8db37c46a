// The runner of Rally's tracks, against a small HTTP server that records its requests.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { percentile, runTrack } from '../../../bench/rally/runner.ts';
import { readTrack } from '../../../bench/rally/track.ts';
import { ServiceClient } from '../../../src/cli/service-client.ts';

function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'gannet-rally-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder, name), text);
  return folder;
}

/** A server that answers each request by `respond`. @returns its client, and `METHOD path body` of the requests */
async function recordingServer(respond: (line: string) => { status: number; body: unknown }) {
  const requests: string[] = [];
  const server = http.createServer((request, response) => {
    let text = '';
    request.on('data', (chunk) => {
      text += chunk;
    });
    request.on('end', () => {
      const line = `${request.method} ${request.url} ${text}`.trim();
      requests.push(line);
      const { status, body } = respond(line);
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const client = new ServiceClient(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, null);
  onTestFinished(async () => {
    client.close();
    await new Promise((resolve) => server.close(resolve));
  });
  return { client, requests };
}

const TRACK = {
  version: 2,
  indices: [{ name: 'cities', body: 'index.json' }],
  corpora: [{ name: 'c', documents: [{ 'source-file': 'c.ndjson', 'document-count': 5 }] }],
  operations: [
    { name: 'append', 'operation-type': 'bulk', 'bulk-size': 2 },
    { name: 'find', 'operation-type': 'search', index: 'cities', cache: false, body: { query: { match_all: {} } } },
    { name: 'broken', 'operation-type': 'search', index: 'absent', body: {} },
  ],
  challenges: [
    {
      name: 'all',
      schedule: [
        { operation: { 'operation-type': 'delete-index' } },
        { operation: { 'operation-type': 'create-index', settings: { 'index.number_of_shards': 3 } } },
        { operation: 'append', clients: 2 },
        { operation: { 'operation-type': 'force-merge', index: 'cities', 'max-num-segments': 1 } },
        { name: 'find-again', operation: 'find', 'warmup-iterations': 2, iterations: 3 },
        { operation: 'broken', iterations: 2 },
        { operation: 'find', iterations: 3, 'target-throughput': 1000 },
      ],
    },
  ],
};

test('carries out the tasks of a track in order, and counts what was refused', async () => {
  const folder = folderWith({
    'track.json': JSON.stringify(TRACK),
    'index.json': JSON.stringify({ settings: { 'index.number_of_replicas': 0 }, mappings: { properties: {} } }),
    'c.ndjson': Array.from({ length: 7 }, (_, i) => `{"n":${i}}\n`).join(''),
  });
  const { client, requests } = await recordingServer((line) =>
    line.includes('absent') ? { status: 404, body: { error: { reason: 'no such index' } } } : { status: 200, body: { errors: false } },
  );
  const results = await runTrack(readTrack(path.join(folder, 'track.json'), null), client);
  const bulks = requests.filter((line) => line.includes('_bulk'));
  // Two clients: their bulks may arrive in any order. The corpus ends after the documents that the track states.
  expect(bulks.sort()).toEqual([
    'POST /cities/_bulk {"index":{}}\n{"n":0}\n{"index":{}}\n{"n":1}',
    'POST /cities/_bulk {"index":{}}\n{"n":2}\n{"index":{}}\n{"n":3}',
    'POST /cities/_bulk {"index":{}}\n{"n":4}',
  ]);
  expect(requests.filter((line) => !line.includes('_bulk'))).toEqual([
    'DELETE /cities?ignore_unavailable=true',
    'PUT /cities {"settings":{"index.number_of_replicas":0,"index.number_of_shards":3},"mappings":{"properties":{}}}',
    'POST /cities/_forcemerge?max_num_segments=1',
    ...Array.from({ length: 5 }, () => 'POST /cities/_search?request_cache=false {"query":{"match_all":{}}}'),
    'POST /absent/_search {}',
    'POST /absent/_search {}',
    ...Array.from({ length: 3 }, () => 'POST /cities/_search?request_cache=false {"query":{"match_all":{}}}'),
  ]);
  expect(results.map(({ name, operations, errors, unit }) => [name, operations, errors, unit])).toEqual([
    ['delete-index', 1, 0, 'ops/s'],
    ['create-index', 1, 0, 'ops/s'],
    ['append', 3, 0, 'docs/s'],
    ['force-merge', 1, 0, 'ops/s'],
    ['find-again', 3, 0, 'ops/s'],
    ['broken', 0, 2, 'ops/s'],
    ['find', 3, 0, 'ops/s'],
  ]);
});

test('names the first error of a task', async () => {
  const folder = folderWith({ 'track.json': JSON.stringify(TRACK), 'index.json': '{}', 'c.ndjson': '{}\n'.repeat(5) });
  const { client } = await recordingServer((line) =>
    line.includes('_bulk') ? { status: 200, body: { errors: true } } : { status: 503, body: { error: { reason: 'starting' } } },
  );
  const results = await runTrack(readTrack(path.join(folder, 'track.json'), null), client);
  expect(results.map(({ firstError }) => firstError).slice(0, 3)).toEqual(['starting', 'starting', 'bulk: 200 {"errors":true}']);
});

test('refuses unsupported features by name', () => {
  const refuse = (change: object, challenge: string | null = null) => {
    const folder = folderWith({ 'track.json': JSON.stringify({ ...TRACK, ...change }), 'index.json': '{}' });
    return () => readTrack(path.join(folder, 'track.json'), challenge);
  };
  expect(refuse({ schedule: [{ parallel: { tasks: [] } }] })).toThrow('[parallel] is not carried out');
  expect(refuse({ operations: [{ name: 'x', 'operation-type': 'esql' }] })).toThrow('operation [x]: type [esql] is not carried out');
  expect(refuse({ operations: [{ name: 'x', 'operation-type': 'search', pages: 3 }] })).toThrow(
    'operation [x]: [pages] is not carried out',
  );
  expect(refuse({ schedule: [{ operation: 'find', 'time-period': 10 }] })).toThrow('task: [time-period] is not carried out');
  expect(refuse({ schedule: [{ operation: 'find', clients: 0 }] })).toThrow('[clients] must be a whole number from 1, got [0]');
  expect(refuse({}, 'other')).toThrow('no challenge [other]; there are [all]');
  expect(refuse({ description: '{{ x }}' })).toThrow('is a Jinja template: expand it first');
});

test('a corpus that is too short is an error', async () => {
  const folder = folderWith({ 'track.json': JSON.stringify(TRACK), 'index.json': '{}', 'c.ndjson': '{}\n' });
  const { client } = await recordingServer(() => ({ status: 200, body: { errors: false } }));
  await expect(runTrack(readTrack(path.join(folder, 'track.json'), null), client)).rejects.toThrow('has 1 documents, the track says 5');
});

test('the track of the cities can be read', () => {
  const track = readTrack(path.resolve(import.meta.dirname, '../../../bench/rally/tracks/cities/track.json'), null);
  expect(track.tasks.length).toBeGreaterThan(10);
  expect(track.documents).toMatchObject([{ count: 135_233, index: 'rally-cities' }]);
});

test('percentiles are by nearest rank', () => {
  expect(percentile([1, 2, 3, 4], 0.5)).toBe(2);
  expect(percentile([1, 2, 3, 4], 0.99)).toBe(4);
  expect(percentile([], 0.5)).toBeNaN();
});
