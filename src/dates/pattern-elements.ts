// The elements that date patterns are compiled to. Each parses and prints its part of a string.
import type { DateFields } from './date-fields.ts';
import type { DateView } from './date-view.ts';
import { findZone, formatOffset } from './zones.ts';

/** Parses at `at` and returns the end or -1; prints a date. */
export interface PatternElement {
  parse(text: string, at: number, fields: DateFields): number;
  print(view: DateView): string;
}

/** A number of min to max digits. A fixed width directly after a variable one takes its digits from it (yyyyMMdd). */
export class NumberElement implements PatternElement {
  /** Digits that the following fixed-width elements need. */
  reserved = 0;
  constructor(
    readonly min: number,
    readonly max: number,
    readonly signed: boolean,
    readonly get: (view: DateView) => number,
    readonly set: (fields: DateFields, value: number) => void,
    /** Two-digit years: 00..99 is 2000..2099. */
    readonly base = 0,
    /** Minimum number of printed digits: lenient formats parse fewer than they print. */
    readonly width = min,
  ) {}

  get isFixed(): boolean {
    return this.min === this.max;
  }

  parse(text: string, at: number, fields: DateFields): number {
    let sign = 1;
    let from = at;
    if (this.signed && (text.charCodeAt(at) === 45 || (text.charCodeAt(at) === 43 && this.min >= 4))) {
      sign = text.charCodeAt(at) === 45 ? -1 : 1;
      from++;
    }
    let end = from;
    while (end < text.length && end - from < 19 && isDigit(text.charCodeAt(end))) end++;
    // An unsigned year has exactly as many digits as its pattern; more digits need a plus sign, which shorter years must not have.
    const most = this.signed && this.min >= 4 && from === at ? this.min : this.max;
    const count = Math.min(most, this.reserved > 0 ? end - from - this.reserved : end - from);
    if (count < this.min || (from > at && sign > 0 && count <= this.min)) return -1;
    this.set(fields, sign * Number(text.slice(from, from + count)) + this.base);
    return from + count;
  }

  print(view: DateView): string {
    const value = this.get(view) - this.base;
    if (this.base) return String(((value % 100) + 100) % 100).padStart(2, '0');
    const digits = String(Math.abs(value)).padStart(this.width, '0');
    if (value < 0) return `-${digits}`;
    return this.signed && this.width >= 4 && digits.length > this.width ? `+${digits}` : digits;
  }
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

export class LiteralElement implements PatternElement {
  constructor(readonly text: string) {}
  parse(text: string, at: number): number {
    return text.startsWith(this.text, at) ? at + this.text.length : -1;
  }
  print(): string {
    return this.text;
  }
}

/** One of several names; `set` receives its index. */
export class TextElement implements PatternElement {
  constructor(
    readonly names: readonly string[],
    readonly get: (view: DateView) => number,
    readonly set: (fields: DateFields, index: number) => void,
  ) {}
  parse(text: string, at: number, fields: DateFields): number {
    let best = -1;
    for (let i = 0; i < this.names.length; i++) {
      if (text.startsWith(this.names[i], at) && (best < 0 || this.names[i].length > this.names[best].length)) best = i;
    }
    if (best < 0) return -1;
    this.set(fields, best);
    return at + this.names[best].length;
  }
  print(view: DateView): string {
    return this.names[this.get(view)];
  }
}

/** Fraction of a second: `min` digits are printed, more only if they are not zero and `max` allows them. */
export class FractionElement implements PatternElement {
  constructor(
    readonly min: number,
    readonly max: number,
    readonly parseMin: number,
  ) {}
  parse(text: string, at: number, fields: DateFields): number {
    let end = at;
    while (end < text.length && end - at < this.max && isDigit(text.charCodeAt(end))) end++;
    if (end - at < this.parseMin) return -1;
    fields.nano = Number(text.slice(at, end)) * 10 ** (9 - (end - at));
    return end;
  }
  print(view: DateView): string {
    const digits = String(view.nano).padStart(9, '0').slice(0, this.max);
    let end = digits.length;
    while (end > this.min && digits[end - 1] === '0') end--;
    return digits.slice(0, end);
  }
}

const OFFSET_FORMS: Record<string, RegExp> = {
  hour: /[+-]\d\d(?:\d\d)?/y,
  plain: /[+-]\d\d\d\d/y,
  colon: /[+-]\d\d:\d\d/y,
  any: /[+-]\d\d(?::?\d\d(?::?\d\d)?)?/y,
  gmt: /GMT(?:[+-]\d{1,2}(?::\d\d)?)?/y,
};

export class OffsetElement implements PatternElement {
  constructor(
    readonly form: 'hour' | 'plain' | 'colon' | 'any' | 'gmt',
    /** Printed for a zero offset. */
    readonly zero: string,
    readonly regions: boolean,
    readonly printForm: 'hour' | 'plain' | 'colon' | 'any' | 'gmt' = form,
  ) {}
  parse(text: string, at: number, fields: DateFields): number {
    if ((this.zero === 'Z' || this.regions) && text[at] === 'Z') {
      fields.zone = findZone('Z');
      return at + 1;
    }
    const pattern = OFFSET_FORMS[this.form];
    pattern.lastIndex = at;
    let match = pattern.exec(text);
    if (!match && this.regions) {
      REGION.lastIndex = at;
      match = REGION.exec(text);
    }
    fields.zone = match ? findZone(match[0]) : null;
    return match && fields.zone ? at + match[0].length : -1;
  }
  print(view: DateView): string {
    const seconds = view.offsetMs / 1000;
    if (seconds === 0) return this.zero;
    if (this.form === 'gmt') return `GMT${formatOffset(seconds, true).replace(/^([+-])0/, '$1')}`;
    const text = formatOffset(seconds, this.printForm === 'colon' || this.printForm === 'any');
    return this.form === 'hour' && text.endsWith('00') && text.length === 5 ? text.slice(0, 3) : text;
  }
}
const REGION = /[A-Za-z][A-Za-z0-9~/._+-]*/y;

export class ZoneElement implements PatternElement {
  parse(text: string, at: number, fields: DateFields): number {
    REGION.lastIndex = at;
    const match = REGION.exec(text);
    fields.zone = match ? findZone(match[0]) : null;
    return match && fields.zone ? at + match[0].length : -1;
  }
  print(view: DateView): string {
    return view.zone.id;
  }
}

/** An optional part between [ and ]: skipped if it does not match, always printed. */
export class OptionalElement implements PatternElement {
  constructor(readonly elements: readonly PatternElement[]) {}
  parse(text: string, at: number, fields: DateFields): number {
    const saved = Object.assign(Object.create(null), fields) as object;
    const end = parseElements(this.elements, text, at, fields);
    if (end >= 0) return end;
    Object.assign(fields, saved);
    return at;
  }
  print(view: DateView): string {
    return printElements(this.elements, view);
  }
}

export function parseElements(elements: readonly PatternElement[], text: string, at: number, fields: DateFields): number {
  for (let i = 0; i < elements.length && at >= 0; i++) at = elements[i].parse(text, at, fields);
  return at;
}

export function printElements(elements: readonly PatternElement[], view: DateView): string {
  let text = '';
  for (const element of elements) text += element.print(view);
  return text;
}
