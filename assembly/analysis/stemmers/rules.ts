// The rule form of suffix stripping that light and RSLP stemmers share: one step is one literal.
//   step ├─ rule ─┬─ ; ─┬─ rule ─┬─ ; ─┬─ ··· ─┤     rule ├─ ending ─┬─ least ─┬─ replacement ─┬─ word that stays ─┬─ ··· ─┤   by spaces
// `least`: fewest units before the ending, one digit. Replacement "-": none. The first rule that fits is applied, and no other.
import { lengthOf, setLength, setUnit, unitAt, wordLen } from './word';

/** Whether the word ends with the units from `from` to `to` of a table. */
function endsWith(from: usize, to: usize): bool {
  const n = <i32>((to - from) >> 1);
  if (n > wordLen) return false;
  for (let i = 0; i < n; i++) if (unitAt(wordLen - n + i) != <u32>load<u16>(from + (<usize>i << 1))) return false;
  return true;
}

/** End of the field that begins at `at`: the place of a space or semicolon. */
function fieldEnd(at: usize): usize {
  while (load<u16>(at) != 0x20 && load<u16>(at) != 0x3b) at += 2;
  return at;
}

/**
 * Applies the first rule of a step that fits. Words that stay are whole words, or, with `isAtEnd`, what the word ends with; the rules behind
 * the one they belong to are still tried. True: a rule fitted.
 */
export function apply(rules: string, isAtEnd: bool): bool {
  let at = changetype<usize>(rules);
  const end = at + (<usize>lengthOf(rules) << 1);
  while (at < end) {
    const suffixEnd = fieldEnd(at), size = <i32>((suffixEnd - at) >> 1);
    const least = <i32>load<u16>(suffixEnd + 2) - 0x30, replacement = suffixEnd + 6;
    let field = fieldEnd(replacement);
    const replacementEnd = field;
    let fits = wordLen - size >= least && endsWith(at, suffixEnd);
    while (load<u16>(field) == 0x20) {
      const from = field + 2;
      field = fieldEnd(from);
      if (fits && (isAtEnd || <i32>((field - from) >> 1) == wordLen) && endsWith(from, field)) fits = false;
    }
    if (fits) {
      setLength(wordLen - size);
      if (load<u16>(replacement) == 0x2d) return true;
      for (let i = replacement; i < replacementEnd; i += 2) {
        setLength(wordLen + 1);
        setUnit(wordLen - 1, load<u16>(i));
      }
      return true;
    }
    at = field + 2;
  }
  return false;
}
