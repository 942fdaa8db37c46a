// Normalizations of the scripts of India: compositions that Unicode normalization does not include, and the Hindi and Bengali spelling rules.
// Source: Unicode 5.2, chapter 9 (South Asian scripts) for compositions, as listed in Lucene's documentation of IndicNormalizationFilter.
import { at, put, removeAt } from './code-points';

// Six bytes per row: first, second, third (0 none, 255 zero width joiner) and result as offsets in a script's block, and the scripts as two bytes of
// bits: 1 Devanagari, 2 Bengali, 4 Gurmukhi, 8 Gujarati, 16 Oriya, 32 Tamil, 64 Telugu, 128 Kannada, 256 Malayalam.
const ROWS: i32 = 72;
const COMPOSITIONS = memory.data<u8>([5, 62, 69, 17, 9, 0, 5, 62, 70, 18, 1, 0, 5, 62, 71, 19, 9, 0, 5, 62, 72, 20, 9, 0, 5, 62, 0, 6, 31, 0, 5, 69, 0, 114, 1, 0, 5, 69, 0, 13, 8, 0, 5, 70, 0, 4, 1, 0, 5, 71, 0, 15, 8, 0, 5, 72, 0, 16, 12, 0, 5, 73, 0, 17, 9, 0, 5, 74, 0, 18, 1, 0, 5, 75, 0, 19, 9, 0, 5, 76, 0, 20, 13, 0, 6, 69, 0, 17, 9, 0, 6, 70, 0, 18, 1, 0, 6, 71, 0, 19, 9, 0, 6, 72, 0, 20, 9, 0, 7, 87, 0, 8, 0, 1, 9, 65, 0, 10, 1, 0, 9, 87, 0, 10, 32, 1, 14, 70, 0, 16, 0, 1, 15, 69, 0, 13, 1, 0, 15, 70, 0, 14, 1, 0, 15, 71, 0, 16, 1, 0, 15, 87, 0, 16, 16, 0, 18, 62, 0, 19, 0, 1, 18, 76, 0, 20, 192, 0, 18, 85, 0, 19, 64, 0, 18, 87, 0, 20, 32, 1, 19, 87, 0, 20, 16, 0, 21, 60, 0, 88, 1, 0, 22, 60, 0, 89, 5, 0, 23, 60, 0, 90, 5, 0, 28, 60, 0, 91, 5, 0, 33, 60, 0, 92, 19, 0, 34, 60, 0, 93, 19, 0, 35, 77, 255, 122, 0, 1, 36, 77, 255, 78, 2, 0, 40, 60, 0, 41, 1, 0, 40, 77, 255, 123, 0, 1, 43, 60, 0, 94, 5, 0, 47, 60, 0, 95, 3, 0, 44, 65, 65, 11, 64, 0, 48, 60, 0, 49, 1, 0, 48, 77, 255, 124, 0, 1, 50, 77, 255, 125, 0, 1, 51, 60, 0, 52, 1, 0, 51, 77, 255, 126, 0, 1, 53, 65, 0, 46, 64, 0, 62, 69, 0, 73, 9, 0, 62, 70, 0, 74, 1, 0, 62, 71, 0, 75, 9, 0, 62, 72, 0, 76, 9, 0, 63, 85, 0, 64, 128, 0, 65, 65, 0, 66, 4, 0, 70, 62, 0, 74, 32, 1, 70, 66, 85, 75, 128, 0, 70, 66, 0, 74, 128, 0, 70, 70, 0, 72, 0, 1, 70, 85, 0, 71, 192, 0, 70, 86, 0, 72, 192, 0, 70, 87, 0, 76, 32, 1, 71, 62, 0, 75, 50, 1, 71, 87, 0, 76, 18, 0, 74, 85, 0, 75, 128, 0, 114, 63, 0, 7, 4, 0, 114, 64, 0, 8, 4, 0, 114, 71, 0, 15, 4, 0, 115, 65, 0, 9, 4, 0, 115, 66, 0, 10, 4, 0, 115, 75, 0, 19, 4, 0]);

export function normalizeIndic(s: usize, count: i32): i32 {
  for (let i = 0; i < count; i++) {
    const cp = at(s, i);
    if (cp >= 0x900 && cp < 0xd80) count = compose(s, i, count, cp & ~0x7f);
  }
  return count;
}

function compose(s: usize, i: i32, count: i32, base: u32): i32 {
  if (i + 1 >= count || (at(s, i + 1) & ~0x7f) != base) return count;
  const first = at(s, i) - base, second = at(s, i + 1) - base, script: u32 = 1 << ((base - 0x900) >> 7);
  let third: u32 = 0x100;
  if (i + 2 < count) {
    const cp = at(s, i + 2);
    third = cp == 0x200d ? 0xff : (cp & ~0x7f) == base ? cp - base : 0x100;
  }
  for (let row = 0; row < ROWS; row++) {
    const p = COMPOSITIONS + row * 6, wanted = <u32>load<u8>(p, 2);
    if (load<u8>(p) != first || load<u8>(p, 1) != second || !(load<u16>(p, 4) & script)) continue;
    if (wanted && wanted != third) continue;
    put(s, i, base + load<u8>(p, 3));
    count = removeAt(s, i + 1, count);
    if (wanted) count = removeAt(s, i + 1, count);
    return count;
  }
  return count;
}

export function normalizeHindi(s: usize, count: i32): i32 {
  let out = 0;
  for (let i = 0; i < count; i++) {
    let cp = at(s, i);
    switch (cp) {
      case 0x928:
        if (i + 1 < count && at(s, i + 1) == 0x94d) {
          cp = 0x902;
          i++;
        }
        break;
      case 0x901: cp = 0x902; break;
      case 0x93c: case 0x200c: case 0x200d: case 0x94d: continue;
      case 0x929: cp = 0x928; break;
      case 0x931: cp = 0x930; break;
      case 0x934: cp = 0x933; break;
      case 0x958: cp = 0x915; break;
      case 0x959: cp = 0x916; break;
      case 0x95a: cp = 0x917; break;
      case 0x95b: cp = 0x91c; break;
      case 0x95c: cp = 0x921; break;
      case 0x95d: cp = 0x922; break;
      case 0x95e: cp = 0x92b; break;
      case 0x95f: cp = 0x92f; break;
      case 0x945: case 0x946: case 0x948: cp = 0x947; break;
      case 0x949: case 0x94a: case 0x94c: cp = 0x94b; break;
      case 0x90d: case 0x90e: case 0x910: cp = 0x90f; break;
      case 0x911: case 0x912: case 0x914: cp = 0x913; break;
      case 0x972: case 0x906: cp = 0x905; break;
      case 0x908: cp = 0x907; break;
      case 0x90a: cp = 0x909; break;
      case 0x960: cp = 0x90b; break;
      case 0x961: cp = 0x90c; break;
      case 0x940: cp = 0x93f; break;
      case 0x942: cp = 0x941; break;
      case 0x944: cp = 0x943; break;
      case 0x963: cp = 0x962; break;
      default:
    }
    put(s, out++, cp);
  }
  return out;
}

const VIRAMA: u32 = 0x9cd;

export function normalizeBengali(s: usize, count: i32): i32 {
  let i = 0;
  while (i < count) {
    switch (at(s, i)) {
      case 0x981:
        count = removeAt(s, i, count);
        continue;
      case 0x9c0: put(s, i, 0x9bf); break;
      case 0x9c2: put(s, i, 0x9c1); break;
      case 0x995:
        if (i + 2 < count && at(s, i + 1) == VIRAMA && at(s, i + 2) == 0x9bf) {
          count = removeAt(s, i + 2, count);
          if (i == 0) {
            put(s, i, 0x996);
            count = removeAt(s, i + 1, count);
          } else put(s, i + 1, 0x996);
        }
        break;
      case 0x999: put(s, i, 0x982); break;
      case 0x9af:
        if (i == 2 && at(s, 1) == VIRAMA) {
          put(s, 1, 0x9c7);
          if (i + 1 < count && at(s, i + 1) == 0x9be) count = removeAt(s, i + 1, count);
          count = removeAt(s, i, count);
          i--;
        } else if (i >= 1 && at(s, i - 1) == VIRAMA) {
          count = removeAt(s, i, count);
          count = removeAt(s, i - 1, count);
          i -= 2;
        }
        break;
      case 0x9ac:
        if (i == 0 || at(s, i - 1) != VIRAMA) break;
        if (i == 2 || (i >= 5 && at(s, i - 3) == VIRAMA)) {
          count = removeAt(s, i, count);
          count = removeAt(s, i - 1, count);
          i -= 2;
        } else if (i >= 2) {
          put(s, i - 1, at(s, i - 2));
          count = removeAt(s, i, count);
          i--;
        }
        break;
      case 0x983:
        if (i < count - 1) put(s, i, at(s, i + 1));
        else if (count <= 3) put(s, i, 0x9b9);
        else count = removeAt(s, i, count);
        break;
      case 0x9b6: case 0x9b7: put(s, i, 0x9b8); break;
      case 0x9a3: put(s, i, 0x9a8); break;
      case 0x9dc: case 0x9dd: put(s, i, 0x9b0); break;
      case 0x9ce: put(s, i, 0x9a4); break;
      default:
    }
    i++;
  }
  return count;
}
