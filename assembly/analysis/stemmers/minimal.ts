// Minimal stemmers, which bring plurals to the singular and little else. Source: J. Savoy, "A stemming procedure and stopword list for general
// French corpora" (JASIS 50, 1999), the plural rules; D. Harman, "How effective is suffixing?" (JASIS 42, 1991), the s-stemmer, in the form that
// Elasticsearch documents for `plural_english`.
import { isLetter } from '../../text/character';
import { apply } from './rules';
import { setLength, setUnit, unitAt, wordLen } from './word';

// @ts-ignore: decorator
@inline
function last(back: i32): u32 {
  return unitAt(wordLen - back);
}

// @ts-ignore: decorator
@inline
function cut(units: i32): void {
  setLength(wordLen - units);
}

export function minimalFrench(): void {
  if (wordLen < 6) return;
  if (last(1) == 0x78) {
    if (last(3) == 0x61 && last(2) == 0x75) setUnit(wordLen - 2, 0x6c);
    cut(1);
    return;
  }
  if (last(1) == 0x73) cut(1);
  if (last(1) == 0x72) cut(1);
  if (last(1) == 0x65) cut(1);
  if (last(1) == 0xe9) cut(1);
  if (last(1) == last(2) && isLetter(last(1))) cut(1);
}

/** Of each rule's words, those that keep their e lose only the s by the last rule. */
const ENGLISH_PLURALS = "ies 2 y;xes 2 x;oes 1 o shoes canoes oboes;shes 1 sh;sses 1 ss;ches 1 ch cliches avalanches mustaches moustaches quiches headaches heartaches porsches tranches caches;s 1 -;";

export function pluralEnglish(): void {
  if (wordLen < 3 || last(1) != 0x73 || last(2) == 0x75 || last(2) == 0x73) return;
  apply(ENGLISH_PLURALS, true);
}
