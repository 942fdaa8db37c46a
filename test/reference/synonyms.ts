// Synonyms, slow and obvious: every rule is tried at every token.
import type { PlainToken } from './token-filters.ts';

/** Words that are replaced by others or, with `keepOriginal`, accompanied by them. */
export interface SynonymRule {
  input: readonly string[];
  output: readonly string[];
  keepOriginal: boolean;
}

interface Match {
  length: number;
  outputs: (readonly string[])[];
  keepOriginal: boolean;
}

/** The longest left side that begins at token `from`, with the distinct right sides of all its rules. */
function longestMatch(rules: readonly SynonymRule[], tokens: readonly PlainToken[], from: number): Match | null {
  let best: Match | null = null;
  for (const { input, output, keepOriginal } of rules) {
    if (!input.every((word, i) => tokens[from + i]?.term === word) || input.length < (best?.length ?? 0)) continue;
    if (!best || input.length > best.length) best = { length: input.length, outputs: [], keepOriginal: false };
    if (!best.outputs.some((other) => other.join('\0') === output.join('\0'))) best.outputs.push(output);
    best.keepOriginal ||= keepOriginal;
  }
  return best;
}

const synonymToken = (term: string, startOffset: number, endOffset: number, posInc: number, posLen: number): PlainToken => ({
  term,
  startOffset,
  endOffset,
  posInc,
  posLen,
  type: 'SYNONYM',
  keyword: false,
});

// --- graph

/** Nodes between which the output is; a token's position is relative to the one before. */
export function graphSynonyms(rules: readonly SynonymRule[], tokens: readonly PlainToken[]): PlainToken[] {
  const out: PlainToken[] = [];
  let lastNode = -1;
  let nextNode = 0;
  for (let i = 0; i < tokens.length; ) {
    const match = longestMatch(rules, tokens, i);
    if (!match) {
      const token = tokens[i++];
      lastNode += token.posInc;
      nextNode = lastNode + token.posLen;
      out.push(token);
      continue;
    }
    const originals = tokens.slice(i, i + match.length);
    const paths = match.outputs;
    const inner = paths.reduce((sum, path) => sum + path.length - 1, match.keepOriginal ? match.length - 1 : 0);
    const start = nextNode;
    const end = start + inner + 1;
    const startOffset = originals[0].startOffset;
    const endOffset = originals[originals.length - 1].endOffset;
    let fresh = start;
    const arcs: { make: (posInc: number, posLen: number) => PlainToken; from: number; to: number }[] = [];
    // First the arcs that leave the start node, then the rest of each path, the original one last.
    const rests: (() => void)[] = [];
    const way = (makers: ((posInc: number, posLen: number) => PlainToken)[]): void => {
      const nodes = [start];
      for (let n = 1; n < makers.length; n++) nodes.push(++fresh);
      nodes.push(end);
      arcs.push({ make: makers[0], from: nodes[0], to: nodes[1] });
      rests.push(() => {
        for (let n = 1; n < makers.length; n++) arcs.push({ make: makers[n], from: nodes[n], to: nodes[n + 1] });
      });
    };
    for (const path of paths) way(path.map((word) => (posInc, posLen) => synonymToken(word, startOffset, endOffset, posInc, posLen)));
    if (match.keepOriginal) way(originals.map((token) => (posInc, posLen) => ({ ...token, posInc, posLen })));
    for (const rest of rests) rest();
    for (const arc of arcs) {
      out.push(arc.make(arc.from - lastNode, arc.to - arc.from));
      lastNode = arc.from;
    }
    nextNode = end;
    i += match.length;
  }
  return out;
}

// --- flat

interface PendingOutput {
  term: string;
  /** -1: the end of the token at the same position. */
  endOffset: number;
  posLen: number;
}

/**
 * The older filter: outputs are stacked on the matched tokens position by position, and on later tokens if there are more. The next match is
 * searched after the last one.
 */
export function flatSynonyms(rules: readonly SynonymRule[], tokens: readonly PlainToken[]): PlainToken[] {
  const out: PlainToken[] = [];
  const pending: PendingOutput[][] = [];
  const at = (i: number): PendingOutput[] => (pending[i] ??= []);
  const play = (i: number, keep: boolean): void => {
    const token = tokens[i];
    let posInc = 1;
    if (keep) {
      out.push(token);
      posInc = 0;
    }
    for (const output of at(i)) {
      out.push(
        synonymToken(output.term, token.startOffset, output.endOffset < 0 ? token.endOffset : output.endOffset, posInc, output.posLen),
      );
      posInc = 0;
    }
  };
  for (let i = 0; i < tokens.length; ) {
    const match = longestMatch(rules, tokens, i);
    if (!match) {
      play(i++, true);
      continue;
    }
    const matchEnd = tokens[i + match.length - 1].endOffset;
    for (const path of match.outputs) {
      path.forEach((word, k) => {
        const single = path.length === 1;
        at(i + k).push({ term: word, endOffset: single ? matchEnd : -1, posLen: single && match.keepOriginal ? match.length : 1 });
      });
    }
    for (let k = 0; k < match.length; k++) play(i + k, match.keepOriginal);
    i += match.length;
  }
  const last = tokens[tokens.length - 1];
  for (let i = tokens.length; i < pending.length; i++) {
    let posInc = 1;
    for (const output of at(i)) {
      out.push(synonymToken(output.term, last.startOffset, last.endOffset, posInc, 1));
      posInc = 0;
    }
  }
  return out;
}
