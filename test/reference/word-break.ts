// Slow and obvious versions of tokenizers: every rule is tried on every substring. They support the characters of ALPHABET only, each by its class.

/** Characters by class: L letter, H Hebrew, N digit, K katakana, U joining punctuation, m : . n , ; b . q ' d " x combining, z joiner, v selector, ... */
export const ALPHABET: Readonly<Record<string, readonly string[]>> = {
  L: ['a', 'b', 'x', 'y', 'B', 'z', 'é', 'Я', 'ß', '𐐀', 'क', 'ह', 'অ'],
  H: ['א', 'ב'],
  N: ['1', '9', '٣', '३'],
  K: ['ア', 'ヽ'],
  U: ['_', '‿'],
  m: [':', '·'],
  n: [',', ';'],
  b: ['.', '’'],
  q: ["'"],
  d: ['"'],
  x: ['\u0301', '\u00ad', '\u093f', '\u0acd'],
  z: ['\u200d'],
  v: ['\ufe0f'],
  E: ['😀', '❤', '👩'],
  M: ['\u{1f3fd}'],
  R: ['🇩', '🇪'],
  G: ['한', '글'],
  A: ['あ', 'の'],
  C: ['日', '本', '𠀀'],
  S: ['ก', 'ข'],
  k: ['\u20e3'],
  '#': ['#', '*'],
  o: [' ', '\n', '-', '€', '！', '\ud800'],
};

const CLASS_OF = new Map(Object.entries(ALPHABET).flatMap(([name, chars]) => chars.map((char) => [char, name] as const)));

// Combining marks, joiners, selectors and, since Unicode 11, emoji modifiers extend the characters before them. Of E, only 👩 accepts a modifier.
const X = '[xzvkM]*';
const EX = (set: string): string => `(?:${set}${X})`;
const SANS = '[xzkM]*';
const LETTER = EX('[LHG]');
const HEBREW = EX('H');
const NUM = EX('N');
const KATA = EX('K');
const JOIN = EX('U');
const NUMBER_RUN = `(?:${NUM}(?:(?:${JOIN}*|${EX('[nbq]')})${NUM})*)`;
const PART = `(?:${KATA}(?:${JOIN}*${KATA})*|(?:${HEBREW}(?:${EX('q')}|${EX('d')}${HEBREW})|${NUMBER_RUN}|${LETTER}(?:(?:${JOIN}*|${EX('[mbq]')})${LETTER})*)+)`;
const ELEMENT = `(?:z*E${SANS}v?|(?:z*W${SANS})?M${SANS})`;

/** Type and rule, over class letters, in order of precedence. W is 👩 as a base of modifiers; it is an E too. */
const RULES: readonly (readonly [string, RegExp])[] = [
  ['<EMOJI>', new RegExp(`^(?:${ELEMENT}(?:z${ELEMENT})*|[N#]${SANS}v?k${SANS}|${EX('R')}${EX('R')})$`)],
  ['<NUM>', new RegExp(`^${JOIN}*${NUMBER_RUN}${JOIN}*$`)],
  ['<HANGUL>', new RegExp(`^${EX('G')}+$`)],
  ['<KATAKANA>', new RegExp(`^${KATA}+$`)],
  ['<ALPHANUM>', new RegExp(`^${JOIN}*${PART}(?:${JOIN}+${PART})*${JOIN}*$`)],
  ['<SOUTHEAST_ASIAN>', new RegExp(`^${EX('S')}+$`)],
  ['<IDEOGRAPHIC>', new RegExp(`^${EX('C')}$`)],
  ['<HIRAGANA>', new RegExp(`^${EX('A')}$`)],
];

export interface ReferenceToken {
  term: string;
  startOffset: number;
  endOffset: number;
  type: string;
  posInc: number;
}

/** All ways to read a text as class letters differ in W or E for 👩 only. */
function matches(rule: RegExp, points: readonly string[]): boolean {
  const classes = points.map((point) => CLASS_OF.get(point)!);
  const women = points.flatMap((point, i) => (point === '👩' ? [i] : []));
  for (let choice = 0; choice < 1 << women.length; choice++) {
    const read = [...classes];
    women.forEach((i, bit) => {
      read[i] = choice & (1 << bit) ? 'W' : 'E';
    });
    // The key cap is a combining mark too, but the emoji rule reads it as itself; Arabic-Indic digits have no key cap.
    if (rule.test(read.join(''))) return true;
  }
  return false;
}

/** UAX #29 words as the standard tokenizer cuts them. @param maxLength UTF-16 units, above 1 */
export function standardTokens(text: string, maxLength: number): ReferenceToken[] {
  const points = [...text];
  const tokens: ReferenceToken[] = [];
  let offset = 0;
  for (let from = 0; from < points.length; ) {
    let found: [number, string] | null = null;
    for (let to = points.length; to > from && !found; to--) {
      const slice = points.slice(from, to);
      if (slice.join('').length > maxLength) continue;
      const rule = RULES.find(([type, pattern]) => (type !== '<EMOJI>' || slice[0] !== '٣') && matches(pattern, slice));
      if (rule) found = [to, rule[0]];
    }
    if (!found) {
      offset += points[from++].length;
      continue;
    }
    const term = points.slice(from, found[0]).join('');
    tokens.push({ term, startOffset: offset, endOffset: offset + term.length, type: found[1], posInc: 1 });
    offset += term.length;
    from = found[0];
  }
  return tokens;
}

/** Runs of characters that pass a test, cut at maxLength units (a pair may pass it by one). */
export function runTokens(text: string, isToken: (char: string) => boolean, maxLength: number): ReferenceToken[] {
  const tokens: ReferenceToken[] = [];
  let offset = 0;
  let open: ReferenceToken | null = null;
  for (const char of text) {
    if (!isToken(char)) open = null;
    else {
      if (!open) {
        open = { term: '', startOffset: offset, endOffset: offset, type: 'word', posInc: 1 };
        tokens.push(open);
      }
      open.term += char;
      open.endOffset += char.length;
      if (open.term.length >= maxLength) open = null;
    }
    offset += char.length;
  }
  return tokens;
}
