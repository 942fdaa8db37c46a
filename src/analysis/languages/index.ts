// Components of single languages: stemmers and language analyzers. The registry adds these lists to its own.
import { words } from '../blob.ts';
import { type ComponentEntry, type FilterFactory, kernelFilter } from '../component.ts';
import { filterEntry, setStage, stopStage } from '../filters/simple.ts';
import type { AnalyzerEntry } from '../registry.ts';
import { STAGE } from '../stage-ids.ts';
import { standardTokenizer } from '../tokenizers/simple.ts';
import { stopWords } from '../word-lists.ts';
import { STEMMER, stemmerByLanguage, stemStage } from './stemmers.ts';
import { STOP_LISTS } from './stop-words.ts';

export const LANGUAGE_FILTERS: readonly ComponentEntry<FilterFactory>[] = [
  filterEntry('porter_stem', [], () => stemStage(STEMMER.PORTER)),
  filterEntry('stemmer', ['language: string = english', 'name: string'], ({ settings }) =>
    stemmerByLanguage(settings.get('language') ?? settings.get('name', 'porter')),
  ),
];

const PARAMS = ['stopwords: list', 'stopwords_path: string', 'stem_exclusion: list', 'stem_exclusion_path: string'];

export const LANGUAGE_ANALYZERS: readonly AnalyzerEntry[] = [
  {
    type: 'english',
    params: PARAMS,
    build(context) {
      const stop = stopWords(context, STOP_LISTS.english);
      const excluded = stopWords(context, [], 'stem_exclusion');
      return () => ({
        charFilters: [],
        tokenizer: standardTokenizer(),
        filters: [
          stemStage(STEMMER.ENGLISH_POSSESSIVE),
          kernelFilter(STAGE.CASE, words([0])),
          ...(stop.length > 0 ? [stopStage(stop, false)] : []),
          ...(excluded.length > 0 ? [setStage(STAGE.KEYWORD_MARKER, excluded, false)] : []),
          stemStage(STEMMER.PORTER),
        ],
      });
    },
  },
];
