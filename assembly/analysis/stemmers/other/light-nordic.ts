// Light stemmers of Swedish and Norwegian: number, definiteness and case of nouns, degrees of adjectives. Source: J. Savoy, "Report on CLEF-2001
// Experiments" (Swedish); for Norwegian the endings that Lucene's documentation of its Norwegian light and minimal filters lists, for Bokmål
// (hemmelig-heter, fin-este), for Nynorsk (hemmeleg-heita, gut-ane), or for both.
import { apply } from '../rules';
import { setLength, unitAt, wordLen } from '../word';

const SWEDISH = "elser 3 -;heten 3 -;arne 3 -;erna 3 -;ande 3 -;else 3 -;aste 3 -;orna 3 -;aren 3 -;are 3 -;ast 3 -;het 3 -;ar 3 -;er 3 -;or 3 -;en 3 -;at 3 -;te 3 -;et 3 -;t 3 -;a 3 -;e 3 -;n 3 -;";
const BOKMAL = "heter 3 -;heten 3 -;dom 3 -;het 3 -;elser 3 -;elsen 3 -;ende 3 -;else 3 -;este 3 -;eren 3 -;ere 3 -;est 3 -;ene 3 -;er 3 -;en 3 -;et 3 -;st 3 -;te 3 -;a 3 -;e 3 -;n 3 -;";
const NYNORSK = "heita 3 -;heiter 3 -;leiken 3 -;leikar 3 -;dom 3 -;heit 3 -;semd 3 -;leik 3 -;elser 3 -;elsen 3 -;ande 3 -;else 3 -;aste 3 -;aren 3 -;are 3 -;ast 3 -;ene 3 -;ane 3 -;er 3 -;en 3 -;et 3 -;ar 3 -;te 3 -;a 3 -;e 3 -;n 3 -;";
const MINIMAL_BOKMAL = "ene 3 -;er 3 -;en 3 -;et 3 -;a 3 -;e 3 -;";
const MINIMAL_NYNORSK = "ene 3 -;ane 3 -;er 3 -;en 3 -;et 3 -;ar 3 -;a 3 -;e 3 -;";

/** Removes a genitive, then one ending. */
function lightNordic(endings: string): void {
  if (wordLen > 4 && unitAt(wordLen - 1) == 0x73) setLength(wordLen - 1);
  apply(endings, false);
}

export function lightSwedish(): void {
  lightNordic(SWEDISH);
}

export function lightNorwegian(): void {
  lightNordic(BOKMAL);
}

export function lightNynorsk(): void {
  lightNordic(NYNORSK);
}

export function minimalNorwegian(): void {
  lightNordic(MINIMAL_BOKMAL);
}

export function minimalNynorsk(): void {
  lightNordic(MINIMAL_NYNORSK);
}
