// `docvalue_fields` of a hit: values read from columns.

import type { MutableJsonObject } from '../../common/json/json-value.ts';
import { setOwn } from '../../common/json/own-property.ts';
import type { ApiError } from '../../errors/api-error.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';
import type { FieldType } from '../../mapping/core/field-type.ts';
import type { SegmentReader } from '../../plan/segment-reader.ts';
import { formatRuntime } from '../evaluate/runtime-field.ts';
import { SegmentDocument } from '../evaluate/script-doc.ts';
import type { FieldRequest } from '../request/request-parts.ts';
import { notSortableError } from '../run/sort-keys.ts';
import { requireIdFielddata } from '../shard/limits.ts';
import type { SearchShard } from '../shard/search-shard.ts';

/** Adds the values of each requested field that has any. @throws ApiError illegal_argument_exception: the field has no doc values */
export function docvalueFields(
  shard: SearchShard,
  segment: SegmentReader,
  docId: number,
  wanted: readonly FieldRequest[],
  into: MutableJsonObject,
): void {
  for (const { field: pattern, format: given } of wanted) {
    const format = given === 'use_field_mapping' && shard.dialect.readsFieldMappingFormat ? null : given;
    if (pattern === '_index') {
      setOwn(into, pattern, [shard.index]);
      continue;
    }
    if (pattern === '_id') requireIdFielddata(shard.limits);
    const isPattern = pattern.includes('*');
    for (const name of isPattern ? shard.mapping.matchFields(pattern) : [pattern]) {
      const type = shard.mapping.field(name);
      if (!type || (isPattern && !type.isAggregatable)) continue;
      if (type.typeName === 'dense_vector') throw noVectorsError(type);
      if (!isPattern && type.family === 'text') type.format(format, null);
      if (!type.isAggregatable && type.family !== 'binary') throw notSortableError(type);
      if (type.family === 'range' || type.family === 'histogram') {
        if (isPattern) continue;
        throw illegalArgumentError(
          `docvalue_fields of [${name}] are not supported: fields of type [${type.typeName}] are shown by [fields]`,
        );
      }
      const values = type.runtime
        ? formatRuntime(type, new SegmentDocument(shard, segment, docId), format)
        : columnValues(type, segment, docId, format);
      // A field may be requested in several formats.
      const before = shard.dialect.keepsLastFormat ? [] : ((into[name] as unknown[] | undefined) ?? []);
      if (values.length > 0) setOwn(into, name, [...before, ...values]);
    }
  }
}

function noVectorsError({ name }: FieldType): ApiError {
  return illegalArgumentError(`Field [${name}] of type [dense_vector] doesn't support docvalue_fields or aggregations`);
}

export function columnValues(type: FieldType, segment: SegmentReader, docId: number, format: string | null): unknown[] {
  const name = type.spec.name;
  const valueFormat = type.format(format, null);
  if (type.spec.column === 'binary') {
    const bytes = segment.binary(name, docId);
    return bytes ? [valueFormat.formatBytes(bytes)] : [];
  }
  if (!segment.column(name)) return [];
  const raw = segment.values(name, docId);
  if (type.spec.column !== 'ordinals') return raw.map((value) => valueFormat.format(value));
  let terms = raw.map((ord) => segment.termOf(name, Number(ord)));
  const { keyPrefix } = type;
  if (keyPrefix) terms = terms.filter((bytes) => keyPrefix.every((byte, i) => bytes[i] === byte));
  return terms.map((bytes) => valueFormat.formatBytes(bytes));
}
