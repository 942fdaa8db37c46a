// All field types by name.

import { present } from '../../common/present.ts';
import type { MapperType } from '../core/mapper.ts';
import { AGGREGATE_METRIC_TYPES } from './aggregate-metric.ts';
import { BOOLEAN_TYPES } from './boolean.ts';
import { COMPLETION_TYPES } from './completion.ts';
import { DATE_TYPES } from './date.ts';
import { DENSE_VECTOR_TYPES } from './dense-vector.ts';
import { FLAT_OBJECT_TYPES } from './flat-object.ts';
import { GEO_TYPES } from './geo.ts';
import { HISTOGRAM_TYPES } from './histogram.ts';
import { IP_TYPES } from './ip.ts';
import { JOIN_TYPES } from './join.ts';
import { KEYWORD_TYPES } from './keyword.ts';
import { MURMUR3_TYPES } from './murmur3.ts';
import { NUMERIC_TYPES } from './numeric.ts';
import { PERCOLATOR_TYPES } from './percolator.ts';
import { RANGE_TYPES } from './range.ts';
import { FEATURE_TYPES } from './rank-features.ts';
import { SHAPE_TYPES } from './shapes.ts';
import { SPARSE_VECTOR_TYPES } from './sparse-vector.ts';
import { STORED_ONLY_TYPES } from './stored-only.ts';
import { TEXT_TYPES } from './text.ts';
import { VERSION_TYPES } from './version.ts';

export const MAPPER_TYPES: ReadonlyMap<string, MapperType> = new Map(
  Object.entries({
    ...TEXT_TYPES,
    ...KEYWORD_TYPES,
    ...NUMERIC_TYPES,
    ...BOOLEAN_TYPES,
    ...DATE_TYPES,
    ...IP_TYPES,
    ...GEO_TYPES,
    ...SHAPE_TYPES,
    ...PERCOLATOR_TYPES,
    ...RANGE_TYPES,
    ...FLAT_OBJECT_TYPES,
    ...FEATURE_TYPES,
    ...DENSE_VECTOR_TYPES,
    ...SPARSE_VECTOR_TYPES,
    ...JOIN_TYPES,
    ...STORED_ONLY_TYPES,
    ...COMPLETION_TYPES,
    ...VERSION_TYPES,
    ...MURMUR3_TYPES,
    ...HISTOGRAM_TYPES,
    ...AGGREGATE_METRIC_TYPES,
  }),
);

/** The type of a parsed mapping, whose name is known to be valid. */
export function mapperTypeOf(name: string): MapperType {
  return present(MAPPER_TYPES.get(name));
}
