// The Hungarian Snowball stemmer: case, person and number of nouns. Source: A. Tordai, snowballstem.org/algorithms/hungarian.
import { longestOf, suffixLen } from '../regions';
import { endsAt, isIn, put, setLength, setUnit, unitAt, wordLen } from '../word';

const VOWELS = "aeiouáéíóöőúüű";
let p1: i32 = 0;

/** After the first consonant or digraph of a word that starts with a vowel, otherwise after the first vowel. */
function markRegion(): void {
  p1 = wordLen;
  if (wordLen == 0) return;
  let i = 0;
  if (!isIn(unitAt(0), VOWELS)) {
    while (i < wordLen && !isIn(unitAt(i), VOWELS)) i++;
    p1 = min(i + 1, wordLen);
    return;
  }
  while (i < wordLen && isIn(unitAt(i), VOWELS)) i++;
  if (i == wordLen) return;
  if (endsFrom(i, 3, "dzs")) p1 = i + 3;
  else if (endsFrom(i, 2, "cs") || endsFrom(i, 2, "gy") || endsFrom(i, 2, "ly") || endsFrom(i, 2, "ny") || endsFrom(i, 2, "sz") || endsFrom(i, 2, "ty") || endsFrom(i, 2, "zs")) p1 = i + 2;
  else p1 = i + 1;
}

/** Whether a literal with `units` units is at `at`. */
function endsFrom(at: i32, units: i32, literal: string): bool {
  return at + units <= wordLen && endsAt(at + units, literal);
}

/** Removes the longest suffix of a list if it is in R1. */
function cut(list: string): bool {
  if (longestOf(list, 0) < 0 || wordLen - suffixLen < p1) return false;
  setLength(wordLen - suffixLen);
  return true;
}

/** The longest of a list of suffixes in R1: the first `toA` become "a", the next `toE` become "e", the others are removed. */
function replace(list: string, toA: i32, toE: i32): void {
  const number = longestOf(list, 0);
  if (number < 0 || wordLen - suffixLen < p1) return;
  const at = wordLen - suffixLen;
  if (number < toA) put(at, "a");
  else if (number < toA + toE) put(at, "e");
  else setLength(at);
}

/** Removes an ending of one or two letters after a double consonant, and makes the consonant single. */
function cutBehindDouble(list: string): void {
  if (longestOf(list, 0) < 0) return;
  const at = wordLen - suffixLen;
  if (at < p1) return;
  const whole = wordLen;
  setLength(at);
  if (longestOf("bb cc ccs dd ff gg ggy jj kk ll lly mm nn nny pp rr ss ssz tt tty vv zz zzs", 0) < 0) {
    setLength(whole);
    return;
  }
  setUnit(at - 2, unitAt(at - 1));
  setLength(at - 1);
}

export function hungarian(): void {
  markRegion();
  cutBehindDouble("al el");
  if (cut("ban ben ba be ra re nak nek val vel tól től ról ről ból ből hoz hez höz nál nél ig at et ot öt ért képp képpen kor ul ül vá vé onként enként anként ként en on an ön n t")) replace("á é", 1, 1);
  replace("án ánként én", 2, 1);
  replace("ástul éstül astul estül stul stül", 1, 1);
  cutBehindDouble("á é");
  replace("áké áéi éké ééi éé oké öké aké eké ké éi é", 2, 3);
  replace("ánk ájuk ám ád á énk éjük ém éd é ünk unk nk juk jük uk ük em om am m od ed ad öd d ja je a e o", 5, 5);
  replace("áim áid ái áink áitok áik éim éid éi éink éitek éik jaim jeim aim eim im jaid jeid aid eid id jai jei ai ei i jaink jeink eink aink ink jaitok jeitek aitok eitek itek jeik jaik aik eik ik", 6, 6);
  replace("ák ék ök ok ek ak k", 1, 1);
}
