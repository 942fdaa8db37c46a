// Language analyzers as data: the filters of each, with placeholders for those that depend on parameters.

import { BigramFlag, CaseVariant, Normalization, StageId, Stemmer } from '../../wasm/generated/analysis.ts';
import { words } from '../blob.ts';
import { stopUnlessEmpty } from '../built-in-analyzers.ts';
import { type AnalyzerEntry, type BuildContext, kernelFilter, type TokenFilter, type Tokenizer } from '../component.ts';
import { elisionStage, setStage, stemmerOverrideStage, stopStage } from '../filters/kernel-filters.ts';
import { standardTokenizer } from '../tokenizers/kernel-tokenizers.ts';
import { thaiTokenizer } from '../tokenizers/thai.ts';
import { snowballStage, stemStage } from './stemmers.ts';
import { stopList } from './stop-words.ts';
import { analyzerStopWords } from './word-lists.ts';

const LOWER = kernelFilter(StageId.CASE, words([CaseVariant.LOWER]));
const normalize = (variant: number): TokenFilter => kernelFilter(StageId.NORMALIZE, words([variant]));
const DECIMAL_DIGIT = normalize(Normalization.DECIMAL_DIGIT);
const CJK_WIDTH = normalize(Normalization.CJK_WIDTH);
const STOP = 'stop';
const MARKER = 'marker';

/** Filters in order; `stop` and `marker` are placeholders for the stop filter and the keyword marker of the parameters. */
type Chain = readonly (TokenFilter | typeof STOP | typeof MARKER)[];

interface LanguageSpec {
  readonly chain: Chain;
  readonly tokenizer?: () => Tokenizer;
}

const FRENCH_ARTICLES = ['l', 'm', 't', 'qu', 'n', 's', 'j', 'd', 'c', 'jusqu', 'quoiqu', 'lorsqu', 'puisqu'];
const CATALAN_ARTICLES = ['d', 'l', 'm', 'n', 's', 't'];
const ITALIAN_ARTICLES = 'c l all dall dell nell sull coll pell gl agl dagl degl negl sugl un m t s v d'.split(' ');
/** Dutch words with predefined stems. Source: Lucene's DutchAnalyzer. */
const DUTCH_OVERRIDES = stemmerOverrideStage([
  ['fiets', 'fiets'],
  ['bromfiets', 'bromfiets'],
  ['ei', 'eier'],
  ['kind', 'kinder'],
]);
const LANGUAGES: Readonly<Record<string, LanguageSpec>> = {
  english: { chain: [stemStage(Stemmer.ENGLISH_POSSESSIVE), LOWER, STOP, MARKER, stemStage(Stemmer.PORTER)] },
  cjk: { chain: [CJK_WIDTH, LOWER, kernelFilter(StageId.CJK_BIGRAM, words([BigramFlag.ALL_SCRIPTS])), STOP] },
  arabic: { chain: [LOWER, DECIMAL_DIGIT, STOP, normalize(Normalization.ARABIC), MARKER, stemStage(Stemmer.ARABIC)] },
  basque: { chain: [LOWER, STOP, MARKER, stemStage(Stemmer.BASQUE)] },
  brazilian: { chain: [LOWER, STOP, MARKER, stemStage(Stemmer.BRAZILIAN)] },
  armenian: { chain: [LOWER, STOP, MARKER, stemStage(Stemmer.ARMENIAN)] },
  bengali: {
    chain: [
      LOWER,
      DECIMAL_DIGIT,
      MARKER,
      normalize(Normalization.INDIC),
      normalize(Normalization.BENGALI),
      STOP,
      stemStage(Stemmer.BENGALI),
    ],
  },
  bulgarian: { chain: [LOWER, STOP, MARKER, stemStage(Stemmer.BULGARIAN)] },
  catalan: { chain: [elisionStage(CATALAN_ARTICLES, true), LOWER, STOP, MARKER, stemStage(Stemmer.CATALAN)] },
  czech: { chain: [LOWER, STOP, MARKER, stemStage(Stemmer.CZECH)] },
  danish: { chain: [LOWER, STOP, MARKER, stemStage(Stemmer.DANISH)] },
  dutch: { chain: [LOWER, STOP, MARKER, DUTCH_OVERRIDES, stemStage(Stemmer.DUTCH)] },
  estonian: { chain: [LOWER, STOP, MARKER, stemStage(Stemmer.ESTONIAN)] },
  finnish: { chain: [LOWER, STOP, MARKER, stemStage(Stemmer.FINNISH)] },
  french: { chain: [elisionStage(FRENCH_ARTICLES, true), LOWER, STOP, MARKER, stemStage(Stemmer.LIGHT_FRENCH)] },
  galician: { chain: [LOWER, STOP, MARKER, stemStage(Stemmer.GALICIAN)] },
  german: { chain: [LOWER, STOP, MARKER, normalize(Normalization.GERMAN), stemStage(Stemmer.LIGHT_GERMAN)] },
  greek: { chain: [kernelFilter(StageId.CASE, words([CaseVariant.GREEK])), STOP, MARKER, stemStage(Stemmer.GREEK)] },
  hindi: {
    chain: [LOWER, DECIMAL_DIGIT, MARKER, normalize(Normalization.INDIC), normalize(Normalization.HINDI), STOP, stemStage(Stemmer.HINDI)],
  },
  hungarian: { chain: [LOWER, STOP, MARKER, stemStage(Stemmer.HUNGARIAN)] },
  indonesian: { chain: [LOWER, STOP, MARKER, stemStage(Stemmer.INDONESIAN)] },
  irish: {
    chain: [
      stopStage(['h', 'n', 't'], true),
      elisionStage(['d', 'm', 'b'], true),
      kernelFilter(StageId.CASE, words([CaseVariant.IRISH])),
      STOP,
      MARKER,
      stemStage(Stemmer.IRISH),
    ],
  },
  italian: { chain: [elisionStage(ITALIAN_ARTICLES, true), LOWER, STOP, MARKER, stemStage(Stemmer.LIGHT_ITALIAN)] },
  latvian: { chain: [LOWER, STOP, MARKER, stemStage(Stemmer.LATVIAN)] },
  lithuanian: { chain: [LOWER, STOP, MARKER, stemStage(Stemmer.LITHUANIAN)] },
  norwegian: { chain: [LOWER, STOP, MARKER, stemStage(Stemmer.NORWEGIAN)] },
  persian: {
    chain: [
      LOWER,
      DECIMAL_DIGIT,
      normalize(Normalization.ARABIC),
      normalize(Normalization.PERSIAN),
      STOP,
      MARKER,
      stemStage(Stemmer.PERSIAN),
    ],
    // Persian writes a zero width non-joiner between the parts of a word.
    tokenizer: () => standardTokenizer(undefined, true),
  },
  portuguese: { chain: [LOWER, STOP, MARKER, stemStage(Stemmer.LIGHT_PORTUGUESE)] },
  romanian: { chain: [LOWER, STOP, MARKER, stemStage(Stemmer.ROMANIAN)] },
  russian: { chain: [LOWER, STOP, MARKER, stemStage(Stemmer.RUSSIAN)] },
  sorani: { chain: [normalize(Normalization.SORANI), LOWER, DECIMAL_DIGIT, STOP, MARKER, stemStage(Stemmer.SORANI)] },
  spanish: { chain: [LOWER, STOP, MARKER, stemStage(Stemmer.LIGHT_SPANISH)] },
  swedish: { chain: [LOWER, STOP, MARKER, stemStage(Stemmer.SWEDISH)] },
  turkish: {
    chain: [
      kernelFilter(StageId.APOSTROPHE, words([])),
      kernelFilter(StageId.CASE, words([CaseVariant.TURKISH])),
      STOP,
      MARKER,
      stemStage(Stemmer.TURKISH),
    ],
  },
  thai: { chain: [LOWER, DECIMAL_DIGIT, STOP], tokenizer: thaiTokenizer },
};

const STOP_PARAMS = ['stopwords: list', 'stopwords_path: string', 'stopwords_case: bool = false'];
const PARAMS = [...STOP_PARAMS, 'stem_exclusion: list'];

function build(context: BuildContext, spec: LanguageSpec): ReturnType<AnalyzerEntry['build']> {
  const stop = stopUnlessEmpty(analyzerStopWords(context, stopList(context.type) ?? []));
  const excluded = context.settings.get('stem_exclusion') === '_none_' ? [] : (context.settings.list('stem_exclusion') ?? []);
  const filters = spec.chain.flatMap((part): TokenFilter[] => {
    if (part === STOP) return stop;
    if (part === MARKER) return excluded.length ? [setStage(StageId.KEYWORD_MARKER, excluded, false)] : [];
    return [part];
  });
  return () => ({ charFilters: [], tokenizer: (spec.tokenizer ?? standardTokenizer)(), filters });
}

/** The `snowball` analyzer: a stemmer by class name, with the stop words of four languages and English by default. */
const SNOWBALL_STOP_LISTS = new Map([
  ['English', 'english'],
  ['Dutch', 'dutch'],
  ['German', 'german'],
  ['German2', 'german'],
  ['French', 'french'],
]);
const SNOWBALL_ANALYZER: AnalyzerEntry = {
  type: 'snowball',
  params: ['language: string = English', 'name: string', ...STOP_PARAMS],
  build(context) {
    const language = context.settings.get('language') ?? context.settings.get('name', 'English');
    const stop = analyzerStopWords(context, stopList(SNOWBALL_STOP_LISTS.get(language) ?? '') ?? []);
    return () => ({
      charFilters: [],
      tokenizer: standardTokenizer(),
      filters: [
        ...(language === 'English' || language === 'Porter' ? [stemStage(Stemmer.ENGLISH_POSSESSIVE)] : []),
        LOWER,
        ...stopUnlessEmpty(stop),
        snowballStage(language),
      ],
    });
  },
};

export const LANGUAGE_ANALYZERS: readonly AnalyzerEntry[] = [
  SNOWBALL_ANALYZER,
  ...Object.entries(LANGUAGES).map(([type, spec]): AnalyzerEntry => ({ type, params: PARAMS, build: (context) => build(context, spec) })),
];
