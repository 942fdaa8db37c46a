// Checks of the values of settings, with Elasticsearch's messages. A check throws ApiError illegal_argument_exception.
import { parseByteSize } from '../../common/text/byte-size.ts';
import { parseDurationMs } from '../../common/text/time-unit.ts';
import { ApiError } from '../../errors/api-error.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';

export type SettingCheck = (name: string, value: string) => void;

export const anything: SettingCheck = () => undefined;

export const integer =
  (min: number, max = 2 ** 31 - 1): SettingCheck =>
  (name, value) => {
    if (!/^[+-]?\d+$/.test(value)) {
      throw illegalArgumentError(
        `Failed to parse value [${value}] for setting [${name}]`,
        new ApiError('number_format_exception', 400, `For input string: "${value}"`),
      );
    }
    if (Number(value) < min) throw illegalArgumentError(`Failed to parse value [${value}] for setting [${name}] must be >= ${min}`);
    if (Number(value) > max) throw illegalArgumentError(`Failed to parse value [${value}] for setting [${name}] must be <= ${max}`);
  };

export const float =
  (min: number, max: number): SettingCheck =>
  (name, value) => {
    const number = Number(value);
    if (value.trim() === '' || Number.isNaN(number)) throw illegalArgumentError(`Failed to parse value [${value}] for setting [${name}]`);
    if (number < min) throw illegalArgumentError(`Failed to parse value [${value}] for setting [${name}] must be >= ${min.toFixed(1)}`);
    if (number > max) throw illegalArgumentError(`Failed to parse value [${value}] for setting [${name}] must be <= ${max.toFixed(1)}`);
  };

export const boolean: SettingCheck = (name, value) => {
  if (value === 'true' || value === 'false') return;
  const cause = illegalArgumentError(`Failed to parse value [${value}] as only [true] or [false] are allowed.`);
  throw illegalArgumentError(`Failed to parse value [${value}] as only [true] or [false] are allowed.`, name === '' ? cause : null);
};

export const time: SettingCheck = (name, value) => {
  if (parseDurationMs(value) === null) {
    throw illegalArgumentError(`failed to parse setting [${name}] with value [${value}] as a time value: unit is missing or unrecognized`);
  }
};

export const bytes: SettingCheck = (name, value) => {
  if (parseByteSize(value) === null) {
    throw illegalArgumentError(
      `failed to parse setting [${name}] with value [${value}] as a size in bytes: unit is missing or unrecognized`,
    );
  }
};

export const enumConstant =
  (type: string, ...names: string[]): SettingCheck =>
  (_name, value) => {
    if (!names.includes(value.toLowerCase())) throw illegalArgumentError(`No enum constant ${type}.${value.toUpperCase()}`);
  };

export const oneOf =
  (...names: string[]): SettingCheck =>
  (name, value) => {
    if (!names.includes(value))
      throw illegalArgumentError(`unknown value for [${name}] must be one of [${names.join(', ')}] but was: ${value}`);
  };
