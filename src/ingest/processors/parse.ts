// Processors that parse strings: json, kv, csv.

import { JsonSyntaxError } from '../../common/json/json-syntax-error.ts';
import type { MutableJsonObject } from '../../common/json/json-value.ts';
import { setOwn } from '../../common/json/own-property.ts';
import { isJsonObject, parseToWrite } from '../../common/json/source-numbers.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';
import { JavaPattern, removeMatches } from '../../regex/java-pattern.ts';
import { type IngestDocument, javaType } from '../ingest-document.ts';
import type { ProcessorConfig } from '../processor-config.ts';
import type { ProcessorFactory } from './processor.ts';
import { splitText } from './text.ts';

/** The string in a field; null if the field is missing and `ignore_missing` is set. */
export function fieldText(document: IngestDocument, path: string, ignoreMissing: boolean, verb: string): string | null {
  if (ignoreMissing && (!document.has(path) || document.get(path) === null)) return null;
  const value = document.get(path);
  if (value === null) throw illegalArgumentError(`field [${path}] is null, cannot ${verb}.`);
  if (typeof value !== 'string')
    throw illegalArgumentError(`field [${path}] of type [${javaType(value)}] cannot be cast to [java.lang.String]`);
  return value;
}

const json: ProcessorFactory = (config) => {
  const field = config.text('field');
  const target = config.optionalText('target_field');
  const addToRoot = config.boolean('add_to_root');
  const merges = config.text('add_to_root_conflict_strategy', 'replace') === 'merge';
  const allowDuplicates = config.boolean('allow_duplicate_keys');
  if (addToRoot && target !== null)
    throw config.error('target_field', 'Cannot set a target field while also setting `add_to_root` to true');
  return (document) => {
    const value = document.get(field);
    const parsed = typeof value === 'string' ? parse(value, allowDuplicates) : value;
    if (!addToRoot) {
      document.set(target ?? field, parsed);
      return;
    }
    if (!isJsonObject(parsed)) throw illegalArgumentError('cannot add non-map fields to root of document');
    if (merges) mergeInto(document.fields, parsed);
    else for (const [key, item] of Object.entries(parsed)) setOwn(document.fields, key, item);
  };
};

function parse(text: string, allowDuplicates: boolean): unknown {
  // A string without a value is null.
  if (text.trim() === '') return null;
  try {
    return parseToWrite(text);
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    if (allowDuplicates && error.message.includes('Duplicate')) return JSON.parse(text);
    throw illegalArgumentError(error.message);
  }
}

function mergeInto(into: MutableJsonObject, from: MutableJsonObject): void {
  for (const [key, value] of Object.entries(from)) {
    const old = Object.hasOwn(into, key) ? into[key] : undefined;
    if (isJsonObject(old) && isJsonObject(value)) mergeInto(old, value);
    else setOwn(into, key, value);
  }
}

/** A separator: a single ordinary character is used literally, anything else is a regular expression. */
function splitterOf(config: ProcessorConfig, name: string): (text: string, limit: number) => string[] {
  const pattern = config.pattern(name);
  return (text, limit) => splitText(pattern, text, limit);
}

/** Trims the given characters on both ends. */
function trimmerOf(characters: string | null): (text: string) => string {
  if (characters === null) return (text) => text;
  const pattern = new JavaPattern(`(^([${characters}]+))|([${characters}]+$)`);
  return (text) => removeMatches(text, pattern);
}

const kv: ProcessorFactory = (config) => {
  const field = config.template('field');
  const target = config.optionalText('target_field');
  const splitFields = splitterOf(config, 'field_split');
  const valueSplit = config.text('value_split');
  const valuePattern = new JavaPattern(valueSplit);
  const trimKey = trimmerOf(config.optionalText('trim_key'));
  const trimValue = trimmerOf(config.optionalText('trim_value'));
  const prefix = config.text('prefix', '');
  const stripBrackets = config.boolean('strip_brackets');
  const included = config.optionalList('include_keys');
  const excluded = config.optionalList('exclude_keys');
  const ignoreMissing = config.boolean('ignore_missing');
  const brackets = new JavaPattern('(^[\\(\\[<"\'])|([\\]\\)>"\']$)');
  return (document) => {
    const path = document.render(field);
    if (path === '' || !document.has(path)) {
      if (ignoreMissing) return;
      throw path === ''
        ? illegalArgumentError('field path cannot be null nor empty')
        : illegalArgumentError(`field [${path}] doesn't exist`);
    }
    const text = fieldText(document, path, ignoreMissing, 'extract key-value pairs');
    if (text === null) return;
    const root = target === null ? '' : document.render(target);
    const before = root === '' ? prefix : `${root}.${prefix}`;
    for (const part of splitFields(text, 0)) {
      const pair = splitText(valuePattern, part, 2);
      if (pair.length !== 2) throw illegalArgumentError(`field [${path}] does not contain value_split [${valueSplit}]`);
      const key = trimKey(pair[0]);
      if (included?.includes(key) === false || excluded?.includes(key)) continue;
      const value = trimValue(stripBrackets ? removeMatches(pair[1], brackets) : pair[1]);
      if (document.has(before + key)) document.append(before + key, value);
      else document.set(before + key, value);
    }
  };
};

const csv: ProcessorFactory = (config) => {
  const field = config.text('field');
  const targets = config.texts('target_fields');
  const separator = config.text('separator', ',');
  const quote = config.text('quote', '"');
  const trims = config.boolean('trim');
  const ignoreMissing = config.boolean('ignore_missing');
  const emptyValue = config.has('empty_value') ? config.required('empty_value') : undefined;
  if (separator.length !== 1) throw config.error('separator', 'separator has to be single character like , or ;');
  if (quote.length !== 1) throw config.error('quote', 'quote has to be single character like " or \'');
  if (targets.length === 0) throw config.error('target_fields', "target fields list can't be empty");
  return (document) => {
    const text = fieldText(document, field, ignoreMissing, 'process it');
    if (text === null) return;
    const values = parseCsv(text, separator, quote, trims, targets.length);
    values.forEach((value, i) => {
      if (value !== '') document.set(targets[i], value);
      else if (emptyValue !== undefined) document.set(targets[i], emptyValue);
    });
  };
};

/** The first `limit` values of a line. A quoted value begins with a quote and contains quotes doubled. @throws ApiError illegal_argument_exception */
function parseCsv(line: string, separator: string, quote: string, trims: boolean, limit: number): string[] {
  const isBlank = (char: string) => char === ' ' || char === '\t';
  const values: string[] = [];
  let at = 0;
  while (values.length < limit && at <= line.length) {
    let start = at;
    if (trims) while (isBlank(line[start] ?? '')) start++;
    if (line[start] === quote) {
      let value = '';
      at = start + 1;
      for (;;) {
        const end = line.indexOf(quote, at);
        if (end < 0) throw illegalArgumentError('Unmatched quote');
        value += line.slice(at, end);
        at = end + 1;
        if (line[at] !== quote) break;
        value += quote;
        at++;
      }
      if (trims) while (isBlank(line[at] ?? '')) at++;
      if (at < line.length && line[at] !== separator) throw illegalArgumentError(`character '${line[at]}' after quoted field at ${at}`);
      values.push(value);
    } else {
      let end = line.indexOf(separator, at);
      if (end < 0) end = line.length;
      let value = line.slice(at, end);
      if (/[\r\n]/.test(value)) throw illegalArgumentError(`Illegal character inside unquoted field at ${at + value.search(/[\r\n]/)}`);
      if (value.includes(quote)) throw illegalArgumentError(`Illegal character inside unquoted field at ${at + value.indexOf(quote)}`);
      if (trims) value = value.replace(/^[ \t]+|[ \t]+$/g, '');
      values.push(value);
      at = end;
    }
    at++;
  }
  return values;
}

export const PARSE_PROCESSORS: Readonly<Record<string, ProcessorFactory>> = { json, kv, csv };
