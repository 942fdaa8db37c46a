// Orthographic normalizations, one per language or script, applied to the code points of a term.
//   config ├─ variant u32: Normalization ─┤
// Source: the rules in Lucene's documentation of its normalization filters (Larkey et al. 2007 for Arabic; Larkey, Connell and Abduljaleel
// 2003 for Hindi; UzZaman and Khan 2004 for Bengali; the German2 variant of the Snowball stemmer; Scandinavian interchange).
import { category } from '../../../text/character';
import { decode } from '../../../text/utf8';
import { Normalization } from '../../config-values';
import { at, codePoints, hasNonAscii, insertAt, loadCodePoints, put, removeAt, storeCodePoints } from './code-points';
import { Stage, tokenAt } from '../../stage';
import { FLAG_KEYWORD, Token } from '../../token';
import { normalizeBengali, normalizeHindi, normalizeIndic } from './normalize-indic';


export function normalizeFilter(stage: Stage, batch: Stage): i32 {
  const variant = load<u32>(stage.config);
  for (let i: u32 = 0; i < batch.count; i++) {
    const token = tokenAt(batch, i);
    // Few terms have such forms, and this filter sees each character of a Japanese text.
    if (variant == Normalization.CJK_WIDTH && !hasWidthForm(token)) continue;
    const status = normalizeToken(batch, token, variant);
    if (status < 0) return status;
  }
  return 0;
}

/** Normalizes a term. Returns 0 or E_NO_SPACE. */
export function normalizeToken(batch: Stage, token: Token, variant: u32): i32 {
  const alsoAscii = variant == Normalization.GERMAN || variant == Normalization.SCANDINAVIAN || variant == Normalization.SCANDINAVIAN_FOLDING;
  if (!alsoAscii && !hasNonAscii(token)) return 0;
  if (variant == Normalization.DECIMAL_DIGIT && !hasForeignDigit(token)) return 0;
  // These two do not change keywords.
  if ((variant == Normalization.HINDI || variant == Normalization.BENGALI) && token.flags & FLAG_KEYWORD) return 0;
  const count = loadCodePoints(batch, token);
  if (count < 0) return count;
  return storeCodePoints(batch, token, normalize(variant, codePoints(batch), count));
}

/** Whether the term has a byte that starts halfwidth and fullwidth forms, U+FF00..U+FFEF. */
// @ts-ignore: decorator
@inline
function hasWidthForm(token: Token): bool {
  for (let p = token.termPtr, end = p + token.termLen; p < end; p++) if (load<u8>(p) == 0xef) return true;
  return false;
}

/** Whether the term has a non-ASCII digit, which few terms have. */
function hasForeignDigit(token: Token): bool {
  for (let p = token.termPtr, end = p + token.termLen; p < end; ) {
    const d = decode(p, end);
    if ((d & 0xffffff) >= 0x80 && category(d & 0xffffff) == 9) return true;
    p += d >> 24;
  }
  return false;
}

/** Changes `count` code points in place. Returns their new number. */
function normalize(variant: u32, s: usize, count: i32): i32 {
  switch (variant) {
    case Normalization.ARABIC: return normalizeArabic(s, count);
    case Normalization.PERSIAN: return normalizePersian(s, count);
    case Normalization.SORANI: return normalizeSorani(s, count);
    case Normalization.GERMAN: return normalizeGerman(s, count);
    case Normalization.SCANDINAVIAN: return normalizeScandinavian(s, count);
    case Normalization.SCANDINAVIAN_FOLDING: return foldScandinavian(s, count);
    case Normalization.SERBIAN: return normalizeSerbian(s, count);
    case Normalization.HINDI: return normalizeHindi(s, count);
    case Normalization.BENGALI: return normalizeBengali(s, count);
    case Normalization.INDIC: return normalizeIndic(s, count);
    case Normalization.DECIMAL_DIGIT: return normalizeDigits(s, count);
    case Normalization.CJK_WIDTH: return normalizeWidth(s, count);
    default: return count;
  }
}

function normalizeArabic(s: usize, count: i32): i32 {
  let out = 0;
  for (let i = 0; i < count; i++) {
    let cp = at(s, i);
    if (cp == 0x640 || (cp >= 0x64b && cp <= 0x652)) continue;
    if (cp == 0x622 || cp == 0x623 || cp == 0x625) cp = 0x627;
    else if (cp == 0x649) cp = 0x64a;
    else if (cp == 0x629) cp = 0x647;
    put(s, out++, cp);
  }
  return out;
}

function normalizePersian(s: usize, count: i32): i32 {
  let out = 0;
  for (let i = 0; i < count; i++) {
    let cp = at(s, i);
    if (cp == 0x654) continue;
    if (cp == 0x6cc || cp == 0x6d2) cp = 0x64a;
    else if (cp == 0x6a9) cp = 0x643;
    else if (cp == 0x6c0 || cp == 0x6c1) cp = 0x647;
    put(s, out++, cp);
  }
  return out;
}

function normalizeSorani(s: usize, count: i32): i32 {
  let i = 0;
  while (i < count) {
    const cp = at(s, i);
    switch (cp) {
      case 0x64a: case 0x649: put(s, i, 0x6cc); break;
      case 0x643: put(s, i, 0x6a9); break;
      case 0x200c:
        if (i > 0 && at(s, i - 1) == 0x647) put(s, i - 1, 0x6d5);
        count = removeAt(s, i, count);
        continue;
      case 0x647: if (i == count - 1) put(s, i, 0x6d5); break;
      case 0x629: put(s, i, 0x6d5); break;
      case 0x6be: put(s, i, 0x647); break;
      case 0x631: if (i == 0) put(s, i, 0x695); break;
      case 0x692: put(s, i, 0x695); break;
      case 0x640: case 0x64b: case 0x64c: case 0x64d: case 0x64e: case 0x64f: case 0x650: case 0x651: case 0x652:
        count = removeAt(s, i, count);
        continue;
      default:
        if (cp < 0x10000 && category(cp) == 16) {
          count = removeAt(s, i, count);
          continue;
        }
    }
    i++;
  }
  return count;
}

/** Umlauts become their vowels; ae, oe and ue become a, o and u where they may represent umlauts; sharp s becomes ss. */
function normalizeGerman(s: usize, count: i32): i32 {
  const ORDINARY = 0, NO_UMLAUT = 1, UMLAUT = 2;
  let state = ORDINARY;
  let i = 0;
  while (i < count) {
    const cp = at(s, i);
    switch (cp) {
      case 0x61: case 0x6f: state = UMLAUT; break;
      case 0x75: state = state == ORDINARY ? UMLAUT : NO_UMLAUT; break;
      case 0x65:
        if (state == UMLAUT) {
          count = removeAt(s, i, count);
          i--;
        }
        state = NO_UMLAUT;
        break;
      case 0x69: case 0x71: case 0x79: state = NO_UMLAUT; break;
      case 0xe4: put(s, i, 0x61); state = NO_UMLAUT; break;
      case 0xf6: put(s, i, 0x6f); state = NO_UMLAUT; break;
      case 0xfc: put(s, i, 0x75); state = NO_UMLAUT; break;
      case 0xdf:
        put(s, i, 0x73);
        count = insertAt(s, ++i, count, 0x73);
        state = ORDINARY;
        break;
      default: state = ORDINARY;
    }
    i++;
  }
  return count;
}

// @ts-ignore: decorator
@inline
function lowerAscii(cp: u32): u32 {
  return cp - 65 < 26 ? cp + 32 : cp;
}

function normalizeScandinavian(s: usize, count: i32): i32 {
  for (let i = 0; i < count; i++) {
    const cp = at(s, i);
    if (cp == 0xe4) put(s, i, 0xe6);
    else if (cp == 0xc4) put(s, i, 0xc6);
    else if (cp == 0xf6) put(s, i, 0xf8);
    else if (cp == 0xd6) put(s, i, 0xd8);
    else if (i + 1 < count) {
      const next = lowerAscii(at(s, i + 1)), upper: u32 = cp < 97 ? 32 : 0, letter = lowerAscii(cp);
      let to: u32 = 0;
      if (letter == 97 && (next == 97 || next == 111)) to = 0xe5;
      else if (letter == 97 && next == 101) to = 0xe6;
      else if (letter == 111 && (next == 101 || next == 111)) to = 0xf8;
      if (to) {
        count = removeAt(s, i + 1, count);
        put(s, i, to - upper);
      }
    }
  }
  return count;
}

function foldScandinavian(s: usize, count: i32): i32 {
  for (let i = 0; i < count; i++) {
    const cp = at(s, i);
    if (cp == 0xe5 || cp == 0xe4 || cp == 0xe6) put(s, i, 97);
    else if (cp == 0xc5 || cp == 0xc4 || cp == 0xc6) put(s, i, 65);
    else if (cp == 0xf8 || cp == 0xf6) put(s, i, 111);
    else if (cp == 0xd8 || cp == 0xd6) put(s, i, 79);
    else if (i + 1 < count) {
      const next = lowerAscii(at(s, i + 1)), letter = lowerAscii(cp);
      if ((letter == 97 && (next == 97 || next == 101 || next == 111)) || (letter == 111 && (next == 101 || next == 111))) count = removeAt(s, i + 1, count);
    }
  }
  return count;
}

// Latin letters of U+0430..U+045F in "bald" Serbian Latin: first letter low byte, second letter high byte, 0 unchanged.
const SERBIAN_LATIN = memory.data<u16>([
  0x61, 0x62, 0x76, 0x67, 0x64, 0x65, 0x7a, 0x7a, 0x69, 0, 0x6b, 0x6c, 0x6d, 0x6e, 0x6f, 0x70, 0x72, 0x73, 0x74, 0x75, 0x66, 0x68, 0x63, 0x63, 0x73,
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0x6a64, 0, 0, 0, 0, 0, 0x6a, 0x6a6c, 0x6a6e, 0x63, 0, 0, 0, 0x7a64]);

function normalizeSerbian(s: usize, count: i32): i32 {
  for (let i = 0; i < count; i++) {
    const cp = at(s, i);
    let to: u32 = 0;
    if (cp >= 0x430 && cp <= 0x45f) to = load<u16>(SERBIAN_LATIN + (<usize>(cp - 0x430) << 1));
    else if (cp == 0x111) to = 0x6a64;
    else if (cp == 0x17e) to = 0x7a;
    else if (cp == 0x10d || cp == 0x107) to = 0x63;
    else if (cp == 0x161) to = 0x73;
    if (!to) continue;
    put(s, i, to & 0xff);
    if (to > 0xff) count = insertAt(s, ++i, count, to >> 8);
  }
  return count;
}

/** Converts the decimal digits of all scripts to ASCII. They form runs of ten from zero on; the value is the distance to the start of the run. */
function normalizeDigits(s: usize, count: i32): i32 {
  for (let i = 0; i < count; i++) {
    const cp = at(s, i);
    if (cp < 0x80 || category(cp) != 9) continue;
    let first = cp;
    while (category(first - 1) == 9) first--;
    put(s, i, 48 + (cp - first) % 10);
  }
  return count;
}

// Kana of U+FF65..U+FF9F, as offsets from U+3000.
const HALFWIDTH_KANA = memory.data<u8>([
  0xfb, 0xf2, 0xa1, 0xa3, 0xa5, 0xa7, 0xa9, 0xe3, 0xe5, 0xe7, 0xc3, 0xfc, 0xa2, 0xa4, 0xa6, 0xa8, 0xaa, 0xab, 0xad, 0xaf, 0xb1, 0xb3, 0xb5, 0xb7, 0xb9,
  0xbb, 0xbd, 0xbf, 0xc1, 0xc4, 0xc6, 0xc8, 0xca, 0xcb, 0xcc, 0xcd, 0xce, 0xcf, 0xd2, 0xd5, 0xd8, 0xdb, 0xde, 0xdf, 0xe0, 0xe1, 0xe2, 0xe4, 0xe6, 0xe8,
  0xe9, 0xea, 0xeb, 0xec, 0xed, 0xef, 0xf3, 0x99, 0x9a]);

function normalizeWidth(s: usize, count: i32): i32 {
  let out = 0;
  for (let i = 0; i < count; i++) {
    let cp = at(s, i);
    if (cp >= 0xff01 && cp <= 0xff5e) cp -= 0xfee0;
    else if (cp >= 0xff65 && cp <= 0xff9f) {
      if (cp >= 0xff9e && out > 0) {
        const voiced = voicedKana(at(s, out - 1), cp == 0xff9f);
        if (voiced) {
          put(s, out - 1, voiced);
          continue;
        }
      }
      cp = 0x3000 + load<u8>(HALFWIDTH_KANA + (cp - 0xff65));
    }
    put(s, out++, cp);
  }
  return out;
}

/** The composed form of a katakana letter with a (semi-)voiced mark, 0 if it has none. Source: Unicode canonical compositions. */
function voicedKana(kana: u32, half: bool): u32 {
  if (kana >= 0x30cf && kana <= 0x30db && (kana - 0x30cf) % 3 == 0) return kana + (half ? 2 : 1);
  if (half) return 0;
  if (kana >= 0x30ab && kana <= 0x30c1 && (kana & 1)) return kana + 1;
  if (kana == 0x30c4 || kana == 0x30c6 || kana == 0x30c8) return kana + 1;
  if (kana == 0x30a6) return 0x30f4;
  if (kana >= 0x30ef && kana <= 0x30f2) return kana + 8;
  if (kana == 0x30fd) return 0x30fe;
  return 0;
}
