// Parameters of field mappings: their parsers, their defaults, and whether a later mapping may change them.

import { notInModeError } from '../../analysis/analysis-registry.ts';
import { isObject, type JsonObject } from '../../common/json/json-value.ts';
import { javaClass, javaText } from '../../common/text/java-text.ts';
import type { Dialect } from '../../compat/dialect.ts';
import { ApiError } from '../../errors/api-error.ts';
import { illegalArgumentError, mapperParsingError } from '../../errors/catalog.ts';
import type { MappingAnalysis } from './mapping-analysis.ts';

export interface ParamContext {
  /** Simple name of the field. */
  readonly name: string;
  readonly type: string;
  readonly analysis: MappingAnalysis;
  readonly dialect: Dialect;
}

export interface Param {
  /** The canonical value, as the API shows it. @throws ApiError */
  parse(value: unknown, context: ParamContext): unknown;
  /** Default value; undefined if there is none. */
  readonly fallback: unknown;
  readonly updatable: boolean;
  /** Changes that are allowed although the parameter is not updatable; undefined stands for an absent value. */
  allows?(before: unknown, after: unknown): boolean;
  /** String for an absent value in conflict messages. */
  readonly missingText?: string;
  /** True if null stands for an absent value although there is a default. Otherwise null is refused. */
  readonly acceptsNull?: boolean;
  /** Shown if it is given, even if it is the default value. */
  readonly showsDefault?: boolean;
  /** Shown for an absent value, even without `include_defaults`. */
  readonly shown?: unknown;
  /** Omitted by `include_defaults` unless specified. */
  readonly isHidden?: boolean;
}

/** true, false, or these as strings. @throws ApiError illegal_argument_exception */
export function parseBoolean(value: unknown): boolean {
  if (value === true || value === 'true') return true;
  if (value === false || value === 'false') return false;
  throw illegalArgumentError(`Failed to parse value [${javaText(value)}] as only [true] or [false] are allowed.`);
}

export function parseInteger(value: unknown): number {
  if (typeof value === 'number' && !Number.isInteger(value)) throw illegalArgumentError(`${value} is not an integer value`);
  const number = typeof value === 'number' ? value : typeof value === 'string' && /^[+-]?\d+$/.test(value) ? Number(value) : Number.NaN;
  if (!Number.isSafeInteger(number) || Math.abs(number) > 0x7fffffff) {
    throw new ApiError('number_format_exception', 400, `For input string: "${javaText(value)}"`);
  }
  return number;
}

export function boolParam(fallback: boolean, updatable = false): Param {
  return { parse: parseBoolean, fallback, updatable };
}

/** As `boolParam`, but shown whenever it is given: its default may be that of a setting of the index. */
export function explicitParam(fallback: boolean): Param {
  return { ...boolParam(fallback, true), showsDefault: true };
}

export function intParam(fallback: number, updatable = false, min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY): Param {
  return {
    parse(value, { name }) {
      const number = parseInteger(value);
      if (number < min || number > max) throw illegalArgumentError(`[${name}] must be between ${min} and ${max}, got [${number}]`);
      return number;
    },
    fallback,
    updatable,
  };
}

/** One of several strings. `message` creates the error message. */
export function enumParam(values: readonly string[], fallback: string, message: (value: string, name: string) => string): Param {
  return {
    parse(value, { name }) {
      const text = javaText(value);
      if (!values.includes(text)) throw mapperParsingError(message(text, name));
      return text;
    },
    fallback,
    updatable: false,
  };
}

/** Name of an analyzer; null and "default" mean the default one. */
export function analyzerParam(updatable: boolean): Param {
  return {
    parse(value, { analysis }) {
      const name = javaText(value);
      if (name !== 'default' && !analysis.hasAnalyzer(name))
        throw illegalArgumentError(`analyzer [${name}] has not been configured in mappings`);
      // Documents are already indexed with it, so an index analyzer must not change.
      const filters = updatable ? [] : (analysis.updateableFilters?.(name) ?? []);
      if (filters.length) throw notInModeError(name, filters, 'index time');
      return name;
    },
    fallback: undefined,
    updatable,
    missingText: 'default',
  };
}

export const META_PARAM: Param = {
  parse: (value, { name, dialect }) => parseMeta(value, name, dialect),
  fallback: {},
  updatable: true,
};

export type MetaLimits = Pick<Dialect, 'metaEntries' | 'metaKeyLength' | 'metaValueLength'>;

/** The entries of `meta` by name. @throws ApiError mapper_parsing_exception: not an object of strings, too many or too long */
export function parseMeta(value: unknown, name: string, limits: MetaLimits): JsonObject {
  const { metaEntries, metaKeyLength, metaValueLength } = limits;
  if (!isObject(value)) throw mapperParsingError(`[meta] must be an object, got ${shownWithClass(value)} for field [${name}]`);
  const entries = Object.entries(value);
  if (entries.length > metaEntries)
    throw mapperParsingError(`[meta] can't have more than ${metaEntries} entries, but got ${entries.length} on field [${name}]`);
  for (const [key, item] of entries) {
    if (key.length > metaKeyLength)
      throw mapperParsingError(`[meta] keys can't be longer than ${metaKeyLength} chars, but got [${key}] for field [${name}]`);
    if (typeof item !== 'string')
      throw mapperParsingError(`[meta] values can only be strings, but got ${shownWithClass(item)} for field [${name}]`);
    if (item.length > metaValueLength)
      throw mapperParsingError(`[meta] values can't be longer than ${metaValueLength} chars, but got [${item}] for field [${name}]`);
  }
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** A value with its Java class: `Integer[5]`. */
export function shownWithClass(value: unknown): string {
  return `${javaClass(value).replace(/^.*\./, '')}[${javaText(value)}]`;
}

/** Name of a similarity. */
export const SIMILARITY_PARAM: Param = {
  parse: (value) => (value === null ? undefined : javaText(value)),
  fallback: 'BM25',
  updatable: false,
  acceptsNull: true,
  showsDefault: true,
};

/** Parameters of every field with postings or a column. */
export const COMMON_PARAMS: Readonly<Record<string, Param>> = {
  index: boolParam(true),
  doc_values: boolParam(true),
  store: boolParam(false),
  meta: META_PARAM,
};

/** Accepted without effect: segments choose their search structures themselves. */
export const NO_EFFECT_PARAMS: Readonly<Record<string, Param>> = { skip_list: boolParam(false, true) };

/** As above, for fields with ordinals. */
export const ORDINALS_PARAMS: Readonly<Record<string, Param>> = { eager_global_ordinals: { ...boolParam(false, true), isHidden: true } };

/** Only the default is possible, since fields of mappings have no script. */
export const ON_SCRIPT_ERROR: Param = {
  parse(value) {
    const choice = javaText(value);
    if (choice === 'continue') throw mapperParsingError('Field [on_script_error] requires field [script] to be configured');
    if (choice !== 'fail')
      throw mapperParsingError(`Unknown value [${choice}] for field [on_script_error] - accepted values are [fail, continue]`);
    return choice;
  },
  fallback: 'fail',
  updatable: true,
  isHidden: true,
};

/** Marks a field whose values identify a time series. */
export const DIMENSION_PARAM: Readonly<Record<string, Param>> = { time_series_dimension: { ...boolParam(false), isHidden: true } };

/** Kind of the values of a field: samples, or totals that only grow. @param kinds  kinds that the type supports */
export function metricParam(kinds: readonly string[]): Readonly<Record<string, Param>> {
  return {
    time_series_metric: {
      parse(value) {
        if (value === null) return undefined;
        const kind = javaText(value);
        if (!kinds.includes(kind))
          throw mapperParsingError(`Unknown value [${kind}] for field [time_series_metric] - accepted values are [${kinds.join(', ')}]`);
        return kind;
      },
      fallback: undefined,
      updatable: false,
      isHidden: true,
    },
  };
}

/** @throws ApiError illegal_argument_exception: the parameters of time series conflict with others of the field */
export function checkSeriesParams(given: Readonly<Record<string, unknown>>): void {
  const isDimension = given.time_series_dimension === true;
  const isMetric = given.time_series_metric !== undefined;
  // The values of metrics have no index.
  if (isDimension && (given.index === false || given.doc_values === false || isMetric))
    throw invalidParamError('Field [time_series_dimension] requires that [index] and [doc_values] are true');
  if (isMetric && given.doc_values === false) throw invalidParamError('Field [time_series_metric] requires that [doc_values] is true');
  if (isDimension && given.normalizer !== undefined)
    throw invalidParamError('Field [normalizer] cannot be set in conjunction with field [time_series_dimension]');
}

function invalidParamError(reason: string): ApiError {
  return mapperParsingError(`Failed to parse mapping: ${reason}`, illegalArgumentError(reason));
}
