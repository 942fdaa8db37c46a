import { describe, expect, test } from 'vitest';
import {
  countableFields,
  fieldCount,
  fieldTree,
  flatSettings,
  indexRows,
  isFixedSetting,
  segmentsOf,
  settingChanges,
} from '../../../src/console/indices/index-model.ts';

describe('the page of indices', () => {
  test('reads rows of _cat/indices, also of closed ones', () => {
    const [open, closed] = indexRows([
      { index: 'a', health: 'green', status: 'open', pri: '1', rep: '0', 'docs.count': '3', 'docs.deleted': '1', 'store.size': '900' },
      { index: 'b', health: 'green', status: 'close', pri: '2', rep: '1', 'docs.count': null, 'store.size': null },
    ]);
    expect(open).toMatchObject({ name: 'a', documents: 3, deleted: 1, bytes: 900 });
    expect(closed).toMatchObject({ status: 'close', shards: 2, documents: 0, bytes: 0 });
  });

  test('shows objects and multi-fields as trees', () => {
    const tree = fieldTree({ a: { properties: { b: { type: 'text', analyzer: 'english', fields: { raw: { type: 'keyword' } } } } } });
    expect(tree[0]).toMatchObject({ name: 'a', type: 'object' });
    expect(tree[0].children[0]).toMatchObject({ name: 'b', params: 'analyzer: english' });
    expect(tree[0].children[0].children[0]).toMatchObject({ name: 'raw', isMultiField: true });
    expect(fieldCount(tree)).toBe(3);
  });

  test('counts the documents of fields, but not of objects and nested ones', () => {
    const tree = fieldTree({
      a: { properties: { b: { type: 'text', fields: { raw: { type: 'keyword' } } } } },
      n: { type: 'nested', properties: { c: { type: 'keyword' } } },
      d: { type: 'date' },
    });
    expect(countableFields(tree)).toEqual(['a.b', 'a.b.raw', 'd']);
    const many = Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`f${i}`, { type: 'keyword' }]));
    expect(countableFields(fieldTree(many))).toHaveLength(300);
  });

  test('sends only the settings that were changed, null for those that were removed', () => {
    const before = { 'index.number_of_replicas': '1', 'index.codec': 'default' };
    const after = flatSettings({ index: { number_of_replicas: '0' }, 'index.refresh_interval': '5s' });
    expect(settingChanges(before, after)).toEqual([
      { name: 'index.codec', before: 'default', after: null },
      { name: 'index.number_of_replicas', before: '1', after: '0' },
      { name: 'index.refresh_interval', before: null, after: '5s' },
    ]);
    expect(settingChanges(before, before)).toEqual([]);
    expect(['index.uuid', 'index.version.created', 'index.number_of_replicas'].map(isFixedSetting)).toEqual([true, true, false]);
  });

  test('lists the segments of primaries by size', () => {
    const segment = (bytes: number) => ({ num_docs: 1, deleted_docs: 0, size_in_bytes: bytes });
    const found = segmentsOf({
      0: [
        { routing: { primary: true }, segments: { _0: segment(1), _1: segment(5) } },
        { routing: { primary: false }, segments: { _0: segment(9) } },
      ],
      1: [{ routing: { primary: true }, segments: { _0: segment(3) } }],
    });
    expect(found.map(({ shard, name, bytes }) => `${shard}/${name} ${bytes}`)).toEqual(['0/_1 5', '1/_0 3', '0/_0 1']);
  });
});
