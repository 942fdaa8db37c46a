// Readers for the kinds of query parameters, with Elasticsearch's error messages.
import { readWildcardStates } from '../../api/core/index-names.ts';
import type { Refresh } from '../../api/core/write.ts';
import { parseDurationMs } from '../../common/text/time-unit.ts';
import { booleanValueError, checkActiveShards, illegalArgumentError, numberParameterError, timeValueError } from '../../errors/catalog.ts';

/** How the value of a query parameter is read. It is checked before the handler runs, whether the handler uses it or not. */
export type ParamKind =
  | 'string'
  | 'boolean'
  | 'indicesOption'
  | 'int'
  | 'long'
  | 'float'
  | 'time'
  | 'list'
  | 'activeShards'
  | 'expandWildcards'
  | 'refresh';

/** The empty string is true. @throws ApiError illegal_argument_exception */
export function readBoolean(value: string): boolean {
  if (value === '' || value === 'true') return true;
  if (value === 'false') return false;
  throw booleanValueError(value);
}

/** i32. @throws ApiError */
export function readInt(name: string, value: string): number {
  const number = /^[+-]?\d+$/.test(value) ? Number(value) : Number.NaN;
  if (!(number >= -(2 ** 31) && number < 2 ** 31)) throw numberParameterError('int', name, value);
  return number;
}

/** i64, rounded to the nearest double beyond 2^53. @throws ApiError */
export function readLong(name: string, value: string): number {
  if (!/^[+-]?\d{1,19}$/.test(value)) throw numberParameterError('long', name, value);
  return Number(value);
}

/** @throws ApiError */
export function readFloat(name: string, value: string): number {
  const number = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(value.trim()) ? Number(value) : Number.NaN;
  if (Number.isNaN(number)) throw numberParameterError('float', name, value);
  return number;
}

/** Milliseconds. @throws ApiError */
export function readTime(name: string, value: string): number {
  const ms = parseDurationMs(value);
  if (ms === null) throw timeValueError(name, value);
  return ms;
}

/** Checks a value against its kind. @throws ApiError illegal_argument_exception */
export function checkParam(kind: ParamKind, name: string, value: string): void {
  switch (kind) {
    case 'boolean':
      readBoolean(value);
      return;
    case 'indicesOption':
      checkIndicesOption(name, value);
      return;
    case 'int':
      readInt(name, value);
      return;
    case 'long':
      readLong(name, value);
      return;
    case 'float':
      readFloat(name, value);
      return;
    case 'time':
      readTime(name, value);
      return;
    case 'activeShards':
      checkActiveShards(value);
      return;
    case 'refresh':
      readRefresh(value);
      return;
    case 'expandWildcards':
      if (value !== '') readWildcardStates(value);
      return;
    default:
  }
}

/** @throws ApiError */
function checkIndicesOption(name: string, value: string): void {
  if (value !== '' && value !== 'true' && value !== 'false')
    throw illegalArgumentError(`Could not convert [${name}] to boolean`, booleanValueError(value));
}

/** `refresh` of a write. @throws ApiError */
export function readRefresh(value: string | undefined): Refresh {
  if (value === undefined || value === 'false') return 'false';
  if (value === '' || value === 'true') return 'true';
  if (value === 'wait_for') return 'wait_for';
  throw illegalArgumentError(`Unknown value for refresh: [${value}].`);
}
