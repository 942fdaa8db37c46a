// Components of single languages: stemmers and language analyzers. The registry adds these lists to its own.
import type { ComponentEntry, FilterFactory } from '../component.ts';
import { filterEntry } from '../filters/simple.ts';
import { STEMMER, stemmerByLanguage, stemStage } from './stemmers.ts';

export const LANGUAGE_FILTERS: readonly ComponentEntry<FilterFactory>[] = [
  filterEntry('porter_stem', [], () => stemStage(STEMMER.PORTER)),
  filterEntry('arabic_stem', [], () => stemStage(STEMMER.ARABIC)),
  filterEntry('persian_stem', [], () => stemStage(STEMMER.PERSIAN)),
  filterEntry('czech_stem', [], () => stemStage(STEMMER.CZECH)),
  filterEntry('stemmer', ['language: string = english', 'name: string'], ({ settings }) =>
    stemmerByLanguage(settings.get('language') ?? settings.get('name', 'porter')),
  ),
];

export { LANGUAGE_ANALYZERS } from './analyzers.ts';
