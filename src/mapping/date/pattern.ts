// Date patterns with the letters of java.time.format.DateTimeFormatter, compiled to elements that parse and print. Names are English.
// Our own code, because js-joda's formatter has no names, no weeks of week-based years and takes about 20 us per string.
// Additional letters: {f} a fraction of 1 to 9 digits, printed with at least 3; {z} an offset or region, printed as Z or +HH:mm;
// {Z} the same, printed as Z or +HHmm. Source: the API page of DateTimeFormatter, DateTimeFormatterBuilder.appendPattern.
import { present } from '../../common/present.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';
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

function letterElement(letter: string, count: number, lenient: boolean): PatternElement {
  const min = lenient ? 1 : Math.min(count, 2);
  switch (letter) {
    case 'y':
    case 'u':
      return year('year', count, lenient);
    case 'Y':
      return year('weekYear', count, lenient);
    case 'M':
    case 'L':
      if (count <= 4) return month(count, lenient);
      break;
    case 'd':
      if (count <= 2) return number('day', min, 2, false, 1, count);
      break;
    case 'D':
      if (count <= 3) return number('dayOfYear', lenient ? 1 : count, 3, false, 1, count);
      break;
    case 'Q':
    case 'q':
      if (count <= 2) return number('quarter', count, count === 1 ? 1 : 2);
      if (count <= 4) {
        const names = count === 3 ? ['Q1', 'Q2', 'Q3', 'Q4'] : QUARTERS;
        return new TextElement(
          names,
          (view) => view.quarter - 1,
          (fields, index) => {
            fields.quarter = index + 1;
          },
        );
      }
      break;
    case 'w':
      if (count <= 2) return number('week', min, 2, false, 1, count);
      break;
    case 'E':
      if (count <= 4) return weekday(count);
      break;
    case 'e':
    case 'c':
      if (count <= 2) return number('weekday', count, count);
      if (count <= 4) return weekday(count);
      break;
    case 'a':
      if (count === 1) {
        return new TextElement(
          ['AM', 'PM'],
          (view) => (view.hour < 12 ? 0 : 1),
          (fields, index) => {
            fields.afternoon = index;
          },
        );
      }
      break;
    case 'H':
      if (count <= 2) return number('hour', min, 2, false, 1, count);
      break;
    case 'k':
      if (count <= 2)
        return new NumberElement(
          min,
          2,
          false,
          (view) => view.hour || 24,
          (fields, value) => {
            fields.hour = value % 24;
          },
        );
      break;
    case 'h':
      if (count <= 2)
        return new NumberElement(
          min,
          2,
          false,
          (view) => view.hour % 12 || 12,
          (fields, value) => {
            fields.halfDayHour = value % 12;
          },
        );
      break;
    case 'K':
      if (count <= 2)
        return new NumberElement(
          min,
          2,
          false,
          (view) => view.hour % 12,
          (fields, value) => {
            fields.halfDayHour = value;
          },
        );
      break;
    case 'm':
      if (count <= 2) return number('minute', min, 2, false, 1, count);
      break;
    case 's':
      if (count <= 2) return number('second', min, 2, false, 1, count);
      break;
    case 'S':
      if (count <= 9) return new FractionElement(count, count, lenient ? 1 : count);
      break;
    case 'n':
      return number('nano', count, 19);
    case 'N':
      return number('nanoOfDay', count, 19);
    case 'A':
      return number('nanoOfDay', count, 19, false, 1_000_000);
    case 'G':
      return new TextElement(
        count === 4 ? ['Before Christ', 'Anno Domini'] : ['BC', 'AD'],
        (view) => (view.year > 0 ? 1 : 0),
        (fields, index) => {
          fields.era = index;
        },
      );
    case 'X':
    case 'x':
      if (count <= 3) {
        const form = count === 1 ? 'hour' : count === 2 ? 'plain' : 'colon';
        return new OffsetElement(form, letter === 'X' ? 'Z' : { hour: '+00', plain: '+0000', colon: '+00:00' }[form], false);
      }
      break;
    case 'Z':
      if (count <= 3) return new OffsetElement('plain', '+0000', false);
      if (count === 4) return new OffsetElement('gmt', 'GMT', false);
      if (count === 5) return new OffsetElement('colon', 'Z', false);
      break;
    case 'O':
      if (count === 1 || count === 4) return new OffsetElement('gmt', 'GMT', false);
      break;
    case 'z':
    case 'v':
      return new ZoneElement();
    case 'V':
      if (count === 2) return new OffsetElement('any', 'Z', true);
      throw illegalArgumentError(`Pattern letter count must be 2: ${letter}`);
    default:
      throw illegalArgumentError(`Unknown pattern letter: ${letter}`);
  }
  throw illegalArgumentError(`Too many pattern letters: ${letter}`);
}
