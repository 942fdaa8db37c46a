// Lower case of a whole word, like Java's String.toLowerCase; stemmers older than the lowercase filter do it themselves. A sigma at the end of a
// word becomes the final form; U+0130 becomes a plain i, not i with a dot above, which would lengthen the word.
import { category, isLetter } from '../../../text/character';
import { lowerCase } from '../../../text/generated/case';
import { setUnit, unitAt, wordLen } from '../word';

const CAPITAL_SIGMA: u32 = 0x3a3, FINAL_SIGMA: u32 = 0x3c2;

export function lowerWord(): void {
  for (let i = 0; i < wordLen; i++) {
    const unit = unitAt(i);
    if (unit == CAPITAL_SIGMA && letterBeside(i, -1) && !letterBeside(i, 1)) setUnit(i, FINAL_SIGMA);
    else if ((unit & 0xfc00) == 0xd800 && i + 1 < wordLen && (unitAt(i + 1) & 0xfc00) == 0xdc00) {
      const lower = lowerCase(0x10000 + ((unit & 0x3ff) << 10 | (unitAt(i + 1) & 0x3ff))) - 0x10000;
      setUnit(i, 0xd800 | (lower >> 10));
      setUnit(++i, 0xdc00 | (lower & 0x3ff));
    } else setUnit(i, lowerCase(unit));
  }
}

/** Whether the next letter in a direction belongs to the word, skipping marks, formats, apostrophes and full stops. */
function letterBeside(index: i32, step: i32): bool {
  for (let i = index + step; i >= 0 && i < wordLen; i += step) {
    const unit = unitAt(i), kind = category(unit);
    if (isLetter(unit)) return true;
    if (!(kind >= 6 && kind <= 8) && kind != 16 && unit != 0x27 && unit != 0x2019 && unit != 0x2e && unit != 0x3a && unit != 0xb7) return false;
  }
  return false;
}
