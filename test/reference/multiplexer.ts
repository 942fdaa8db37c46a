// Multiplexer, token by token, for branches that read no further than the current token. Source: Lucene's ConditionalTokenFilter (behaviour).

interface Placed {
  readonly posInc: number;
}

/** @param run  a branch over one token: its tokens, and the increment of dropped ones at the end */
export function multiplexed<T extends Placed>(
  tokens: readonly T[],
  branches: number,
  run: (branch: number, token: T) => { readonly tokens: readonly T[]; readonly endPosInc: number },
): T[] {
  const out: T[] = [];
  let hole = 0;
  for (const token of tokens) {
    for (let branch = 0; branch < branches; branch++) {
      // A branch begins with a token at the next position, and is moved back to the position of the token.
      const given = hole + (branch === 0 ? token.posInc : 0);
      const back = given === 0 ? 1 : 0;
      const made = run(branch, { ...token, posInc: given + back });
      hole = made.endPosInc - (made.tokens.length ? 0 : back);
      made.tokens.forEach((item, i) => {
        out.push({ ...item, posInc: item.posInc - (i === 0 ? back : 0) });
      });
    }
  }
  return out;
}
