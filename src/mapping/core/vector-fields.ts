// Which fields hold vectors: responses may leave them out of `_source` (`exclude_vectors`), since they are long.
import type { MappingSnapshot } from './mapping-snapshot.ts';

const TYPES: ReadonlySet<string> = new Set(['dense_vector', 'sparse_vector']);

const known = new WeakMap<MappingSnapshot, readonly string[]>();

/** Paths of the fields with vectors; the same list for the same mapping. */
export function vectorFieldNames(mapping: MappingSnapshot): readonly string[] {
  let names = known.get(mapping);
  if (names === undefined) {
    names = mapping.matchFields('*').filter((name) => TYPES.has(mapping.field(name)?.typeName ?? ''));
    known.set(mapping, names);
  }
  return names;
}
