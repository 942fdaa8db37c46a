// The word grammar of Lucene's StandardTokenizer, rewritten from UAX #29 (rules WB1..WB16), UTS #51 (emoji sequences) and the
// description in Lucene's documentation: token types, one token per ideograph, South-East Asian runs kept together.

import { TokenType as TYPE } from '../../src/wasm/generated/analysis.ts';
import {
  alt,
  type CodePointSet,
  chars,
  type Expression,
  intersect,
  optional,
  plus,
  type Rule,
  range,
  seq,
  set,
  star,
  union,
  without,
} from './dfa.ts';
import type { UnicodeData } from './properties.ts';

/** Rules of the standard tokenizer in order of precedence among equally long matches. */
export async function wordBreakRules(data: UnicodeData): Promise<Rule[]> {
  const wb = (value: string) => data.property('Word_Break', value);
  const binary = (value: string) => data.property('Binary_Property', value);
  const zwj = chars('\u200d');
  const extendFormat = union(await wb('Format'), await wb('Extend'), zwj);
  const extend = star(set(extendFormat));
  const selectors = chars('\ufe0e\ufe0f');
  const extendSansSelectors = star(set(without(extendFormat, selectors)));
  const ex = (s: CodePointSet): Expression => seq(set(s), extend);

  const hebrewSet = await wb('Hebrew_Letter');
  const letterSet = union(await wb('ALetter'), hebrewSet);
  const midNumLet = union(await wb('MidNumLet'), await wb('Single_Quote'));
  const numericSet = union(
    await wb('Numeric'),
    intersect(await data.property('Block', 'Halfwidth_And_Fullwidth_Forms'), await data.property('General_Category', 'Decimal_Number')),
  );
  const letter = ex(letterSet);
  const hebrew = ex(hebrewSet);
  const numeric = ex(numericSet);
  const katakana = ex(await wb('Katakana'));
  const midLetter = ex(union(await wb('MidLetter'), midNumLet));
  const midNumeric = ex(union(await wb('MidNum'), midNumLet));
  const extendNumLet = ex(await wb('ExtendNumLet'));
  const singleQuote = ex(await wb('Single_Quote'));
  const doubleQuote = ex(await wb('Double_Quote'));
  const regionalIndicatorSet = await wb('Regional_Indicator');
  const regionalIndicator = ex(regionalIndicatorSet);
  const hangul = ex(intersect(await data.property('Script', 'Hangul'), letterSet));

  const numericRun = seq(numeric, star(seq(alt(star(extendNumLet), midNumeric), numeric)));
  const number = seq(star(extendNumLet), numericRun, star(extendNumLet));
  const wordPart = alt(
    seq(katakana, star(seq(star(extendNumLet), katakana))),
    plus(
      alt(
        seq(hebrew, alt(singleQuote, seq(doubleQuote, hebrew))),
        numericRun,
        seq(letter, star(seq(alt(star(extendNumLet), midLetter), letter))),
      ),
    ),
  );
  const word = seq(star(extendNumLet), wordPart, star(seq(plus(extendNumLet), wordPart)), star(extendNumLet));

  const keyCapBase = chars('0123456789#*');
  const modifierSet = await binary('Emoji_Modifier');
  const accidental = chars('\u00a9\u00ae\u2122\u3030\u303d');
  const emojiSet = union(
    await binary('Extended_Pictographic'),
    without(await binary('Emoji'), union(regionalIndicatorSet, keyCapBase, accidental, modifierSet)),
  );
  const emojiEx = (s: CodePointSet) => seq(set(s), extendSansSelectors);
  const element = alt(
    seq(star(set(zwj)), emojiEx(emojiSet), optional(set(chars('\ufe0f')))),
    seq(optional(seq(star(set(zwj)), emojiEx(await binary('Emoji_Modifier_Base')))), emojiEx(modifierSet)),
  );
  const emoji = alt(
    seq(element, alt(star(seq(set(zwj), element)), seq(plus(set(range(0xe0020, 0xe007e))), set(range(0xe007f, 0xe007f))))),
    seq(emojiEx(keyCapBase), optional(set(chars('\ufe0f'))), emojiEx(chars('\u20e3'))),
    seq(regionalIndicator, regionalIndicator),
  );
  return [
    { accept: TYPE.EMOJI, expression: emoji },
    { accept: TYPE.NUM, expression: number },
    { accept: TYPE.HANGUL, expression: plus(hangul) },
    { accept: TYPE.KATAKANA, expression: plus(katakana) },
    { accept: TYPE.ALPHANUM, expression: word },
    { accept: TYPE.SOUTHEAST_ASIAN, expression: plus(ex(await data.property('Line_Break', 'Complex_Context'))) },
    { accept: TYPE.IDEOGRAPHIC, expression: ex(await data.property('Script', 'Han')) },
    { accept: TYPE.HIRAGANA, expression: ex(await data.property('Script', 'Hiragana')) },
  ];
}

/** The older grammar of ClassicTokenizer: words, apostrophes, acronyms, companies, e-mail, hosts, numbers, single Chinese and Japanese characters. */
export function classicRules(letters: CodePointSet, digits: CodePointSet): Rule[] {
  const cjSet = union(
    range(0x3040, 0x30ff),
    range(0x3100, 0x312f),
    range(0x31f0, 0x31ff),
    range(0x3300, 0x337f),
    range(0x3400, 0x4dbf),
    range(0x4e00, 0x9fff),
    range(0xf900, 0xfaff),
    range(0xff65, 0xff9f),
  );
  const letterSet = without(letters, cjSet);
  const letter = set(letterSet);
  const alphanum = plus(set(union(letterSet, digits, range(0x0e00, 0x0e59))));
  const alpha = plus(letter);
  const char = (text: string) => set(chars(text));
  const letterOrDigit = star(set(union(letterSet, digits)));
  const hasDigit = seq(letterOrDigit, set(digits), letterOrDigit);
  const p = char('_-/.,');
  const number = alt(
    seq(alphanum, p, hasDigit),
    seq(hasDigit, p, alphanum),
    seq(alphanum, plus(seq(p, hasDigit, p, alphanum))),
    seq(hasDigit, plus(seq(p, alphanum, p, hasDigit))),
    seq(alphanum, p, hasDigit, plus(seq(p, alphanum, p, hasDigit))),
    seq(hasDigit, p, alphanum, plus(seq(p, hasDigit, p, alphanum))),
  );
  return [
    { accept: TYPE.ALPHANUM, expression: alphanum },
    { accept: TYPE.APOSTROPHE, expression: seq(alpha, plus(seq(char("'"), alpha))) },
    { accept: TYPE.ACRONYM, expression: seq(letter, char('.'), plus(seq(letter, char('.')))) },
    { accept: TYPE.COMPANY, expression: seq(alpha, char('&@'), alpha) },
    {
      accept: TYPE.EMAIL,
      expression: seq(alphanum, star(seq(char('.-_'), alphanum)), char('@'), alphanum, plus(seq(char('.-'), alphanum))),
    },
    { accept: TYPE.HOST, expression: seq(alphanum, plus(seq(char('.'), alphanum))) },
    { accept: TYPE.NUM, expression: number },
    { accept: TYPE.CJ, expression: set(cjSet) },
    { accept: TYPE.ACRONYM_DEP, expression: seq(alphanum, char('.'), plus(seq(alphanum, char('.')))) },
  ];
}
