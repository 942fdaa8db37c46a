// Latvian light stemmer. Source: K. Krēsliņš, "A stemming algorithm for Latvian" (1996), noun endings only.
import { ends, isIn, lengthOf, put, setLength, unitAt, wordLen } from '../word';

let vowels: i32 = 0;
let ending: u32 = 0;

/** Removes an ending from a word that has more than `count` vowels and keeps three letters. */
function cutEnding(text: string, count: i32): bool {
  const n = lengthOf(text);
  if (vowels <= count || wordLen < n + 3 || !ends(text)) return false;
  ending = unitAt(wordLen - n);
  setLength(wordLen - n);
  return true;
}

export function latvian(): void {
  vowels = 0;
  for (let i = 0; i < wordLen; i++) if (isIn(unitAt(i), "aeiouāīēū")) vowels++;
  if (cutEnding("ajiem", 3) || cutEnding("ajai", 3) || cutEnding("ajam", 2) || cutEnding("ajām", 2) || cutEnding("ajos", 2) || cutEnding("ajās", 2)) return;
  if (cutEnding("iem", 2)) return hard();
  if (cutEnding("ajā", 2) || cutEnding("ais", 2) || cutEnding("ai", 2) || cutEnding("ei", 2) || cutEnding("ām", 1) || cutEnding("am", 1)
    || cutEnding("ēm", 1) || cutEnding("īm", 1) || cutEnding("im", 1) || cutEnding("um", 1)) return;
  if (cutEnding("us", 1)) return hard();
  if (cutEnding("as", 1) || cutEnding("ās", 1) || cutEnding("es", 1)) return;
  if (cutEnding("os", 1)) return hard();
  if (cutEnding("ij", 1) || cutEnding("īs", 1) || cutEnding("ēs", 1) || cutEnding("is", 1) || cutEnding("ie", 1)) return;
  if (cutEnding("u", 1)) return hard();
  if (cutEnding("a", 1) || cutEnding("i", 1)) return hard();
  if (cutEnding("e", 1) || cutEnding("ā", 1) || cutEnding("ē", 1) || cutEnding("ī", 1) || cutEnding("ū", 1) || cutEnding("o", 1) || cutEnding("s", 0)) return;
  cutEnding("š", 0);
}

function change(from: string, to: string): bool {
  if (!ends(from)) return false;
  put(wordLen - lengthOf(from), to);
  return true;
}

/** Reverts the palatalization of consonants before the ending. */
function hard(): void {
  if (ending == 0x75 && (change("kš", "kst") || change("ņņ", "nn"))) return;
  if (ends("pj") || ends("bj") || ends("mj") || ends("vj")) setLength(wordLen - 1);
  else if (change("šņ", "sn") || change("žņ", "zn") || change("šļ", "sl") || change("žļ", "zl") || change("ļņ", "ln") || change("ļļ", "ll")) return;
  else if (!change("č", "c") && !change("ļ", "l")) change("ņ", "n");
}
