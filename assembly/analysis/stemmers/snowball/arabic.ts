// The Arabic Snowball stemmer by Assem Chelli: normalization, suffixes of verbs or nouns, then prefixes; which ones depends on whether the word can
// be a verb or a noun, and whether it has the article. Source: snowballstem.org/algorithms/arabic.
import { foundAt, groupAhead, groupOf, replaceInside } from '../suffix-table';
import { ends, isBefore, isIn, removeUnits, replaceUnits, setLength, setUnit, unitAt, wordLen } from '../word';

/** Letters of the presentation forms from U+FE80 on, followed by the ligatures of lam and alef, two of each. */
const FORMS = "ءآآأأؤؤإإئئئئااببببةةتتتتثثثثججججححححخخخخددذذررززسسسسششششصصصصضضضضططططظظظظععععغغغغففففققققككككللللممممننننههههووىىيييي";
const FIRST_FORM: u32 = 0xfe80;
const FIRST_LIGATURE: u32 = 0xfef5;
const LAST_LIGATURE: u32 = 0xfefc;
const ZERO: u32 = 0x660;

// Suffixes by the minimum length of the word: 4, 5, 6 units and more.
const OBJECTS = "ه ك/ني نا ها هم هن كم كن/هما كما كمو";
const PERSONS = "ت ا ن ي/نا تا تن/ان ون ين تما";
const POSSESSIVES = "ي ك ه/نا كم ها هن هم/كما هما";

let isNoun: bool = true;
let isVerb: bool = true;
let isDefined: bool = false;

/** Words with the article are nouns. */
function guess(): void {
  const group = groupAhead("لل ال/بال كال", 0);
  isDefined = group >= 0 && wordLen > 3 + group;
  isNoun = true;
  isVerb = !isDefined;
}

/** Removes vowel points and kashida, and converts digits and presentation forms. */
function normalize(): void {
  for (let i = 0; i < wordLen; ) {
    const unit = unitAt(i);
    if ((unit >= 0x64b && unit <= 0x652) || unit == 0x640) {
      removeUnits(i, 1);
      continue;
    }
    if (unit >= FIRST_LIGATURE && unit <= LAST_LIGATURE) {
      replaceUnits(i, 1, unit < 0xfef7 ? "لآ" : unit < 0xfef9 ? "لأ" : unit < 0xfefb ? "لإ" : "لا");
      i++;
    } else if (unit >= FIRST_FORM && unit < FIRST_LIGATURE) setUnit(i, load<u16>(changetype<usize>(FORMS) + (<usize>(unit - FIRST_FORM) << 1)));
    else if (unit - ZERO < 10) setUnit(i, 0x30 + unit - ZERO);
    i++;
  }
}

/** Removes a suffix; its group requires a minimum length. */
function cut(table: string): bool {
  const group = groupOf(table, 0);
  if (group < 0 || wordLen < 4 + group) return false;
  setLength(foundAt);
  return true;
}

function cutVerb(): bool {
  let objects = false;
  while (cut(OBJECTS)) objects = true;
  if (objects) {
    if (!cut(PERSONS)) cut("و//تمو");
    return true;
  }
  return cut("/وا تم") || cut(PERSONS);
}

function cutPlural(): bool {
  return cut("/ا ي و");
}

function cutFeminine(): bool {
  return cut("/ات") || cut("ت");
}

function nounEnding(): void {
  if (cut("ة")) return;
  if (!isDefined && cut(POSSESSIVES)) {
    if (!cutPlural()) cutFeminine();
    return;
  }
  if (cut("//ن") && (cutPlural() || cutFeminine())) return;
  if (!isDefined && cutPlural()) return;
  cut("/ات");
}

/** Removes the ya of an adjective derived from a noun. */
function cutNisba(): bool {
  if (wordLen < 3 || !ends("ي")) return false;
  setLength(wordLen - 1);
  return true;
}

function suffixes(): void {
  if (isVerb && cutVerb()) return;
  if (isNoun) {
    nounEnding();
    if (cutNisba()) return;
  }
  if (ends("ى")) setUnit(wordLen - 1, 0x64a);
}

/** Removes prefixes; the position moves past a replacement. */
function prefixes(): void {
  let at = 0;
  if (groupAhead("أأ>أ أآ>آ أؤ>أ أا>ا أإ>إ", 0) >= 0 && wordLen > 3) at = replaceInside();
  if (groupAhead("ف و", at) >= 0 && wordLen > 3 && !(at + 1 < wordLen && unitAt(at + 1) == 0x627)) removeUnits(at, 1);
  const article = groupAhead("لل ال/بال كال", at);
  if (article >= 0 && wordLen > 4 + article) {
    replaceInside();
    return;
  }
  if (isNoun) {
    const group = groupAhead("با/ب بب>ب كك>ك", at);
    if (group == 0) return;
    if (group == 1 && wordLen > 3) {
      replaceInside();
      return;
    }
  }
  if (!isVerb) return;
  if (groupAhead("سي>ي ست>ت سن>ن سأ>أ", at) >= 0 && wordLen > 4) at = replaceInside();
  if (groupAhead("يست>است نست>است تست>است", at) >= 0 && wordLen > 4) replaceInside();
}

/** Removes the seat of a hamza: final hamzas stand alone, others become their seat. */
function unseat(): void {
  if (isBefore(wordLen, "أإآؤئ")) setUnit(wordLen - 1, 0x621);
  for (let i = 0; i < wordLen; i++) {
    const unit = unitAt(i);
    if (isIn(unit, "أإآ")) setUnit(i, 0x627);
    else if (unit == 0x624) setUnit(i, 0x648);
    else if (unit == 0x626) setUnit(i, 0x64a);
  }
}

export function arabicSnowball(): void {
  guess();
  normalize();
  suffixes();
  prefixes();
  unseat();
}
