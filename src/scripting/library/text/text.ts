// Strings: String, CharSequence, StringBuilder, StringBuffer, StringJoiner, StringTokenizer.
import { javaTrim } from '../../../common/text/java-text.ts';
import type { JavaPattern } from '../../../regex/java-pattern.ts';
import { spendBytes, spendText } from '../../java/budget.ts';
import { defineClass, type Implementation } from '../../java/class-info.ts';
import { illegalArgument, noSuchElement, nullPointer, raise } from '../../java/faults.ts';
import { compareNatural, textOf } from '../../java/objects.ts';
import type { JavaArray, Value } from '../../java/values.ts';
import { matcherOf } from '../../runtime/patterns.ts';
import { intStreamOf } from '../collections/streams.ts';
import { textArray } from '../collections/text-array.ts';
import { formatText } from './format.ts';
import { MatcherState } from './patterns.ts';

const badIndex = (message: string): never => raise('java.lang.StringIndexOutOfBoundsException', message);

function charAt(self: Value, index: number): number {
  const text = textOf(self);
  if (index < 0 || index >= text.length) badIndex(`String index out of range: ${index}`);
  return text.charCodeAt(index);
}

function substring(self: Value, from: number, to?: number): string {
  const text = textOf(self);
  const end = to ?? text.length;
  if (from < 0 || from > end || end > text.length) badIndex(`begin ${from}, end ${end}, length ${text.length}`);
  return text.slice(from, end);
}

function built(text: string): string {
  spendText(text.length);
  return text;
}

function codePointAt(self: Value, index: number): number {
  const code = textOf(self).codePointAt(index);
  return code ?? badIndex(`Index ${index} out of bounds for length ${textOf(self).length}`);
}

function replaced(self: Value, pattern: JavaPattern, replace: (match: Value) => Value, isAll: boolean): string {
  const text = textOf(self);
  const matcher = matcherOf(pattern, text);
  let out = '';
  let from = 0;
  while (matcher.find()) {
    const state = MatcherState.at(pattern, text, matcher);
    out += text.slice(from, matcher.start) + textOf(replace(state));
    from = matcher.end;
    spendText(out.length);
    if (!isAll) break;
  }
  return built(out + text.slice(from));
}

const SEQUENCE: Readonly<Record<string, Implementation>> = {
  'char charAt(int)': charAt,
  'int length()': (self: Value) => textOf(self).length,
  'CharSequence subSequence(int,int)': substring,
  'String toString()': textOf,
  'IntStream chars()': (self: Value) => intStreamOf(Array.from(textOf(self), (_, i) => i).map((i) => textOf(self).charCodeAt(i))),
  'IntStream codePoints()': (self: Value) => intStreamOf(Array.from(textOf(self), (char) => char.codePointAt(0) ?? 0)),
  'String replaceAll(Pattern,Function)': (self: Value, pattern: JavaPattern, replace: (match: Value) => Value) =>
    replaced(self, pattern, replace, true),
  'String replaceFirst(Pattern,Function)': (self: Value, pattern: JavaPattern, replace: (match: Value) => Value) =>
    replaced(self, pattern, replace, false),
};
defineClass('java.lang.CharSequence', ['java.lang.Object'], { members: SEQUENCE });
defineClass('java.lang.Appendable', ['java.lang.Object']);

/** Parts of a text at each occurrence of a token. @param limit  most parts; 0 or less: all */
function splitOnToken(self: string, token: string, limit: number): JavaArray {
  if (token === '') illegalArgument('Token cannot be null or empty');
  const parts: string[] = [];
  let from = 0;
  for (let at = self.indexOf(token); at >= 0 && (limit <= 0 || parts.length < limit - 1); at = self.indexOf(token, from)) {
    parts.push(self.slice(from, at));
    from = at + token.length;
  }
  parts.push(self.slice(from));
  return textArray(parts);
}

const encodeBase64 = (text: string): string => btoa(String.fromCharCode(...new TextEncoder().encode(text)));

function decodeBase64(text: string): string {
  try {
    return new TextDecoder().decode(Uint8Array.from(atob(text), (char) => char.charCodeAt(0)));
  } catch {
    return illegalArgument('Illegal base64 character');
  }
}

function joined(separator: Value, items: Iterable<Value>): string {
  return built(Array.from(items, textOf).join(textOf(separator)));
}

function regionMatches(self: string, at: number, other: string, otherAt: number, length: number): boolean {
  if (at < 0 || otherAt < 0 || at + length > self.length || otherAt + length > other.length) return false;
  return self.slice(at, at + length) === other.slice(otherAt, otherAt + length);
}

/** String.indexOf and lastIndexOf clamp their start. */
const clamp = (index: number): number => Math.max(0, index);

defineClass('java.lang.String', ['java.lang.CharSequence', 'java.lang.Comparable'], {
  members: {
    'new()': () => '',
    'static String format(String,def[])': (pattern: string, args: JavaArray) => built(formatText(pattern, args.items)),
    'static String format(Locale,String,def[])': (_: Value, pattern: string, args: JavaArray) => built(formatText(pattern, args.items)),
    'static String join(CharSequence,Iterable)': joined,
    'static String valueOf(def)': textOf,
    'static String copyValueOf(char[])': (chars: Uint16Array) => built(String.fromCharCode(...chars)),
    'int codePointAt(int)': codePointAt,
    'int codePointCount(int,int)': (self: string, from: number, to: number) => Array.from(substring(self, from, to)).length,
    'int compareTo(String)': compareNatural,
    'int compareToIgnoreCase(String)': (self: string, other: string) => compareNatural(self.toLowerCase(), other.toLowerCase()),
    'String concat(String)': (self: string, other: string) => built(self + textOf(other ?? nullPointer(null))),
    'boolean contains(CharSequence)': (self: string, part: Value) => self.includes(textOf(part ?? nullPointer(null))),
    'boolean contentEquals(CharSequence)': (self: string, other: Value) => self === textOf(other),
    'String decodeBase64()': decodeBase64,
    'String encodeBase64()': encodeBase64,
    'boolean endsWith(String)': (self: string, end: string) => self.endsWith(end ?? nullPointer(null)),
    'boolean equalsIgnoreCase(String)': (self: string, other: string | null) =>
      other !== null && self.toLowerCase() === other.toLowerCase(),
    'int indexOf(String)': (self: string, part: string) => self.indexOf(part ?? nullPointer(null)),
    'int indexOf(String,int)': (self: string, part: string, from: number) =>
      from > self.length ? (part === '' ? self.length : -1) : self.indexOf(part, clamp(from)),
    'boolean isEmpty()': (self: string) => self.length === 0,
    'int lastIndexOf(String)': (self: string, part: string) => self.lastIndexOf(part ?? nullPointer(null)),
    'int lastIndexOf(String,int)': (self: string, part: string, from: number) => (from < 0 ? -1 : self.lastIndexOf(part, from)),
    'boolean regionMatches(int,String,int,int)': regionMatches,
    'boolean regionMatches(boolean,int,String,int,int)': (
      self: string,
      ignoreCase: boolean,
      at: number,
      other: string,
      otherAt: number,
      length: number,
    ) =>
      ignoreCase
        ? regionMatches(self.toLowerCase(), at, other.toLowerCase(), otherAt, length)
        : regionMatches(self, at, other, otherAt, length),
    'String replace(CharSequence,CharSequence)': (self: string, from: Value, to: Value) => {
      const [part, by] = [textOf(from ?? nullPointer(null)), textOf(to ?? nullPointer(null))];
      const count = part === '' ? self.length + 1 : self.split(part).length - 1;
      spendText(self.length + count * Math.max(0, by.length - part.length));
      return self.replaceAll(part, () => by);
    },
    'String[] splitOnToken(String)': (self: string, token: string) => splitOnToken(self, token, -1),
    'String[] splitOnToken(String,int)': splitOnToken,
    'boolean startsWith(String)': (self: string, start: string) => self.startsWith(start ?? nullPointer(null)),
    'boolean startsWith(String,int)': (self: string, start: string, from: number) => from >= 0 && self.startsWith(start, from),
    'String substring(int)': (self: string, from: number) => {
      if (from < 0 || from > self.length) badIndex(`begin ${from}, end ${self.length}, length ${self.length}`);
      return self.slice(from);
    },
    'String substring(int,int)': substring,
    'char[] toCharArray()': (self: string) => {
      spendBytes(2 * self.length);
      return Uint16Array.from({ length: self.length }, (_, i) => self.charCodeAt(i));
    },
    'String toLowerCase()': (self: string) => self.toLowerCase(),
    'String toLowerCase(Locale)': (self: string) => self.toLowerCase(),
    'String toUpperCase()': (self: string) => self.toUpperCase(),
    'String toUpperCase(Locale)': (self: string) => self.toUpperCase(),
    'String trim()': javaTrim,
  },
});

/** A string that changes. */
class TextBuilder {
  text: string;
  constructor(text = '') {
    this.text = text;
  }
  toString(): string {
    return this.text;
  }
  set(text: string): this {
    spendText(Math.max(0, text.length - this.text.length));
    this.text = text;
    return this;
  }
  /** @param to  one past the last character; beyond the end it is the end */
  replace(from: number, to: number, by: string): this {
    const end = Math.min(to, this.text.length);
    if (from < 0 || from > this.text.length || from > end) badIndex(`start ${from}, end ${end}, length ${this.text.length}`);
    return this.set(this.text.slice(0, from) + by + this.text.slice(end));
  }
}
class TextBuffer extends TextBuilder {}

function builder(name: string): Readonly<Record<string, Implementation>> {
  return {
    'new()': () => new TextBuilder(),
    'new(CharSequence)': (text: Value) => new TextBuilder(textOf(text)),
    [`${name} append(def)`]: (self: TextBuilder, value: Value) => self.set(self.text + textOf(value)),
    [`${name} append(CharSequence,int,int)`]: (self: TextBuilder, text: Value, from: number, to: number) =>
      self.set(self.text + substring(text, from, to)),
    [`${name} appendCodePoint(int)`]: (self: TextBuilder, code: number) => self.set(self.text + String.fromCodePoint(code)),
    'int capacity()': (self: TextBuilder) => Math.max(16, self.text.length),
    'int codePointAt(int)': codePointAt,
    [`${name} delete(int,int)`]: (self: TextBuilder, from: number, to: number) => self.replace(from, to, ''),
    [`${name} deleteCharAt(int)`]: (self: TextBuilder, at: number) => {
      charAt(self, at);
      return self.replace(at, at + 1, '');
    },
    'int indexOf(String)': (self: TextBuilder, part: string) => self.text.indexOf(part),
    'int indexOf(String,int)': (self: TextBuilder, part: string, from: number) => self.text.indexOf(part, clamp(from)),
    [`${name} insert(int,def)`]: (self: TextBuilder, at: number, value: Value) => {
      if (at < 0 || at > self.text.length) badIndex(`offset ${at}, length ${self.text.length}`);
      return self.replace(at, at, textOf(value));
    },
    'int lastIndexOf(String)': (self: TextBuilder, part: string) => self.text.lastIndexOf(part),
    'int lastIndexOf(String,int)': (self: TextBuilder, part: string, from: number) => (from < 0 ? -1 : self.text.lastIndexOf(part, from)),
    [`${name} replace(int,int,String)`]: (self: TextBuilder, from: number, to: number, by: string) => self.replace(from, to, by),
    [`${name} reverse()`]: (self: TextBuilder) => self.set(Array.from(self.text).reverse().join('')),
    'void setCharAt(int,char)': (self: TextBuilder, at: number, code: number) => {
      charAt(self, at);
      self.replace(at, at + 1, String.fromCharCode(code));
    },
    'void setLength(int)': (self: TextBuilder, length: number) => {
      if (length < 0) badIndex(`String index out of range: ${length}`);
      spendText(length);
      self.set(self.text.slice(0, length).padEnd(length, '\0'));
    },
    'String substring(int)': (self: TextBuilder, from: number) => substring(self, from),
    'String substring(int,int)': substring,
  };
}
const PARENTS = ['java.lang.CharSequence', 'java.lang.Appendable', 'java.lang.Comparable'];
defineClass('java.lang.StringBuilder', PARENTS, { of: TextBuilder, members: builder('StringBuilder') });
defineClass('java.lang.StringBuffer', PARENTS, {
  of: TextBuffer,
  members: {
    ...builder('StringBuffer'),
    'new()': () => new TextBuffer(),
    'new(CharSequence)': (text: Value) => new TextBuffer(textOf(text)),
  },
});

class Joiner {
  readonly parts: string[] = [];
  empty: string | null = null;
  readonly #separator: string;
  readonly #prefix: string;
  readonly #suffix: string;
  constructor(separator: string, prefix = '', suffix = '') {
    this.#separator = separator;
    this.#prefix = prefix;
    this.#suffix = suffix;
  }
  toString(): string {
    if (!this.parts.length && this.empty !== null) return this.empty;
    return built(this.#prefix + this.parts.join(this.#separator) + this.#suffix);
  }
}
defineClass('java.util.StringJoiner', ['java.lang.Object'], {
  of: Joiner,
  members: {
    'new(CharSequence)': (separator: Value) => new Joiner(textOf(separator)),
    'new(CharSequence,CharSequence,CharSequence)': (separator: Value, prefix: Value, suffix: Value) =>
      new Joiner(textOf(separator), textOf(prefix), textOf(suffix)),
    'StringJoiner add(CharSequence)': (self: Joiner, part: Value) => {
      spendText(textOf(part).length);
      self.parts.push(textOf(part));
      return self;
    },
    'int length()': (self: Joiner) => self.toString().length,
    'StringJoiner setEmptyValue(CharSequence)': (self: Joiner, empty: Value) => {
      self.empty = textOf(empty);
      return self;
    },
  },
});

class Tokenizer {
  readonly tokens: string[];
  at = 0;
  constructor(text: string, delimiters = ' \t\n\r\f', isReturned = false) {
    this.tokens = [];
    let token = '';
    for (const char of text) {
      if (!delimiters.includes(char)) token += char;
      else {
        if (token !== '') this.tokens.push(token);
        if (isReturned) this.tokens.push(char);
        token = '';
      }
    }
    if (token !== '') this.tokens.push(token);
    spendBytes(text.length + this.tokens.length * 16);
  }
}
const nextToken = (self: Tokenizer): string => (self.at < self.tokens.length ? self.tokens[self.at++] : noSuchElement(null));
defineClass('java.util.StringTokenizer', ['java.lang.Object'], {
  of: Tokenizer,
  members: {
    'new(String)': (text: string) => new Tokenizer(text),
    'new(String,String)': (text: string, delimiters: string) => new Tokenizer(text, delimiters),
    'new(String,String,boolean)': (text: string, delimiters: string, isReturned: boolean) => new Tokenizer(text, delimiters, isReturned),
    'int countTokens()': (self: Tokenizer) => self.tokens.length - self.at,
    'boolean hasMoreTokens()': (self: Tokenizer) => self.at < self.tokens.length,
    'boolean hasMoreElements()': (self: Tokenizer) => self.at < self.tokens.length,
    'String nextToken()': nextToken,
    'def nextElement()': nextToken,
  },
});
