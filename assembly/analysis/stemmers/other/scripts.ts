// Light stemmers of Arabic, Sorani, Persian and Hindi. Source: L. Larkey, L. Ballesteros and M. Connell, "Light Stemming for Arabic Information
// Retrieval" (2007), light10; K. Esmaili et al. and Lucene's documentation for Sorani and Persian; A. Ramanathan and D. Rao, "A Lightweight Stemmer
// for Hindi" (2003).
import { ends, lengthOf, removeUnits, setLength, starts, unitAt, word, wordLen } from '../word';

// @ts-ignore: decorator
@inline
function cut(units: i32): void {
  setLength(wordLen - units);
}

/** Removes a prefix if enough remains: three letters after the conjunction, two after the others. */
function arabicPrefix(prefix: string): bool {
  const n = lengthOf(prefix);
  if (n == 1 ? wordLen < 4 : wordLen < n + 2) return false;
  if (!starts(prefix)) return false;
  removeUnits(0, n);
  return true;
}

/** Removes a suffix if two letters remain. */
function shortSuffix(suffix: string): bool {
  if (wordLen < lengthOf(suffix) + 2 || !ends(suffix)) return false;
  cut(lengthOf(suffix));
  return true;
}

export function arabic(): void {
  if (!arabicPrefix("ال") && !arabicPrefix("وال") && !arabicPrefix("بال") && !arabicPrefix("كال") && !arabicPrefix("فال") && !arabicPrefix("لل")) arabicPrefix("و");
  shortSuffix("ها");
  shortSuffix("ان");
  shortSuffix("ات");
  shortSuffix("ون");
  shortSuffix("ين");
  shortSuffix("يه");
  shortSuffix("ية");
  shortSuffix("ه");
  shortSuffix("ة");
  shortSuffix("ي");
}

export function persian(): void {
  shortSuffix("ات");
  shortSuffix("ان");
  shortSuffix("ترين");
  shortSuffix("تر");
  shortSuffix("يي");
  shortSuffix("ي");
  shortSuffix("ها");
  shortSuffix("\u200c");
}

export function sorani(): void {
  // Postpositions, possessives.
  if (wordLen > 5 && ends("دا")) cut(2);
  else if (wordLen > 4 && ends("نا")) cut(1);
  else if (wordLen > 6 && ends("ەوە")) cut(3);
  if (wordLen > 6 && (ends("مان") || ends("یان") || ends("تان"))) cut(3);
  // Number, definiteness, ezafe: one ending.
  if (wordLen > 6 && ends("ێکی")) cut(3);
  else if (wordLen > 7 && ends("یەکی")) cut(4);
  else if (wordLen > 5 && ends("ێک")) cut(2);
  else if (wordLen > 6 && ends("یەک")) cut(3);
  else if (wordLen > 6 && ends("ەکە")) cut(3);
  else if (wordLen > 5 && ends("کە")) cut(2);
  else if (wordLen > 7 && ends("ەکان")) cut(4);
  else if (wordLen > 6 && ends("کان")) cut(3);
  else if (wordLen > 7 && ends("یانی")) cut(4);
  else if (wordLen > 6 && ends("انی")) cut(3);
  else if (wordLen > 6 && ends("یان")) cut(3);
  else if (wordLen > 5 && ends("ان")) cut(2);
  else if (wordLen > 7 && ends("یانە")) cut(4);
  else if (wordLen > 6 && ends("انە")) cut(3);
  else if (wordLen > 5 && (ends("ایە") || ends("ەیە"))) cut(2);
  else if (wordLen > 4 && (ends("ە") || ends("ی"))) cut(1);
}

/** Whether the word ends with a suffix of a list; they are separated by spaces and have `size` units each. */
function endsWithOne(list: string, size: i32): bool {
  const count = (lengthOf(list) + 1) / (size + 1), text = changetype<usize>(list);
  for (let k = 0; k < count; k++) {
    let i = 0;
    while (i < size && <u32>load<u16>(text + (<usize>(k * (size + 1) + i) << 1)) == unitAt(wordLen - size + i)) i++;
    if (i == size) return true;
  }
  return false;
}

export function hindi(): void {
  if (wordLen > 6 && endsWithOne("ाएंगी ाएंगे ाऊंगी ाऊंगा ाइयाँ ाइयों ाइयां", 5)) cut(5);
  else if (wordLen > 5 && endsWithOne("ाएगी ाएगा ाओगी ाओगे एंगी ेंगी एंगे ेंगे ूंगी ूंगा ातीं नाओं नाएं ताओं ताएं ियाँ ियों ियां", 4)) cut(4);
  else if (wordLen > 4 && endsWithOne("ाकर ाइए ाईं ाया ेगी ेगा ोगी ोगे ाने ाना ाते ाती ाता तीं ाओं ाएं ुओं ुएं ुआं", 3)) cut(3);
  else if (wordLen > 3 && endsWithOne("कर ाओ िए ाई ाए ने नी ना ते ीं ती ता ाँ ां ों ें", 2)) cut(2);
  else if (wordLen > 2 && endsWithOne("ो े ू ु ी ि ा", 1)) cut(1);
}
