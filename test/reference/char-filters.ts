// The output of character filters, and the mapping filter, slow and obvious.

/** From `offset` of the result on, `diff` is added to get the offset in the input. */
export interface Move {
  offset: number;
  diff: number;
}

export interface Filtered {
  text: string;
  moves: Move[];
}

/** A second move at one offset replaces the first. */
export function addMove(moves: Move[], offset: number, diff: number): void {
  const last = moves[moves.length - 1];
  if (last?.offset === offset) last.diff = diff;
  else moves.push({ offset, diff });
}

export function correct({ moves }: Filtered, offset: number): number {
  const move = moves.findLast((candidate) => candidate.offset <= offset);
  return move ? Math.max(0, offset + move.diff) : offset;
}

/** Replaces the longest match of the rules at each position. */
export function mapped(text: string, rules: ReadonlyMap<string, string>): Filtered {
  const moves: Move[] = [];
  let out = '';
  for (let at = 0; at < text.length; ) {
    const from = [...rules.keys()].filter((key) => text.startsWith(key, at)).sort((a, b) => b.length - a.length)[0];
    if (from === undefined) {
      out += text[at++];
      continue;
    }
    const to = rules.get(from)!;
    out += to;
    at += from.length;
    const diff = from.length - to.length;
    const before = moves[moves.length - 1]?.diff ?? 0;
    if (diff > 0) addMove(moves, at - diff - before, before + diff);
    for (let extra = 0; extra < -diff; extra++) addMove(moves, at - before + extra, before - extra - 1);
  }
  return { text: out, moves };
}
