// geo_point: a geo column.

import { illegalArgumentError } from '../../errors/catalog.ts';
import type { ValueFormat } from '../core/field-type.ts';
import type { DocumentContext, FieldDefinition, Mapper, MapperType } from '../core/mapper.ts';
import { COMMON_PARAMS, explicitParam, metricParam, NO_EFFECT_PARAMS, ON_SCRIPT_ERROR } from '../core/params.ts';
import { isPointList, type LatLon, parseGeoPoint } from '../values/geo-point-value.ts';
import { refusedZError } from '../values/geo-shape-value.ts';
import { GEO_FORMAT } from '../values/value-formats.ts';
import { BaseFieldType, NO_SPEC } from './base-field-type.ts';
import { existsPathOf } from './exists-path.ts';

class GeoPointFieldType extends BaseFieldType {
  override termBytes(): Uint8Array {
    throw illegalArgumentError(`Geometry fields do not support exact searching, use dedicated geometry queries instead: [${this.name}]`);
  }
  override format(format: string | null, timeZone: string | null): ValueFormat {
    if (format !== null || timeZone !== null) super.format(format, timeZone);
    return GEO_FORMAT;
  }
}

class GeoPointMapper implements Mapper {
  readonly takesArrays = true;
  readonly refusal = 'field';
  readonly nullValue: unknown;
  readonly ignoreMalformed: boolean;
  readonly #hasColumn: boolean;
  readonly #existsPath: Uint8Array | null;
  readonly #ignoresZ: boolean;

  constructor(
    definition: FieldDefinition,
    readonly fieldType: GeoPointFieldType,
    readonly field: number,
  ) {
    this.nullValue = definition.get('null_value');
    this.ignoreMalformed = definition.get('ignore_malformed');
    this.#ignoresZ = definition.get('ignore_z_value');
    this.#hasColumn = fieldType.spec.column !== 'none';
    this.#existsPath = existsPathOf(definition, fieldType.spec);
  }

  index(context: DocumentContext, value: unknown): void {
    if (Array.isArray(value) && !isPointList(value)) {
      for (const item of value) {
        if (item === null) {
          if (this.nullValue !== undefined) this.#write(context, parseGeoPoint(this.nullValue));
        } else this.#write(context, parseGeoPoint(item));
      }
    } else this.#write(context, parseGeoPoint(value));
  }

  #write(context: DocumentContext, { lat, lon, z }: LatLon): void {
    if (z !== undefined && !this.#ignoresZ) throw refusedZError(z);
    if (this.#hasColumn) context.sink.geo(this.field, lat, lon);
    else if (this.#existsPath !== null) context.exists(this.#existsPath);
  }
}

export const GEO_TYPES: Readonly<Record<string, MapperType>> = {
  geo_point: {
    params: {
      ...COMMON_PARAMS,
      ...NO_EFFECT_PARAMS,
      ...metricParam(['position']),
      ignore_malformed: explicitParam(false),
      ignore_z_value: explicitParam(true),
      null_value: {
        parse(value) {
          if (value === null) return undefined;
          parseGeoPoint(value);
          return value;
        },
        fallback: undefined,
        updatable: true,
      },
      on_script_error: ON_SCRIPT_ERROR,
    },
    create(definition) {
      const index = definition.get<boolean>('index');
      const docValues = definition.get<boolean>('doc_values');
      const spec = { ...NO_SPEC, name: definition.path, column: index || docValues ? 'geo' : 'none' } as const;
      const fieldType = new GeoPointFieldType(definition, {
        spec,
        family: 'geo_point',
        isSearchable: index || docValues,
        isAggregatable: docValues,
      });
      return new GeoPointMapper(definition, fieldType, definition.field(spec));
    },
  },
};
