// Stemmers by id; src/analysis/languages/stemmer-ids.ts has the same numbers. Each changes the word of word.ts in place.
import { basque } from './basque';
import { brazilian } from './brazilian';
import { catalan } from './catalan';
import { caumanns } from './caumanns';
import { dutch } from './dutch';
import { estonian } from './estonian';
import { finnish } from './finnish';
import { hungarian } from './hungarian';
import { french } from './french';
import { indonesian } from './indonesian';
import { latvian } from './latvian';
import { lightBulgarian, lightCzech, lightFrench, lightGerman, lightItalian, lightPortuguese, lightSpanish, minimalGerman } from './light';
import { danish, norwegian, swedish } from './nordic';
import { englishPossessive, minimalEnglish, porter, porterPublished } from './porter';
import { porter2 } from './porter2';
import { romanian } from './romanian';
import { lightRussian, russian } from './russian';
import { arabic, hindi, persian, sorani } from './scripts';

export const PORTER: u32 = 0;
export const ENGLISH_POSSESSIVE: u32 = 1;

export const LIGHT_GERMAN: u32 = 2;
export const LIGHT_FRENCH: u32 = 3;
export const LIGHT_ITALIAN: u32 = 4;
export const LIGHT_PORTUGUESE: u32 = 5;
export const LIGHT_SPANISH: u32 = 6;
export const CZECH: u32 = 7;
export const BULGARIAN: u32 = 8;
export const ARABIC: u32 = 9;
export const PERSIAN: u32 = 10;
export const SORANI: u32 = 11;
export const HINDI: u32 = 12;
export const PORTER2: u32 = 13;
export const DANISH: u32 = 14;
export const NORWEGIAN: u32 = 15;
export const SWEDISH: u32 = 16;
export const RUSSIAN: u32 = 17;
export const LIGHT_RUSSIAN: u32 = 18;
export const PORTER_PUBLISHED: u32 = 19;
export const INDONESIAN: u32 = 20;
export const LATVIAN: u32 = 21;
export const CAUMANNS: u32 = 22;
export const MINIMAL_ENGLISH: u32 = 23;
export const MINIMAL_GERMAN: u32 = 24;
export const FRENCH: u32 = 25;
export const DUTCH: u32 = 31;
export const FINNISH: u32 = 32;
export const HUNGARIAN: u32 = 33;
export const ESTONIAN: u32 = 34;
export const BRAZILIAN: u32 = 45;
export const CATALAN: u32 = 46;
export const ROMANIAN: u32 = 47;
export const BASQUE: u32 = 48;

/** False: no such stemmer. */
export function runStemmer(id: u32): bool {
  switch (id) {
    case PORTER: porter(); return true;
    case ENGLISH_POSSESSIVE: englishPossessive(); return true;
    case LIGHT_GERMAN: lightGerman(); return true;
    case LIGHT_FRENCH: lightFrench(); return true;
    case LIGHT_ITALIAN: lightItalian(); return true;
    case LIGHT_PORTUGUESE: lightPortuguese(); return true;
    case LIGHT_SPANISH: lightSpanish(); return true;
    case CZECH: lightCzech(); return true;
    case BULGARIAN: lightBulgarian(); return true;
    case ARABIC: arabic(); return true;
    case PERSIAN: persian(); return true;
    case SORANI: sorani(); return true;
    case HINDI: hindi(); return true;
    case PORTER2: porter2(); return true;
    case DANISH: danish(); return true;
    case NORWEGIAN: norwegian(); return true;
    case SWEDISH: swedish(); return true;
    case RUSSIAN: russian(); return true;
    case LIGHT_RUSSIAN: lightRussian(); return true;
    case PORTER_PUBLISHED: porterPublished(); return true;
    case INDONESIAN: indonesian(); return true;
    case LATVIAN: latvian(); return true;
    case CAUMANNS: caumanns(); return true;
    case MINIMAL_ENGLISH: minimalEnglish(); return true;
    case MINIMAL_GERMAN: minimalGerman(); return true;
    case FRENCH: french(); return true;
    case DUTCH: dutch(); return true;
    case FINNISH: finnish(); return true;
    case HUNGARIAN: hungarian(); return true;
    case ESTONIAN: estonian(); return true;
    case BRAZILIAN: brazilian(); return true;
    case CATALAN: catalan(); return true;
    case ROMANIAN: romanian(); return true;
    case BASQUE: basque(); return true;
    default: return false;
  }
}
