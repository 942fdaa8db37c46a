// Dissect: splits a string by delimiters between keys, without regular expressions. `%{a->}` skips repeated delimiters, `%{+a}` appends
// to `a` (`/2` at that position), `%{*k}` and `%{&k}` are the name and the value of one field, `%{?a}` and `%{}` are skipped.
// Source: documentation of the dissect processor of Elasticsearch and OpenSearch.
import { ApiError } from '../../errors/api-error.ts';

type Modifier = '' | '+' | '*' | '&' | '?';

interface Key {
  readonly name: string;
  modifier: Modifier;
  /** Position among the appended values; 0 for the order of the string. */
  readonly order: number;
  readonly skipsPadding: boolean;
  /** Delimiter after the value; empty for the rest of the string. */
  readonly delimiter: string;
}

function patternError(pattern: string, reason: string): ApiError {
  const text = `Unable to parse pattern: ${pattern} Reason: ${reason}`;
  return new ApiError('parse_exception', 400, text, { causedBy: new ApiError('pattern_parse', 400, text) });
}

/** @throws ApiError parse_exception */
function parsePattern(pattern: string): { lead: string; keys: Key[] } {
  const first = pattern.indexOf('%');
  const lead = first < 0 ? '' : pattern.slice(0, first);
  const keys = [...pattern.slice(lead.length).matchAll(/%\{([^}]*)\}([^%]*)/g)].map(([, spec, delimiter]) =>
    parseKey(spec, delimiter, pattern),
  );
  if (!keys.some(({ modifier, name }) => modifier !== '?' && name !== ''))
    throw patternError(pattern, 'Unable to find any keys or delimiters.');
  const appended = new Set(keys.filter(({ modifier }) => modifier === '+').map(({ name }) => name));
  for (const key of keys) if (key.modifier === '' && appended.has(key.name)) key.modifier = '+';
  const references = new Map<string, Modifier[]>();
  for (const { name, modifier } of keys)
    if (modifier === '*' || modifier === '&') references.set(name, [...(references.get(name) ?? []), modifier]);
  for (const [name, pair] of references)
    if (pair.length !== 2 || pair[0] === pair[1])
      throw patternError(
        pattern,
        `Found invalid key/reference associations: '${name}' Please ensure each '*<key>' is matched with a matching '&<key>`,
      );
  return { lead, keys };
}

function parseKey(spec: string, delimiter: string, pattern: string): Key {
  const match = /^([+*&?]?)([^+*&?/]*?)(?:\/(\d+))?(->)?$/.exec(spec);
  if (!match) throw patternError(pattern, `Unable to parse key [${spec}]`);
  const [, modifier, name, order, padding] = match;
  if (order !== undefined && modifier !== '+') throw patternError(pattern, `Only the + modifier can have an order: [${spec}]`);
  if (name === '' && modifier !== '' && modifier !== '?') throw patternError(pattern, `Unable to find a key name in [${spec}]`);
  return {
    name,
    modifier: name === '' ? '?' : (modifier as Modifier),
    order: order === undefined ? 0 : Number(order),
    skipsPadding: padding !== undefined,
    delimiter,
  };
}

/** Values parallel to the keys; null if the string does not match the pattern. */
function split(text: string, lead: string, keys: readonly Key[]): string[] | null {
  if (text.length <= lead.length || !text.startsWith(lead)) return null;
  const values: string[] = [];
  let at = lead.length;
  for (const [i, { delimiter, skipsPadding }] of keys.entries()) {
    if (delimiter === '') {
      if (i < keys.length - 1) return null;
      values.push(text.slice(at));
      at = text.length;
      continue;
    }
    const end = text.indexOf(delimiter, at);
    if (end < 0) return null;
    values.push(text.slice(at, end));
    at = end + delimiter.length;
    if (skipsPadding) while (text.startsWith(delimiter, at)) at += delimiter.length;
  }
  return values;
}

/** Builds fields from the values. */
function fieldsOf(keys: readonly Key[], values: readonly string[], separator: string): Map<string, string> {
  const fields = new Map<string, string>();
  const appended = new Map<string, { order: number; value: string }[]>();
  keys.forEach(({ name, modifier, order }, i) => {
    if (modifier === '') fields.set(name, values[i]);
    else if (modifier === '+') {
      const parts = appended.get(name) ?? [];
      parts.push({ order, value: values[i] });
      appended.set(name, parts);
    } else if (modifier === '*') {
      const value = keys.findIndex((other) => other.modifier === '&' && other.name === name);
      fields.set(values[i], values[value]);
    }
  });
  for (const [name, parts] of appended) {
    const ordered = parts.toSorted((a, b) => a.order - b.order);
    fields.set(name, ordered.map(({ value }) => value).join(separator));
  }
  return fields;
}

export class Dissect {
  readonly #lead: string;
  readonly #keys: readonly Key[];
  readonly #separator: string;

  /** @param separator  between appended values @throws ApiError parse_exception */
  constructor(pattern: string, separator = '') {
    const { lead, keys } = parsePattern(pattern);
    this.#lead = lead;
    this.#keys = keys;
    this.#separator = separator;
  }

  /** Values by field; null if the string does not match the pattern. */
  match(text: string): Map<string, string> | null {
    const values = split(text, this.#lead, this.#keys);
    return values && fieldsOf(this.#keys, values, this.#separator);
  }
}
