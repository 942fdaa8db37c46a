// The Romanian Snowball stemmer as of Snowball 2.x. Source: snowballstem.org/algorithms/romanian. A cedilla becomes a comma below; capitals mark i
// and u between vowels.
import { longestOf, regionAfter, suffixLen, verbRegion } from '../regions';
import { endsAt, isIn, put, setLength, setUnit, unitAt, wordLen } from '../word';

const VOWELS = "aeiouâîă";
let rv: i32 = 0;
let r1: i32 = 0;
let r2: i32 = 0;

function isVowel(i: i32): bool {
  return isIn(unitAt(i), VOWELS);
}

function prepare(): void {
  for (let i = 0; i < wordLen; i++) {
    const unit = unitAt(i);
    if (unit == 0x15f) setUnit(i, 0x219);
    else if (unit == 0x163) setUnit(i, 0x21b);
  }
  for (let i = 1; i < wordLen - 1; i++) {
    const unit = unitAt(i);
    if ((unit == 0x69 || unit == 0x75) && isVowel(i - 1) && isVowel(i + 1)) setUnit(i, unit - 32);
  }
  rv = verbRegion(VOWELS);
  r1 = regionAfter(0, VOWELS);
  r2 = regionAfter(r1, VOWELS);
}

/** Removes plurals and the article after the noun. */
function article(): void {
  const number = longestOf("ul ului aua ea ele elor ii iua iei iile iilor ilor ile atei ație ația", 0);
  const from = wordLen - suffixLen;
  if (number < 0 || from < r1) return;
  if (number < 2) setLength(from);
  else if (number == 2) put(from, "a");
  else if (number < 6) put(from, "e");
  else if (number < 12) put(from, "i");
  else if (number == 12) {
    if (!endsAt(from, "ab")) put(from, "i");
  } else if (number == 13) put(from, "at");
  else setLength(wordLen - 1);
}

/** Reduces a combined suffix to its first part. */
function combined(): bool {
  const number = longestOf("abilitate abilitati abilităi abilități ibilitate ivitate ivitati ivităi ivități icitate icitati icităi icități icator icatori iciv iciva icive icivi icivă ical icala icale icali icală ativ ativa ative ativi ativă ațiune atoare ator atori ătoare ător ători itiv itiva itive itivi itivă ițiune itoare itor itori", 0);
  const from = wordLen - suffixLen;
  if (number < 0 || from < r1) return false;
  if (number < 4) put(from, "abil");
  else if (number == 4) put(from, "ibil");
  else if (number < 9) put(from, "iv");
  else if (number < 25) put(from, "ic");
  else if (number < 37) put(from, "at");
  else put(from, "it");
  return true;
}

function standardSuffix(): bool {
  let isRemoved = false;
  while (combined()) isRemoved = true;
  const number = longestOf("at ata ată ati ate ut uta ută uti ute it ita ită iti ite ic ica ice ici ică abil abila abile abili abilă ibil ibila ibile ibili ibilă oasa oasă oase os osi oși ant anta ante anti antă ator atori itate itati ităi ități iv iva ive ivi ivă iune iuni ism isme ist ista iste isti istă iști", 0);
  const from = wordLen - suffixLen;
  if (number < 0 || from < r2) return isRemoved;
  if (number < 52) setLength(from);
  else if (number < 54) {
    if (!endsAt(from, "ț")) return isRemoved;
    put(from - 1, "t");
  } else put(from, "ist");
  return true;
}

function verbSuffix(): void {
  const number = longestOf("ăm ați em eți im iți âm âți seși serăm serăți seră sei se sesem seseși sese seserăm seserăți seseră are ere ire âre ind ând indu ându eze ească ez ezi ează esc ești ește ăsc ăști ăște am ai au eam eai ea eați eau iam iai ia iați iau ui ași arăm arăți ară uși urăm urăți ură iși irăm irăți iră âi âși ârăm ârăți âră asem aseși ase aserăm aserăți aseră isem iseși ise iserăm iserăți iseră âsem âseși âse âserăm âserăți âseră usem useși use userăm userăți useră", rv);
  if (number < 0) return;
  if (number >= 20) {
    const before = wordLen - suffixLen - 1;
    if (before < rv || (isVowel(before) && unitAt(before) != 0x75)) return;
  }
  setLength(wordLen - suffixLen);
}

export function romanian(): void {
  prepare();
  article();
  if (!standardSuffix()) verbSuffix();
  if (longestOf("a e i ie ă", 0) >= 0 && wordLen - suffixLen >= rv) setLength(wordLen - suffixLen);
  for (let i = 0; i < wordLen; i++) {
    const unit = unitAt(i);
    if (unit == 0x49 || unit == 0x55) setUnit(i, unit + 32);
  }
}
