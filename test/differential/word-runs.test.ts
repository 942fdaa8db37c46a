// Masks of 64 bytes against the code paths that read one character at a time, in the standard tokenizer and in those that cut at characters of a class.
// With a limit of 63 units for tokens there are no masks, so the same text under two limits, neither of which it reaches, takes both paths.
import { expect, test } from 'vitest';
import { chainBlob, words } from '../../src/analysis/blob.ts';
import { runChain, type TokenStream } from '../../src/analysis/tokens/token-stream.ts';
import { encodeWtf8 } from '../../src/analysis/tokens/wtf8.ts';
import type { AnalysisHost } from '../../src/wasm/analysis.ts';
import { StageId } from '../../src/wasm/generated/analysis.ts';
import { eachAnalysisBuild } from '../support/analysis-builds.ts';
import { forSeeds, type Rng } from '../support/rng.ts';

const SCRIPTS: readonly string[] = [
  'etaoinSHR',
  'éàüßøÆÇñ',
  'čřžŁőığŸ',
  'привітМИРЁє',
  'καλημέραΆΏς',
  'հայերենՄԱ',
  'العربيةپ',
  'שלום',
  'हिन्दी',
  'ひらがな',
  '漢字',
  'カタカナー',
  '한글',
  'ქართულიᲥ',
  'ἀρχήἈ',
];
/** Characters in and between words; the last are marks, joiners and halves of pairs, which are rare there. */
const BETWEEN = [
  ..." .,:;'_-",
  '’',
  '‘',
  '–',
  '“',
  '”',
  '…',
  '«',
  '»',
  '·',
  '،',
  '։',
  '\u00a0',
  '\u200c',
  '\u3000',
  '\u2003',
  '\u2007',
  '\u1680',
  '\t',
];
const RARE = ['\u0301', '\u00ad', '\u200d', '\ufe0f', '\u20e3', '#', '1', '٣', '७', 'İ', 'Ⱥ', '😀', '🇩', '\ud800', '\udc00', '€', '"'];

/** Spaces of Unicode beyond ASCII, some of which Java does not count as white space, and characters with similar bytes. */
const SPACES = [
  0x85, 0xa0, 0xa1, 0x1680, 0x1681, 0x180e, 0x1fff, 0x2000, 0x2001, 0x2006, 0x2007, 0x2008, 0x200a, 0x200b, 0x2027, 0x2028, 0x2029, 0x202f,
  0x205f, 0x2060, 0x2fff, 0x3000, 0x3001, 0xfeff, 0x1a000,
];
/** Character.isWhitespace. */
const JAVA_SPACE = /^[\t-\r\x1c-\x1f \u1680\u2000-\u2006\u2008-\u200a\u2028\u2029\u205f\u3000]$/;

/** Words of one script each, below 40 units between spaces. */
function text(rng: Rng): string {
  let out = '';
  for (let i = rng.int(0, 60); i > 0; i--) {
    const script = [...(rng.bool() ? SCRIPTS[0] : rng.pick(SCRIPTS))];
    for (let k = rng.int(1, 9); k > 0; k--) out += rng.bool(0.03) ? rng.pick(RARE) : rng.pick(script);
    out += rng.bool(0.6) ? ' ' : rng.pick(BETWEEN);
    if (!out.slice(-36).includes(' ')) out += ' ';
  }
  return out;
}

/** Sequences of UTF-8, whole and cut short, and bytes that belong to none. */
function bytes(rng: Rng): Uint8Array {
  const out: number[] = [];
  const sequences = [...'añщ1_,’日 ', '\u{1f600}', 'ह', '\u3000', 'ア'].map((char) => [...encodeWtf8(char)]);
  for (let i = rng.int(0, 90); i > 0; i--) {
    const sequence = rng.pick(sequences);
    out.push(...sequence.slice(0, rng.bool(0.9) ? sequence.length : rng.int(0, sequence.length)));
    if (rng.bool(0.05)) out.push(rng.pick([0x80, 0xbf, 0xc0, 0xc1, 0xe0, 0xe2, 0xed, 0xf0, 0xf5, 0xff]));
    if (i % 10 === 0) out.push(0x20);
  }
  return Uint8Array.from(out);
}

function tokens(host: AnalysisHost, input: Uint8Array, limit: number, flags: number): TokenStream {
  return runChain(host, { blob: chainBlob([{ id: StageId.STANDARD, config: words([limit, flags]) }]) }, input);
}

function cut(host: AnalysisHost, input: Uint8Array, limit: number, kind: number): TokenStream {
  return runChain(host, { blob: chainBlob([{ id: StageId.CHAR_CLASS, config: words([limit, kind, 0, 0]) }]) }, input);
}

eachAnalysisBuild((host, build) => {
  for (const [name, make] of [
    ['text', (rng: Rng) => encodeWtf8(text(rng))],
    ['broken bytes', bytes],
  ] as const) {
    test(`${build}: masks equal the automaton on ${name}`, () => {
      forSeeds(300, (rng) => {
        const input = make(rng);
        for (const flags of [0, 1, 3]) expect(tokens(host, input, 255, flags)).toEqual(tokens(host, input, 63, flags));
        for (const kind of [0, 1, 2]) expect(cut(host, input, 255, kind)).toEqual(cut(host, input, 63, kind));
      });
    });
  }

  test(`${build}: masks equal the automaton for each ASCII character, each space and its neighbours, at the ends of 16, 32 and 64 bytes`, () => {
    for (const space of [...Array(128).keys(), ...SPACES, 0xd800, 0xdc00, 0x10000]) {
      for (const before of [0, 1, 14, 15, 16, 31, 32, 61, 62, 63, 64, 65, 127]) {
        for (const behind of [0, 1, 47, 48, 64]) {
          const char = String.fromCodePoint(space);
          const input = 'x'.repeat(before) + char + 'y'.repeat(behind);
          const isGap = JAVA_SPACE.test(char);
          const [start, end] = [before + char.length, before + char.length + behind];
          const expected = isGap
            ? [
                [0, before],
                [start, end],
              ].filter(([from, to]) => from < to)
            : [[0, end]];
          const { tokens: found } = cut(host, encodeWtf8(input), 255, 2);
          expect(found.map(({ startOffset, endOffset }) => [startOffset, endOffset])).toEqual(expected);
          expect(found.map(({ term }) => term)).toEqual(expected.map(([from, to]) => input.slice(from, to)));
        }
      }
    }
  });

  test(`${build}: finds as many ASCII words as a block can contain`, () => {
    forSeeds(200, (rng) => {
      const chars = rng.pick(['ab ', 'a ', 'abcdefghi ', 'ab \t\n', 'ab\x00\x1b\x1c ']);
      let input = '';
      for (let i = rng.int(0, 400); i > 0; i--) input += rng.pick([...chars]);
      const expected = [...input.matchAll(/[^\t-\r\x1c-\x1f ]+/g)].map(({ 0: term, index }) => [term, index, index + term.length]);
      const found = cut(host, encodeWtf8(input), 1000, 2).tokens;
      expect(found.map(({ term, startOffset, endOffset }) => [term, startOffset, endOffset])).toEqual(expected);
      expect(found.every(({ posInc, posLen, type }) => posInc === 1 && posLen === 1 && type === 'word')).toBe(true);
    });
  });

  test(`${build}: cuts tokens longer than a block, and longer than the limit`, () => {
    for (const letter of ['a', 'я']) {
      for (const length of [31, 32, 33, 62, 63, 64, 65, 100, 254, 255, 256, 520]) {
        const input = encodeWtf8(`${letter.repeat(length)} b`);
        const expected = [...Array(Math.floor(length / 255)).fill(255), ...(length % 255 ? [length % 255] : []), 1];
        for (const stream of [tokens(host, input, 255, 1), cut(host, input, 255, 0), cut(host, input, 255, 2)]) {
          expect(stream.tokens.map((token) => token.endOffset - token.startOffset)).toEqual(expected);
          expect(stream.tokens.at(-1)?.startOffset).toBe(length + 1);
        }
      }
    }
  });

  test(`${build}: ignores the bytes after the text`, () => {
    const input = encodeWtf8('один два три');
    for (const behind of ['abc', 'где', '’я', ' ', '\u0301', '日本']) {
      tokens(host, encodeWtf8(`один два три${behind}`), 255, 0);
      expect(tokens(host, input, 255, 0).tokens.map((token) => token.term)).toEqual(['один', 'два', 'три']);
    }
  });
});
