// Segments of earlier versions lack columns that current aggregations read: that is an error, not an empty result.
import { expect, test } from 'vitest';
import { columnIn, type ValuesSource } from '../../../src/aggs/source.ts';
import { standAloneField } from '../../../src/mapping/stand-alone-field.ts';
import type { SegmentReader } from '../../../src/plan/segment-reader.ts';

const source: ValuesSource = {
  field: 'at._millis',
  origin: 'at',
  type: standAloneField('date'),
  kind: 'i64',
  format: null,
  scale: 1,
  unsigned: false,
  isDate: true,
  missing: null,
};

const segmentWith = (...columns: string[]) =>
  ({ column: (name: string) => (columns.includes(name) ? { name } : null) }) as object as SegmentReader;

test('a field without the column of its other form cannot be aggregated', () => {
  expect(columnIn(source, segmentWith('at', 'at._millis'))).toEqual({ name: 'at._millis' });
  expect(columnIn(source, segmentWith())).toBeNull();
  expect(columnIn({ ...source, type: null }, segmentWith('at'))).toBeNull();
  expect(() => columnIn(source, segmentWith('at'))).toThrow(
    'field [at] was indexed by an earlier version and cannot be aggregated: reindex',
  );
});
