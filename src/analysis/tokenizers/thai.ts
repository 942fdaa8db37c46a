// Words as Java's BreakIterator finds them for Thai: runs by rules, and runs of Thai letters by a dictionary. The dictionary is ICU's
// (thai-words.ts), which finds about nine words in ten as the recorded server does. Source of the rules: the documentation of
// java.text.BreakIterator's word instance, checked against the recorded answers.
import { category, isDigit, isLetter } from '../characters.ts';
import type { Tokenizer } from '../component.ts';
import { LongestMatcher } from '../regex/lucene-pattern.ts';
import { parseJavaRegex } from '../regex/parser.ts';
import { makeToken, type Token } from '../token-stream.ts';
import { addThaiWords } from './thai-words.ts';

const KATAKANA = '\\u30a1-\\u30fa';
const HIRAGANA = '\\u3041-\\u3094';
const KANA_MARKS = '\\u3099-\\u309c';
const NO_LETTER = `[^\\u3005\\u4e00-\\u9fa5\\uf900-\\ufa2d${KATAKANA}${HIRAGANA}${KANA_MARKS}]`;

/**
 * Marks and format characters, which belong to what is before them, but the soft hyphen and marks of kana and Thai. Of each run of them above
 * U+FFFF Java's table leaves the last one out: the virama of Chakma, U+11134, ends a word.
 */
function ignoredClass(): string {
  const isIgnored = (cp: number): boolean => [6, 7, 16].includes(category(cp));
  let others = '\\u00ad\\u3099\\u309a\\u0e31\\u0e34-\\u0e3a\\u0e47-\\u0e4e';
  for (let cp = 0x10000; cp < 0xe0200; cp++) if (isIgnored(cp) && !isIgnored(cp + 1)) others += `\\x{${cp.toString(16)}}`;
  return `[[\\p{Mn}\\p{Me}\\p{Cf}]&&[^${others}]]*`;
}

/** What a text is cut into, the longest first. */
function stretchPattern(): string {
  const ignored = ignoredClass();
  const kanji = `[\\u3005\\u4e00-\\u9fa5\\uf900-\\ufa2d]${ignored}`;
  const letter = `[[\\p{L}\\p{Mc}\\u0e30-\\u0e3a\\u0e47-\\u0e4e]&&${NO_LETTER}]${ignored}`;
  const numberChar = `\\p{N}${ignored}`;
  const midWord = `[\\p{Pd}\\u00ad\\u2027"'.]${ignored}`;
  const midNumber = `["',\\u066b.]${ignored}`;
  const word = `(?:(?:${letter})+(?:${midWord}(?:${letter})+)*(?:[\\u0964\\u0965]${ignored})?)`;
  const number = `(?:(?:${numberChar})+(?:${midNumber}(?:${numberChar})+)*)`;
  const tail = `(?:${number}${word})*(?:${number}(?:[\\u00a2%\\u066a\\u2030\\u2031&]${ignored})?)?`;
  const prefix = `[[\\p{Sc}#.]&&[^\\u00a2]]${ignored}`;
  const runs = [
    `${word}?${tail}`,
    `${prefix}${tail}`,
    `[${KATAKANA}]${ignored}(?:[${KATAKANA}${KANA_MARKS}]${ignored})*`,
    `(?:[${HIRAGANA}${KANA_MARKS}]${ignored})+`,
    `(?:${kanji})+`,
    `[\\x{0}-\\x{10ffff}]${ignored}`,
  ].join('|');
  return `${ignored}(?:${runs})`;
}

/** What the dictionary knows: a run by the rules is cut only if it holds one of these. The signs ๅ, ๆ and ฯ alone are like other letters. */
const DICTIONARY = /[\u0e01-\u0e2e\u0e30-\u0e3a\u0e40-\u0e44\u0e47-\u0e4e]/;
/** Runs of Thai letters and of others. */
const THAI_RUNS = /([\u0e01-\u0e3a\u0e40-\u0e4e]+)|[^\u0e01-\u0e3a\u0e40-\u0e4e]+/g;
/** What most texts are made of, told without the rules: words of one kind before something that can never join them, and what never joins. */
const PLAIN_END = '(?=[ \\n\\t\\r()[\\]/:;!?,]|$)';
const PLAIN =
  `([ \\n\\t\\r()[\\]/:;!?,])(?=[\\x20-\\x7e\\n\\t\\r\\u0e01-\\u0e30\\u0e32\\u0e33\\u0e40-\\u0e46]|$)` +
  `|([\\u0e01-\\u0e30\\u0e32\\u0e33\\u0e40-\\u0e46][\\u0e01-\\u0e3a\\u0e40-\\u0e4e]*)${PLAIN_END}` +
  `|[A-Za-z]+${PLAIN_END}|[0-9]+(?=[ \\n\\t\\r()[\\]/:;!?]|$)`;
const PLAIN_STRETCH = new RegExp(PLAIN, 'y');

let matcher: LongestMatcher | null = null;

/** Stretches of a text: words by the rules, and runs of Thai letters, which the dictionary cuts. Ends are exclusive. */
interface Stretch {
  readonly start: number;
  readonly end: number;
  readonly isThai: boolean;
}

function stretches(text: string): Stretch[] {
  // Most texts go without the rules, which take a walk over the text to begin with.
  let runEnd: ((at: number) => number) | null = null;
  const out: Stretch[] = [];
  for (let at = 0; at < text.length; ) {
    PLAIN_STRETCH.lastIndex = at;
    const simple = PLAIN_STRETCH.exec(text);
    if (simple) {
      const end = at + simple[0].length;
      if (simple[1] === undefined) out.push({ start: at, end, isThai: simple[2] !== undefined });
      at = end;
      continue;
    }
    matcher ??= new LongestMatcher(parseJavaRegex(stretchPattern(), 0).node, 'thai');
    runEnd ??= matcher.start(text);
    const end = Math.max(runEnd(at), at + 1);
    const run = text.slice(at, end);
    if (!DICTIONARY.test(run)) out.push({ start: at, end, isThai: false });
    else {
      for (const { 0: part, 1: thai, index } of run.matchAll(THAI_RUNS)) {
        if (thai) out.push({ start: at + index, end: at + index + part.length, isThai: true });
        else {
          // What stands between Thai letters is cut by the rules again.
          const partEnd = matcher.start(part);
          for (let from = 0; from < part.length; ) {
            const to = Math.max(partEnd(from), from + 1);
            out.push({ start: at + index + from, end: at + index + to, isThai: false });
            from = to;
          }
        }
      }
    }
    at = end;
  }
  return out;
}

/** A word is a stretch that begins with a letter or digit. */
export const THAI_TOKENIZER: Tokenizer = {
  kind: 'host',
  tokenize(text) {
    const bounds: number[] = [];
    for (const { start, end, isThai } of stretches(text)) {
      if (isThai) addThaiWords(text, start, end, bounds);
      else {
        const cp = text.codePointAt(start)!;
        if (isLetter(cp) || isDigit(cp)) bounds.push(start, end);
      }
    }
    const tokens: Token[] = [];
    for (let i = 0; i < bounds.length; i += 2) tokens.push(makeToken(text.slice(bounds[i], bounds[i + 1]), bounds[i], bounds[i + 1]));
    return { tokens, endOffset: text.length, endPosInc: 0 };
  },
};
