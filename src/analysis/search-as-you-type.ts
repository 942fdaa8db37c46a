// Analyzers that search_as_you_type fields derive from another one: `standard#2gram` emits shingles of exactly two words,
// `standard#prefix3gram` prefixes of shingles of up to three. Source: Lucene's FixedShingleFilter; Elasticsearch reference, "Search-as-you-type".

import type { AnalysisHost } from '../wasm/analysis.ts';
import { Analyzer } from './analyzer.ts';
import type { TokenFilter } from './component.ts';
import type { Token, TokenStream } from './tokens/token-stream.ts';

const DERIVED_NAME = /^(.+)#(prefix)?([2-4])gram$/s;
/** Maximum length of a prefix in characters; longer shingles are emitted as a whole, too. */
const MAX_PREFIX = 20;
/** Maximum number of paths through synonyms from one word. */
const MAX_PATHS = 1000;

/** Parts of a derived name: the base analyzer, words per shingle, and whether it emits prefixes. Null if it is not a derived name. */
export function parseDerivedName(name: string): { base: string; size: number; isPrefix: boolean } | null {
  const match = DERIVED_NAME.exec(name);
  return match ? { base: match[1], size: Number(match[3]), isPrefix: match[2] !== undefined } : null;
}

/** The analyzer has the name of its base, and no position gap between strings. */
export function deriveAnalyzer(base: Analyzer, size: number, isPrefix: boolean, host: AnalysisHost): Analyzer {
  const filters: TokenFilter[] = [...base.parts.filters, { kind: 'host', apply: (stream) => fixedShingles(stream, size, isPrefix) }];
  if (isPrefix) filters.push({ kind: 'host', apply: edgeNgrams });
  return new Analyzer(base.name, { ...base.parts, filters, positionIncrementGap: 0 }, host);
}

/** Shingles of `size` words separated by a blank. `trailing` also emits shorter ones at the end, with empty strings for the missing words. */
function fixedShingles(stream: TokenStream, size: number, trailing: boolean): TokenStream {
  const places: Token[][] = [];
  for (const token of stream.tokens) {
    for (let i = Math.max(places.length === 0 ? 1 : 0, token.posInc); i > 0; i--) places.push([]);
    places[places.length - 1].push(token);
  }
  const tokens: Token[] = [];
  let before = -1;
  for (let start = 0; start < places.length; start++) {
    if (!trailing && start + size > places.length) break;
    for (const path of pathsFrom(places, start, size)) {
      const words = path.map((token) => token?.term ?? '');
      while (words.length < size) words.push('');
      const [first] = path;
      const last = path.findLast((token) => token !== null);
      if (!first || !last) continue;
      tokens.push({ ...first, term: words.join(' '), endOffset: last.endOffset, posInc: start - before, posLen: 1, type: 'shingle' });
      before = start;
    }
  }
  return { ...stream, tokens };
}

/** Sequences of at most `size` words from a position; null marks a position without a word. Empty if the first position has none. */
function pathsFrom(places: readonly Token[][], start: number, size: number): Array<Array<Token | null>> {
  let paths: Array<Array<Token | null>> = places[start].map((token) => [token]);
  for (let place = start + 1; place < Math.min(start + size, places.length); place++) {
    const next: ReadonlyArray<Token | null> = places[place].length > 0 ? places[place] : [null];
    paths = paths.flatMap((path) => next.map((token) => [...path, token])).slice(0, MAX_PATHS);
  }
  return paths;
}

function edgeNgrams(stream: TokenStream): TokenStream {
  const tokens = stream.tokens.flatMap((token) => {
    const characters = [...token.term];
    const grams = Array.from({ length: Math.min(MAX_PREFIX, characters.length) }, (_, i) => characters.slice(0, i + 1).join(''));
    if (characters.length > MAX_PREFIX) grams.push(token.term);
    return grams.map((term, i) => ({ ...token, term, posInc: i === 0 ? token.posInc : 0 }));
  });
  return { ...stream, tokens };
}
