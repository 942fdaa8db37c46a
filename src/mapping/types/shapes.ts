// geo_shape, and shape and point on a plane: validated shapes in a binary column that queries compare one by one.

import { writeJson } from '../../common/json/json-write.ts';
import { javaText } from '../../common/text/java-text.ts';
import { illegalArgumentError, mapperParsingError } from '../../errors/catalog.ts';
import type { ValueFormat } from '../core/field-type.ts';
import type { DocumentContext, FieldDefinition, Mapper, MapperType } from '../core/mapper.ts';
import { COMMON_PARAMS, explicitParam, type Param } from '../core/params.ts';
import { GEO_SHAPE_RULES, parseShape, type Shape, type ShapeRules } from '../values/geo-shape-value.ts';
import { inFloats, isPlanePointList, PLANE_RULES, parsePlanePoint } from '../values/plane-point.ts';
import { shapeFormat } from '../values/shape-format.ts';
import { utf8 } from '../values/utf8.ts';
import { BaseFieldType, NO_SPEC } from './base-field-type.ts';

export class ShapeFieldType extends BaseFieldType {
  /** @param read  one value of a document @throws ApiError: it is not a shape */
  constructor(
    definition: FieldDefinition,
    readonly read: (value: unknown) => Shape,
  ) {
    const isSearchable = definition.get<boolean>('index') || definition.get<boolean>('doc_values');
    const spec = { ...NO_SPEC, name: definition.path, column: isSearchable ? 'binary' : 'none' } as const;
    super(definition, { spec, family: 'shape', isSearchable, isAggregatable: false });
  }

  override termBytes(): Uint8Array {
    throw illegalArgumentError(`Geometry fields do not support exact searching, use dedicated geometry queries instead: [${this.name}]`);
  }

  /** Shows values of sources as GeoJSON or WKT. @throws ApiError illegal_argument_exception: another format */
  shown(format: string | null): (value: unknown) => unknown {
    const show = shapeFormat(format, this.name);
    return (value) => show(this.read(value));
  }

  override format(format: string | null, timeZone: string | null): ValueFormat {
    if (timeZone !== null) return super.format(null, timeZone);
    throw illegalArgumentError(
      format === null
        ? `Field [${this.name}] of type [${this.typeName}] doesn't support docvalue_fields or aggregations`
        : `Field [${this.name}] of type [${this.typeName}] does not support custom formats`,
    );
  }
}

class ShapeMapper implements Mapper {
  readonly refusal = 'field';
  readonly ignoreMalformed: boolean;
  readonly #path: Uint8Array;

  constructor(
    definition: FieldDefinition,
    readonly fieldType: ShapeFieldType,
    /** Field number of the column with the shapes. */
    readonly field: number,
    /** A list that does not start with a number is a list of values. */
    readonly takesArrays: boolean,
    readonly nullValue: unknown,
    /** The shape as it is searched. */
    readonly indexed: (shape: Shape) => Shape,
  ) {
    this.ignoreMalformed = definition.get('ignore_malformed');
    this.#path = utf8(definition.path);
  }

  index(context: DocumentContext, value: unknown): void {
    if (!Array.isArray(value) || isPlanePointList(value)) this.#write(context, value);
    else {
      for (const item of value) {
        const given = item ?? this.nullValue;
        if (given !== undefined) this.#write(context, given);
      }
    }
  }

  #write(context: DocumentContext, value: unknown): void {
    const shape = this.fieldType.read(value);
    context.exists(this.#path);
    if (this.fieldType.isSearchable) context.appendBinary(this.field, utf8(`${writeJson(this.indexed(shape))}\n`));
  }
}

/** Decodes the shapes of a document from the binary value of a field. */
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

const LENIENT_PARAMS: Readonly<Record<string, Param>> = {
  ...COMMON_PARAMS,
  ignore_malformed: explicitParam(false),
  ignore_z_value: explicitParam(true),
};

const SHAPE_PARAMS: Readonly<Record<string, Param>> = { ...LENIENT_PARAMS, coerce: explicitParam(false), orientation: ORIENTATION };

function createShape(definition: FieldDefinition, base: ShapeRules, indexed: (shape: Shape) => Shape): Mapper {
  const rules = { ...base, coerce: definition.get<boolean>('coerce'), ignoresZ: definition.get<boolean>('ignore_z_value') };
  const fieldType = new ShapeFieldType(definition, (value) => parseShape(value, rules));
  return new ShapeMapper(definition, fieldType, definition.field(fieldType.spec), false, undefined, indexed);
}

export const SHAPE_TYPES: Readonly<Record<string, MapperType>> = {
  geo_shape: {
    params: {
      ...SHAPE_PARAMS,
      strategy: {
        parse(value) {
          if (value !== 'recursive') throw mapperParsingError(`Unknown strategy [${javaText(value)}]`);
          return value;
        },
        fallback: undefined,
        updatable: false,
      },
    },
    create: (definition) => createShape(definition, GEO_SHAPE_RULES, (shape) => shape),
  },
  shape: {
    params: SHAPE_PARAMS,
    create: (definition) => createShape(definition, PLANE_RULES, inFloats),
  },
  point: {
    params: {
      ...LENIENT_PARAMS,
      null_value: {
        parse(value) {
          if (value === null) return undefined;
          parsePlanePoint(value, true);
          return value;
        },
        fallback: undefined,
        updatable: true,
      },
    },
    create(definition) {
      const ignoresZ = definition.get<boolean>('ignore_z_value');
      const fieldType = new ShapeFieldType(definition, (value) => ({ type: 'point', at: parsePlanePoint(value, ignoresZ) }));
      return new ShapeMapper(definition, fieldType, definition.field(fieldType.spec), true, definition.get('null_value'), inFloats);
    },
  },
};
