// The Danish, Norwegian and Swedish Snowball stemmers. Source: M. F. Porter, snowballstem.org/algorithms, one page each.
import { longestOf, regionAfter, suffixLen } from '../regions';
import { ends, isIn, put, setLength, unitAt, wordLen } from '../word';

let p1: i32 = 0;

/** R1, with at least three letters before it. False: the word is too short. */
function nordicRegion(vowels: string): bool {
  if (wordLen < 3) return false;
  p1 = max(regionAfter(0, vowels), 3);
  return p1 <= wordLen;
}

// @ts-ignore: decorator
@inline
function cut(units: i32): void {
  setLength(wordLen - units);
}

const DANISH_VOWELS = "aeiouyæåø";

export function danish(): void {
  if (!nordicRegion(DANISH_VOWELS)) return;
  const number = longestOf("hed ethed ered e erede ende erende ene erne ere en heden eren er heder erer heds es endes erendes enes ernes eres ens hedens erens ers ets erets et eret s", p1);
  if (number == 31) {
    if (wordLen > 1 && isIn(unitAt(wordLen - 2), "abcdfghjklmnoprtvyzå")) cut(1);
  } else if (number >= 0) cut(suffixLen);
  danishPair();
  if (ends("igst")) cut(2);
  const other = longestOf("ig lig elig els løst", p1);
  if (other == 4) cut(1);
  else if (other >= 0) {
    cut(suffixLen);
    danishPair();
  }
  if (wordLen > p1 && wordLen >= 2 && isIn(unitAt(wordLen - 1), "bcdfghjklmnpqrstvwxz") && unitAt(wordLen - 1) == unitAt(wordLen - 2)) cut(1);
}

function danishPair(): void {
  if (longestOf("gd dt gt kt", p1) >= 0) cut(1);
}

export function norwegian(): void {
  if (!nordicRegion("aeiouyæåø")) return;
  const number = longestOf("a e ede ande ende ane ene hetene en heten ar er heter as es edes endes enes hetenes ens hetens ers ets et het ast s erte ert", p1);
  if (number == 26) {
    const before = wordLen > 1 ? unitAt(wordLen - 2) : 0;
    if (isIn(before, "bcdfghjlmnoprtvyz") || (before == 0x6b && wordLen > 2 && !isIn(unitAt(wordLen - 3), "aeiouyæåø"))) cut(1);
  } else if (number >= 27) put(wordLen - suffixLen, "er");
  else if (number >= 0) cut(suffixLen);
  if (longestOf("dt vt", p1) >= 0) cut(1);
  if (longestOf("leg eleg ig eig lig elig els lov elov slov hetslov", p1) >= 0) cut(suffixLen);
}

export function swedish(): void {
  if (!nordicRegion("aeiouyäåö")) return;
  const number = longestOf("a arna erna heterna orna ad e ade ande arne are aste en anden aren heten ern ar er heter or as arnas ernas ornas es ades andes ens arens hetens erns at andet het ast s", p1);
  if (number == 36) {
    if (wordLen > 1 && isIn(unitAt(wordLen - 2), "bcdfghjklmnoprtvy")) cut(1);
  } else if (number >= 0) cut(suffixLen);
  if (longestOf("dd gd nn dt gt kt tt", p1) >= 0) cut(1);
  const other = longestOf("lig ig els öst fullt", p1);
  if (other == 4 || (other == 3 && wordLen > 3 && isIn(unitAt(wordLen - 4), "iklnprtuv"))) cut(1);
  else if (other == 3) return;
  else if (other >= 0) cut(suffixLen);
}
