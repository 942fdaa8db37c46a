// The Italian Snowball stemmer. Source: snowballstem.org/algorithms/italian. Capitals mark i and u between vowels, and u after q.
import { regionAfter, verbRegion } from '../regions';
import { foundAt, foundGroup, groupAt, groupOf, removeSuffix, replaceFound } from '../suffix-table';
import { isBefore, isIn, isWhole, mapUnit, put, setLength, setUnit, unitAt, wordLen } from '../word';

const VOWELS = "aeiouàèìòù";
const PRONOUNS = `ci gli la le li lo mi ne si ti vi sene gliela gliele glieli glielo gliene
mela mele meli melo mene tela tele teli telo tene cela cele celi celo cene vela vele veli velo vene`;
/** Groups: in R2; in R2, and -ic before it; replaced in R2; in RV; -amente in R1; -ità; -ivo. */
const STANDARD = `anza anze ico ici ica ice iche ichi ismo ismi abile abili ibile ibili ista iste isti istà istè istì oso osi osa ose mente atrice atrici ante anti
/azione azioni atore atori
/logia>log logie>log uzione>u uzioni>u usione>u usioni>u enza>ente enze>ente
/amento amenti imento imenti
/amente
/ità
/ivo ivi iva ive`;
const VERB = `ammo ando ano are arono asse assero assi assimo ata ate ati ato ava avamo avano avate avi avo
emmo enda ende endi endo erà erai eranno ere erebbe erebbero erei eremmo eremo ereste eresti erete erò erono essero ete eva evamo evano evate evi evo
Yamo iamo immo irà irai iranno ire irebbe irebbero irei iremmo iremo ireste iresti irete irò irono isca iscano isce isci isco iscono issero
ita ite iti ito iva ivamo ivano ivate ivi ivo ono uta ute uti uto ar ir`;

let rv: i32 = 0;
let r1: i32 = 0;
let r2: i32 = 0;

function prepare(): void {
  for (let i = 0; i < wordLen; i++) {
    const unit = mapUnit(unitAt(i), "áéíóú", "àèìòù");
    setUnit(i, unit == 0x75 && isBefore(i, "q") ? 0x55 : unit);
  }
  for (let i = 1; i < wordLen - 1; i++) {
    const unit = unitAt(i);
    if ((unit == 0x75 || unit == 0x69) && isIn(unitAt(i - 1), VOWELS) && isIn(unitAt(i + 1), VOWELS)) setUnit(i, unit - 32);
  }
  rv = verbRegion(VOWELS);
  r1 = regionAfter(0, VOWELS);
  r2 = regionAfter(r1, VOWELS);
}

function attachedPronoun(): void {
  if (groupOf(PRONOUNS, 0) < 0) return;
  const pronoun = foundAt, group = groupAt("ando endo/ar er ir", pronoun, 0);
  if (group < 0 || foundAt < rv) return;
  if (group == 0) setLength(pronoun);
  else put(pronoun, "e");
}

function standardSuffix(): bool {
  const group = groupOf(STANDARD, 0);
  if (group < 0 || foundAt < (group == 3 ? rv : group == 4 ? r1 : r2)) return false;
  replaceFound();
  switch (group) {
    case 1: removeSuffix("ic", r2); break;
    case 4: if (removeSuffix("os ic abil/iv", r2) && foundGroup == 1) removeSuffix("at", r2); break;
    case 5: removeSuffix("abil ic iv", r2); break;
    case 6: if (removeSuffix("at", r2)) removeSuffix("ic", r2); break;
  }
  return true;
}

/** Removes the final vowel, an i before it, and the h that keeps c or g hard. */
function vowels(): void {
  if (isBefore(wordLen, "aeioàèìò") && wordLen - 1 >= rv) {
    setLength(wordLen - 1);
    removeSuffix("i", rv);
  }
  if (isBefore(wordLen, "h") && isBefore(wordLen - 1, "cg") && wordLen - 2 >= rv) setLength(wordLen - 1);
}

export function italian(): void {
  // Otherwise "divano" would be conflated with "diva".
  if (isWhole("divano")) {
    setLength(5);
    return;
  }
  prepare();
  attachedPronoun();
  if (!standardSuffix() && groupOf(VERB, rv) >= 0) setLength(foundAt);
  vowels();
  for (let i = 0; i < wordLen; i++) setUnit(i, mapUnit(unitAt(i), "IU", "iu"));
}
