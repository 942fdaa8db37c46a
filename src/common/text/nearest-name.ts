// Suggestions for mistyped names ("did you mean"), by Levenshtein distance.

/** Names with a similarity (1 - distance / longer length) above `least`, nearest first, then alphabetically. */
export function nearestNames(name: string, candidates: Iterable<string>, least = 0.5): string[] {
  const scored: Array<{ candidate: string; similarity: number }> = [];
  for (const candidate of candidates) {
    const similarity = 1 - editDistance(name, candidate) / Math.max(name.length, candidate.length, 1);
    if (similarity > least) scored.push({ candidate, similarity });
  }
  scored.sort((a, b) => b.similarity - a.similarity || (a.candidate < b.candidate ? -1 : 1));
  return scored.map((entry) => entry.candidate);
}

/** Levenshtein distance of the first 128 characters: both strings may come from a request. */
function editDistance(left: string, right: string): number {
  const a = left.slice(0, 128);
  const b = right.slice(0, 128);
  let previous = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const cost = a.charCodeAt(i - 1) === b.charCodeAt(j - 1) ? 0 : 1;
      row.push(Math.min(row[j - 1] + 1, previous[j] + 1, previous[j - 1] + cost));
    }
    previous = row;
  }
  return previous[b.length];
}

/** ` did you mean [a]?`, ` did you mean any of [a, b]?`, or the empty string. */
export function didYouMean(name: string, candidates: Iterable<string>): string {
  const near = nearestNames(name, candidates);
  if (near.length === 0) return '';
  return ` did you mean ${near.length === 1 ? `[${near[0]}]` : `any of [${near.join(', ')}]`}?`;
}
