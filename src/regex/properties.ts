// Character classes by name, as in java.util.regex.

import { blockNamed } from './blocks.ts';
import { categoryRuns } from './characters.ts';
import { CodePointSet } from './code-point-set.ts';

const ASCII: CodePointSet = CodePointSet.of([0, 127]);
export const DIGIT = CodePointSet.of([48, 57]);
export const WORD = CodePointSet.of([48, 57], [65, 90], [95, 95], [97, 122]);
export const SPACE = CodePointSet.of([9, 13], [32, 32]);
export const HORIZONTAL_SPACE = CodePointSet.of(
  [9, 9],
  [32, 32],
  [0xa0, 0xa0],
  [0x1680, 0x1680],
  [0x180e, 0x180e],
  [0x2000, 0x200a],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
);
export const VERTICAL_SPACE = CodePointSet.of([10, 13], [0x85, 0x85], [0x2028, 0x2029]);
export const LINE_TERMINATORS = CodePointSet.of([10, 10], [13, 13], [0x85, 0x85], [0x2028, 0x2029]);

const POSIX: Readonly<Record<string, CodePointSet>> = {
  Lower: CodePointSet.of([97, 122]),
  Upper: CodePointSet.of([65, 90]),
  ASCII,
  Alpha: CodePointSet.of([65, 90], [97, 122]),
  Digit: DIGIT,
  Alnum: CodePointSet.of([48, 57], [65, 90], [97, 122]),
  Punct: CodePointSet.of([33, 47], [58, 64], [91, 96], [123, 126]),
  Graph: CodePointSet.of([33, 126]),
  Print: CodePointSet.of([32, 126]),
  Blank: CodePointSet.of([9, 9], [32, 32]),
  Cntrl: CodePointSet.of([0, 31], [127, 127]),
  XDigit: CodePointSet.of([48, 57], [65, 70], [97, 102]),
  Space: SPACE,
};

const CODES = [
  'Cn',
  'Lu',
  'Ll',
  'Lt',
  'Lm',
  'Lo',
  'Mn',
  'Me',
  'Mc',
  'Nd',
  'Nl',
  'No',
  'Zs',
  'Zl',
  'Zp',
  'Cc',
  'Cf',
  '',
  'Co',
  'Cs',
  'Pd',
  'Ps',
  'Pe',
  'Pc',
  'Po',
  'Sm',
  'Sc',
  'Sk',
  'So',
  'Pi',
  'Pf',
];
const cache = new Map<string, CodePointSet | null>();

function cached<T extends CodePointSet | null>(key: string, make: () => T): T {
  // A key is always used with the same function, and so with the same type.
  const known = cache.get(key) as T | undefined;
  if (known !== undefined) return known;
  const made = make();
  // Unknown names are not cached, because their number is unlimited.
  if (made !== null) cache.set(key, made);
  return made;
}

function byCategory(test: (code: string) => boolean): CodePointSet {
  const wanted = CODES.map((code) => code !== '' && test(code));
  return CodePointSet.of(
    ...categoryRuns().flatMap(([first, last, category]): [number, number][] => (wanted[category] ? [[first, last]] : [])),
  );
}

const UTF16 = new TextDecoder('utf-16le', { ignoreBOM: true });
/** Code points that are searched at once; a divisor of the bounds below. */
const BLOCK = 0x800;
/** Behind these, code points are unassigned or for private use up to the end of the plane, but for its two noncharacters. Planes without any are alike, too. */
const SEARCHED: ReadonlyArray<readonly [first: number, end: number]> = [
  [0, 0xd800],
  [0xe000, 0x40000],
  [0xe0000, 0xe1000],
];
const ALIKE: ReadonlyArray<readonly [first: number, end: number]> = [
  [0xd800, 0xe000],
  [0xe1000, 0xefffe],
  [0xefffe, 0xf0000],
  ...[4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 15, 16].flatMap((plane): [number, number][] => [
    [plane << 16, (plane << 16) + 0xfffe],
    [(plane << 16) + 0xfffe, (plane + 1) << 16],
  ]),
];

/**
 * Scripts, blocks and binary properties come from the JavaScript engine; categories are those of Unicode 16. Searching strings of many code points
 * for runs takes some milliseconds; testing each code point takes 100, which a thread with a listener does not have.
 */
function byPlatform(source: string): CodePointSet | null {
  let runs: RegExp;
  try {
    runs = new RegExp(`\\p{${source}}+`, 'gu');
  } catch {
    return null;
  }
  const ranges: [number, number][] = [];
  for (const [first, end] of ALIKE) if (String.fromCodePoint(first).search(runs) === 0) ranges.push([first, end - 1]);
  const units = new Uint16Array(2 * BLOCK);
  for (const [first, end] of SEARCHED) {
    for (let start = first; start < end; start += BLOCK) {
      const unitsPerCodePoint = start > 0xffff ? 2 : 1;
      for (const { 0: run, index } of codePointsFrom(start, units).matchAll(runs)) {
        const from = start + index / unitsPerCodePoint;
        ranges.push([from, from + run.length / unitsPerCodePoint - 1]);
      }
    }
  }
  return CodePointSet.of(...ranges);
}

function codePointsFrom(start: number, units: Uint16Array<ArrayBuffer>): string {
  let length = 0;
  for (let cp = start; cp < start + BLOCK; cp++) {
    if (cp > 0xffff) {
      units[length++] = 0xd800 + ((cp - 0x10000) >> 10);
      units[length++] = 0xdc00 + (cp & 0x3ff);
    } else units[length++] = cp;
  }
  return UTF16.decode(units.subarray(0, length));
}

/** A property that every engine has. */
function platformSet(name: 'Alphabetic' | 'Hex_Digit' | 'ID_Continue' | 'Lowercase' | 'Uppercase' | 'White_Space'): CodePointSet {
  return byPlatform(name) ?? CodePointSet.EMPTY;
}

/** `\w`, `\d`, `\s` with UNICODE_CHARACTER_CLASS. */
export function unicodeClass(letter: 'w' | 'd' | 's'): CodePointSet {
  return cached(`\\${letter}`, () => {
    if (letter === 'd') return byCategory((code) => code === 'Nd');
    if (letter === 's') return platformSet('White_Space');
    const join = CodePointSet.of([0x200c, 0x200d]);
    return platformSet('Alphabetic')
      .union(byCategory((code) => ['Nd', 'Pc', 'Mn', 'Mc', 'Me'].includes(code)))
      .union(join);
  });
}

/** Set of a case property when case is ignored; null if the property does not depend on case. */
function anyCase(name: string, unicode: boolean): CodePointSet | null {
  if (/^(?:Lower|Upper)$/.test(name) && !unicode) return POSIX.Alpha;
  if (/^(?:(?:gc|general_category)=|Is)?L[ult]$/i.test(name)) return generalCategory('LC');
  if (/^(?:Lower|Upper|java(?:Lower|Upper|Title)Case|Is(?:lower|upper|title)case)$/i.test(name)) {
    return platformSet('Lowercase')
      .union(platformSet('Uppercase'))
      .union(byCategory((code) => code === 'Lt'));
  }
  return null;
}

/** The set of a name in `\p{...}`, null for an unknown name. @param ignoresCase makes properties of one case match all cases */
export function propertySet(name: string, unicode: boolean, ignoresCase = false): CodePointSet | null {
  return cached(`${unicode}:${ignoresCase}:${name}`, () => {
    const cased = ignoresCase ? anyCase(name, unicode) : null;
    if (cased) return cased;
    if (Object.hasOwn(POSIX, name)) return unicode && name !== 'ASCII' ? unicodePosix(name) : POSIX[name];
    if (name === 'IsID_Start' || name === 'IsID_Continue') return byPlatform(name.slice(2));
    const equals = /^([\w ]+)=([\w -]+)$/.exec(name);
    if (equals) {
      const [, key, value] = equals;
      if (/^(general_category|gc)$/i.test(key)) return generalCategory(value);
      if (/^(script|sc)$/i.test(key)) return byPlatform(`Script=${titleCase(value)}`);
      if (/^(block|blk)$/i.test(key)) return blockNamed(value);
      return null;
    }
    const category = generalCategory(name);
    if (category) return category;
    if (name === 'L1') return CodePointSet.of([0, 255]);
    if (name.startsWith('In')) return blockNamed(name.slice(2));
    if (name.startsWith('Is')) return generalCategory(name.slice(2)) ?? isProperty(name.slice(2));
    return name.startsWith('java') ? javaSet(name.slice(4)) : null;
  });
}

function titleCase(name: string): string {
  return name
    .toLowerCase()
    .split(/[ _-]/)
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join('_');
}

function generalCategory(name: string): CodePointSet | null {
  if (name === 'LC') return byCategory((code) => code === 'Lu' || code === 'Ll' || code === 'Lt');
  if (name === 'LD') return byCategory((code) => code[0] === 'L' || code === 'Nd');
  if (/^[LMNZCPS]$/.test(name)) return byCategory((code) => code[0] === name);
  return CODES.includes(name) && name !== '' ? byCategory((code) => code === name) : null;
}

function isProperty(name: string): CodePointSet | null {
  const binary: Readonly<Record<string, string>> = {
    alphabetic: 'Alphabetic',
    ideographic: 'Ideographic',
    lowercase: 'Lowercase',
    uppercase: 'Uppercase',
    white_space: 'White_Space',
    hex_digit: 'Hex_Digit',
    join_control: 'Join_Control',
    noncharacter_code_point: 'Noncharacter_Code_Point',
    assigned: 'Assigned',
    emoji: 'Emoji',
    emoji_presentation: 'Emoji_Presentation',
    emoji_modifier: 'Emoji_Modifier',
    emoji_modifier_base: 'Emoji_Modifier_Base',
    emoji_component: 'Emoji_Component',
    extended_pictographic: 'Extended_Pictographic',
  };
  const key = name.toLowerCase();
  if (Object.hasOwn(binary, key)) return byPlatform(binary[key]);
  if (key === 'punctuation') return byCategory((code) => code[0] === 'P');
  if (key === 'letter') return byCategory((code) => code[0] === 'L');
  if (key === 'digit') return byCategory((code) => code === 'Nd');
  if (key === 'control') return byCategory((code) => code === 'Cc');
  if (key === 'titlecase') return byCategory((code) => code === 'Lt');
  return byPlatform(`Script=${titleCase(name)}`);
}

function unicodePosix(name: string): CodePointSet | null {
  switch (name) {
    case 'Lower':
      return byPlatform('Lowercase');
    case 'Upper':
      return byPlatform('Uppercase');
    case 'Alpha':
      return byPlatform('Alphabetic');
    case 'Digit':
      return unicodeClass('d');
    case 'Space':
      return unicodeClass('s');
    case 'Alnum':
      return platformSet('Alphabetic').union(unicodeClass('d'));
    case 'Punct':
      return byCategory((code) => code[0] === 'P');
    case 'Cntrl':
      return byCategory((code) => code === 'Cc');
    case 'XDigit':
      return platformSet('Hex_Digit').union(unicodeClass('d'));
    case 'Blank':
      return byCategory((code) => code === 'Zs').union(CodePointSet.of([9, 9]));
    case 'Graph':
      return byCategory((code) => !['Zs', 'Zl', 'Zp', 'Cc', 'Cs', 'Cn'].includes(code));
    default:
      return byCategory((code) => !['Zl', 'Zp', 'Cc', 'Cs', 'Cn'].includes(code));
  }
}

function javaSet(name: string): CodePointSet | null {
  switch (name) {
    case 'LowerCase':
      return byPlatform('Lowercase');
    case 'UpperCase':
      return byPlatform('Uppercase');
    case 'Letter':
      return generalCategory('L');
    case 'Digit':
      return generalCategory('Nd');
    case 'LetterOrDigit':
      return generalCategory('LD');
    case 'Alphabetic':
    case 'Ideographic':
      return byPlatform(name);
    case 'Mirrored':
      return byPlatform('Bidi_Mirrored');
    case 'TitleCase':
      return generalCategory('Lt');
    case 'Defined':
      return byCategory((code) => code !== 'Cn');
    case 'SpaceChar':
      return generalCategory('Z');
    case 'ISOControl':
      return generalCategory('Cc');
    case 'IdentifierIgnorable':
      return identifierIgnorable();
    case 'UnicodeIdentifierStart':
      return byPlatform('ID_Start');
    case 'UnicodeIdentifierPart':
      return platformSet('ID_Continue').union(identifierIgnorable());
    case 'JavaIdentifierStart':
      return byCategory((code) => code[0] === 'L' || ['Nl', 'Sc', 'Pc'].includes(code));
    case 'JavaIdentifierPart':
      return byCategory((code) => code[0] === 'L' || ['Nd', 'Nl', 'Mc', 'Mn', 'Sc', 'Pc'].includes(code)).union(identifierIgnorable());
    case 'Whitespace':
      return byCategory((code) => code[0] === 'Z')
        .intersect(CodePointSet.ofChars('\u00a0\u2007\u202f').negate())
        .union(CodePointSet.of([9, 13], [28, 31]));
    default:
      return null;
  }
}

function identifierIgnorable(): CodePointSet {
  return CodePointSet.of([0, 8], [14, 27], [127, 159]).union(byCategory((code) => code === 'Cf'));
}
