// Slow and obvious versions of token filters, over plain objects.

export interface PlainToken {
  term: string;
  startOffset: number;
  endOffset: number;
  posInc: number;
  posLen: number;
  type: string;
  keyword: boolean;
}

export type PlainFilter = (tokens: PlainToken[]) => PlainToken[];

const mapTerms =
  (change: (term: string) => string): PlainFilter =>
  (tokens) =>
    tokens.map((token) => ({ ...token, term: change(token.term) }));

/** Drops tokens; the next kept one takes over their increments. */
function select(tokens: PlainToken[], keep: (token: PlainToken) => boolean): PlainToken[] {
  let carry = 0;
  return tokens.flatMap((token) => {
    if (!keep(token)) {
      carry += token.posInc;
      return [];
    }
    const kept = { ...token, posInc: token.posInc + carry };
    carry = 0;
    return [kept];
  });
}

export const reverse = mapTerms((term) => [...term].reverse().join(''));
export const lowercase = mapTerms((term) => [...term].map((char) => (char === 'İ' ? 'i' : char.toLowerCase())).join(''));
export const uppercase = mapTerms((term) =>
  [...term].map((char) => ([...char.toUpperCase()].length > 1 ? char : char.toUpperCase())).join(''),
);
export const trim = mapTerms((term) => term.replace(/^[\s\x1c-\x1f]+|[\s\x1c-\x1f]+$/g, ''));
export const apostrophe = mapTerms((term) => term.split(/['’]/)[0]);
export const truncate =
  (length: number): PlainFilter =>
  (tokens) =>
    tokens.map((token) => (token.keyword ? token : { ...token, term: token.term.slice(0, length) }));
export const stop =
  (words: ReadonlySet<string>): PlainFilter =>
  (tokens) =>
    select(tokens, (token) => !words.has(token.term));
export const keep =
  (words: ReadonlySet<string>): PlainFilter =>
  (tokens) =>
    select(tokens, (token) => words.has(token.term));
export const length =
  (min: number, max: number): PlainFilter =>
  (tokens) =>
    select(tokens, (token) => token.term.length >= min && token.term.length <= max);
export const marker =
  (words: ReadonlySet<string>): PlainFilter =>
  (tokens) =>
    tokens.map((token) => ({ ...token, keyword: token.keyword || words.has(token.term) }));

export const unique: PlainFilter = (tokens) => tokens.filter((token, i) => tokens.findIndex((other) => other.term === token.term) === i);

export const removeDuplicates: PlainFilter = (tokens) => {
  const seen = new Set<string>();
  return tokens.filter((token) => {
    if (token.posInc > 0) seen.clear();
    if (seen.has(token.term)) return false;
    seen.add(token.term);
    return true;
  });
};

export const keywordRepeat: PlainFilter = (tokens) =>
  tokens.flatMap((token) => [
    { ...token, keyword: true },
    { ...token, keyword: false, posInc: 0 },
  ]);

/** Folding of some letters, with the original term after a folded one. */
export const foldingAndOriginal: PlainFilter = (tokens) =>
  tokens.flatMap((token) => {
    const plain: Record<string, string> = { é: 'e', Ä: 'A', ß: 'ss', Æ: 'AE', '⑽': '(10)' };
    const term = [...token.term].map((char) => plain[char] ?? char).join('');
    return term === token.term
      ? [token]
      : [
          { ...token, term },
          { ...token, posInc: 0 },
        ];
  });

/** Stop filter that keeps the last word of the text, as a keyword. */
export const trailingStop =
  (words: ReadonlySet<string>, endOffset: number): PlainFilter =>
  (tokens) => {
    const isLast = (token: PlainToken): boolean => token === tokens.at(-1) && token.endOffset === endOffset && words.has(token.term);
    return select(tokens, (token) => isLast(token) || !words.has(token.term)).map((token, i, kept) =>
      i === kept.length - 1 && tokens.length && isLast(tokens.at(-1)!) ? { ...token, keyword: true } : token,
    );
  };

export const german = mapTerms((term) => {
  let out = term;
  // ae, oe and ue lose their e, but not ue after a vowel or q.
  for (let i = 0; i < out.length; i++) {
    const before = out[i - 1];
    const isUmlaut =
      out[i] === 'e' && (before === 'a' || before === 'o' || (before === 'u' && !/[aouieyqäöü\u0000]/.test(out[i - 2] ?? '')));
    if (isUmlaut) out = `${out.slice(0, i)}\u0000${out.slice(i + 1)}`;
  }
  return out.replaceAll('\u0000', '').replaceAll('ä', 'a').replaceAll('ö', 'o').replaceAll('ü', 'u').replaceAll('ß', 'ss');
});

export const scandinavianFolding = mapTerms((term) => {
  const plain: Record<string, string> = { å: 'a', ä: 'a', æ: 'a', Å: 'A', Ä: 'A', Æ: 'A', ø: 'o', ö: 'o', Ø: 'O', Ö: 'O' };
  let out = '';
  for (let i = 0; i < term.length; i++) {
    out += plain[term[i]] ?? term[i];
    if (/a/i.test(term[i]) && /[aeo]/i.test(term[i + 1] ?? '')) i++;
    else if (/o/i.test(term[i]) && /[eo]/i.test(term[i + 1] ?? '')) i++;
  }
  return out;
});

export const arabic = mapTerms((term) =>
  term
    .replace(/[\u0640\u064b-\u0652]/g, '')
    .replace(/[آأإ]/g, 'ا')
    .replaceAll('ى', 'ي')
    .replaceAll('ة', 'ه'),
);

/** Pairs of adjacent characters of the CJK types. @param unigrams also each character */
export function cjkBigrams(unigrams: boolean): PlainFilter {
  return (tokens) => {
    const out: PlainToken[] = [];
    let run: { char: string; start: number; end: number }[] = [];
    const flush = (): void => {
      const gram = (from: number, count: number): PlainToken => ({
        term: run
          .slice(from, from + count)
          .map((item) => item.char)
          .join(''),
        startOffset: run[from].start,
        endOffset: run[from + count - 1].end,
        posInc: count > 1 && unigrams ? 0 : 1,
        posLen: count > 1 && unigrams ? 2 : 1,
        type: count > 1 ? '<DOUBLE>' : '<SINGLE>',
        keyword: false,
      });
      if (run.length === 1 && !unigrams) out.push(gram(0, 1));
      run.forEach((_, i) => {
        if (unigrams) out.push(gram(i, 1));
        if (i + 1 < run.length) out.push(gram(i, 2));
      });
      run = [];
    };
    let lastEnd = 0;
    for (const token of tokens) {
      const isCjk = /^<(IDEOGRAPHIC|HIRAGANA|KATAKANA|HANGUL)>$/.test(token.type);
      if (!isCjk || token.startOffset !== lastEnd) flush();
      if (!isCjk) {
        out.push(token);
        continue;
      }
      const aligned = token.endOffset - token.startOffset === token.term.length;
      let at = token.startOffset;
      for (const char of token.term) {
        run.push({ char, start: aligned ? at : token.startOffset, end: aligned ? at + char.length : token.endOffset });
        at += char.length;
      }
      lastEnd = token.endOffset;
    }
    flush();
    return out;
  };
}

/** N-grams of terms; a term without one leaves a hole. */
export const ngrams =
  (min: number, max: number, edge: boolean, preserve: boolean): PlainFilter =>
  (tokens) => {
    let carry = 0;
    return tokens.flatMap((token) => {
      const points = [...token.term];
      const terms: string[] = [];
      for (let at = 0; at < (edge ? Math.min(1, points.length) : points.length); at++) {
        for (let size = min; size <= max && at + size <= points.length; size++) terms.push(points.slice(at, at + size).join(''));
      }
      if (preserve && (points.length < min || points.length > max)) terms.push(token.term);
      carry += token.posInc;
      return terms.map((term, i) => {
        const made = { ...token, term, posInc: i === 0 ? carry : 0 };
        carry = 0;
        return made;
      });
    });
  };

/** N-grams of a text's runs of token characters. */
export function textNgrams(text: string, min: number, max: number, edge: boolean, isToken: (char: string) => boolean): PlainToken[] {
  const out: PlainToken[] = [];
  let run: string[] = [];
  let offset = 0;
  const flush = (end: number): void => {
    let start = end - run.join('').length;
    run.forEach((char, at) => {
      for (let size = min; (!edge || at === 0) && size <= max && at + size <= run.length; size++) {
        const term = run.slice(at, at + size).join('');
        out.push({ term, startOffset: start, endOffset: start + term.length, posInc: 1, posLen: 1, type: 'word', keyword: false });
      }
      start += char.length;
    });
    run = [];
  };
  for (const char of text) {
    if (isToken(char)) run.push(char);
    else flush(offset);
    offset += char.length;
  }
  flush(offset);
  return out;
}
