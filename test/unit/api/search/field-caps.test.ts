import { describe, expect, test } from 'vitest';
import { type FieldCapsRequest, fieldCaps } from '../../../../src/api/search/field-caps.ts';
import { fakeEngine } from '../../../support/fake-engine.ts';

async function caps(indices: Record<string, object>, request: Partial<FieldCapsRequest>) {
  const engine = fakeEngine();
  for (const [index, properties] of Object.entries(indices)) {
    await engine.command('createIndex', { index, body: { mappings: { properties } } });
  }
  return fieldCaps(engine, { index: null, fields: null, includeUnmapped: false, filters: [], types: [], body: {}, ...request });
}

const ONE = {
  k: { type: 'keyword', fields: { t: { type: 'text' } }, meta: { unit: 'm' } },
  n: { type: 'nested', properties: { x: { type: 'long', doc_values: false } } },
  a: { type: 'alias', path: 'k' },
};

describe('one index', () => {
  test('lists fields, multi-fields, objects and aliases', async () => {
    expect(await caps({ one: ONE }, { fields: ['k*', 'n*', 'a'] })).toEqual({
      indices: ['one'],
      fields: {
        k: { keyword: { type: 'keyword', metadata_field: false, searchable: true, aggregatable: true, meta: { unit: ['m'] } } },
        'k.t': { text: { type: 'text', metadata_field: false, searchable: true, aggregatable: false } },
        'n.x': { long: { type: 'long', metadata_field: false, searchable: true, aggregatable: false } },
        n: { nested: { type: 'nested', metadata_field: false, searchable: false, aggregatable: false } },
        a: { keyword: { type: 'keyword', metadata_field: false, searchable: true, aggregatable: true, meta: { unit: ['m'] } } },
      },
    });
  });

  test('objects around a requested field are returned, too', async () => {
    const names = async (fields: string[], filters: string[] = []) =>
      Object.keys((await caps({ one: ONE }, { fields, filters })).fields as object).sort();
    expect(await names(['n.x'])).toEqual(['n', 'n.x']);
    expect(await names(['n.x'], ['-parent'])).toEqual(['n.x']);
    expect(await names(['k.t'])).toEqual(['k.t']);
  });

  test('filters and types select fields', async () => {
    const names = async (request: Partial<FieldCapsRequest>) =>
      Object.keys((await caps({ one: ONE }, { fields: ['*'], ...request })).fields as object);
    expect(await names({ filters: ['-metadata', '-nested', '-multifield'] })).toEqual(['a', 'k']);
    expect(await names({ filters: ['+metadata'] })).toEqual([
      '_data_stream_timestamp',
      '_doc_count',
      '_ignored_source',
      '_nested_path',
      '_id',
      '_index',
      '_source',
      '_routing',
      '_ignored',
      '_field_names',
      '_seq_no',
      '_version',
    ]);
    expect(await names({ types: ['text', 'nested'] })).toEqual(['k.t', 'n']);
  });

  test('objects are shown around requested fields only, and an index without a mapping has no metadata fields', async () => {
    const names = async (indices: Parameters<typeof caps>[0], fields: string[]) =>
      Object.keys((await caps(indices, { fields })).fields as object);
    const nested = { o: { properties: { x: { type: 'long' } } }, off: { type: 'object', enabled: false } };
    expect(await names({ one: nested }, ['o', 'off'])).toEqual([]);
    expect(await names({ one: nested }, ['o.*'])).toEqual(['o.x', 'o']);
    expect(await names({ one: {} }, ['*'])).toEqual([]);
  });

  test('invalid requests are rejected', async () => {
    await expect(caps({ one: ONE }, {})).rejects.toMatchObject({ reason: 'Validation Failed: 1: no fields specified;' });
    await expect(caps({ one: ONE }, { fields: ['*'], filters: ['nothing'] })).rejects.toMatchObject({
      reason: 'Unknown field caps filter [nothing]',
    });
    await expect(caps({ one: ONE }, { fields: ['*'], body: { nothing: 1 } })).rejects.toMatchObject({ type: 'x_content_parse_exception' });
    await expect(caps({}, { index: 'none', fields: ['*'] })).rejects.toMatchObject({ type: 'index_not_found_exception' });
  });
});

test('lists the indices whose fields differ', async () => {
  const indices = {
    one: { f: { type: 'keyword' } },
    two: { f: { type: 'keyword', doc_values: false } },
    three: { f: { type: 'long' } },
    four: { g: { type: 'long' } },
  };
  expect((await caps(indices, { fields: ['f'], includeUnmapped: true })).fields).toEqual({
    f: {
      keyword: {
        type: 'keyword',
        metadata_field: false,
        searchable: true,
        aggregatable: false,
        indices: ['one', 'two'],
        non_aggregatable_indices: ['two'],
      },
      long: { type: 'long', metadata_field: false, searchable: true, aggregatable: true, indices: ['three'] },
      unmapped: { type: 'unmapped', metadata_field: false, searchable: false, aggregatable: false, indices: ['four'] },
    },
  });
});
