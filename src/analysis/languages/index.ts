// Registry entries for single languages: stemmers and language analyzers.

import { Stemmer } from '../../wasm/generated/analysis.ts';
import type { ComponentEntry, FilterFactory } from '../component.ts';
import { filterEntry } from '../filters/kernel-filters.ts';
import { snowballStage, stemmerByLanguage, stemStage } from './stemmers.ts';

export const LANGUAGE_FILTERS: readonly ComponentEntry<FilterFactory>[] = [
  filterEntry('porter_stem', [], () => stemStage(Stemmer.PORTER)),
  filterEntry('kstem', [], () => stemStage(Stemmer.KSTEM)),
  filterEntry('arabic_stem', [], () => stemStage(Stemmer.ARABIC)),
  filterEntry('persian_stem', [], () => stemStage(Stemmer.PERSIAN), { normalizing: true }),
  filterEntry('brazilian_stem', [], () => stemStage(Stemmer.BRAZILIAN)),
  filterEntry('czech_stem', [], () => stemStage(Stemmer.CZECH)),
  filterEntry('french_stem', [], () => stemStage(Stemmer.FRENCH)),
  filterEntry('dutch_stem', [], () => stemStage(Stemmer.DUTCH)),
  filterEntry('german_stem', [], () => stemStage(Stemmer.CAUMANNS)),
  filterEntry('russian_stem', [], () => stemStage(Stemmer.RUSSIAN)),
  filterEntry('snowball', ['language: string = English', 'name: string'], ({ settings }) => {
    const language = settings.get('language') ?? settings.get('name', 'English');
    return () => snowballStage(language);
  }),
  filterEntry('stemmer', ['language: string = english', 'name: string'], ({ settings }) =>
    stemmerByLanguage(settings.get('language') ?? settings.get('name', 'porter')),
  ),
];

export { LANGUAGE_ANALYZERS } from './analyzers.ts';
