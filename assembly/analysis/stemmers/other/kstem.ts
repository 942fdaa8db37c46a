// KStem, which removes endings only if a word list contains the result. Source: R. Krovetz, "Viewing Morphology as an Inference Process" (SIGIR 1993),
// with the order of attempts and the defaults of Lucene's KStemFilter, as its documentation and output show; lexicon.ts has the list.
// A step is a literal of rules, longest ending first. A rule is an ending followed by replacements to try, separated by spaces:
//   +x  x, if the list contains the word      2  the stem without the second of two equal consonants, if the list contains it
//   !x  x, regardless of the list             =x  x, without consulting the list        "-" is the empty string
// A letter must precede the ending, unless it is marked by *.
// If nothing fits, the ending is restored. Stemming stops at a word in the list.
import { ask, ABSENT, HAS_ROOT, NO_VERB, root, rootLen } from './lexicon';
import { ends, lengthOf, setLength, setUnit, unitAt, wordLen } from '../word';

const PLURAL = "ies +ie !y;sses +ss !sse;es +e +- =e;ous =ous;ss =ss;s !-;";
const PAST_OF_Y = "ied +ie !y;";
const ITY = "*ility +il +ile !le;*ivity +iv +ive !ive;*ality +al +ale !al;ity +- +e +ity =-;";
const NESS = "*iness !y;ness !-;";
const ION = "ization !ize;ication +icate +ice +ic +y +icat;ation +ate +e +- +at;ition +e +ite +it;ion +e +-;";
const AGENT = "izer !ize;*ier +y +ie +i;*ior +y +ie +i;*eer +- +ee +e;*eor +- +eo +e +ee;er 2 +e +-;or 2 +o +- +e;";
const LY = "*ally +alle +al =al;*ably +able +ab =able;*ily +ile +i +y =i;ly +le +- =-;";
const AL = "*ical +ic +ice +icum +- +y !ic;*ial +i +ie +ium +- !ial;al +- 2 +e +um;";
const IVE = "*ative +at +ate +e +- +ation;ive +- +e +ion;";
const IZE = "ize +- 2 +e;";
const MENT = "ment +-;";
const BLE = "*able +- 2 +e +ate;*ible +- 2 +e +ate;";
const ISM = "ism !-;";
const IC = "ic +ical +y +e +-;";
const NCY = "*ency +ent !ence;*ancy +ant !ance;";
const NCE = "*ence +e +-;*ance +e +-;";

/** Maximum length of a word that is stemmed. */
const MAX_LENGTH: i32 = 49;

let lexicon: usize = 0;
/** Result of the last look-up of the word. */
let found: i32 = ABSENT;

function look(): bool {
  found = ask(lexicon);
  return found != ABSENT;
}

function isConsonant(i: i32): bool {
  switch (unitAt(i)) {
    case 0x61: case 0x65: case 0x69: case 0x6f: case 0x75: return false;
    case 0x79: return i == 0 || !isConsonant(i - 1);
    default: return true;
  }
}

function endsDoubleConsonant(): bool {
  const i = wordLen - 1;
  return i >= 1 && unitAt(i) == unitAt(i - 1) && isConsonant(i);
}

function hasVowel(end: i32): bool {
  for (let i = 0; i < end; i++) if (!isConsonant(i)) return true;
  return false;
}

/** Writes the units from `from` to `to`, or nothing for "-", after the first `at` units of the word. */
function putRange(at: i32, from: usize, to: usize): void {
  setLength(at);
  if (load<u16>(from) == 0x2d) return;
  for (; from < to; from += 2) {
    setLength(wordLen + 1);
    setUnit(wordLen - 1, load<u16>(from));
  }
}

function fieldEnd(at: usize): usize {
  while (load<u16>(at) != 0x20 && load<u16>(at) != 0x3b) at += 2;
  return at;
}

/** Whether the word ends with the units from `from` to `to` and has at least `least` letters. */
function hasEnding(from: usize, to: usize, least: i32): bool {
  const n = <i32>((to - from) >> 1);
  if (n > wordLen || wordLen < least) return false;
  for (let i = 0; i < n; i++) if (unitAt(wordLen - n + i) != <u32>load<u16>(from + (<usize>i << 1))) return false;
  return true;
}

/** Runs a step. True: the list contains the word, and stemming is finished. */
function step(rules: string): bool {
  let at = changetype<usize>(rules);
  const end = at + (<usize>lengthOf(rules) << 1);
  while (at < end) {
    const endingEnd = fieldEnd(at), isOpen = load<u16>(at) == 0x2a;
    if (isOpen) at += 2;
    if (hasEnding(at, endingEnd, <i32>((endingEnd - at) >> 1) + (isOpen ? 0 : 1))) return tryAll(wordLen - <i32>((endingEnd - at) >> 1), at, endingEnd);
    while (load<u16>(at) != 0x3b) at += 2;
    at += 2;
  }
  return false;
}

/** Tries the replacements of a rule, whose ending starts at `stemLen`. */
function tryAll(stemLen: i32, ending: usize, endingEnd: usize): bool {
  let field = endingEnd;
  while (load<u16>(field) == 0x20) {
    const kind = load<u16>(field, 2), from = field + 4;
    field = fieldEnd(field + 2);
    if (kind == 0x32) {
      setLength(stemLen);
      if (!endsDoubleConsonant()) continue;
      const double = unitAt(stemLen - 1);
      setLength(stemLen - 1);
      if (look()) return true;
      // The look-up has overwritten the units after the word.
      setUnit(stemLen - 1, double);
      continue;
    }
    putRange(stemLen, from, field);
    if (kind == 0x3d) return false;
    if (look()) return true;
    if (kind == 0x21) return false;
  }
  putRange(stemLen, ending, endingEnd);
  return false;
}

/**
 * Verb endings -ed and -ing after a stem of `stemLen` letters: tries the stem with e, unchanged, and with one of two equal consonants.
  * @param bareBehindTwoConsonants default for a stem that is in no list and ends so; others get an e
 */
function verb(stemLen: i32, bareBehindTwoConsonants: bool): bool {
  setLength(stemLen + 1);
  setUnit(stemLen, 0x65);
  if (look()) {
    if (found != NO_VERB) return true;
  }
  setLength(stemLen);
  if (look()) return true;
  if (endsDoubleConsonant()) {
    const double = unitAt(stemLen - 1);
    setLength(stemLen - 1);
    if (look()) return true;
    setLength(stemLen);
    setUnit(stemLen - 1, double);
    return look();
  }
  if (bareBehindTwoConsonants) {
    if (stemLen > 1 && isConsonant(stemLen - 1) && isConsonant(stemLen - 2)) return false;
  } else if (unitAt(0) == 0x75 && unitAt(1) == 0x6e) {
    setLength(stemLen + 2);
    setUnit(stemLen, 0x65);
    setUnit(stemLen + 1, 0x64);
    return false;
  }
  setLength(stemLen + 1);
  setUnit(stemLen, 0x65);
  return false;
}

function past(): bool {
  if (wordLen <= 4) return false;
  if (ends("ied")) return step(PAST_OF_Y);
  return ends("ed") && hasVowel(wordLen - 2) && verb(wordLen - 2, false);
}

function progressive(): bool {
  return wordLen > 5 && ends("ing") && hasVowel(wordLen - 3) && verb(wordLen - 3, true);
}

function steps(): bool {
  if (wordLen > 3 || ends("es")) if (step(PLURAL)) return true;
  if (past() || progressive()) return true;
  if (step(ITY) || step(NESS) || step(ION) || step(AGENT) || step(LY)) return true;
  if (wordLen >= 4 && step(AL)) return true;
  return step(IVE) || step(IZE) || step(MENT) || step(BLE) || step(ISM) || step(IC) || step(NCY) || step(NCE);
}

/** Words with characters other than a to z stay unchanged. @param words the lexicon */
export function kstem(words: usize): void {
  if (wordLen <= 2 || wordLen > MAX_LENGTH) return;
  for (let i = 0; i < wordLen; i++) if (unitAt(i) - 0x61 > 25) return;
  lexicon = words;
  if ((look() || steps()) && found == HAS_ROOT) {
    setLength(rootLen);
    for (let i: u32 = 0; i < rootLen; i++) setUnit(i, load<u8>(root + i));
  }
}
