// The German Snowball stemmer with ae, oe, ue and ss for ä, ö, ü and ß (once German2). Source: snowballstem.org/algorithms/german.
// Capitals mark u and y that are consonants between vowels.
import { regionAfter } from '../regions';
import { foundAt, groupOf, removeFound, removeSuffix } from '../suffix-table';
import { endsAt, isBefore, isIn, mapUnit, replaceUnits, setLength, setUnit, standsAt, unitAt, wordLen } from '../word';

const VOWELS = "aeiouyäöü";
const BEFORE_S = "bdfghklmnrt";
const BEFORE_ST = "bdfghklmnt";
const FIRST = "em/ern er/e en es/s";
const SECOND = "en er est/st";
const THIRD = "end ung/ig ik isch/lich heit/keit";

function prepare(): void {
  for (let i = 1; i < wordLen - 1; i++) {
    const unit = unitAt(i);
    if ((unit == 0x75 || unit == 0x79) && isIn(unitAt(i - 1), VOWELS) && isIn(unitAt(i + 1), VOWELS)) setUnit(i, unit - 32);
  }
  for (let i = 0; i < wordLen; i++) {
    if (unitAt(i) == 0xdf) replaceUnits(i++, 1, "ss");
    else if (standsAt(i, "ae")) replaceUnits(i, 2, "ä");
    else if (standsAt(i, "oe")) replaceUnits(i, 2, "ö");
    else if (standsAt(i, "ue")) replaceUnits(i, 2, "ü");
    else if (standsAt(i, "qu")) i++;
  }
}

function first(p1: i32): void {
  const group = groupOf(FIRST, 0);
  if (group < 0 || foundAt < p1 || (group == 0 && endsAt(foundAt, "syst")) || (group == 3 && !isBefore(foundAt, BEFORE_S))) return;
  setLength(foundAt);
  if (group == 2 && endsAt(wordLen, "niss")) setLength(wordLen - 1);
}

function second(p1: i32): void {
  const group = groupOf(SECOND, 0);
  if (group < 0 || foundAt < p1) return;
  // -st requires three letters before the letter that it follows.
  if (group == 0 || (foundAt >= 4 && isBefore(foundAt, BEFORE_ST))) setLength(foundAt);
}

function third(p1: i32, p2: i32): void {
  const group = groupOf(THIRD, 0);
  if (group < 0 || foundAt < p2) return;
  if (group == 1) {
    if (!isBefore(foundAt, "e")) setLength(foundAt);
    return;
  }
  setLength(foundAt);
  if (group == 0) {
    if (groupOf("ig", 0) >= 0 && !isBefore(foundAt, "e")) removeFound(p2);
  } else if (group == 2) removeSuffix("er en", p1);
  else removeSuffix("lich ig", p2);
}

export function german(): void {
  prepare();
  const start = regionAfter(0, VOWELS), p2 = regionAfter(start, VOWELS), p1 = max(start, 3);
  first(p1);
  second(p1);
  third(p1, p2);
  for (let i = 0; i < wordLen; i++) setUnit(i, mapUnit(unitAt(i), "YUäöü", "yuaou"));
}
