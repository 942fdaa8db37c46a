// Suffix rules of light and RSLP stemmers; each step is one literal.
//   step ├─ rule ─┬─ ; ─┬─ rule ─┬─ ; ─┬─ ··· ─┤     rule ├─ ending ─┬─ least ─┬─ replacement ─┬─ exception ─┬─ ··· ─┤   separated by spaces
// `least`: minimum number of units before the ending, one digit. Replacement "-": none. Only the first applicable rule is applied.
import { reserveIndex, slotOf } from './suffix-index';
import { lengthOf, setLength, setUnit, unitAt, wordLen } from './word';

/** Whether the word ends with the units from `from` to `to` of a table. */
function endsWith(from: usize, to: usize): bool {
  const n = <i32>((to - from) >> 1);
  if (n > wordLen) return false;
  for (let i = 0; i < n; i++) if (unitAt(wordLen - n + i) != <u32>load<u16>(from + (<usize>i << 1))) return false;
  return true;
}

/** End of the field that starts at `at`: the address of a space or semicolon. */
function fieldEnd(at: usize): usize {
  while (load<u16>(at) != 0x20 && load<u16>(at) != 0x3b) at += 2;
  return at;
}

/** End of the rule that contains the field at `at`: the address of its semicolon. */
function ruleEnd(at: usize): usize {
  while (load<u16>(at) != 0x3b) at += 2;
  return at;
}

/**
 * Applies the first applicable rule of a step. Exceptions are whole words or, with `isAtEnd`, ends of words; if one matches, the rules after its
  * own are still tried. True: a rule was applied.
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

/** Applies the rule at `at` if it is applicable. */
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

// The last letter of the word rules out most rules. Index of a step, built on first use (Galician, words not in the cache: 6 -> 50 MB/s):
//   index ├─ first u16 × 33 ─┬─ 0 ─┬─ offset u16 × rules ─┤   first rule of each bucket and the end; offsets of rules in units, in order
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
