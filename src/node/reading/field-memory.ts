// Memory per field for `_stats`: fielddata of text fields, structures of completion fields.
import type { FieldMemory } from '../../api/core/context.ts';
import { setOwn } from '../../common/json/own-property.ts';
import type { MappingSnapshot } from '../../mapping/core/mapping-snapshot.ts';
import type { SegmentReader } from '../../plan/segment-reader.ts';

type Wanted = (section: { readonly kind: string }) => boolean;
type Names = { readonly fielddata: readonly string[]; readonly completion: readonly string[] };

const namesOf = new WeakMap<MappingSnapshot, Names>();

function countedFields(mapping: MappingSnapshot): Names {
  let names = namesOf.get(mapping);
  if (!names) {
    const fields = mapping.matchFields('*').flatMap((name) => mapping.field(name) ?? []);
    names = {
      fielddata: fields.filter(({ family, spec }) => family === 'text' && spec.column === 'ordinals').map(({ name }) => name),
      completion: fields.filter(({ typeName }) => typeName === 'completion').map(({ name }) => name),
    };
    namesOf.set(mapping, names);
  }
  return names;
}

function bytesOf(names: readonly string[], segments: readonly SegmentReader[], wanted: Wanted): Record<string, number> {
  const bytes: Record<string, number> = {};
  for (const segment of names.length > 0 ? segments : []) {
    for (const section of segment.sections) {
      const { field } = section;
      if (field !== null && names.includes(field) && wanted(section)) setOwn(bytes, field, (bytes[field] ?? 0) + section.bytes);
    }
  }
  return bytes;
}

/** Memory of the fields in the segments that searches see. */
export function fieldMemory(mapping: MappingSnapshot, segments: readonly SegmentReader[]): FieldMemory {
  const { fielddata, completion } = countedFields(mapping);
  return {
    fielddata: bytesOf(fielddata, segments, ({ kind }) => kind === 'column'),
    completion: bytesOf(completion, segments, () => true),
  };
}
