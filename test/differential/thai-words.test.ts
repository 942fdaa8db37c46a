// The Thai tokenizer against the host's words and a lazy automaton of its rules: dictionary words, pieces of them, signs, letters and other scripts.
import { expect, test } from 'vitest';
import { chainBlob } from '../../src/analysis/blob.ts';
import { thaiDictionary } from '../../src/analysis/generated/thai-dictionary.ts';
import { thaiTokenizer } from '../../src/analysis/tokenizers/thai.ts';
import { runChain, type TokenStream } from '../../src/analysis/tokens/token-stream.ts';
import { encodeWtf8 } from '../../src/analysis/tokens/wtf8.ts';
import { thaiTokens } from '../reference/thai-tokenizer.ts';
import { eachAnalysisBuild } from '../support/analysis-builds.ts';
import { forSeeds, type Rng } from '../support/rng.ts';

const LETTERS = Array.from({ length: 0x4e }, (_, i) => String.fromCharCode(0x0e01 + i)).filter((c) => c < '\u0e3b' || c > '\u0e3f');
/** Starts and ends of words, decoded from the front-coded list. */
const PIECES = thaiDictionary().split(/[A-Z]/).filter(Boolean);
/** Characters that the rules distinguish, and neighbours of Thai letters that are not letters. */
const OTHERS = [
  ...' \n\t.,\'"-:;!?()/#$%&_@=aB1٣½٫฿\u0e00\u0e3b๏๐๙๚\u0e7f\u0dff\u0e80ก',
  ...'ñéяא中々ひカー゙\u0300\u00ad\u200d\u2027\u0964\u066a\u3099\u0488\ufeff\ud800\udc00',
  ...['\u{11134}', '\u{11107}', '\u{1f600}', '\u{e0001}', '\u{20000}', '\u{1d7ce}', '3.14', "o'k", '\r\n'],
];

function thaiRun(rng: Rng): string {
  const share = rng.pick([0, 0.5, 0.9, 1]);
  let text = '';
  for (let i = rng.int(1, 12); i > 0; i--) {
    if (rng.bool(share)) text += rng.pick(PIECES);
    else text += rng.pick(['ๆ', 'ฯ', ...LETTERS.slice(rng.int(0, 60))]);
  }
  return text;
}

function mixedText(rng: Rng): string {
  const share = rng.pick([0.1, 0.5, 0.9]);
  let text = '';
  for (let i = rng.int(0, 20); i > 0; i--) text += rng.bool(share) ? thaiRun(rng) : rng.pick(OTHERS);
  return text;
}

const bounds = (stream: TokenStream): number[] => stream.tokens.flatMap(({ startOffset, endOffset }) => [startOffset, endOffset]);

eachAnalysisBuild((host, build) => {
  const tokenizer = thaiTokenizer();
  if (tokenizer.kind !== 'kernel') throw new Error('the Thai tokenizer is a kernel');
  const program = { blob: chainBlob([tokenizer.stage]) };
  const run = (text: string): TokenStream => runChain(host, program, encodeWtf8(text));
  const words = (text: string): string[] => run(text).tokens.map(({ term }) => term);

  test(`${build}: cuts runs like ICU, and the rest by the rules`, () => {
    forSeeds(300, (rng) => {
      for (let i = 0; i < 10; i++) {
        const text = i % 2 ? thaiRun(rng) : mixedText(rng);
        const stream = run(text);
        expect(bounds(stream), JSON.stringify(text)).toEqual(thaiTokens(text));
        expect(stream.endOffset).toBe(text.length);
        for (const { term, startOffset, endOffset } of stream.tokens) expect(term).toBe(text.slice(startOffset, endOffset));
      }
    });
  });

  test(`${build}: a batch may end after any token`, () => {
    forSeeds(5, (rng) => {
      const text = Array.from({ length: 200 }, () => mixedText(rng)).join('');
      expect(bounds(run(text))).toEqual(thaiTokens(text));
    });
  });

  test(`${build}: follows the rules of leftovers, signs and short runs`, () => {
    expect(words('การทดลอง')).toEqual(['การ', 'ทดลอง']);
    expect(words('กขคง')).toEqual(['กขคง']);
    expect(words('\u0e34\u0e34กา')).toEqual(['กา']);
    expect(words('\u0e34')).toEqual([]);
    expect(words('')).toEqual([]);
    expect(words('กากา')).toEqual(['กากา']);
    for (const text of ['มาตากลม', 'ต่างๆนานา', 'ๆๆๆๆๆๆ', 'ฯๆๅฯๆๅ', 'กรุงเทพฯๆ']) expect(bounds(run(text)), text).toEqual(thaiTokens(text));
    // A run of several batches.
    expect(words('การ'.repeat(2000))).toHaveLength(2000);
    // One word that no dictionary ends, larger than the first region.
    expect(words('ฃ'.repeat(1 << 20))).toHaveLength(1);
  });

  test(`${build}: malformed bytes do no harm`, () => {
    forSeeds(100, (rng) => {
      const text = encodeWtf8(mixedText(rng));
      for (let i = rng.int(0, 5); i > 0 && text.length; i--) text[rng.int(0, text.length - 1)] = rng.int(0, 255);
      let last = 0;
      const stream = runChain(host, program, text);
      for (const { startOffset, endOffset } of stream.tokens) {
        expect(startOffset).toBeGreaterThanOrEqual(last);
        expect(endOffset).toBeGreaterThan(startOffset);
        last = endOffset;
      }
      expect(stream.endOffset).toBeGreaterThanOrEqual(last);
    });
  });
});
