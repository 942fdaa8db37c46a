// Components of single languages: stemmers and language analyzers. The registry adds these lists to its own.
import type { ComponentEntry, FilterFactory } from '../component.ts';
import { filterEntry } from '../filters/kernel-filters.ts';
import { STEMMER, snowballStage, stemmerByLanguage, stemStage } from './stemmers.ts';

export const LANGUAGE_FILTERS: readonly ComponentEntry<FilterFactory>[] = [
  filterEntry('porter_stem', [], () => stemStage(STEMMER.PORTER)),
  filterEntry('kstem', [], () => stemStage(STEMMER.KSTEM)),
  filterEntry('arabic_stem', [], () => stemStage(STEMMER.ARABIC)),
  filterEntry('persian_stem', [], () => stemStage(STEMMER.PERSIAN), { normalizing: true }),
  filterEntry('brazilian_stem', [], () => stemStage(STEMMER.BRAZILIAN)),
  filterEntry('czech_stem', [], () => stemStage(STEMMER.CZECH)),
  filterEntry('french_stem', [], () => stemStage(STEMMER.FRENCH)),
  filterEntry('dutch_stem', [], () => stemStage(STEMMER.DUTCH)),
  filterEntry('german_stem', [], () => stemStage(STEMMER.CAUMANNS)),
  filterEntry('russian_stem', [], () => stemStage(STEMMER.RUSSIAN)),
  filterEntry('snowball', ['language: string = English', 'name: string'], ({ settings }) => {
    const language = settings.get('language') ?? settings.get('name', 'English');
    return () => snowballStage(language);
  }),
  filterEntry('stemmer', ['language: string = english', 'name: string'], ({ settings }) =>
    stemmerByLanguage(settings.get('language') ?? settings.get('name', 'porter')),
  ),
];

export { LANGUAGE_ANALYZERS } from './analyzers.ts';
