// Date patterns with the letters of java.time.format.DateTimeFormatter, compiled to elements that parse and print. Names are English.
// Our own code, because js-joda's formatter has no names, no weeks of week-based years and takes about 20 us per string.
// Additional letters: {f} a fraction of 1 to 9 digits, printed with at least 3; {z} an offset or region, printed as Z or +HH:mm;
// {Z} the same, printed as Z or +HHmm. Source: the API page of DateTimeFormatter, DateTimeFormatterBuilder.appendPattern.
import { present } from '../common/present.ts';
import { illegalArgumentError } from '../errors/catalog.ts';
import {
  FractionElement,
  LiteralElement,
  NumberElement,
  OffsetElement,
  OptionalElement,
  type PatternElement,
  TextElement,
  ZoneElement,
} from './pattern-elements.ts';

type NumericField =
  | 'year'
  | 'month'
  | 'day'
  | 'dayOfYear'
  | 'quarter'
  | 'weekYear'
  | 'week'
  | 'weekday'
  | 'hour'
  | 'minute'
  | 'second'
  | 'nano'
  | 'nanoOfDay';

const MONTHS = ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November', 'December'];
const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];
const QUARTERS = ['1st quarter', '2nd quarter', '3rd quarter', '4th quarter'];
const short = (names: readonly string[]): string[] => names.map((name) => name.slice(0, 3));

/** @throws ApiError illegal_argument_exception: an unknown letter or invalid width */
export function compilePattern(pattern: string, lenient = false): PatternElement[] {
  const stack: PatternElement[][] = [[]];
  for (let i = 0; i < pattern.length; ) {
    const char = pattern[i];
    const top = stack[stack.length - 1];
    if (/[A-Za-z]/.test(char)) {
      let end = i;
      while (pattern[end] === char) end++;
      top.push(letterElement(char, end - i, lenient));
      i = end;
    } else if (char === "'") {
      const end = quoteEnd(pattern, i);
      const literal = pattern.slice(i + 1, end).replaceAll("''", "'");
      top.push(new LiteralElement(literal === '' ? "'" : literal));
      i = end + 1;
    } else if (char === '[') {
      stack.push([]);
      i++;
    } else if (char === ']') {
      if (stack.length === 1) throw illegalArgumentError('Pattern invalid as it contains ] without previous [');
      const elements = present(stack.pop());
      stack[stack.length - 1].push(new OptionalElement(elements));
      i++;
    } else if (pattern.startsWith('{f}', i)) {
      top.push(new FractionElement(3, 9, 1));
      i += 3;
    } else if (pattern.startsWith('{z}', i)) {
      top.push(new OffsetElement('any', 'Z', true));
      i += 3;
    } else if (pattern.startsWith('{Z}', i)) {
      top.push(new OffsetElement('any', 'Z', true, 'plain'));
      i += 3;
    } else if (char === '{' || char === '}' || char === '#') {
      throw illegalArgumentError(`Pattern includes reserved character: '${char}'`);
    } else {
      top.push(new LiteralElement(char));
      i++;
    }
  }
  while (stack.length > 1) {
    const elements = present(stack.pop());
    stack[stack.length - 1].push(new OptionalElement(elements));
  }
  reserveDigits(stack[0]);
  return stack[0];
}

function quoteEnd(pattern: string, start: number): number {
  for (let i = start + 1; i < pattern.length; i++) {
    if (pattern[i] !== "'") continue;
    if (pattern[i + 1] !== "'" || i === start + 1) return i;
    i++;
  }
  throw illegalArgumentError(`Pattern ends with an incomplete string literal: ${pattern}`);
}

function reserveDigits(elements: readonly PatternElement[]): void {
  let fixed = 0;
  for (let i = elements.length - 1; i >= 0; i--) {
    const element = elements[i];
    if (element instanceof OptionalElement) reserveDigits(element.elements);
    if (element instanceof NumberElement) {
      if (element.isFixed) fixed += element.min;
      else {
        element.reserved = fixed;
        fixed = 0;
      }
    } else if (element instanceof FractionElement) fixed += element.parseMin;
    else fixed = 0;
  }
}

function number(field: NumericField, min: number, max: number, signed = false, scale = 1, width = min): PatternElement {
  return new NumberElement(
    min,
    max,
    signed,
    (view) => Math.floor(view[field] / scale),
    (fields, value) => {
      fields[field] = value * scale;
    },
    0,
    width,
  );
}

function year(field: 'year' | 'weekYear', count: number, lenient: boolean): PatternElement {
  if (count === 2) {
    return new NumberElement(
      2,
      2,
      false,
      (view) => view[field],
      (fields, value) => {
        fields[field] = value;
      },
      2000,
    );
  }
  return number(field, lenient ? 1 : count, lenient ? 9 : 19, true, 1, count);
}

function month(count: number, lenient: boolean): PatternElement {
  if (count <= 2) return number('month', lenient ? 1 : count, 2, false, 1, count);
  return new TextElement(
    count === 3 ? short(MONTHS) : MONTHS,
    (view) => view.month - 1,
    (fields, index) => {
      fields.month = index + 1;
    },
  );
}

function weekday(count: number): PatternElement {
  return new TextElement(
    count <= 3 ? short(WEEKDAYS) : WEEKDAYS,
    (view) => view.weekday - 1,
    (fields, index) => {
      fields.weekday = index + 1;
    },
  );
}

/** @param min  least number of digits to parse. @returns null for too many letters */
type LetterElement = (count: number, lenient: boolean, min: number, letter: string) => PatternElement | null;

const upTo =
  (most: number, make: LetterElement): LetterElement =>
  (count, lenient, min, letter) =>
    count <= most ? make(count, lenient, min, letter) : null;

/** A field of one or two digits. */
const twoDigits = (field: Parameters<typeof number>[0]): LetterElement =>
  upTo(2, (count, _, min) => number(field, min, 2, false, 1, count));

const monthElement: LetterElement = upTo(4, (count, lenient) => month(count, lenient));

const quarterElement: LetterElement = upTo(4, (count) => {
  if (count <= 2) return number('quarter', count, count === 1 ? 1 : 2);
  return new TextElement(
    count === 3 ? ['Q1', 'Q2', 'Q3', 'Q4'] : QUARTERS,
    (view) => view.quarter - 1,
    (fields, index) => {
      fields.quarter = index + 1;
    },
  );
});

const numberedWeekday: LetterElement = upTo(4, (count) => (count <= 2 ? number('weekday', count, count) : weekday(count)));

const halfOfDay: LetterElement = upTo(
  1,
  () =>
    new TextElement(
      ['AM', 'PM'],
      (view) => (view.hour < 12 ? 0 : 1),
      (fields, index) => {
        fields.afternoon = index;
      },
    ),
);

const hourFrom1To24: LetterElement = upTo(
  2,
  (_count, _lenient, min) =>
    new NumberElement(
      min,
      2,
      false,
      (view) => view.hour || 24,
      (fields, value) => {
        fields.hour = value % 24;
      },
    ),
);

const hourFrom1To12: LetterElement = upTo(
  2,
  (_count, _lenient, min) =>
    new NumberElement(
      min,
      2,
      false,
      (view) => view.hour % 12 || 12,
      (fields, value) => {
        fields.halfDayHour = value % 12;
      },
    ),
);

const hourFrom0To11: LetterElement = upTo(
  2,
  (_count, _lenient, min) =>
    new NumberElement(
      min,
      2,
      false,
      (view) => view.hour % 12,
      (fields, value) => {
        fields.halfDayHour = value;
      },
    ),
);

const era: LetterElement = (count) =>
  new TextElement(
    count === 4 ? ['Before Christ', 'Anno Domini'] : ['BC', 'AD'],
    (view) => (view.year > 0 ? 1 : 0),
    (fields, index) => {
      fields.era = index;
    },
  );

const offset: LetterElement = upTo(3, (count, _lenient, _min, letter) => {
  const form = count === 1 ? 'hour' : count === 2 ? 'plain' : 'colon';
  return new OffsetElement(form, letter === 'X' ? 'Z' : { hour: '+00', plain: '+0000', colon: '+00:00' }[form], false);
});

const generalOffset: LetterElement = upTo(5, (count) => {
  if (count <= 3) return new OffsetElement('plain', '+0000', false);
  return count === 4 ? new OffsetElement('gmt', 'GMT', false) : new OffsetElement('colon', 'Z', false);
});

const zoneId: LetterElement = (count, _lenient, _min, letter) => {
  if (count !== 2) throw illegalArgumentError(`Pattern letter count must be 2: ${letter}`);
  return new OffsetElement('any', 'Z', true);
};

/** Letters of java.time.format.DateTimeFormatter. */
const LETTERS: ReadonlyMap<string, LetterElement> = new Map([
  ['y', (count, lenient) => year('year', count, lenient)],
  ['u', (count, lenient) => year('year', count, lenient)],
  ['Y', (count, lenient) => year('weekYear', count, lenient)],
  ['M', monthElement],
  ['L', monthElement],
  ['d', twoDigits('day')],
  ['D', upTo(3, (count, lenient) => number('dayOfYear', lenient ? 1 : count, 3, false, 1, count))],
  ['Q', quarterElement],
  ['q', quarterElement],
  ['w', twoDigits('week')],
  ['E', upTo(4, weekday)],
  ['e', numberedWeekday],
  ['c', numberedWeekday],
  ['a', halfOfDay],
  ['H', twoDigits('hour')],
  ['k', hourFrom1To24],
  ['h', hourFrom1To12],
  ['K', hourFrom0To11],
  ['m', twoDigits('minute')],
  ['s', twoDigits('second')],
  ['S', upTo(9, (count, lenient) => new FractionElement(count, count, lenient ? 1 : count))],
  ['n', (count) => number('nano', count, 19)],
  ['N', (count) => number('nanoOfDay', count, 19)],
  ['A', (count) => number('nanoOfDay', count, 19, false, 1_000_000)],
  ['G', era],
  ['X', offset],
  ['x', offset],
  ['Z', generalOffset],
  ['O', (count) => (count === 1 || count === 4 ? new OffsetElement('gmt', 'GMT', false) : null)],
  ['z', () => new ZoneElement()],
  ['v', () => new ZoneElement()],
  ['V', zoneId],
] satisfies Array<[string, LetterElement]>);

function letterElement(letter: string, count: number, lenient: boolean): PatternElement {
  const make = LETTERS.get(letter);
  if (!make) throw illegalArgumentError(`Unknown pattern letter: ${letter}`);
  const element = make(count, lenient, lenient ? 1 : Math.min(count, 2), letter);
  if (!element) throw illegalArgumentError(`Too many pattern letters: ${letter}`);
  return element;
}
