import { expect, test } from 'vitest';
import { chainBlob, joinConfigs, type KernelStage, termSet, words } from '../../src/analysis/blob.ts';
import { fuse } from '../../src/analysis/fusion.ts';
import { pathConfig } from '../../src/analysis/tokenizers/path-hierarchy.ts';
import { encodeTokens, runChain, type Token } from '../../src/analysis/tokens/token-stream.ts';
import { encodeWtf8 } from '../../src/analysis/tokens/wtf8.ts';
import { StageId } from '../../src/wasm/generated/analysis.ts';
import { pathTokens } from '../reference/paths.ts';
import { shingles } from '../reference/shingles.ts';
import * as reference from '../reference/token-filters.ts';
import { ALPHABET, runTokens, standardTokens } from '../reference/word-break.ts';
import { eachAnalysisBuild } from '../support/analysis-builds.ts';
import { forSeeds, type Rng } from '../support/rng.ts';
import { plainOf } from '../support/token-lists.ts';

const EMPTY = new Uint8Array(0);
const CHARS = Object.values(ALPHABET);
const stage = (id: number, config: Uint8Array = EMPTY): KernelStage => ({ id, config });
const standard = (maxLength: number, lower = 0): KernelStage => stage(StageId.STANDARD, words([maxLength, lower]));
const plain = ({ term, startOffset, endOffset, type, posInc }: Token) => ({ term, startOffset, endOffset, type, posInc });

/** Text of ASCII runs, which take the fast path, between characters of all classes. */
function mixedText(rng: Rng): string {
  let text = '';
  for (let i = rng.int(0, 12); i > 0; i--) {
    if (rng.bool()) text += rng.pick(rng.pick(CHARS));
    else for (let k = rng.int(1, 14); k > 0; k--) text += rng.pick(['ab', 'B', '1', '_', '.', "'", ':', ',', ' ', ' ', 'x y']);
  }
  return text;
}

function asciiText(rng: Rng, length: number): string {
  return Array.from({ length }, () =>
    String.fromCharCode(rng.bool(0.8) ? rng.pick([97, 66, 49, 32, 46, 39, 95, 44, 58, 59]) : rng.int(32, 126)),
  ).join('');
}

/** Words that repeat, some stacked, some with holes. */
function randomTokens(rng: Rng, alphabet: string): Token[] {
  let offset = 0;
  return Array.from({ length: rng.int(0, 1200) }, (_, i) => {
    const term = rng.word(6, alphabet);
    const posInc = i === 0 ? 1 : rng.pick([0, 1, 1, 1, 2]);
    offset += posInc ? rng.int(0, 2) : 0;
    const token = {
      term,
      startOffset: offset,
      endOffset: offset + term.length,
      posInc,
      posLen: 1,
      type: 'word',
      keyword: rng.bool(0.1),
      termFreq: 1,
      payload: null,
      stopOffset: -1,
      stopPosInc: 0,
    };
    offset += term.length;
    return token;
  });
}

eachAnalysisBuild((host, build) => {
  const run = (stages: KernelStage[], text: string) => runChain(host, { blob: chainBlob(stages) }, encodeWtf8(text));

  test(`${build}: standard tokenizer equals the brute-force grammar`, () => {
    forSeeds(150, (rng) => {
      const text = mixedText(rng).slice(0, 60);
      const maxLength = rng.pick([255, 255, 4, 7]);
      const result = run([standard(maxLength)], text);
      expect(result.tokens.map(plain)).toEqual(standardTokens(text, maxLength));
      expect(result.endOffset).toBe(text.length);
    });
  });

  test(`${build}: masks equal the automaton on ASCII at every alignment`, () => {
    forSeeds(150, (rng) => {
      const text = asciiText(rng, rng.int(0, 400));
      // 63 units are below the limit of the fast path; no token of these texts is longer.
      const cut = text.replace(/[A-Za-z0-9_.',:;]{40,}/g, (long) => long.replace(/.{20}/g, '$& '));
      for (const lower of [0, 1]) {
        expect(run([standard(255, lower)], cut).tokens).toEqual(run([standard(63, lower)], cut).tokens);
      }
    });
  });

  test(`${build}: masks equal the automaton on the scripts of India`, () => {
    forSeeds(400, (rng) => {
      const script = 0x800 + rng.int(0, 15) * 128;
      const unit = (): string => {
        if (rng.bool(0.2)) return rng.pick([' ', ' ', '।', 'a', '7', "'", '.', '_', 'é', '’', '\u200d', '\u200c', 'ก', '日', '😀', 'Ḁ']);
        return String.fromCodePoint((rng.bool(0.95) ? script : 0x800 + rng.int(0, 15) * 128) + rng.int(0, 127));
      };
      const text = Array.from({ length: rng.int(0, 60) }, () => Array.from({ length: rng.int(1, 9) }, unit).join('')).join(' ');
      for (const flags of [0, 1]) expect(run([standard(255, flags)], text)).toEqual(run([standard(63, flags)], text));
    });
  });

  test(`${build}: lower-casing in the tokenizer equals the filter after it`, () => {
    forSeeds(200, (rng) => {
      const text = mixedText(rng);
      expect(run([standard(255, 1)], text).tokens).toEqual(run([standard(255), stage(StageId.CASE, words([0]))], text).tokens);
    });
  });

  test(`${build}: letter and whitespace tokenizers equal their twins`, () => {
    forSeeds(200, (rng) => {
      const text = mixedText(rng);
      const maxLength = rng.pick([255, 3]);
      const letters = run([stage(StageId.CHAR_CLASS, words([maxLength, 0, 0, 0]))], text).tokens.map(plain);
      expect(letters).toEqual(runTokens(text, (char) => /^\p{L}$/u.test(char), maxLength));
      const spaces = run([stage(StageId.CHAR_CLASS, words([maxLength, 2, 0, 0]))], text).tokens.map(plain);
      expect(spaces).toEqual(runTokens(text, (char) => !/^\s$/.test(char), maxLength));
    });
  });

  const set = new Set(['a', 'ab', 'ba', 'b', 'aab']);
  const FILTERS: Record<string, [KernelStage, reference.PlainFilter, string]> = {
    lowercase: [stage(StageId.CASE, words([0])), reference.lowercase, 'aBÉéЯİẞΣ'],
    uppercase: [stage(StageId.CASE, words([1])), reference.uppercase, 'aBéßяǆﬁ'],
    stop: [stage(StageId.STOP, words([0], termSet(set))), reference.stop(set), 'ab'],
    keep: [stage(StageId.KEEP, words([0], termSet(set))), reference.keep(set), 'ab'],
    keyword_marker: [stage(StageId.KEYWORD_MARKER, words([0], termSet(set))), reference.marker(set), 'ab'],
    unique: [stage(StageId.UNIQUE, words([0])), reference.unique, 'abc'],
    remove_duplicates: [stage(StageId.UNIQUE, words([1])), reference.removeDuplicates, 'ab'],
    keyword_repeat: [stage(StageId.KEYWORD_REPEAT), reference.keywordRepeat, 'ab'],
    'asciifolding and the original': [stage(StageId.FOLDING_AND_ORIGINAL), reference.foldingAndOriginal, 'aéÄßÆ⑽日'],
    length: [stage(StageId.LENGTH, words([2, 4])), reference.length(2, 4), 'ab😀é'],
    truncate: [stage(StageId.TRUNCATE, words([3])), reference.truncate(3), 'a😀é'],
    reverse: [stage(StageId.REVERSE), reference.reverse, 'ab😀é日'],
    trim: [stage(StageId.TRIM), reference.trim, 'a \t\u3000'],
    apostrophe: [stage(StageId.APOSTROPHE), reference.apostrophe, "ab'’"],
    german_normalization: [stage(StageId.NORMALIZE, words([3])), reference.german, 'aeouäöüßqxi'],
    scandinavian_folding: [stage(StageId.NORMALIZE, words([5])), reference.scandinavianFolding, 'aeoAEOåäæøöÅx'],
    arabic_normalization: [stage(StageId.NORMALIZE, words([0])), reference.arabic, 'آأإاىيةهـًب'],
  };
  for (const [name, [kernel, twin, alphabet]] of Object.entries(FILTERS)) {
    test(`${build}: ${name} equals its twin`, () => {
      forSeeds(20, (rng) => {
        const tokens = randomTokens(rng, alphabet);
        const input = encodeTokens({ tokens, endOffset: 9999, endPosInc: 0 });
        const result = runChain(host, { blob: chainBlob([stage(StageId.REPLAY), kernel]) }, input);
        expect(result.tokens).toEqual(twin(tokens));
      });
    });
  }

  test(`${build}: stop with remove_trailing=false equals its twin, and leaves no hole at the end`, () => {
    forSeeds(60, (rng) => {
      const tokens = randomTokens(rng, 'ab').slice(0, rng.pick([1, 5, 1200]));
      const endOffset = (tokens.at(-1)?.endOffset ?? 0) + rng.pick([0, 0, 3]);
      const kernel = stage(StageId.TRAILING_STOP, words([0], termSet(set)));
      const input = encodeTokens({ tokens, endOffset, endPosInc: 2 });
      const result = runChain(host, { blob: chainBlob([stage(StageId.REPLAY), kernel]) }, input);
      expect(result.tokens.map(plainOf)).toEqual(reference.trailingStop(set, endOffset)(tokens.map(plainOf)));
      expect(result.endPosInc).toBe(2);
    });
  });

  for (const unigrams of [false, true]) {
    test(`${build}: cjk_bigram ${unigrams ? 'with' : 'without'} unigrams equals its twin`, () => {
      forSeeds(150, (rng) => {
        const text = Array.from({ length: rng.int(0, 900) }, () => rng.pick(['日', '本', '𠀀', 'あ', 'ア', '한', 'a', ' ', '1'])).join('');
        const tokens = run([standard(255)], text).tokens;
        const grams = run([standard(255), stage(StageId.CJK_BIGRAM, words([15 + (unigrams ? 16 : 0)]))], text).tokens;
        expect(grams.map(plainOf)).toEqual(reference.cjkBigrams(unigrams)(tokens.map(plainOf)));
      });
    });
  }

  // Stages as an analyzer has them, and the same one by one.
  const width = stage(StageId.NORMALIZE, words([11]));
  const lower = stage(StageId.CASE, words([0]));
  const bigrams = stage(StageId.CJK_BIGRAM, words([15]));
  const equalsPlain = (stages: KernelStage[], text: string): void => expect(run(fuse(stages), text)).toEqual(run(stages, text));

  test(`${build}: bigrams from the text equal those of tokens`, () => {
    const CJK = ['日', '本', '語', '々', '〇', 'あ', 'の', 'ア', 'カ', 'ー', 'ヽ', '、', '。', '・', '（', '\u3000'];
    const ODD = [
      '㐀',
      '𠀀',
      '豈',
      '한',
      'ｶ',
      'ﾞ',
      '\u3099',
      '\u0301',
      '\ufe0f',
      '\u20e3',
      '\u200d',
      '😀',
      'Ａ',
      '１',
      '＿',
      '．',
      '，',
      'é',
      '\ud800',
    ];
    const ASCII = [
      'a',
      'The',
      'is',
      '7',
      '1990',
      'x1y2',
      'longerthan16letters',
      ' ',
      ' ',
      '.',
      ',',
      "'",
      ':',
      '_',
      '"',
      '#',
      '*',
      '%',
      '(',
      '\n',
    ];
    forSeeds(200, (rng) => {
      const odd = rng.pick([0, 0, 0.02, 0.2]);
      const ascii = rng.pick([0, 0.05, 0.3]);
      const unit = (): string => {
        if (rng.bool(odd)) return rng.pick(ODD);
        if (rng.bool(ascii)) return rng.pick(ASCII);
        return rng.bool(0.02) ? 'カ'.repeat(rng.int(1, 300)) : rng.pick(CJK);
      };
      const text = Array.from({ length: rng.pick([3, 40, 300, 1500]) }, unit).join('');
      const between = rng.pick([[], [width, lower], [lower], [width], [width, stage(StageId.CASE, words([1]))]]);
      const behind = rng.pick([[], [stage(StageId.STOP, words([0], termSet(new Set(['the', 'is', '日', 'アー']))))]]);
      equalsPlain([standard(rng.pick([255, 255, 20, 3])), ...between, bigrams, ...behind], text);
    });
  });

  test(`${build}: bigrams from the text equal those of tokens, next to each code point`, () => {
    for (let from = 0; from < 0x10000; from += 0x800) {
      let text = '';
      for (let cp = from; cp < from + 0x800; cp++) {
        const char = String.fromCodePoint(cp);
        text += `日${char}語の${char}アー${char}カ${char}${char}日 ab${char}12${char}.`;
      }
      equalsPlain([standard(255), width, lower, bigrams], text);
    }
  });

  test(`${build}: ngram and edge_ngram filters equal their twin, across batches`, () => {
    forSeeds(60, (rng) => {
      const tokens = randomTokens(rng, 'abé日😀');
      const min = rng.int(1, 4);
      const [max, edge, preserve] = [min + rng.int(0, 3), rng.bool(), rng.bool()];
      const input = encodeTokens({ tokens, endOffset: 9999, endPosInc: 0 });
      const kernel = stage(StageId.NGRAM, words([min, max, (edge ? 1 : 0) | (preserve ? 2 : 0)]));
      const result = runChain(host, { blob: chainBlob([stage(StageId.REPLAY), kernel]) }, input);
      expect(result.tokens).toEqual(reference.ngrams(min, max, edge, preserve)(tokens));
    });
  });

  test(`${build}: ngram and edge_ngram tokenizers equal their twin`, () => {
    const letters = 0x3e;
    forSeeds(150, (rng) => {
      const text = mixedText(rng);
      const min = rng.int(1, 4);
      const [max, edge, all] = [min + rng.int(0, 3), rng.bool(), rng.bool()];
      const result = run([stage(StageId.NGRAM_TOKENIZER, words([min, max, (edge ? 1 : 0) | (all ? 2 : 4), letters, 1, 95]))], text);
      const isToken = (char: string): boolean => all || /^[\p{L}_]$/u.test(char) || /^\s$/.test(char);
      expect(result.tokens.map(plainOf)).toEqual(reference.textNgrams(text, min, max, edge, isToken));
      expect(result.endOffset).toBe(text.length);
    });
  });

  test(`${build}: path_hierarchy equals its twin, across batches`, () => {
    forSeeds(150, (rng) => {
      const rules = {
        delimiter: rng.pick(['/', '.', 'é', '\u65e5']),
        replacement: rng.pick(['/', '-', 'ß', '\u672c']),
        skip: rng.pick([0, 0, 1, 2, 700]),
        reverse: rng.bool(),
        step: rng.int(0, 1),
      };
      const length = rng.pick([0, 1, 2, 12, 12, 1500]);
      const text = Array.from({ length }, () => rng.pick([rules.delimiter, rules.delimiter, rules.replacement, 'a', 'b', '😀', 'ü'])).join(
        '',
      );
      const result = run([stage(StageId.PATH, pathConfig(rules))], text);
      expect(result.tokens.map(plainOf)).toEqual(pathTokens(text, rules));
      expect([result.endOffset, result.endPosInc]).toEqual([text.length, 0]);
    });
  });

  test(`${build}: shingle equals its twin, across batches and holes`, () => {
    forSeeds(80, (rng) => {
      const tokens = randomTokens(rng, 'abé日').slice(0, rng.pick([3, 40, 1200]));
      const min = rng.int(2, 4);
      const options = {
        min,
        max: min + rng.int(0, 3),
        unigrams: rng.bool(),
        unigramsIfNone: rng.bool(),
        separator: rng.pick([' ', '', '--']),
        filler: rng.pick(['_', '', 'hole']),
      };
      const endHole = rng.pick([0, 0, 1, 5]);
      const flags = (options.unigrams ? 1 : 0) | (options.unigramsIfNone ? 2 : 0);
      const [between, hole] = [encodeWtf8(options.separator), encodeWtf8(options.filler)];
      const config = words([options.min, options.max, flags, between.length, hole.length], joinConfigs([between, hole]));
      const input = encodeTokens({ tokens, endOffset: 9999, endPosInc: endHole });
      const result = runChain(host, { blob: chainBlob([stage(StageId.REPLAY), stage(StageId.SHINGLE, config)]) }, input);
      expect(result.tokens.map(plainOf)).toEqual(shingles(tokens.map(plainOf), 9999, endHole, options));
      expect([result.endOffset, result.endPosInc]).toEqual([9999, endHole]);
    });
  });
});
