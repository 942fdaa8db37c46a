// Minimal stemmers, which do hardly more than reduce plurals to the singular. Source: J. Savoy, "A stemming procedure and stopword list for general
// French corpora" (JASIS 50, 1999), the plural rules; D. Harman, "How effective is suffixing?" (JASIS 42, 1991), the s-stemmer, in the form that
// Elasticsearch documents for `plural_english`; for Spanish, the rules and words of Lucene's SpanishPluralStemmer (Apache License 2.0).
import { isLetter } from '../../../text/character';
import { plainVowels } from './light';
import { longestOf, suffixLen } from '../regions';
import { apply } from '../rules';
import { ends, isIn, setLength, setUnit, unitAt, wordLen } from '../word';

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

/** Words of each rule that keep their e; the last rule removes only their s. */
const ENGLISH_PLURALS = "ies 2 y;xes 2 x;oes 1 o shoes canoes oboes;shes 1 sh;sses 1 ss;ches 1 ch cliches avalanches mustaches moustaches quiches headaches heartaches porsches tranches caches;s 1 -;";

export function pluralEnglish(): void {
  if (wordLen < 3 || last(1) != 0x73 || last(2) == 0x75 || last(2) == 0x73) return;
  apply(ENGLISH_PLURALS, true);
}

/** Words with the same form in the plural, and words that lose "es" against the rules. */
const SPANISH_INVARIANT = "abrebotellas abrecartas abrelatas afueras albatros albricias aledaños alexis alicates analisis andurriales antitesis añicos apendicitis apocalipsis arcoiris aries bilis boletus boris brindis cactus canutas caries cascanueces cascarrabias ciempies cifosis cortaplumas corpus cosmos cosquillas creces crisis cuatrocientas cuatrocientos cuelgacapas cuentacuentos cuentapasos cumpleaños doscientas doscientos dosis enseres entonces esponsales estatus exequias fauces forceps fotosintesis gafas gafotas gargaras gris honorarios ictus jueves lapsus lavacoches lavaplatos limpiabotas lunes maitines martes mondadientes novecientas novecientos nupcias ochocientas ochocientos pais paris parabrisas paracaidas parachoques paraguas pararrayos pisapapeles piscis portaaviones portamaletas portamantas quinientas quinientos quitamanchas recogepelotas rictus rompeolas sacacorchos sacapuntas saltamontes salvavidas seis seiscientas seiscientos setecientas setecientos sintesis tenis tifus trabalenguas vacaciones venus versus viacrucis virus viveres volandas";
const SPANISH_ES = "yoes noes sies clubes faralaes albalaes itemes albumes sandwiches relojes bojes contrarreloj carcajes";

function isOneOf(words: string): bool {
  return longestOf(words, 0) >= 0 && suffixLen == wordLen;
}

// @ts-ignore: decorator
@inline
function isPlainVowel(unit: u32): bool {
  return isIn(unit, "aeiou");
}

/** Whether "es" is removed as a whole: meses, leyes, jabalíes, amores. */
function losesEs(): bool {
  if (isIn(last(3), "yus")) return true;
  if (last(3) == 0x69) return isIn(last(4), "ulrtn");
  return isPlainVowel(last(4)) && isIn(last(3), "rdlnx");
}

export function spanishPlural(): void {
  if (wordLen < 4) return;
  plainVowels(false);
  if (isOneOf(SPANISH_INVARIANT)) return;
  if (isOneOf(SPANISH_ES)) {
    cut(2);
    return;
  }
  if (last(1) != 0x73) return;
  if (!isPlainVowel(last(2)) || last(4) == 0x71 || (last(4) == 0x67 && last(3) == 0x75 && isIn(last(2), "ie"))) cut(1);
  else if (last(2) == 0x65 && losesEs()) cut(2);
  else if (last(2) == 0x69 && (isPlainVowel(last(3)) || last(3) == 0x64)) {
    setUnit(wordLen - 2, 0x79);
    cut(1);
  } else if (ends("ces")) {
    setUnit(wordLen - 3, 0x7a);
    cut(2);
  } else cut(1);
}
