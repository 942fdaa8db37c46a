// Similarities of words between 0 and 1, as float32. Source: org.apache.lucene.search.spell (JaroWinklerDistance, LevenshteinDistance,
// LuceneLevenshteinDistance, NGramDistance) of Apache Lucene.

export type StringDistance = (a: string, b: string) => number;

const { fround } = Math;

/** Number of edits between two words; with `swaps`, exchanging adjacent characters is one edit. */
function edits(a: readonly string[], b: readonly string[], swaps: boolean): number {
  const rows = Array.from({ length: a.length + 1 }, () => new Int32Array(b.length + 1));
  for (let i = 0; i <= a.length; i++) rows[i][0] = i;
  for (let j = 0; j <= b.length; j++) rows[0][j] = j;
  for (let i = 1; i <= a.length; i++) {
    for (let j = 1; j <= b.length; j++) {
      let cost = Math.min(rows[i - 1][j] + 1, rows[i][j - 1] + 1, rows[i - 1][j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1));
      if (swaps && i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) cost = Math.min(cost, rows[i - 2][j - 2] + 1);
      rows[i][j] = cost;
    }
  }
  return rows[a.length][b.length];
}

const levenshtein: StringDistance = (a, b) => {
  const [left, right] = [[...a], [...b]];
  if (left.length === 0 || right.length === 0) return left.length === right.length ? 1 : 0;
  return fround(1 - fround(edits(left, right, false) / Math.max(left.length, right.length)));
};

const damerau: StringDistance = (a, b) => {
  const [left, right] = [[...a], [...b]];
  if (left.length === 0 || right.length === 0) return left.length === right.length ? 1 : 0;
  return fround(1 - fround(edits(left, right, true) / Math.min(left.length, right.length)));
};

const JARO_THRESHOLD = 0.7;

const jaroWinkler: StringDistance = (a, b) => {
  const [max, min] = a.length > b.length ? [a, b] : [b, a];
  const range = Math.max((max.length >> 1) - 1, 0);
  const matchOf = new Int32Array(min.length).fill(-1);
  const isTaken = new Uint8Array(max.length);
  let matches = 0;
  for (let i = 0; i < min.length; i++) {
    for (let j = Math.max(i - range, 0); j < Math.min(i + range + 1, max.length); j++) {
      if (isTaken[j] || min[i] !== max[j]) continue;
      matchOf[i] = j;
      isTaken[j] = 1;
      matches++;
      break;
    }
  }
  if (matches === 0) return 0;
  const left = [...min].filter((_, i) => matchOf[i] >= 0);
  const right = [...max].filter((_, j) => isTaken[j]);
  const swaps = left.filter((char, i) => char !== right[i]).length >> 1;
  let prefix = 0;
  while (prefix < min.length && a[prefix] === b[prefix]) prefix++;
  const jaro = fround((matches / a.length + matches / b.length + (matches - swaps) / matches) / 3);
  return jaro < JARO_THRESHOLD ? jaro : fround(jaro + Math.min(0.1, 1 / max.length) * prefix * (1 - jaro));
};

/** Distance of pairs of adjacent characters; the first pair begins with a blank. */
const ngram: StringDistance = (a, b) => {
  const n = 2;
  if (a.length === 0 || b.length === 0) return a.length === b.length ? 1 : 0;
  const longest = Math.max(a.length, b.length);
  if (a.length < n || b.length < n) {
    let same = 0;
    for (let i = 0; i < Math.min(a.length, b.length); i++) if (a[i] === b[i]) same++;
    return fround(same / longest);
  }
  const [source, target] = [`\0${a}`, `\0${b}`];
  let previous = Float32Array.from({ length: a.length + 1 }, (_, i) => i);
  let row = new Float32Array(a.length + 1);
  for (let j = 1; j <= b.length; j++) {
    row[0] = j;
    for (let i = 1; i <= a.length; i++) {
      let cost = 0;
      let size = n;
      for (let k = 0; k < n; k++) {
        if (source[i - 1 + k] !== target[j - 1 + k]) cost++;
        else if (source[i - 1 + k] === '\0') size--;
      }
      row[i] = Math.min(row[i - 1] + 1, previous[i] + 1, previous[i - 1] + fround(cost / size));
    }
    [previous, row] = [row, previous];
  }
  return fround(1 - fround(previous[a.length] / longest));
};

/** By name in requests. `internal` is the similarity of fuzzy queries. */
export const STRING_DISTANCES: Readonly<Record<string, StringDistance>> = {
  internal: damerau,
  damerau_levenshtein: damerau,
  levenshtein,
  jaro_winkler: jaroWinkler,
  ngram,
};
