// Values of runtime fields in the `fields` of a hit.

import type { MutableJsonObject } from '../../common/json/json-value.ts';
import { setOwn } from '../../common/json/own-property.ts';
import { queryShardError } from '../../errors/search-errors.ts';
import type { RuntimeLookup } from '../../mapping/core/field-type.ts';
import { formatRuntime } from '../evaluate/runtime-field.ts';
import { SegmentDocument } from '../evaluate/script-doc.ts';
import type { FieldRequest } from '../request/request-parts.ts';
import type { PendingLookup } from '../run/pending-lookup.ts';
import type { FetchTarget } from './fetch-target.ts';
import { sourceFields } from './fields.ts';

/**
 * Adds the values of the requested fields that are runtime fields.
 * @param pending  receives lookups; null where they are not shown
 * @throws ApiError script_exception; query_shard_exception: a lookup reads a field that is not mapped
 */
export function runtimeFields(
  target: FetchTarget,
  wanted: readonly FieldRequest[],
  hit: MutableJsonObject,
  into: MutableJsonObject,
  pending: PendingLookup[] | null,
): void {
  const { at, segment } = target;
  const { mapping } = at.shard;
  if (!mapping.hasRuntime) return;
  for (const { field: pattern, format } of wanted) {
    for (const name of pattern.includes('*') ? mapping.matchFields(pattern) : [pattern]) {
      const type = mapping.field(name);
      if (!type?.runtime || type.runtime.metadata !== null) continue;
      const { lookup } = type.runtime;
      if (lookup !== null) {
        const inputs = pending === null ? [] : inputsOf(target, lookup);
        if (inputs.length > 0) pending?.push({ hit, name, lookup, inputs });
        continue;
      }
      const values = formatRuntime(type, new SegmentDocument(at.shard, segment, target.hit.docId), format);
      if (values.length > 0) setOwn(into, name, values);
    }
  }
}

function inputsOf(target: FetchTarget, { inputField }: RuntimeLookup): readonly unknown[] {
  const { shard } = target.at;
  const type = shard.mapping.field(inputField);
  if (type === null) throw queryShardError(shard.index, `No field mapping can be found for the field with name [${inputField}]`);
  if (type.runtime?.lookup) return [];
  const found: MutableJsonObject = {};
  const request = [{ field: inputField, format: null }];
  if (type.runtime) runtimeFields(target, request, {}, found, null);
  else sourceFields(shard, target.source(), request, found);
  const [values = []] = Object.values(found);
  return values as readonly unknown[];
}
