// Registry entries of token filters that consist of one kernel stage.
import { javaTrim } from '../../common/text/java-text.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';
import {
  BigramFlag,
  CaseVariant,
  IGNORE_CASE,
  KeepTypesConfig,
  LengthConfig,
  LimitConfig,
  Normalization,
  ONLY_ON_SAME_POSITION,
  StageId,
} from '../../wasm/generated/analysis.ts';
import { recordBytes, termMap, termSet, words } from '../blob.ts';
import { type BuildContext, type ComponentEntry, type FilterFactory, kernelFilter, type TokenFilter } from '../component.ts';
import { englishStopWords } from '../languages/stop-words.ts';
import {
  lowerCodePoints,
  NO_WORDS,
  type RuleLine,
  refuseOld,
  ruleLines,
  runtimeError,
  stopWords,
  wordList,
  wordSet,
} from '../languages/word-lists.ts';
import { typeIdOf } from '../tokens/token-types.ts';
import { encodeWtf8 } from '../tokens/wtf8.ts';

type Make = (context: BuildContext) => TokenFilter | (() => TokenFilter);

/** An entry for a filter that does not depend on the rest of its chain. If `make` returns a function, it is called when an analyzer is assembled. */
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

const EMPTY = new Uint8Array(0);
/** Variants of the normalize stage that do not change keywords. */
export const KEYWORD_AWARE_NORMALIZATIONS: ReadonlySet<number> = new Set([Normalization.HINDI, Normalization.BENGALI]);
const NORMALIZATIONS: readonly [string, number][] = [
  ['arabic_normalization', Normalization.ARABIC],
  ['persian_normalization', Normalization.PERSIAN],
  ['sorani_normalization', Normalization.SORANI],
  ['german_normalization', Normalization.GERMAN],
  ['scandinavian_normalization', Normalization.SCANDINAVIAN],
  ['scandinavian_folding', Normalization.SCANDINAVIAN_FOLDING],
  ['serbian_normalization', Normalization.SERBIAN],
  ['hindi_normalization', Normalization.HINDI],
  ['bengali_normalization', Normalization.BENGALI],
  ['indic_normalization', Normalization.INDIC],
  ['decimal_digit', Normalization.DECIMAL_DIGIT],
  ['cjk_width', Normalization.CJK_WIDTH],
];
const CASE_VARIANTS: Readonly<Record<string, number>> = {
  greek: CaseVariant.GREEK,
  turkish: CaseVariant.TURKISH,
  irish: CaseVariant.IRISH,
};

/** Articles of the elision filter without parameters. */
const FRENCH_ARTICLES = ['l', 'm', 't', 'qu', 'n', 's', 'j', 'd', 'c', 'jusqu', 'quoiqu', 'lorsqu', 'puisqu'];

const plain = (type: string, id: number, traits: { normalizing?: boolean } = {}) =>
  filterEntry(type, [], () => kernelFilter(id, EMPTY), traits);

export function stopStage(stop: Iterable<string>, ignoreCase: boolean): TokenFilter {
  return setStage(StageId.STOP, stop, ignoreCase);
}

export function setStage(id: number, terms: Iterable<string>, ignoreCase: boolean): TokenFilter {
  return kernelFilter(id, words([ignoreCase ? IGNORE_CASE : 0], termSet(ignoreCase ? [...terms].map(lowerCodePoints) : terms)));
}

export function elisionStage(articles: Iterable<string>, ignoreCase: boolean): TokenFilter {
  return setStage(StageId.ELISION, articles, ignoreCase);
}

export const KERNEL_FILTERS: readonly ComponentEntry<FilterFactory>[] = [
  filterEntry(
    'lowercase',
    ['language: string = null'],
    ({ settings }) => {
      const language = settings.get('language');
      return () => {
        if (language !== undefined && !Object.hasOwn(CASE_VARIANTS, language))
          throw illegalArgumentError(`language [${language}] not support for lower case`);
        return kernelFilter(StageId.CASE, words([language === undefined ? CaseVariant.LOWER : CASE_VARIANTS[language]]));
      };
    },
    { normalizing: true },
  ),
  filterEntry('uppercase', [], () => kernelFilter(StageId.CASE, words([CaseVariant.UPPER])), { normalizing: true }),
  filterEntry(
    'asciifolding',
    ['preserve_original: bool = false'],
    ({ settings }) => kernelFilter(settings.bool('preserve_original', false) ? StageId.FOLDING_AND_ORIGINAL : StageId.FOLDING, EMPTY),
    { normalizing: true },
  ),
  ...NORMALIZATIONS.map(([type, variant]) =>
    filterEntry(type, [], () => kernelFilter(StageId.NORMALIZE, words([variant])), { normalizing: true }),
  ),
  plain('apostrophe', StageId.APOSTROPHE),
  plain('classic', StageId.CLASSIC_FILTER),
  plain('reverse', StageId.REVERSE),
  filterEntry('keyword_repeat', [], () => kernelFilter(StageId.KEYWORD_REPEAT, EMPTY), { inSynonymRules: 'refused' }),
  filterEntry('remove_duplicates', [], () => kernelFilter(StageId.UNIQUE, words([ONLY_ON_SAME_POSITION]))),
  filterEntry(
    'trim',
    [],
    (context) => {
      refuseOld(context, 'update_offsets');
      return kernelFilter(StageId.TRIM, EMPTY);
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
      if (!articles) throw illegalArgumentError('elision filter requires [articles] or [articles_path] setting');
      return elisionStage(articles, settings.bool('articles_case', false));
    },
    { normalizing: true },
  ),
  filterEntry(
    'truncate',
    ['length: int'],
    ({ settings, isBuiltIn }) => {
      const length = settings.int('length', isBuiltIn ? 10 : -1);
      if (length <= 0) throw illegalArgumentError('length parameter must be provided');
      return kernelFilter(StageId.TRUNCATE, words([length]));
    },
    { normalizing: true },
  ),
  filterEntry(
    'stop',
    ['stopwords: list = _english_', 'stopwords_path: string', 'ignore_case: bool = false', 'remove_trailing: bool = true'],
    (context) => {
      const { settings } = context;
      // The default list is always case-sensitive.
      const isGiven = settings.has('stopwords') || settings.has('stopwords_path');
      const ignoreCase = settings.bool('ignore_case', false) && isGiven;
      const stop = stopWords(context, englishStopWords());
      refuseOld(context, 'enable_position_increments');
      return setStage(settings.bool('remove_trailing', true) ? StageId.STOP : StageId.TRAILING_STOP, stop, ignoreCase);
    },
  ),
  filterEntry('unique', ['only_on_same_position: bool = false'], ({ settings }) =>
    kernelFilter(StageId.UNIQUE, words([settings.bool('only_on_same_position', false) ? ONLY_ON_SAME_POSITION : 0])),
  ),
  filterEntry('keep', ['keep_words: list', 'keep_words_path: string', 'keep_words_case: bool = false'], (context) => {
    const { settings } = context;
    if ((settings.list('keep_words') !== undefined) === settings.has('keep_words_path')) {
      throw illegalArgumentError('keep requires either `keep_words` or `keep_words_path` to be configured');
    }
    refuseOld(context, 'enable_position_increments');
    const { words: kept, ignoreCase } = wordSet(context, 'keep_words') ?? NO_WORDS;
    return setStage(StageId.KEEP, kept, ignoreCase);
  }),
  filterEntry('keep_types', ['types: list', 'mode: string = include'], ({ settings }) => {
    const types = settings.list('types');
    if (!types) throw illegalArgumentError('keep_types requires `types` to be configured');
    const mode = settings.get('mode', 'include').toLowerCase();
    if (mode !== 'include' && mode !== 'exclude') {
      throw illegalArgumentError(`\`keep_types\` tokenfilter mode can only be [include] or [exclude] but was [${settings.get('mode')}].`);
    }
    const ids = new Set(types.map(typeIdOf).filter((id) => id !== null));
    return kernelFilter(
      StageId.KEEP_TYPES,
      recordBytes(KeepTypesConfig, { isExclusion: mode === 'exclude' ? 1 : 0, typeCount: ids.size }, words([...ids])),
    );
  }),
  filterEntry('length', ['min: int = 0', 'max: int = 2147483647'], (context) => {
    const { settings } = context;
    refuseOld(context, 'enable_position_increments');
    const min = settings.int('min', 0);
    const max = settings.int('max', 0x7fffffff);
    return () => {
      if (min < 0) throw illegalArgumentError('minimum length must be greater than or equal to zero');
      if (min > max) throw illegalArgumentError('maximum length must not be greater than minimum length');
      return kernelFilter(StageId.LENGTH, recordBytes(LengthConfig, { min, max }));
    };
  }),
  filterEntry('limit', ['max_token_count: int = 1', 'consume_all_tokens: bool = false'], ({ settings }) => {
    const max = settings.int('max_token_count', 1);
    const consumeAll = settings.bool('consume_all_tokens', false);
    return () => {
      if (max < 1) throw illegalArgumentError('maxTokenCount must be greater than zero');
      return kernelFilter(StageId.LIMIT, recordBytes(LimitConfig, { max, consumesAll: consumeAll ? 1 : 0 }));
    };
  }),
  filterEntry('stemmer_override', ['rules: list', 'rules_path: string'], (context) => {
    const rules = ruleLines(context, 'rules');
    if (!rules) throw illegalArgumentError('stemmer override filter requires either `rules` or `rules_path` to be configured');
    return stemmerOverrideStage(rules.flatMap(overrideRule));
  }),
  filterEntry('cjk_bigram', ['ignored_scripts: list', 'output_unigrams: bool = false'], (context) => {
    const scripts = ['han', 'hiragana', 'katakana', 'hangul'];
    let flags: number = BigramFlag.ALL_SCRIPTS;
    for (const script of context.settings.list('ignored_scripts') ?? []) {
      const bit = scripts.indexOf(script);
      if (bit < 0) context.warn(`[${context.name}] ignores the unknown script [${script}]`);
      else flags &= ~(BigramFlag.HAN << bit);
    }
    if (context.settings.bool('output_unigrams', false)) flags |= BigramFlag.UNIGRAMS;
    return kernelFilter(StageId.CJK_BIGRAM, words([flags]));
  }),
];

/** @param stems words and their stems */
export function stemmerOverrideStage(stems: readonly (readonly [word: string, stem: string])[]): TokenFilter {
  const entries = stems.map(([word, stem]): [string, Uint8Array] => [word, encodeWtf8(stem)]);
  return kernelFilter(StageId.STEMMER_OVERRIDE, words([0], termMap(entries)));
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
