// The rule form of suffix stripping that light and RSLP stemmers share: one step is one literal.
//   step ├─ rule ─┬─ ; ─┬─ rule ─┬─ ; ─┬─ ··· ─┤     rule ├─ ending ─┬─ least ─┬─ replacement ─┬─ word that stays ─┬─ ··· ─┤   by spaces
// `least`: fewest units before the ending, one digit. Replacement "-": none. The first rule that fits is applied, and no other.
import { reserveIndex, slotOf } from './suffix-index';
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

/** End of the rule of which a field begins at `at`: the place of its semicolon. */
function ruleEnd(at: usize): usize {
  while (load<u16>(at) != 0x3b) at += 2;
  return at;
}

/**
 * Applies the first rule of a step that fits. Words that stay are whole words, or, with `isAtEnd`, what the word ends with; the rules behind
 * the one they belong to are still tried. True: a rule fitted.
 */
export function apply(rules: string, isAtEnd: bool): bool {
  if (wordLen == 0) return false;
  const text = changetype<usize>(rules), end = text + (<usize>lengthOf(rules) << 1), index = indexOf(rules);
  if (!index) {
    for (let at = text; at < end; at = ruleEnd(at) + 2) if (applyRule(at, isAtEnd)) return true;
    return false;
  }
  const bucket = index + (<usize>bucketOf(unitAt(wordLen - 1)) << 1);
  for (let cur = <u32>load<u16>(bucket), last = <u32>load<u16>(bucket, 2); cur < last; cur++) {
    const place = <usize>load<u16>(index + PLACES + (<usize>cur << 1));
    if (applyRule(text + (place << 1), isAtEnd)) return true;
  }
  return false;
}

/** Applies the rule at `at` if it fits. */
function applyRule(at: usize, isAtEnd: bool): bool {
  const suffixEnd = fieldEnd(at), size = <i32>((suffixEnd - at) >> 1), least = <i32>load<u16>(suffixEnd + 2) - 0x30;
  if (wordLen - size < least || !endsWith(at, suffixEnd)) return false;
  const replacement = suffixEnd + 6, replacementEnd = fieldEnd(replacement);
  for (let field = replacementEnd; load<u16>(field) == 0x20; ) {
    const from = field + 2;
    field = fieldEnd(from);
    if ((isAtEnd || <i32>((field - from) >> 1) == wordLen) && endsWith(from, field)) return false;
  }
  setLength(wordLen - size);
  if (load<u16>(replacement) == 0x2d) return true;
  for (let i = replacement; i < replacementEnd; i += 2) {
    setLength(wordLen + 1);
    setUnit(wordLen - 1, load<u16>(i));
  }
  return true;
}

// Most rules are passed over by the last letter of the word. An index of a step, made at its first use (Galician, words not met before: 6 -> 50 MB/s):
//   index ├─ first u16 × 33 ─┬─ 0 ─┬─ place u16 × rules ─┤   numbers of the first rule of each bucket and one behind; rules in units, in their order
const BUCKETS: usize = 32;
const PLACES: usize = 68;

// @ts-ignore: decorator
@inline
function bucketOf(unit: u32): u32 {
  return unit & (<u32>BUCKETS - 1);
}

/** The index of a step; 0 if there is no memory for it. */
function indexOf(rules: string): usize {
  const slot = slotOf(rules);
  if (!slot) return 0;
  if (load<u32>(slot)) return load<u32>(slot, 4);
  const text = changetype<usize>(rules), end = text + (<usize>lengthOf(rules) << 1);
  assert(lengthOf(rules) < 0x10000);
  let count: usize = 0;
  for (let at = text; at < end; at = ruleEnd(at) + 2) count++;
  const index = reserveIndex(rules, slot, PLACES + (count << 1));
  if (!index) return 0;
  let number: u32 = 0;
  for (let bucket: u32 = 0; bucket < <u32>BUCKETS; bucket++) {
    store<u16>(index + (<usize>bucket << 1), <u16>number);
    for (let at = text; at < end; at = ruleEnd(at) + 2) {
      if (bucketOf(load<u16>(fieldEnd(at) - 2)) == bucket) store<u16>(index + PLACES + (<usize>(number++) << 1), <u16>((at - text) >> 1));
    }
  }
  store<u16>(index + (BUCKETS << 1), <u16>number);
  return index;
}
