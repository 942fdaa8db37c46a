// The Spanish Snowball stemmer. Source: snowballstem.org/algorithms/spanish.
import { regionAfter, verbRegion } from '../regions';
import { foundAt, foundGroup, groupAt, groupOf, removeSuffix, replaceFound } from '../suffix-table';
import { isBefore, mapUnit, setLength, setUnit, unitAt, wordLen } from '../word';

const VOWELS = "aeiouáéíóúü";
const PRONOUNS = "me se sela selo selas selos la le lo las les los nos";
/** Endings that pronouns are attached to; the accent is removed with the pronoun. */
const HOSTS = "iéndo>iendo ándo>ando ár>ar ér>er ír>ir/ando iendo ar er ir/yendo";
/** Groups: in R2; in R2, and -ic before it; replaced in R2; -amente in R1; -mente; -idad; -ivo. */
const STANDARD = `anza anzas ico ica icos icas ismo ismos able ables ible ibles ista istas oso osa osos osas amiento amientos imiento imientos
/adora ador ación adoras adores aciones ante antes ancia ancias
/logía>log logías>log ución>u uciones>u encia>ente encias>ente
/amente
/mente
/idad idades
/iva ivo ivas ivos`;
const VERB_Y = "ya ye yan yen yeron yendo yo yó yas yes yais yamos";
const VERB = `en es éis emos
/arían arías arán arás aríais aría aréis aríamos aremos ará aré
erían erías erán erás eríais ería eréis eríamos eremos erá eré
irían irías irán irás iríais iría iréis iríamos iremos irá iré
aba ada ida ía ara iera ad ed id ase iese aste iste an aban ían aran ieran asen iesen aron ieron ado ido ando iendo ió ar er ir as
abas adas idas ías aras ieras ases ieses ís áis abais íais arais ierais aseis ieseis asteis isteis ados idos
amos ábamos íamos imos áramos iéramos iésemos ásemos`;

let rv: i32 = 0;
let r1: i32 = 0;
let r2: i32 = 0;

function attachedPronoun(): void {
  if (groupOf(PRONOUNS, 0) < 0) return;
  const pronoun = foundAt, group = groupAt(HOSTS, pronoun, 0);
  if (group < 0 || foundAt < rv) return;
  if (group == 0) replaceFound();
  else if (group == 1 || isBefore(foundAt, "u")) setLength(pronoun);
}

function standardSuffix(): bool {
  const group = groupOf(STANDARD, 0);
  if (group < 0 || foundAt < (group == 3 ? r1 : r2)) return false;
  replaceFound();
  switch (group) {
    case 1: removeSuffix("ic", r2); break;
    case 3: if (removeSuffix("os ic ad/iv", r2) && foundGroup == 1) removeSuffix("at", r2); break;
    case 4: removeSuffix("ante able ible", r2); break;
    case 5: removeSuffix("abil ic iv", r2); break;
    case 6: removeSuffix("at", r2); break;
  }
  return true;
}

/** Endings that start with y must follow u, which may be before RV. */
function verbWithY(): bool {
  if (groupOf(VERB_Y, rv) < 0 || !isBefore(foundAt, "u")) return false;
  setLength(foundAt);
  return true;
}

/** A u that only keeps g hard is removed with the e after it. */
function silentU(region: i32): void {
  if (isBefore(wordLen, "u") && isBefore(wordLen - 1, "g") && wordLen - 1 >= region) setLength(wordLen - 1);
}

function verb(): void {
  const group = groupOf(VERB, rv);
  if (group < 0) return;
  setLength(foundAt);
  if (group == 0) silentU(0);
}

function residual(): void {
  const group = groupOf("os a o á í ó/e é", 0);
  if (group < 0 || foundAt < rv) return;
  setLength(foundAt);
  if (group == 1) silentU(rv);
}

export function spanish(): void {
  rv = verbRegion(VOWELS);
  r1 = regionAfter(0, VOWELS);
  r2 = regionAfter(r1, VOWELS);
  attachedPronoun();
  if (!standardSuffix() && !verbWithY()) verb();
  residual();
  for (let i = 0; i < wordLen; i++) setUnit(i, mapUnit(unitAt(i), "áéíóú", "aeiou"));
}
