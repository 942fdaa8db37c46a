// Language analyzers as data: what stands around the stop filter and the stemmer. An analyzer is here only when all its parts are.
import { words } from '../blob.ts';
import { stopUnlessEmpty } from '../built-in-analyzers.ts';
import { type BuildContext, kernelFilter, type TokenFilter, type Tokenizer } from '../component.ts';
import { elisionStage, setStage, stemmerOverrideStage, stopStage } from '../filters/kernel-filters.ts';
import type { AnalyzerEntry } from '../registry.ts';
import { STAGE } from '../stage-ids.ts';
import { standardTokenizer } from '../tokenizers/kernel-tokenizers.ts';
import { thaiTokenizer } from '../tokenizers/thai.ts';
import { STEMMER, snowballStage, stemStage } from './stemmers.ts';
import { stopList } from './stop-words.ts';
import { analyzerStopWords } from './word-lists.ts';

const LOWER = kernelFilter(STAGE.CASE, words([0]));
const normalize = (variant: number): TokenFilter => kernelFilter(STAGE.NORMALIZE, words([variant]));
const DECIMAL_DIGIT = normalize(10);
const CJK_WIDTH = normalize(11);
const STOP = 'stop';
const MARKER = 'marker';

/** Filters in order; `stop` and `marker` stand for the filters of the parameters. */
type Chain = readonly (TokenFilter | typeof STOP | typeof MARKER)[];

interface LanguageSpec {
  readonly chain: Chain;
  readonly tokenizer?: () => Tokenizer;
}

const FRENCH_ARTICLES = ['l', 'm', 't', 'qu', 'n', 's', 'j', 'd', 'c', 'jusqu', 'quoiqu', 'lorsqu', 'puisqu'];
const CATALAN_ARTICLES = ['d', 'l', 'm', 'n', 's', 't'];
const ITALIAN_ARTICLES = 'c l all dall dell nell sull coll pell gl agl dagl degl negl sugl un m t s v d'.split(' ');
/** Words whose Dutch stem is given. Source: Lucene's DutchAnalyzer. */
const DUTCH_OVERRIDES = stemmerOverrideStage([
  ['fiets', 'fiets'],
  ['bromfiets', 'bromfiets'],
  ['ei', 'eier'],
  ['kind', 'kinder'],
]);
const LANGUAGES: Readonly<Record<string, LanguageSpec>> = {
  english: { chain: [stemStage(STEMMER.ENGLISH_POSSESSIVE), LOWER, STOP, MARKER, stemStage(STEMMER.PORTER)] },
  cjk: { chain: [CJK_WIDTH, LOWER, kernelFilter(STAGE.CJK_BIGRAM, words([15])), STOP] },
  arabic: { chain: [LOWER, DECIMAL_DIGIT, STOP, normalize(0), MARKER, stemStage(STEMMER.ARABIC)] },
  basque: { chain: [LOWER, STOP, MARKER, stemStage(STEMMER.BASQUE)] },
  brazilian: { chain: [LOWER, STOP, MARKER, stemStage(STEMMER.BRAZILIAN)] },
  armenian: { chain: [LOWER, STOP, MARKER, stemStage(STEMMER.ARMENIAN)] },
  bengali: { chain: [LOWER, DECIMAL_DIGIT, MARKER, normalize(9), normalize(8), STOP, stemStage(STEMMER.BENGALI)] },
  bulgarian: { chain: [LOWER, STOP, MARKER, stemStage(STEMMER.BULGARIAN)] },
  catalan: { chain: [elisionStage(CATALAN_ARTICLES, true), LOWER, STOP, MARKER, stemStage(STEMMER.CATALAN)] },
  czech: { chain: [LOWER, STOP, MARKER, stemStage(STEMMER.CZECH)] },
  danish: { chain: [LOWER, STOP, MARKER, stemStage(STEMMER.DANISH)] },
  dutch: { chain: [LOWER, STOP, MARKER, DUTCH_OVERRIDES, stemStage(STEMMER.DUTCH)] },
  estonian: { chain: [LOWER, STOP, MARKER, stemStage(STEMMER.ESTONIAN)] },
  finnish: { chain: [LOWER, STOP, MARKER, stemStage(STEMMER.FINNISH)] },
  french: { chain: [elisionStage(FRENCH_ARTICLES, true), LOWER, STOP, MARKER, stemStage(STEMMER.LIGHT_FRENCH)] },
  galician: { chain: [LOWER, STOP, MARKER, stemStage(STEMMER.GALICIAN)] },
  german: { chain: [LOWER, STOP, MARKER, normalize(3), stemStage(STEMMER.LIGHT_GERMAN)] },
  greek: { chain: [kernelFilter(STAGE.CASE, words([2])), STOP, MARKER, stemStage(STEMMER.GREEK)] },
  hindi: { chain: [LOWER, DECIMAL_DIGIT, MARKER, normalize(9), normalize(7), STOP, stemStage(STEMMER.HINDI)] },
  hungarian: { chain: [LOWER, STOP, MARKER, stemStage(STEMMER.HUNGARIAN)] },
  indonesian: { chain: [LOWER, STOP, MARKER, stemStage(STEMMER.INDONESIAN)] },
  irish: {
    chain: [
      stopStage(['h', 'n', 't'], true),
      elisionStage(['d', 'm', 'b'], true),
      kernelFilter(STAGE.CASE, words([4])),
      STOP,
      MARKER,
      stemStage(STEMMER.IRISH),
    ],
  },
  italian: { chain: [elisionStage(ITALIAN_ARTICLES, true), LOWER, STOP, MARKER, stemStage(STEMMER.LIGHT_ITALIAN)] },
  latvian: { chain: [LOWER, STOP, MARKER, stemStage(STEMMER.LATVIAN)] },
  lithuanian: { chain: [LOWER, STOP, MARKER, stemStage(STEMMER.LITHUANIAN)] },
  norwegian: { chain: [LOWER, STOP, MARKER, stemStage(STEMMER.NORWEGIAN)] },
  persian: {
    chain: [LOWER, DECIMAL_DIGIT, normalize(0), normalize(1), STOP, MARKER, stemStage(STEMMER.PERSIAN)],
    // Persian writes a zero width non-joiner between the parts of a word.
    tokenizer: () => standardTokenizer(undefined, true),
  },
  portuguese: { chain: [LOWER, STOP, MARKER, stemStage(STEMMER.LIGHT_PORTUGUESE)] },
  romanian: { chain: [LOWER, STOP, MARKER, stemStage(STEMMER.ROMANIAN)] },
  russian: { chain: [LOWER, STOP, MARKER, stemStage(STEMMER.RUSSIAN)] },
  sorani: { chain: [normalize(2), LOWER, DECIMAL_DIGIT, STOP, MARKER, stemStage(STEMMER.SORANI)] },
  spanish: { chain: [LOWER, STOP, MARKER, stemStage(STEMMER.LIGHT_SPANISH)] },
  swedish: { chain: [LOWER, STOP, MARKER, stemStage(STEMMER.SWEDISH)] },
  turkish: {
    chain: [kernelFilter(STAGE.APOSTROPHE, words([])), kernelFilter(STAGE.CASE, words([3])), STOP, MARKER, stemStage(STEMMER.TURKISH)],
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
    if (part === MARKER) return excluded.length ? [setStage(STAGE.KEYWORD_MARKER, excluded, false)] : [];
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
        ...(language === 'English' || language === 'Porter' ? [stemStage(STEMMER.ENGLISH_POSSESSIVE)] : []),
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
