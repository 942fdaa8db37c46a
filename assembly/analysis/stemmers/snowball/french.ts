// The French Snowball stemmer. Source: M. F. Porter, snowballstem.org/algorithms/french. Capitals mark i, u and y that are consonants; while
// stemming, a letter with diaeresis is H and the plain letter.
import { longestOf, regionAfter, suffixLen } from '../regions';
import { ends, insertUnit, isIn, put, setLength, setUnit, starts, unitAt, wordLen } from '../word';

const VOWELS = "aeiouyâàëéêèïîôûù";
let rv: i32 = 0;
let r1: i32 = 0;
let r2: i32 = 0;

// @ts-ignore: decorator
@inline
function isVowel(i: i32): bool {
  return i >= 0 && i < wordLen && isIn(unitAt(i), VOWELS);
}

function prepare(): void {
  for (let i = 0; i < wordLen; i++) {
    const unit = unitAt(i), next = i + 1 < wordLen ? unitAt(i + 1) : 0;
    // The effect of a vowel on the next letter precedes that letter's own effect.
    if (isVowel(i) && (next == 0x79 || ((next == 0x75 || next == 0x69) && isVowel(i + 2)))) setUnit(i + 1, next - 32);
    if (unit == 0xeb || unit == 0xef) {
      setUnit(i, unit == 0xeb ? 0x65 : 0x69);
      insertUnit(i, 0x48);
    } else if (unit == 0x79 && isVowel(i + 1)) setUnit(i, 0x59);
    else if (unit == 0x71 && next == 0x75) setUnit(i + 1, 0x55);
  }
  if (wordLen > 2 && isVowel(0) && isVowel(1)) rv = 3;
  else if (starts("par") || starts("col") || starts("tap")) rv = 3;
  else {
    rv = 1;
    while (rv < wordLen && !isVowel(rv)) rv++;
    rv = min(rv + 1, wordLen);
  }
  r1 = regionAfter(0, VOWELS);
  r2 = regionAfter(r1, VOWELS);
}

// @ts-ignore: decorator
@inline
function cut(units: i32): void {
  setLength(wordLen - units);
}

/** Deletes a suffix after `from`. True: it was there. */
function remove(suffix: string, from: i32): bool {
  if (longestOf(suffix, from) < 0) return false;
  cut(suffixLen);
  return true;
}

/** Deletes "ic" in R2, otherwise replaces it by "iqU". */
function icOrIqu(): void {
  if (!ends("ic")) return;
  if (wordLen - 2 >= r2) cut(2);
  else put(wordLen - 2, "iqU");
}

/** Returns 0 if nothing was changed, 1 if a suffix was removed, 2 if a change does not prevent the removal of verb endings. */
function standardSuffix(): i32 {
  const number = longestOf("ance iqUe isme able iste eux ances iqUes ismes ables istes atrice ateur ation atrices ateurs ations logie logies usion ution usions utions ence ences ement ements ité ités if ive ifs ives eaux aux euse euses issement issements amment emment ment ments", 0);
  if (number < 0) return 0;
  const from = wordLen - suffixLen;
  if (number < 11) {
    if (from < r2) return 0;
    setLength(from);
  } else if (number < 17) {
    if (from < r2) return 0;
    setLength(from);
    icOrIqu();
  } else if (number < 19) {
    if (from < r2) return 0;
    put(from, "log");
  } else if (number < 23) {
    if (from < r2) return 0;
    put(from, "u");
  } else if (number < 25) {
    if (from < r2) return 0;
    put(from, "ent");
  } else if (number < 27) {
    if (from < rv) return 0;
    setLength(from);
    afterEment();
  } else if (number < 29) {
    if (from < r2) return 0;
    setLength(from);
    if (ends("abil")) {
      if (wordLen - 4 >= r2) cut(4);
      else put(wordLen - 4, "abl");
    } else if (ends("ic")) icOrIqu();
    else remove("iv", r2);
  } else if (number < 33) {
    if (from < r2) return 0;
    setLength(from);
    if (remove("at", r2)) icOrIqu();
  } else if (number == 33) put(from, "eau");
  else if (number == 34) {
    if (from < r1) return 0;
    put(from, "al");
  } else if (number < 37) {
    if (from >= r2) setLength(from);
    else if (from >= r1) put(from, "eux");
    else return 0;
  } else if (number < 39) {
    if (from < r1 || isVowel(from - 1)) return 0;
    setLength(from);
  } else if (number == 39) {
    if (from < rv) return 0;
    put(from, "ant");
    return 2;
  } else if (number == 40) {
    if (from < rv) return 0;
    put(from, "ent");
    return 2;
  } else {
    if (!isVowel(from - 1) || from - 1 < rv) return 0;
    setLength(from);
    return 2;
  }
  return 1;
}

function afterEment(): void {
  switch (longestOf("iv eus abl iqU ièr Ièr", 0)) {
    case 0:
      if (wordLen - 2 >= r2) {
        cut(2);
        remove("at", r2);
      }
      break;
    case 1:
      if (wordLen - 3 >= r2) cut(3);
      else if (wordLen - 3 >= r1) put(wordLen - 3, "eux");
      break;
    case 2: case 3: if (wordLen - 3 >= r2) cut(3); break;
    case 4: case 5: if (wordLen - 3 >= rv) put(wordLen - 3, "i"); break;
  }
}

function iVerb(): bool {
  if (longestOf("îmes ît îtes i ie ies ir ira irai iraIent irais irait iras irent irez iriez irions irons iront is issaIent issais issait issant issante issantes issants isse issent isses issez issiez issions issons it", rv) < 0) return false;
  const before = wordLen - suffixLen - 1;
  if (before < rv || isVowel(before) || unitAt(before) == 0x48) return false;
  cut(suffixLen);
  return true;
}

function verb(): bool {
  const number = longestOf("ions é ée ées és èrent er era erai eraIent erais erait eras erez eriez erions erons eront ez iez âmes ât âtes a ai aIent ais ait ant ante antes ants as asse assent asses assiez assions", rv);
  if (number < 0) return false;
  if (number == 0) {
    if (wordLen - 4 < r2) return false;
    cut(4);
  } else {
    cut(suffixLen);
    if (number >= 20) remove("e", rv);
  }
  return true;
}

function residual(): void {
  if (ends("s") && wordLen > 1 && (ends("His") || !isIn(unitAt(wordLen - 2), "aiouès"))) cut(1);
  switch (longestOf("ion ier ière Ier Ière e", rv)) {
    case 0: if (wordLen - 3 >= r2 && wordLen - 4 >= rv && isIn(unitAt(wordLen - 4), "st")) cut(3); break;
    case 1: case 2: case 3: case 4: put(wordLen - suffixLen, "i"); break;
    case 5: cut(1); break;
  }
}

export function french(): void {
  prepare();
  const standard = standardSuffix();
  if (standard == 1 || ((standard == 0 || standard == 2) && (iVerb() || verb())) || standard == 2) {
    if (wordLen > 0 && unitAt(wordLen - 1) == 0x59) setUnit(wordLen - 1, 0x69);
    else if (wordLen > 0 && unitAt(wordLen - 1) == 0xe7) setUnit(wordLen - 1, 0x63);
  } else residual();
  if (longestOf("enn onn ett ell eill", 0) >= 0) cut(1);
  let i = wordLen - 1;
  while (i >= 0 && !isVowel(i)) i--;
  if (i >= 0 && i < wordLen - 1 && (unitAt(i) == 0xe9 || unitAt(i) == 0xe8)) setUnit(i, 0x65);
  finish();
}

/** Restores the marked letters. */
function finish(): void {
  let kept = 0;
  for (let i = 0; i < wordLen; i++) {
    let unit = unitAt(i);
    if (unit == 0x48) {
      const next = i + 1 < wordLen ? unitAt(i + 1) : 0;
      if (next != 0x65 && next != 0x69) continue;
      unit = next == 0x65 ? 0xeb : 0xef;
      i++;
    } else if (unit == 0x49 || unit == 0x55 || unit == 0x59) unit += 32;
    setUnit(kept++, unit);
  }
  setLength(kept);
}
