// Processors of strings: lowercase, uppercase, trim, gsub, html_strip, urldecode, bytes; and of strings and lists: split, join, sort.
import { CharFilterChain } from '../../analysis/char-filters/apply.ts';
import { htmlStripFilter } from '../../analysis/char-filters/html-strip.ts';
import { threadAnalysisHost } from '../../analysis/thread-host.ts';
import { JsonFloat } from '../../common/json/json-float.ts';
import { isJsonObject } from '../../common/json/source-numbers.ts';
import { parseByteSize } from '../../common/text/byte-size.ts';
import { javaText } from '../../common/text/java-text.ts';
import { ApiError } from '../../errors/api-error.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';
import type { JavaPattern } from '../../regex/java-pattern.ts';
import { Replacement } from '../../regex/replacement.ts';
import { type IngestDocument, javaType } from '../ingest-document.ts';
import type { ProcessorConfig } from '../processor-config.ts';
import type { ProcessorFactory } from './processor.ts';

/** A processor of the string in `field`, or of each string of a list there. */
function textProcessor(change: (config: ProcessorConfig) => (text: string) => unknown): ProcessorFactory {
  return (config) => {
    const field = config.text('field');
    const target = config.text('target_field', field);
    const ignoreMissing = config.boolean('ignore_missing');
    const apply = change(config);
    return (document) => {
      if (ignoreMissing && (!document.has(field) || document.get(field) === null)) return;
      const value = document.get(field);
      if (value === null) throw illegalArgumentError(`field [${field}] is null, cannot process it.`);
      document.set(
        target,
        Array.isArray(value) ? value.map((item) => apply(asText(item, field, true))) : apply(asText(value, field, false)),
      );
    };
  };
}

function asText(value: unknown, field: string, isItem: boolean): string {
  if (typeof value === 'string') return value;
  throw illegalArgumentError(
    isItem
      ? `value [${javaText(value)}] of type [${javaType(value)}] in list field [${field}] cannot be cast to [java.lang.String]`
      : `field [${field}] of type [${javaType(value)}] cannot be cast to [java.lang.String]`,
  );
}

/** Splits like Java's Pattern.split. @param limit  0 drops trailing empty strings, -1 keeps them */
export function splitText(pattern: JavaPattern, text: string, limit: number): string[] {
  const parts: string[] = [];
  const matcher = pattern.matcher(text);
  let from = 0;
  while ((limit <= 0 || parts.length < limit - 1) && matcher.find()) {
    // An empty match at the start does not produce an empty string.
    if (from === 0 && matcher.start === 0 && matcher.end === 0) continue;
    parts.push(text.slice(from, matcher.start));
    from = matcher.end;
  }
  if (from === 0 && parts.length === 0) return [text];
  parts.push(text.slice(from));
  if (limit === 0) while (parts.length > 0 && parts[parts.length - 1] === '') parts.pop();
  return parts;
}

/** Java's String.trim: removes characters up to U+0020. */
function trim(text: string): string {
  let from = 0;
  let to = text.length;
  while (from < to && text.charCodeAt(from) <= 32) from++;
  while (to > from && text.charCodeAt(to - 1) <= 32) to--;
  return text.slice(from, to);
}

const gsub = textProcessor((config) => {
  const pattern = config.pattern('pattern');
  const replacement = new Replacement(config.text('replacement'), pattern);
  return (text) => {
    const matcher = pattern.matcher(text);
    let out = '';
    let last = 0;
    while (matcher.find()) {
      out += text.slice(last, matcher.start) + replacement.apply(matcher);
      last = matcher.end;
    }
    return out + text.slice(last);
  };
});

/** Decodes like java.net.URLDecoder: `+` is a space, invalid sequences are errors. */
function decodeUrl(text: string): string {
  if (/%(?![0-9A-Fa-f]{2})/.test(text)) throw illegalArgumentError(`URLDecoder: Illegal hex characters in escape (%) pattern: ${text}`);
  return text.replace(/\+/g, ' ').replace(/(?:%[0-9A-Fa-f]{2})+/g, (run) => Buffer.from(run.replaceAll('%', ''), 'hex').toString('utf8'));
}

function sizeOf(text: string): number {
  const bytes = parseByteSize(text);
  if (bytes !== null) return bytes;
  throw new ApiError(
    'parse_exception',
    400,
    `failed to parse setting [Ingest Field] with value [${text}] as a size in bytes: unit is missing or unrecognized`,
  );
}

const split: ProcessorFactory = (config) => {
  const field = config.text('field');
  const pattern = config.pattern('separator');
  const ignoreMissing = config.boolean('ignore_missing');
  const preserveTrailing = config.boolean('preserve_trailing');
  const target = config.text('target_field', field);
  return (document) => {
    if (ignoreMissing && (!document.has(field) || document.get(field) === null)) return;
    const value = document.get(field);
    if (value === null) throw illegalArgumentError(`field [${field}] is null, cannot split.`);
    document.set(target, splitText(pattern, asText(value, field, false), preserveTrailing ? -1 : 0));
  };
};

function listAt(document: IngestDocument, field: string, verb: string): unknown[] {
  const value = document.get(field);
  if (value === null) throw illegalArgumentError(`field [${field}] is null, cannot ${verb}.`);
  if (!Array.isArray(value)) throw illegalArgumentError(`field [${field}] of type [${javaType(value)}] cannot be cast to [java.util.List]`);
  return value;
}

const join: ProcessorFactory = (config) => {
  const field = config.text('field');
  const separator = config.text('separator');
  const target = config.text('target_field', field);
  return (document) => {
    const list = listAt(document, field, 'join');
    if (list.includes(null)) throw illegalArgumentError(`field [${field}] contains null, cannot join.`);
    document.set(target, list.map(javaText).join(separator));
  };
};

/** A string, number or boolean of a document as JavaScript compares it. */
function comparable(value: unknown): string | number | boolean {
  return value instanceof JsonFloat ? value.value : (value as string | number | boolean);
}

/** Lists and maps have no order; other values are compared with those of their class. */
function castReason(type: string, kind: string): string {
  if (type !== kind || !COLLECTIONS.has(type)) return `class ${type} cannot be cast to class ${kind}`;
  const modules = `${type} and java.lang.Comparable are in module java.base of loader 'bootstrap'`;
  return `class ${type} cannot be cast to class java.lang.Comparable (${modules})`;
}

const COLLECTIONS = new Set(['java.util.HashMap', 'java.util.ArrayList']);

const sort: ProcessorFactory = (config) => {
  const field = config.text('field');
  const target = config.text('target_field', field);
  const order = config.text('order', 'asc');
  if (order !== 'asc' && order !== 'desc')
    throw config.error('order', `Sort direction [${order}] not recognized. Valid values are: [asc, desc]`);
  const sign = order === 'asc' ? 1 : -1;
  return (document) => {
    const list = listAt(document, field, 'sort');
    const kind = javaType(list[0]);
    for (const item of list)
      if (item === null || Array.isArray(item) || isJsonObject(item) || javaType(item) !== kind)
        throw new ApiError('class_cast_exception', 500, castReason(javaType(item), kind));
    document.set(
      target,
      list.toSorted((x, y) => {
        const [a, b] = [comparable(x), comparable(y)];
        return a < b ? -sign : a > b ? sign : 0;
      }),
    );
  };
};

export const TEXT_PROCESSORS: Readonly<Record<string, ProcessorFactory>> = {
  lowercase: textProcessor(() => (text) => text.toLowerCase()),
  uppercase: textProcessor(() => (text) => text.toUpperCase()),
  trim: textProcessor(() => trim),
  gsub,
  html_strip: textProcessor(() => {
    let chain: CharFilterChain | null = null;
    return (text) => (chain ??= new CharFilterChain([htmlStripFilter([])], threadAnalysisHost())).apply(text).text;
  }),
  urldecode: textProcessor(() => decodeUrl),
  bytes: textProcessor(() => sizeOf),
  split,
  join,
  sort,
};
