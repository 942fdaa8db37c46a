// The Portuguese Snowball stemmer. Source: snowballstem.org/algorithms/portuguese. While stemming, the tilde of ã and õ is a separate letter.
import { regionAfter, verbRegion } from '../regions';
import { foundAt, foundGroup, groupOf, removeFound, removeSuffix, replaceFound } from '../suffix-table';
import { isBefore, replaceUnits, setLength, standsAt, unitAt, wordLen } from '../word';

const VOWELS = "aeiouáéíóúâêô";
/** Groups: in R2; replaced in R2; -amente in R1; -mente; -idade; -ivo; -eira in RV. */
const STANDARD = `eza ezas ico ica icos icas ismo ismos ável ível ista istas oso osa osos osas amento amentos imento imentos adora ador aça~o adoras adores aço~es ante antes ância
/logia>log logias>log uça~o>u uço~es>u ência>ente ências>ente
/amente
/mente
/idade idades
/iva ivo ivas ivos
/ira>ir iras>ir`;
const VERB = `ada ida ia aria eria iria ará ara erá era irá ava asse esse isse aste este iste ei arei erei irei am iam ariam eriam iriam aram eram iram avam
em arem erem irem assem essem issem ado ido ando endo indo ara~o era~o ira~o ar er ir as adas idas ias arias erias irias arás aras erás eras irás avas es
ardes erdes irdes ares eres ires asses esses isses astes estes istes is ais eis íeis aríeis eríeis iríeis áreis areis éreis ereis íreis ireis
ásseis ésseis ísseis áveis ados idos ámos amos íamos aríamos eríamos iríamos áramos éramos íramos ávamos emos aremos eremos iremos ássemos êssemos íssemos
imos armos ermos irmos eu iu ou ira iras`;

let rv: i32 = 0;
let r1: i32 = 0;
let r2: i32 = 0;

function standardSuffix(): bool {
  const group = groupOf(STANDARD, 0);
  if (group < 0 || foundAt < (group == 2 ? r1 : group == 6 ? rv : r2) || (group == 6 && !isBefore(foundAt, "e"))) return false;
  replaceFound();
  switch (group) {
    case 2: if (removeSuffix("os ic ad/iv", r2) && foundGroup == 1) removeSuffix("at", r2); break;
    case 3: removeSuffix("ante avel ível", r2); break;
    case 4: removeSuffix("abil ic iv", r2); break;
    case 5: removeSuffix("at", r2); break;
  }
  return true;
}

function verb(): bool {
  if (groupOf(VERB, rv) < 0) return false;
  setLength(foundAt);
  return true;
}

/** Removes a vowel that only changes the sound of the letter before it. */
function silent(vowel: string, consonant: string): bool {
  if (!isBefore(wordLen, vowel) || !isBefore(wordLen - 1, consonant)) return false;
  if (wordLen - 1 >= rv) setLength(wordLen - 1);
  return true;
}

function residualForm(): void {
  const group = groupOf("e é ê/ç>c", 0);
  if (group == 1) replaceFound();
  else if (group == 0 && removeFound(rv) && !silent("u", "g")) silent("i", "c");
}

export function portuguese(): void {
  for (let i = 0; i < wordLen; i++) {
    const unit = unitAt(i);
    if (unit == 0xe3) replaceUnits(i, 1, "a~");
    else if (unit == 0xf5) replaceUnits(i, 1, "o~");
  }
  rv = verbRegion(VOWELS);
  r1 = regionAfter(0, VOWELS);
  r2 = regionAfter(r1, VOWELS);
  if (standardSuffix() || verb()) silent("i", "c");
  else removeSuffix("os a i o á í ó", rv);
  residualForm();
  for (let i = 0; i < wordLen; i++) {
    if (standsAt(i, "a~")) replaceUnits(i, 2, "ã");
    else if (standsAt(i, "o~")) replaceUnits(i, 2, "õ");
  }
}
