// The Irish Snowball stemmer: restores the plain initial, then removes noun, derivational and verbal endings. Source:
// snowballstem.org/algorithms/irish.
import { longestOf, regionAfter, suffixLen } from '../regions';
import { isIn, put, removeUnits, setLength, starts, unitAt, wordLen } from '../word';

const VOWELS = "aeiouáéíóú";

/** Removes eclipsis and prefixed letters, and the h of a lenited letter. */
function initial(): void {
  if (starts("d'fh")) {
    removeUnits(0, 2);
    removeUnits(1, 1);
  } else if (starts("bhf") || starts("h-") || starts("n-") || starts("t-") || starts("d'") || starts("m'") || starts("b'")) removeUnits(0, 2);
  else if (starts("mb") || starts("gc") || starts("nd") || starts("bp") || starts("ts") || starts("dt")) removeUnits(0, 1);
  else if (starts("ng") || (wordLen > 1 && unitAt(1) == 0x68 && isIn(unitAt(0), "bcdfgmpst"))) {
    if (unitAt(0) == 0x6e) removeUnits(0, 1);
    else removeUnits(1, 1);
  }
}

export function irish(): void {
  initial();
  let rv = 0;
  while (rv < wordLen && !isIn(unitAt(rv), VOWELS)) rv++;
  rv = min(rv + 1, wordLen);
  const r1 = regionAfter(0, VOWELS), r2 = regionAfter(r1, VOWELS);
  const noun = longestOf("amh eamh abh eabh aibh ibh aimh imh aíocht íocht aíochta íochta ire irí aire airí", 0);
  if (noun >= 0) cutBehind(noun < 12 ? r1 : r2);
  derivation(r2);
  const verb = longestOf("imid aimid ímid aímid faidh fidh ain eadh adh áil tear tar", 0);
  if (verb >= 0) cutBehind(verb < 6 ? rv : r1);
}

function cutBehind(region: i32): void {
  if (wordLen - suffixLen >= region) setLength(wordLen - suffixLen);
}

function derivation(r2: i32): void {
  const number = longestOf("acht eacht ach each eachtúil eachta achtúil achta arcacht arcachtaí arcachta gineach gineas ginis grafaíoch grafaíocht grafaíochta grafaíochtaí paite patach pataigh patacha óideach óideacha óidigh", 0);
  if (number < 0) return;
  const at = wordLen - suffixLen;
  if (number < 8) cutBehind(r2);
  else put(at, number < 11 ? "arc" : number < 14 ? "gin" : number < 18 ? "graf" : number < 22 ? "paite" : "óid");
}
