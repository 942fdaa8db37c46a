// Defaults shared by most field types.

import { javaText } from '../../common/text/java-text.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';
import type { FieldSpec } from '../core/document-sink.ts';
import type { FieldType, RangeBounds, RangeSpec, RuntimeDefinition, ValueFormat } from '../core/field-type.ts';
import type { FieldDefinition } from '../core/mapper.ts';
import { type Bm25, DEFAULT_BM25, type Similarity } from '../core/similarity.ts';
import type { SimilarityModel } from '../core/similarity-model.ts';
import { utf8 } from '../values/utf8.ts';
import { RAW_FORMAT } from '../values/value-formats.ts';

export interface FieldTypeOptions {
  readonly spec: FieldSpec;
  readonly family: FieldType['family'];
  readonly isSearchable: boolean;
  readonly isAggregatable: boolean;
  readonly typeName?: string;
  readonly searchAnalyzer?: string | null;
  readonly searchQuoteAnalyzer?: string | null;
  readonly similarity?: Similarity;
  readonly scale?: number;
  readonly unsigned?: boolean;
  readonly keyPrefix?: Uint8Array | null;
}

export const NO_SPEC = { postings: 'none', norms: false, analyzer: null, positionIncrementGap: 0, column: 'none' } as const;

export class BaseFieldType implements FieldType {
  runtime: RuntimeDefinition | null = null;
  aggregated: FieldType | null = null;
  readonly figures: FieldType['figures'] = null;
  readonly name: string;
  readonly typeName: string;
  readonly family: FieldType['family'];
  readonly spec: FieldSpec;
  readonly params: Readonly<Record<string, unknown>>;
  readonly isSearchable: boolean;
  readonly isAggregatable: boolean;
  readonly nestedPath: string | null;
  readonly searchAnalyzer: string | null;
  readonly searchQuoteAnalyzer: string | null;
  readonly similarity: string;
  readonly bm25: Bm25;
  readonly model: SimilarityModel | null;
  readonly scale: number;
  readonly unsigned: boolean;
  readonly keyPrefix: Uint8Array | null;

  constructor(definition: Pick<FieldDefinition, 'path' | 'type' | 'given' | 'nestedPath'>, options: FieldTypeOptions) {
    this.name = definition.path;
    this.typeName = options.typeName ?? definition.type;
    this.family = options.family;
    this.spec = options.spec;
    this.params = definition.given;
    this.nestedPath = definition.nestedPath;
    this.isSearchable = options.isSearchable;
    this.isAggregatable = options.isAggregatable;
    this.searchAnalyzer = options.searchAnalyzer ?? null;
    this.searchQuoteAnalyzer = options.searchQuoteAnalyzer ?? options.searchAnalyzer ?? null;
    this.similarity = options.similarity?.kind ?? 'BM25';
    this.bm25 = options.similarity?.bm25 ?? DEFAULT_BM25;
    this.model = options.similarity?.model ?? null;
    this.scale = options.scale ?? 1;
    this.unsigned = options.unsigned ?? false;
    this.keyPrefix = options.keyPrefix ?? null;
  }

  get aggregations(): ReadonlySet<string> | null {
    return null;
  }

  termBytes(value: unknown): Uint8Array {
    return utf8(javaText(value));
  }

  exactValue(_value: unknown): bigint | number | null {
    throw illegalArgumentError(`Field [${this.name}] of type [${this.typeName}] has no numeric values`);
  }

  rangeBounds(_range: RangeSpec): RangeBounds {
    throw illegalArgumentError(`Field [${this.name}] of type [${this.typeName}] does not support range queries`);
  }

  format(format: string | null, timeZone: string | null): ValueFormat {
    if (format !== null) throw illegalArgumentError(`Field [${this.name}] of type [${this.typeName}] does not support custom formats`);
    if (timeZone !== null) throw illegalArgumentError(`Field [${this.name}] of type [${this.typeName}] does not support custom time zones`);
    return RAW_FORMAT;
  }
}

/** Bounds of a range over terms. */
export function bytesBounds(range: RangeSpec, toBytes: (value: unknown) => Uint8Array): RangeBounds {
  return {
    kind: 'bytes',
    from: range.from === null || range.from === undefined ? null : toBytes(range.from),
    to: range.to === null || range.to === undefined ? null : toBytes(range.to),
    includeFrom: range.includeFrom,
    includeTo: range.includeTo,
    empty: false,
  };
}
