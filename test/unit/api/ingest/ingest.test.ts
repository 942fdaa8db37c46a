import { beforeEach, expect, test } from 'vitest';
import type { EngineContext } from '../../../../src/api/core/context.ts';
import { NO_CONDITIONS } from '../../../../src/api/core/write.ts';
import { bulk } from '../../../../src/api/documents/bulk.ts';
import { getSource } from '../../../../src/api/documents/get-document.ts';
import { indexDocument, updateDocument } from '../../../../src/api/documents/write-document.ts';
import { deletePipeline, getPipelines, putPipeline } from '../../../../src/api/ingest/pipelines.ts';
import { toPlain } from '../../../../src/common/json/json-write.ts';
import { oneChunk } from '../../../../src/common/one-chunk.ts';
import { fakeEngine } from '../../../support/fake-engine.ts';

let engine: EngineContext;

const CREATE = { refresh: 'false', requireAlias: false, routing: null, conditions: NO_CONDITIONS } as const;
const WHOLE = { routing: null, realtime: true, refresh: false, version: null, storedFields: [] } as const;

const set = (field: string, value: unknown) => ({ processors: [{ set: { field, value } }] });

function write(index: string, id: string | null, source: object, pipeline: string | null = null, more = {}) {
  return indexDocument(engine, { ...CREATE, index, id, source: Buffer.from(JSON.stringify(source)), opType: 'index', pipeline, ...more });
}

async function read(index: string, id: string): Promise<unknown> {
  const source = { enabled: true, includes: [], excludes: [] };
  return JSON.parse(((await getSource(engine, { ...WHOLE, index, id, source })) as { text: string }).text);
}

beforeEach(async () => {
  engine = fakeEngine();
  await putPipeline(engine, 'one', set('one', 1));
  await putPipeline(engine, 'two', set('two', 2));
  await putPipeline(engine, 'away', set('_index', 'other'));
});

test('pipelines are stored, listed by pattern and deleted', async () => {
  expect(Object.keys(getPipelines(engine, 'o*,two')!)).toEqual(['one', 'two']);
  expect(getPipelines(engine, 'none')).toBeNull();
  await deletePipeline(engine, 't*');
  expect(Object.keys(getPipelines(engine, null)!)).toEqual(['one', 'away']);
  await expect(deletePipeline(engine, 'two') as Promise<unknown>).rejects.toMatchObject({
    status: 404,
    type: 'resource_not_found_exception',
  });
});

test('the requested pipeline replaces the default one; the final one always runs', async () => {
  const settings = { 'index.default_pipeline': 'one', 'index.final_pipeline': 'two' };
  await engine.command('createIndex', { index: 'i', body: { settings } });
  await write('i', 'a', {});
  await write('i', 'b', {}, '_none');
  expect(await read('i', 'a')).toEqual({ one: 1, two: 2 });
  expect(await read('i', 'b')).toEqual({ two: 2 });
});

test('pipelines of templates apply to an index that does not exist yet', async () => {
  const body = { index_patterns: ['t-*'], template: { settings: { 'index.default_pipeline': 'one' } } };
  await engine.command('putIndexTemplate', { name: 't', body, create: false });
  await write('t-1', 'a', {});
  expect(await read('t-1', 'a')).toEqual({ one: 1 });
});

test('a document sent to another index goes through the final pipeline of that index', async () => {
  await engine.command('createIndex', { index: 'other', body: { settings: { 'index.final_pipeline': 'two' } } });
  const { body } = await write('i', 'a', { x: 1 }, 'away');
  expect(body._index).toBe('other');
  expect(engine.index('i')).toBeNull();
  expect(await read('other', 'a')).toEqual({ x: 1, two: 2 });
});

test('bulk: each item has its own pipeline; dropped, failed and unknown ones are reported per item', async () => {
  await putPipeline(engine, 'drop', { processors: [{ drop: {} }] });
  await putPipeline(engine, 'fail', { processors: [{ fail: { message: 'no' } }] });
  const lines = ['one', 'drop', 'fail', 'none'].flatMap((pipeline) => [{ index: { _index: 'i', _id: pipeline, pipeline } }, { x: 1 }]);
  const body = oneChunk(Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join('')));
  const request = { index: null, body, refresh: 'false', routing: null, pipeline: null, requireAlias: false, source: null } as const;
  const { errors, items } = toPlain(await bulk(engine, request)) as { errors: boolean; items: { index: Record<string, any> }[] };
  expect(errors).toBe(true);
  expect(items.map(({ index }) => [index.status, index.result ?? index.error.reason])).toEqual([
    [201, 'created'],
    [200, 'noop'],
    [500, 'no'],
    [400, 'pipeline with id [none] does not exist'],
  ]);
  expect(await read('i', 'one')).toEqual({ x: 1, one: 1 });
});

test('a document created by an update goes through the pipelines of the index', async () => {
  await engine.command('createIndex', { index: 'i', body: { settings: { 'index.default_pipeline': 'one' } } });
  const body = Buffer.from('{"doc":{"x":1},"doc_as_upsert":true}');
  const more = { retryOnConflict: 0, docAsUpsert: false, source: null };
  await updateDocument(engine, { ...CREATE, ...more, index: 'i', id: 'a', body });
  // The fake engine stores the body of the update unchanged.
  expect(await read('i', 'a')).toEqual({ doc: { x: 1, one: 1 }, doc_as_upsert: true });
});
