// Values of runtime fields in the `fields` of a hit.

import type { MutableJsonObject } from '../../common/json/json-value.ts';
import { setOwn } from '../../common/json/own-property.ts';
import type { SegmentReader } from '../../plan/segment-reader.ts';
import { formatRuntime } from '../evaluate/runtime-field.ts';
import { SegmentDocument } from '../evaluate/script-doc.ts';
import type { FieldRequest } from '../request/request-parts.ts';
import type { SearchShard } from '../shard/search-shard.ts';

/** Adds the values of the requested fields that are runtime fields. */
export function runtimeFields(
  shard: SearchShard,
  segment: SegmentReader,
  docId: number,
  wanted: readonly FieldRequest[],
  into: MutableJsonObject,
): void {
  if (!shard.mapping.hasRuntime) return;
  for (const { field: pattern, format } of wanted) {
    for (const name of pattern.includes('*') ? shard.mapping.matchFields(pattern) : [pattern]) {
      const type = shard.mapping.field(name);
      if (!type?.runtime) continue;
      const values = formatRuntime(type, new SegmentDocument(shard, segment, docId), format);
      if (values.length > 0) setOwn(into, name, values);
    }
  }
}
