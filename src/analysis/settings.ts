// Parameters of components, read as Elasticsearch reads index settings.

import { isObject } from '../common/json/json-value.ts';
import { javaTrim } from '../common/text/java-text.ts';
import { ApiError } from '../errors/api-error.ts';
import { illegalArgumentError } from '../errors/catalog.ts';

/** A value in index settings or in an `_analyze` request. */
export type SettingValue = string | number | boolean | null | SettingValue[] | { [key: string]: SettingValue };
export type SettingTree = Record<string, SettingValue>;

/** Integers beyond 2^53 as their digits. */
const withLargeIntegers = (_key: string, value: unknown): unknown => (typeof value === 'bigint' ? String(value) : value);

/** @throws ApiError settings_exception: a list that contains anything but values */
export function checkSettingLists(tree: SettingTree): void {
  const check = (value: unknown): void => {
    if (value === null || typeof value !== 'object') return;
    if (!Array.isArray(value)) Object.values(value).forEach(check);
    else if (value.some((item) => item === null || typeof item === 'object')) {
      throw new ApiError('settings_exception', 400, `Failed to load settings from [${JSON.stringify(tree, withLargeIntegers)}]`, {
        causedBy: new ApiError('illegal_state_exception', 500, 'only value lists are allowed in serialized settings'),
      });
    }
  };
  check(tree);
}

/**
 * The definitions of a group such as `filter`, by name.
 * @throws ApiError settings_exception: a definition that is a value, not an object
 */
export function definitionsOf(analysis: SettingTree, group: string): [string, SettingTree][] {
  const definitions = analysis[group];
  if (!isObject(definitions)) return [];
  return Object.entries(definitions).flatMap(([name, tree]): [string, SettingTree][] => {
    if (tree === null) return [];
    if (isObject(tree)) return [[name, tree as SettingTree]];
    const prefix = `index.analysis.${group}.`;
    throw new ApiError(
      'settings_exception',
      400,
      `Failed to get setting group for [${prefix}] setting prefix and setting [${prefix}${name}] because of a missing '.'`,
    );
  });
}

/**
 * Parameters of one component. As in Elasticsearch, all values are strings, a list may be an array or a comma-separated string, and nested objects
 * are dotted keys.
 */
export class Settings {
  readonly #values = new Map<string, string | string[]>();

  constructor(readonly tree: SettingTree) {
    this.#flatten('', tree);
  }

  #flatten(prefix: string, tree: SettingTree): void {
    for (const [key, value] of Object.entries(tree)) {
      const name = prefix + key;
      if (value === null) continue;
      if (Array.isArray(value)) this.#values.set(name, value.map(String));
      else if (typeof value === 'object') this.#flatten(`${name}.`, value);
      else this.#values.set(name, String(value));
    }
  }

  /** All parameters as JSON in alphabetical order, including those that are null, for error messages. */
  text(): string {
    const nulls = Object.entries(this.tree).flatMap(([key, value]) => (value === null ? [[key, null] as const] : []));
    const entries = [...this.#values, ...nulls].sort(([a], [b]) => (a < b ? -1 : 1));
    return JSON.stringify(Object.fromEntries(entries));
  }

  has(key: string): boolean {
    return this.#values.has(key);
  }

  keys(): string[] {
    return [...this.#values.keys()];
  }

  get(key: string): string | undefined;
  get(key: string, fallback: string): string;
  get(key: string, fallback?: string): string | undefined {
    const value = this.#values.get(key);
    if (value === undefined) return fallback;
    return Array.isArray(value) ? `[${value.join(', ')}]` : value;
  }

  /** @throws ApiError settings_exception: not a 32-bit integer */
  int(key: string, fallback: number): number {
    const text = this.get(key);
    if (text === undefined) return fallback;
    const value = Number(text);
    if (!/^[+-]?\d+$/.test(text) || value > 0x7fffffff || value < -0x80000000) {
      throw new ApiError('settings_exception', 400, `Failed to parse int setting [${key}] with value [${text}]`, {
        causedBy: new ApiError('number_format_exception', 400, `For input string: "${text}"`),
      });
    }
    return value;
  }

  /** A blank value counts as missing. @throws ApiError illegal_argument_exception: neither true nor false */
  bool(key: string, fallback: boolean): boolean {
    const text = this.get(key);
    if (text === undefined || text.trim() === '') return fallback;
    if (text === 'true') return true;
    if (text === 'false') return false;
    throw illegalArgumentError(`Failed to parse value [${text}] as only [true] or [false] are allowed.`);
  }

  /** A list; undefined if it is missing or a string without items. Empty items at the end of a string are ignored. */
  list(key: string): string[] | undefined {
    const value = this.#values.get(key);
    if (value === undefined) {
      // Elasticsearch's loadFromSource writes short lists as key.0, key.1.
      const items: string[] = [];
      for (let i = 0, item = this.get(`${key}.0`); item !== undefined; item = this.get(`${key}.${++i}`)) items.push(item);
      return items.length ? items : undefined;
    }
    if (Array.isArray(value)) return value;
    const items = value.split(',');
    while (items.at(-1) === '') items.pop();
    return items.length ? items.map(javaTrim) : undefined;
  }

  /** One character. @throws ApiError illegal_argument_exception */
  char(key: string, fallback: string): string {
    const text = this.get(key);
    if (text === undefined) return fallback;
    if (text.length !== 1) throw illegalArgumentError(`Setting [${key}] must be a single, non-null character. [${text}] was provided.`);
    return text;
  }
}
