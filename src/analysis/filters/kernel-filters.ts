// Registry entries of the filters that are one kernel stage.
import { javaTrim } from '../../common/java-text.ts';
import { illegalArgument } from '../../errors/catalog.ts';
import { termMap, termSet, words } from '../blob.ts';
import { type BuildContext, type ComponentEntry, type FilterFactory, kernelFilter, type TokenFilter } from '../component.ts';
import { englishStopWords } from '../languages/stop-words.ts';
import {
  lowerCodePoints,
  type RuleLine,
  refuseOld,
  ruleLines,
  runtimeError,
  stopWords,
  wordList,
  wordSet,
} from '../languages/word-lists.ts';
import { STAGE } from '../stage-ids.ts';
import { tokenTypeIdOf } from '../tokens/token-stream.ts';
import { encodeWtf8 } from '../tokens/wtf8.ts';

type Make = (context: BuildContext) => TokenFilter | (() => TokenFilter);

/** An entry whose filter does not depend on the chain around it. A function is called when an analyzer is assembled. */
export function filterEntry(
  type: string,
  params: readonly string[],
  make: Make,
  traits: { normalizing?: boolean; inSynonymRules?: FilterFactory['inSynonymRules'] } = {},
): ComponentEntry<FilterFactory> {
  return {
    type,
    params,
    build(context) {
      const made = make(context);
      return {
        name: context.name,
        normalizing: traits.normalizing ?? false,
        inSynonymRules: traits.inSynonymRules ?? 'used',
        create: () => (typeof made === 'function' ? made() : made),
      };
    },
  };
}

/** Mode of the unique stage. */
export const ONLY_ON_SAME_POSITION = 1;

const EMPTY = new Uint8Array(0);
/** Variants of the normalize stage that leave marked keywords alone: hindi, bengali. */
export const MARK_HEEDING_NORMALIZATIONS: ReadonlySet<number> = new Set([7, 8]);
const NORMALIZATIONS: readonly [string, number][] = [
  ['arabic_normalization', 0],
  ['persian_normalization', 1],
  ['sorani_normalization', 2],
  ['german_normalization', 3],
  ['scandinavian_normalization', 4],
  ['scandinavian_folding', 5],
  ['serbian_normalization', 6],
  ['hindi_normalization', 7],
  ['bengali_normalization', 8],
  ['indic_normalization', 9],
  ['decimal_digit', 10],
  ['cjk_width', 11],
];
const CASE_VARIANTS: Readonly<Record<string, number>> = { greek: 2, turkish: 3, irish: 4 };

/** Articles of the elision filter that is not defined. */
const FRENCH_ARTICLES = ['l', 'm', 't', 'qu', 'n', 's', 'j', 'd', 'c', 'jusqu', 'quoiqu', 'lorsqu', 'puisqu'];

const plain = (type: string, id: number, traits: { normalizing?: boolean } = {}) =>
  filterEntry(type, [], () => kernelFilter(id, EMPTY), traits);

export function stopStage(stop: Iterable<string>, ignoreCase: boolean): TokenFilter {
  return setStage(STAGE.STOP, stop, ignoreCase);
}

export function setStage(id: number, terms: Iterable<string>, ignoreCase: boolean): TokenFilter {
  return kernelFilter(id, words([ignoreCase ? 1 : 0], termSet(ignoreCase ? [...terms].map(lowerCodePoints) : terms)));
}

export function elisionStage(articles: Iterable<string>, ignoreCase: boolean): TokenFilter {
  return setStage(STAGE.ELISION, articles, ignoreCase);
}

export const SIMPLE_FILTERS: readonly ComponentEntry<FilterFactory>[] = [
  filterEntry(
    'lowercase',
    ['language: string = null'],
    ({ settings }) => {
      const language = settings.get('language');
      return () => {
        if (language !== undefined && !Object.hasOwn(CASE_VARIANTS, language))
          throw illegalArgument(`language [${language}] not support for lower case`);
        return kernelFilter(STAGE.CASE, words([language === undefined ? 0 : CASE_VARIANTS[language]]));
      };
    },
    { normalizing: true },
  ),
  filterEntry('uppercase', [], () => kernelFilter(STAGE.CASE, words([1])), { normalizing: true }),
  filterEntry(
    'asciifolding',
    ['preserve_original: bool = false'],
    ({ settings }) => kernelFilter(settings.bool('preserve_original', false) ? STAGE.FOLDING_AND_ORIGINAL : STAGE.FOLDING, EMPTY),
    { normalizing: true },
  ),
  ...NORMALIZATIONS.map(([type, variant]) =>
    filterEntry(type, [], () => kernelFilter(STAGE.NORMALIZE, words([variant])), { normalizing: true }),
  ),
  plain('apostrophe', STAGE.APOSTROPHE),
  plain('classic', STAGE.CLASSIC_FILTER),
  plain('reverse', STAGE.REVERSE),
  filterEntry('keyword_repeat', [], () => kernelFilter(STAGE.KEYWORD_REPEAT, EMPTY), { inSynonymRules: 'refused' }),
  filterEntry('remove_duplicates', [], () => kernelFilter(STAGE.UNIQUE, words([ONLY_ON_SAME_POSITION]))),
  filterEntry(
    'trim',
    [],
    (context) => {
      refuseOld(context, 'update_offsets');
      return kernelFilter(STAGE.TRIM, EMPTY);
    },
    { normalizing: true },
  ),
  filterEntry(
    'elision',
    ['articles: list', 'articles_path: string', 'articles_case: bool = false'],
    (context) => {
      const { settings, isBuiltIn } = context;
      if (isBuiltIn) return elisionStage(FRENCH_ARTICLES, true);
      if (settings.get('articles') === '_none_') return elisionStage([], false);
      const articles = settings.has('articles') ? (settings.list('articles') ?? []) : wordList(context, 'articles');
      if (!articles) throw illegalArgument('elision filter requires [articles] or [articles_path] setting');
      return elisionStage(articles, settings.bool('articles_case', false));
    },
    { normalizing: true },
  ),
  filterEntry(
    'truncate',
    ['length: int'],
    ({ settings, isBuiltIn }) => {
      const length = settings.int('length', isBuiltIn ? 10 : -1);
      if (length <= 0) throw illegalArgument('length parameter must be provided');
      return kernelFilter(STAGE.TRUNCATE, words([length]));
    },
    { normalizing: true },
  ),
  filterEntry(
    'stop',
    ['stopwords: list = _english_', 'stopwords_path: string', 'ignore_case: bool = false', 'remove_trailing: bool = true'],
    (context) => {
      const { settings } = context;
      // The list that stands where none is given knows its own case only.
      const isGiven = settings.has('stopwords') || settings.has('stopwords_path');
      const ignoreCase = settings.bool('ignore_case', false) && isGiven;
      const stop = stopWords(context, englishStopWords());
      refuseOld(context, 'enable_position_increments');
      return setStage(settings.bool('remove_trailing', true) ? STAGE.STOP : STAGE.TRAILING_STOP, stop, ignoreCase);
    },
  ),
  filterEntry('unique', ['only_on_same_position: bool = false'], ({ settings }) =>
    kernelFilter(STAGE.UNIQUE, words([settings.bool('only_on_same_position', false) ? ONLY_ON_SAME_POSITION : 0])),
  ),
  filterEntry('keep', ['keep_words: list', 'keep_words_path: string', 'keep_words_case: bool = false'], (context) => {
    const { settings } = context;
    if ((settings.list('keep_words') !== undefined) === settings.has('keep_words_path')) {
      throw illegalArgument('keep requires either `keep_words` or `keep_words_path` to be configured');
    }
    refuseOld(context, 'enable_position_increments');
    const { words: kept, ignoreCase } = wordSet(context, 'keep_words')!;
    return setStage(STAGE.KEEP, kept, ignoreCase);
  }),
  filterEntry('keep_types', ['types: list', 'mode: string = include'], ({ settings }) => {
    const types = settings.list('types');
    if (!types) throw illegalArgument('keep_types requires `types` to be configured');
    const mode = settings.get('mode', 'include').toLowerCase();
    if (mode !== 'include' && mode !== 'exclude') {
      throw illegalArgument(`\`keep_types\` tokenfilter mode can only be [include] or [exclude] but was [${settings.get('mode')}].`);
    }
    return kernelFilter(STAGE.KEEP_TYPES, words([mode === 'exclude' ? 1 : 0, types.length, ...types.map(tokenTypeIdOf)]));
  }),
  filterEntry('length', ['min: int = 0', 'max: int = 2147483647'], (context) => {
    const { settings } = context;
    refuseOld(context, 'enable_position_increments');
    const min = settings.int('min', 0);
    const max = settings.int('max', 0x7fffffff);
    return () => {
      if (min < 0) throw illegalArgument('minimum length must be greater than or equal to zero');
      if (min > max) throw illegalArgument('maximum length must not be greater than minimum length');
      return kernelFilter(STAGE.LENGTH, words([min, max]));
    };
  }),
  filterEntry('limit', ['max_token_count: int = 1', 'consume_all_tokens: bool = false'], ({ settings }) => {
    const max = settings.int('max_token_count', 1);
    const consumeAll = settings.bool('consume_all_tokens', false);
    return () => {
      if (max < 1) throw illegalArgument('maxTokenCount must be greater than zero');
      return kernelFilter(STAGE.LIMIT, words([max, consumeAll ? 1 : 0]));
    };
  }),
  filterEntry('stemmer_override', ['rules: list', 'rules_path: string'], (context) => {
    const rules = ruleLines(context, 'rules');
    if (!rules) throw illegalArgument('stemmer override filter requires either `rules` or `rules_path` to be configured');
    return stemmerOverrideStage(rules.flatMap(overrideRule));
  }),
  filterEntry('cjk_bigram', ['ignored_scripts: list', 'output_unigrams: bool = false'], (context) => {
    const scripts = ['han', 'hiragana', 'katakana', 'hangul'];
    let flags = 15;
    for (const script of context.settings.list('ignored_scripts') ?? []) {
      const bit = scripts.indexOf(script);
      if (bit < 0) context.warn(`[${context.name}] ignores the unknown script [${script}]`);
      else flags &= ~(1 << bit);
    }
    if (context.settings.bool('output_unigrams', false)) flags |= 16;
    return kernelFilter(STAGE.CJK_BIGRAM, words([flags]));
  }),
];

/** @param stems  words and what stands for them */
export function stemmerOverrideStage(stems: readonly (readonly [word: string, stem: string])[]): TokenFilter {
  const entries = stems.map(([word, stem]): [string, Uint8Array] => [word, encodeWtf8(stem)]);
  return kernelFilter(STAGE.STEMMER_OVERRIDE, words([0], termMap(entries)));
}

/** `a, b => c` as pairs. @throws ApiError runtime_exception: not a rule */
function overrideRule({ text, number }: RuleLine): [string, string][] {
  const sides = text.split('=>');
  const override = sides[1] === undefined ? '' : javaTrim(sides[1]);
  const keys = sides[0].split(',').map(javaTrim);
  if (sides.length !== 2 || override === '' || keys.some((key) => key === '') || override.includes(',')) {
    throw runtimeError(`Line [${number}]: Invalid keyword override rule: ${text}`);
  }
  return keys.map((key) => [key, override]);
}
