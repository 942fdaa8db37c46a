// German, the older stemmer. Source: J. Caumanns, "A Fast and Simple Stemming Algorithm for German Words" (1999). While endings are removed,
// frequent pairs are one sign: sch $, ch §, ei %, ie &, ig #, st !, and the second of two equal letters *.
import { isLetter } from '../../../text/character';
import { lowerWord } from './lower-word';
import { ends, insertUnit, removeUnits, setLength, setUnit, unitAt, wordLen } from '../word';

let saved: i32 = 0;

export function caumanns(): void {
  lowerWord();
  for (let i = 0; i < wordLen; i++) if (!isLetter(unitAt(i))) return;
  substitute();
  strip();
  if (wordLen > 5 && ends("erin*")) {
    setLength(wordLen - 1);
    strip();
  }
  if (wordLen > 0 && unitAt(wordLen - 1) == 0x7a) setUnit(wordLen - 1, 0x78);
  resubstitute();
  if (wordLen > 4) {
    for (let i = 0; i < wordLen - 3; i++) {
      if (unitAt(i) == 0x67 && unitAt(i + 1) == 0x65 && unitAt(i + 2) == 0x67 && unitAt(i + 3) == 0x65) {
        removeUnits(i, 2);
        return;
      }
    }
  }
}

function pair(at: i32, first: u32, second: u32, sign: u32): bool {
  if (unitAt(at) != first || unitAt(at + 1) != second) return false;
  setUnit(at, sign);
  removeUnits(at + 1, 1);
  saved++;
  return true;
}

function substitute(): void {
  saved = 0;
  for (let i = 0; i < wordLen; i++) {
    const unit = unitAt(i);
    if (i > 0 && unit == unitAt(i - 1)) setUnit(i, 0x2a);
    else if (unit == 0xe4) setUnit(i, 0x61);
    else if (unit == 0xf6) setUnit(i, 0x6f);
    else if (unit == 0xfc) setUnit(i, 0x75);
    else if (unit == 0xdf) {
      setUnit(i, 0x73);
      insertUnit(i + 1, 0x73);
      saved++;
    }
    if (i >= wordLen - 1) continue;
    if (i < wordLen - 2 && unitAt(i) == 0x73 && unitAt(i + 1) == 0x63 && unitAt(i + 2) == 0x68) {
      setUnit(i, 0x24);
      removeUnits(i + 1, 2);
      saved += 2;
    } else if (!pair(i, 0x63, 0x68, 0xa7) && !pair(i, 0x65, 0x69, 0x25) && !pair(i, 0x69, 0x65, 0x26) && !pair(i, 0x69, 0x67, 0x23)) pair(i, 0x73, 0x74, 0x21);
  }
}

function strip(): void {
  while (wordLen > 3) {
    const last = unitAt(wordLen - 1);
    if (wordLen + saved > 5 && ends("nd")) setLength(wordLen - 2);
    else if (wordLen + saved > 4 && (ends("em") || ends("er"))) setLength(wordLen - 2);
    else if (last == 0x65 || last == 0x73 || last == 0x6e || last == 0x74) setLength(wordLen - 1);
    else return;
  }
}

function expand(at: i32, first: u32, second: u32): void {
  setUnit(at, first);
  insertUnit(at + 1, second);
}

function resubstitute(): void {
  for (let i = 0; i < wordLen; i++) {
    switch (unitAt(i)) {
      case 0x2a: if (i > 0) setUnit(i, unitAt(i - 1)); break;
      case 0x24:
        expand(i, 0x73, 0x63);
        insertUnit(i + 2, 0x68);
        break;
      case 0xa7: expand(i, 0x63, 0x68); break;
      case 0x25: expand(i, 0x65, 0x69); break;
      case 0x26: expand(i, 0x69, 0x65); break;
      case 0x23: expand(i, 0x69, 0x67); break;
      case 0x21: expand(i, 0x73, 0x74); break;
    }
  }
}
