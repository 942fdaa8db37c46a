// geo_point (a geo column) and geo_shape (validated; queries read a binary column).

import { writeJson } from '../../common/json/json-write.ts';
import { javaText } from '../../common/text/java-text.ts';
import { illegalArgumentError, mapperParsingError } from '../../errors/catalog.ts';
import type { ValueFormat } from '../core/field-type.ts';
import type { DocumentContext, FieldDefinition, Mapper, MapperType } from '../core/mapper.ts';
import { boolParam, COMMON_PARAMS, META_PARAM, metricParam, NO_EFFECT_PARAMS, ON_SCRIPT_ERROR, type Param } from '../core/params.ts';
import { isPointList, type LatLon, parseGeoPoint } from '../values/geo-point-value.ts';
import { parseGeoShape, type Shape } from '../values/geo-shape-value.ts';
import { utf8 } from '../values/utf8.ts';
import { GEO_FORMAT } from '../values/value-formats.ts';
import { BaseFieldType, NO_SPEC } from './base-field-type.ts';

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
  readonly #existsPath: Uint8Array | null;

  constructor(
    definition: FieldDefinition,
    readonly fieldType: GeoPointFieldType,
    readonly field: number,
  ) {
    this.nullValue = definition.get('null_value');
    this.ignoreMalformed = definition.get('ignore_malformed');
    this.#existsPath = fieldType.spec.column === 'none' ? utf8(definition.path) : null;
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

  #write(context: DocumentContext, { lat, lon }: LatLon): void {
    if (this.#existsPath === null) context.sink.geo(this.field, lat, lon);
    else context.exists(this.#existsPath);
  }
}

class GeoShapeMapper implements Mapper {
  readonly takesArrays = false;
  readonly refusal = 'field';
  readonly nullValue = undefined;
  readonly ignoreMalformed: boolean;
  readonly #path: Uint8Array;

  constructor(
    definition: FieldDefinition,
    readonly fieldType: BaseFieldType,
    /** Field number of the column with the shapes. */
    readonly field: number,
  ) {
    this.ignoreMalformed = definition.get('ignore_malformed');
    this.#path = utf8(definition.path);
  }

  index(context: DocumentContext, value: unknown): void {
    const shape = parseGeoShape(value);
    context.exists(this.#path);
    if (this.fieldType.isSearchable) context.appendBinary(this.field, utf8(`${writeJson(shape)}\n`));
  }
}

/** Decodes the shapes of a document from the binary value of a geo_shape field. */
export function readShapes(value: Uint8Array): Shape[] {
  return Buffer.from(value.buffer, value.byteOffset, value.length)
    .toString('utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Shape);
}

const ORIENTATION: Param = {
  parse(value) {
    const text = javaText(value).toLowerCase();
    if (!['right', 'counterclockwise', 'ccw', 'left', 'clockwise', 'cw'].includes(text))
      throw illegalArgumentError(`Unknown orientation [${javaText(value)}]`);
    return text;
  },
  fallback: undefined,
  updatable: true,
};

export const GEO_TYPES: Readonly<Record<string, MapperType>> = {
  geo_point: {
    params: {
      ...COMMON_PARAMS,
      ...NO_EFFECT_PARAMS,
      ...metricParam(['position']),
      ignore_malformed: boolParam(false, true),
      ignore_z_value: boolParam(true, true),
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
  geo_shape: {
    params: {
      index: boolParam(true),
      doc_values: boolParam(true),
      store: boolParam(false),
      meta: META_PARAM,
      coerce: boolParam(false, true),
      ignore_malformed: boolParam(false, true),
      ignore_z_value: boolParam(true, true),
      orientation: ORIENTATION,
      strategy: {
        parse(value) {
          if (value !== 'recursive') throw mapperParsingError(`Unknown strategy [${javaText(value)}]`);
          return value;
        },
        fallback: undefined,
        updatable: false,
      },
    },
    create(definition) {
      const isSearchable = definition.get<boolean>('index') || definition.get<boolean>('doc_values');
      const spec = { ...NO_SPEC, name: definition.path, column: isSearchable ? 'binary' : 'none' } as const;
      const fieldType = new BaseFieldType(definition, { spec, family: 'other', isSearchable, isAggregatable: false });
      return new GeoShapeMapper(definition, fieldType, definition.field(spec));
    },
  },
};
