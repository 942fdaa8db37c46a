// Grok expressions: regular expressions that refer to named patterns (`%{NUMBER:bytes:int}`) and capture fields. They run on the linear-time engine.

import { illegalArgumentError } from '../../errors/catalog.ts';
import { JavaPattern } from '../../regex/java-pattern.ts';
import { FLAG } from '../../regex/syntax.ts';
import { GROK_PATTERNS } from './patterns.ts';

type CaptureType = 'string' | 'int' | 'long' | 'float' | 'double' | 'boolean';

interface Capture {
  readonly field: string;
  readonly type: CaptureType;
  /** Groups that capture this field; the first one that matched provides the value. */
  readonly groups: number[];
}

const REFERENCE = /%\{(\w+)(?::([^:{}=]+))?(?::(int|long|float|double|boolean|string))?(?:=((?:[^{}]|\{[^{}]*\})*))?\}/g;
const MAX_LENGTH = 200_000;
const MAX_DEPTH = 100;
/** `^` and `$` match at every line, as in Ruby, and word characters are those of Unicode. */
const FLAGS = FLAG.MULTILINE | FLAG.UNIX_LINES | FLAG.UNICODE_CHARACTER_CLASS;

export class Grok {
  readonly #pattern: JavaPattern;
  readonly #captures: Capture[] = [];

  /**
   * @param definitions  additional patterns, which override the built-in ones
   * @throws ApiError illegal_argument_exception: an unknown or circular name; pattern_syntax_exception
   */
  constructor(expression: string, definitions: Readonly<Record<string, string>>) {
    const named: { name: string; type: CaptureType }[] = [];
    const source = expand(expression, definitions, named, []);
    this.#pattern = new JavaPattern(source, FLAGS);
    const byField = new Map<string, Capture>();
    named.forEach(({ name, type }, i) => {
      const group = this.#pattern.groupNames.get(`g${i}`);
      if (group === undefined) throw new Error(`the expanded grok expression has no group g${i}`);
      const capture = byField.get(name);
      if (capture) capture.groups.push(group);
      else byField.set(name, { field: name, type, groups: [group] });
    });
    this.#captures = [...byField.values()];
  }

  /** Values by field if the expression matches anywhere in the text, otherwise null. */
  match(text: string): Map<string, unknown> | null {
    const matcher = this.#pattern.matcher(text);
    if (!matcher.find()) return null;
    const values = new Map<string, unknown>();
    for (const { field, type, groups } of this.#captures) {
      for (const group of groups) {
        const value = matcher.group(group);
        if (value === null) continue;
        values.set(field, convert(value, type));
        break;
      }
    }
    return values;
  }

  /** Where the fields are captured, in each match of the text. */
  spans(text: string): Array<{ readonly start: number; readonly end: number; readonly field: string }> {
    const matcher = this.#pattern.matcher(text);
    const spans: Array<{ start: number; end: number; field: string }> = [];
    while (matcher.find()) {
      for (const { field, groups } of this.#captures) {
        for (const group of groups) {
          const value = matcher.group(group);
          if (value === null || value === '') continue;
          const start = matcher.startOf(group);
          spans.push({ start, end: start + value.length, field });
        }
      }
    }
    return spans;
  }
}

/** Replaces references by their patterns. Captures become groups `g0`, `g1`..., which are listed in `named`. */
function expand(
  expression: string,
  definitions: Readonly<Record<string, string>>,
  named: { name: string; type: CaptureType }[],
  within: readonly string[],
): string {
  if (within.length > MAX_DEPTH) throw illegalArgumentError(`grok expressions nest deeper than ${MAX_DEPTH}`);
  let out = '';
  let last = 0;
  for (const match of expression.matchAll(REFERENCE)) {
    const [whole, pattern, field, type, definition] = match;
    out += nameGroups(expression.slice(last, match.index), named);
    last = match.index + whole.length;
    const source = definition ?? definitionOf(pattern, definitions);
    if (source === null) throw illegalArgumentError(`Unable to find pattern [${pattern}] in Grok's pattern dictionary`);
    if (within.includes(pattern)) throw illegalArgumentError(`circular reference in pattern [${pattern}][${source}]`);
    let open = '(?:';
    if (field !== undefined) {
      open = `(?<g${named.length}>`;
      named.push({ name: field, type: (type ?? 'string') as CaptureType });
    }
    out += `${open}${expand(source, definitions, named, [...within, pattern])})`;
    if (out.length > MAX_LENGTH) throw illegalArgumentError(`grok expression is longer than ${MAX_LENGTH} characters`);
  }
  return out + nameGroups(expression.slice(last), named);
}

function definitionOf(name: string, definitions: Readonly<Record<string, string>>): string | null {
  if (Object.hasOwn(definitions, name)) return definitions[name];
  return Object.hasOwn(GROK_PATTERNS, name) ? GROK_PATTERNS[name] : null;
}

const CLASS = /\[\^?\]?(?:\\.|\[:\w+:\]|[^\]\\])*\]/;
const GROUPS = new RegExp(`\\\\.|${CLASS.source}|\\((?!\\?)|\\(\\?<([^>=!][^>]*)>`, 'gs');

/**
 * Converts a Ruby expression to Java's syntax: groups without a name do not capture, named ones (`(?<queue_id>...)`) get numbers, `\h` is a
 * hexadecimal digit, `[:alpha:]` a class.
 */
function nameGroups(source: string, named: { name: string; type: CaptureType }[]): string {
  return source.replace(GROUPS, (text, name: string | undefined) => {
    if (name !== undefined) return `(?<g${named.push({ name, type: 'string' }) - 1}>`;
    if (text === '(') return '(?:';
    if (text === '\\h') return '[0-9a-fA-F]';
    return text.startsWith('[') ? text.replace(/\[:(\w+):\]/g, (_, letters: string) => POSIX[letters] ?? `[:${letters}:]`) : text;
  });
}

const POSIX: Readonly<Record<string, string>> = {
  alnum: '\\p{Alnum}',
  alpha: '\\p{Alpha}',
  blank: '\\p{Blank}',
  cntrl: '\\p{Cntrl}',
  digit: '\\p{Digit}',
  graph: '\\p{Graph}',
  lower: '\\p{Lower}',
  print: '\\p{Print}',
  punct: '\\p{Punct}',
  space: '\\s',
  upper: '\\p{Upper}',
  word: '\\w',
  xdigit: '\\p{XDigit}',
};

function convert(text: string, type: CaptureType): unknown {
  switch (type) {
    case 'string':
      return text;
    case 'boolean':
      return text.toLowerCase() === 'true';
    case 'int':
    case 'long':
      if (!/^[+-]?\d+$/.test(text)) throw illegalArgumentError(`For input string: "${text}"`);
      return Number.isSafeInteger(Number(text)) ? Number(text) : BigInt(text);
    default:
      if (Number.isNaN(Number(text))) throw illegalArgumentError(`For input string: "${text}"`);
      return Number(text);
  }
}
