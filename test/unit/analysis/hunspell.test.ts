// Hunspell dictionaries, each written for one feature of hunspell(5), and the filter over them.
import { expect, test } from 'vitest';
import { AnalysisRegistry } from '../../../src/analysis/analysis-registry.ts';
import { analyzeText } from '../../../src/analysis/analyze/analyze-api.ts';
import { HunspellDictionary, type HunspellSource } from '../../../src/analysis/hunspell/dictionary.ts';
import { HunspellStemmer } from '../../../src/analysis/hunspell/stemmer.ts';
import { AnalysisHost } from '../../../src/wasm/analysis.ts';
import { analyzerModule } from '../../support/analysis-server.ts';

const VERBS = ['PFX R Y 1', 'PFX R 0 re .', 'SFX D Y 3', 'SFX D 0 d e', 'SFX D y ied [^aeiou]y', 'SFX D 0 ed [^ey]'];

function stemmer(affix: readonly string[], words: readonly string[], ignoreCase = false): HunspellStemmer {
  const text = ['SET UTF-8', ...affix].join('\n');
  return new HunspellStemmer(HunspellDictionary.read({ affix: text, dictionaries: [[words.length, ...words].join('\n')], ignoreCase }));
}

function stems(affix: readonly string[], words: readonly string[], text: string): string {
  const made = stemmer(affix, words);
  return text
    .split(' ')
    .map((word) => made.stem(word).join('+') || '-')
    .join(' ');
}

test.each([
  ['conditions and stripped text', VERBS, ['bake/D', 'try/DR', 'talk/D'], 'baked tried talked tryed bakeed', 'bake try talk - -'],
  ['cross products', VERBS, ['try/DR', 'talk/D'], 'retry retried retalked', 'try try -'],
  ['no cross product', ['PFX R N 1', 'PFX R 0 re .', 'SFX D Y 1', 'SFX D 0 ed .'], ['do/DR'], 'redo doed redoed', 'do do -'],
  [
    'two suffixes',
    ['SFX A Y 1', 'SFX A 0 er/B .', 'SFX B Y 1', 'SFX B 0 s .'],
    ['play/A', 'sit'],
    'players plays player sits',
    'play - play -',
  ],
  [
    'two prefixes',
    ['COMPLEXPREFIXES', 'PFX A Y 1', 'PFX A 0 un/B .', 'PFX B Y 1', 'PFX B 0 re .'],
    ['do/A'],
    'undo reundo redo',
    'do do -',
  ],
  ['need of an affix', ['NEEDAFFIX X', 'SFX A Y 1', 'SFX A 0 s .'], ['foo/XA', 'bar/A'], 'foo foos bar', '- foo bar'],
  [
    'an affix that needs another',
    ['NEEDAFFIX X', 'SFX A Y 1', 'SFX A 0 a/XB .', 'SFX B Y 1', 'SFX B 0 b .'],
    ['foo/A'],
    'fooa fooab',
    '- foo',
  ],
  [
    'circumfixes',
    ['CIRCUMFIX C', 'PFX P Y 1', 'PFX P 0 ge/C .', 'SFX S Y 2', 'SFX S 0 t/CP .', 'SFX S 0 e .'],
    ['mach/S'],
    'gemacht macht mache gemache',
    'mach - mach -',
  ],
  ['stripped to nothing', ['FULLSTRIP', 'SFX A Y 1', 'SFX A be are be'], ['be/A'], 'are be', 'be be'],
  ['not stripped to nothing', ['SFX A Y 1', 'SFX A be are be'], ['be/A'], 'are be', '- be'],
  ['only in compounds', ['ONLYINCOMPOUND O', 'SFX A Y 1', 'SFX A 0 s/O .'], ['pseudo/O', 'foo/A'], 'pseudo foos foo', '- - foo'],
  ['long flags', ['FLAG long', 'SFX Aa Y 1', 'SFX Aa 0 s/Bb .', 'SFX Bb Y 1', 'SFX Bb 0 x .'], ['foo/Aa'], 'foos foosx foox', 'foo foo -'],
  ['numeric flags', ['FLAG num', 'SFX 999 Y 1', 'SFX 999 0 s .'], ['foo/12,999', 'bar/99'], 'foos bars', 'foo -'],
  [
    'aliases',
    ['AF 2', 'AF AB', 'AF C', 'SFX B Y 1', 'SFX B 0 s/2 .', 'SFX C Y 1', 'SFX C 0 x .'],
    ['foo/1', 'bar/2'],
    'foos foosx bars barx',
    'foo foo - bar',
  ],
  ['stems of their own', ['AM 1', 'AM st:go'], ['went\tst:go ts:past', 'gone\t1', 'goes st:go'], 'went gone goes', 'go go go'],
  ['conversions', ['ICONV 1', "ICONV ’ '", 'OCONV 1', 'OCONV ij ĳ'], ["d'accord", 'ijs'], "d’accord d'accord ijs", "d'accord d'accord ĳs"],
  ['ignored characters', ['IGNORE ֑֒'], ['ab֑c'], 'abc a֒bc', 'abc abc'],
  ['escaped slash', [], ['km\\/h/A', 'a b'], 'km/h', 'km/h'],
  ['case', [], ['Berlin', 'dog', 'OpenOffice', 'ENGL/X'], 'BERLIN berlin Dog DOG OPENOFFICE Engl', 'Berlin - dog dog Openoffice Engl'],
  ['sharp s', ['CHECKSHARPS'], ['straße', 'Müßig'], 'STRASSE MÜSSIG', 'straße Müßig'],
  ['articles', [], ["Sant'Elia"], "SANT'ELIA", "Sant'Elia+Sant'elia"],
  ['Turkish case', ['LANG tr_TR'], ['ılık', 'iki'], 'ILIK İKİ', 'ılık iki'],
])('%s', (_, affix, words, text, expected) => {
  expect(stems(affix, words, text)).toBe(expected);
});

test('ignores case if configured', () => {
  expect(stemmer(['SFX A Y 1', 'SFX A 0 S .'], ['Foo/A'], true).stem('fOOs')).toEqual(['foo']);
});

test('SET selects the encoding of affixes and words', () => {
  const latin2 = (text: string): Uint8Array => Uint8Array.from([...text].map((unit) => (unit === 'ł' ? 0xb3 : unit.charCodeAt(0))));
  const affix = latin2('SET ISO8859-2\nSFX A Y 1\nSFX A 0 ał .\n');
  const made = new HunspellStemmer(HunspellDictionary.read({ affix, dictionaries: [latin2('1\nmył/A\n')] }));
  expect(made.stem('myłał')).toEqual(['mył']);
});

test.each([
  ['a rule of another flag', 'SFX A Y 1\nSFX B 0 s .'],
  ['rules that are missing', 'SFX A Y 3\nSFX A 0 s .'],
  ['a count that is none', 'SFX A Y many'],
  ['a flag form that is none', 'FLAG short'],
  ['a number too large', 'FLAG num\nSFX 70000 Y 1\nSFX 70000 0 s .'],
  ['an alias that is none', 'AF 1\nAF A\nSFX B Y 1\nSFX B 0 s/7 .'],
  ['a mapping twice', 'ICONV 2\nICONV a b\nICONV a c'],
  ['an encoding that is none', new TextEncoder().encode('SET EBCDIC-9\nSFX A Y 0')],
])('refused: %s', (_, affix) => {
  expect(() => HunspellDictionary.read({ affix, dictionaries: ['1\nfoo/A'] })).toThrow(
    expect.objectContaining({ type: 'illegal_argument_exception' }),
  );
});

const SOURCE: HunspellSource = {
  affix: 'SET UTF-8\nSFX S Y 1\nSFX S 0 s .\nSFX G Y 1\nSFX G 0 ing .',
  dictionaries: ['3\nwalk/G\nwalking/S\nwalk/GX'],
};
const registry = AnalysisRegistry.global({
  host: new AnalysisHost(analyzerModule()),
  files: { read: () => '', hunspell: (locale) => (locale === 'en' ? SOURCE : null) },
});

function analyze(filter: Record<string, unknown>, text: string): [string, number][] {
  const body = {
    tokenizer: 'whitespace',
    filter: [
      { type: 'keyword_marker', keywords: ['kept'] },
      { type: 'hunspell', ...filter },
    ],
    text,
  };
  const answer = analyzeText(JSON.stringify(body), { index: null, registry }) as { tokens: { token: string; position: number }[] };
  return answer.tokens.map(({ token, position }) => [token, position]);
}

test('stems share the position of their word; unknown words and keywords stay', () => {
  expect(analyze({ locale: 'en' }, 'walking unknown kept walks')).toEqual([
    ['walking', 0],
    ['walk', 0],
    ['unknown', 1],
    ['kept', 2],
    ['walks', 3],
  ]);
  expect(analyze({ lang: 'en', dedup: false }, 'walking')).toEqual([
    ['walking', 0],
    ['walk', 0],
    ['walk', 0],
  ]);
  expect(analyze({ language: 'en', longest_only: true }, 'walking')).toEqual([['walking', 0]]);
});

test('refuses a dictionary that is missing or not named', () => {
  expect(() => analyze({ locale: 'fr' }, 'a')).toThrow('failed to load hunspell dictionary for locale: fr');
  expect(() => analyze({}, 'a')).toThrow('missing [locale | language | lang] configuration for hunspell token filter');
});
