// The layout of merged segments of an index: the order of documents, and the graphs over their vectors.
import { graphSpecOf, type VectorGraphSpec } from '../common/encoding/vector-format.ts';
import type { IndexSortKey } from './core/index-sort.ts';
import type { MappingSnapshot } from './core/mapping-snapshot.ts';
import { vectorFormatOf } from './types/dense-vector.ts';

export interface SegmentLayout {
  /** Order of the documents; empty to append segment after segment. */
  readonly sort: readonly IndexSortKey[];
  readonly vectors: readonly VectorGraphSpec[];
  /** Merges put similar documents next to each other. */
  readonly reorder: boolean;
}

/** The graphs that the fields of a mapping have. */
export function vectorGraphsOf(mapping: MappingSnapshot): VectorGraphSpec[] {
  return mapping.fields.flatMap(({ name, column }) => {
    const field = column === 'binary' ? mapping.field(name) : null;
    const format = field && vectorFormatOf(field);
    const spec = format && graphSpecOf(name, format);
    return spec ? [spec] : [];
  });
}
