// Tokens on the host: lists of objects, and their bytes for the replay tokenizer (assembly/analysis/tokenizers/replay.ts).
import type { AnalysisHost, ChainProgram } from '../wasm/analysis.ts';
import { TOKEN_TYPES, tokenTypeId } from './token-types.ts';
import { decodeWtf8, encodeWtf8 } from './wtf8.ts';

/** A token as filters on the host see it; positions are relative, as in Lucene's attributes. */
export interface Token {
  term: string;
  startOffset: number;
  endOffset: number;
  posInc: number;
  posLen: number;
  type: string;
  keyword: boolean;
  termFreq: number;
  /** Bytes of delimited_payload, hex in `explain`; null for none. */
  payload: Uint8Array | null;
}

/** Tokens of one text, and what stands behind the last of them. */
export interface TokenStream {
  tokens: Token[];
  /** UTF-16 length of the text. */
  endOffset: number;
  /** Increment behind the last token, from removed tokens. */
  endPosInc: number;
}

export function makeToken(term: string, startOffset: number, endOffset: number, type = 'word', posInc = 1): Token {
  return { term, startOffset, endOffset, posInc, posLen: 1, type, keyword: false, termFreq: 1, payload: null };
}

/** Runs a kernel chain over text bytes and reads its tokens. */
export function runChain(host: AnalysisHost, program: ChainProgram, text: Uint8Array): TokenStream {
  let tokens: Token[] = [];
  const end = host.run(
    program,
    text,
    (bytes, words, tokensPtr, count) => {
      for (let i = 0; i < count; i++) {
        const at = (tokensPtr >>> 2) + i * 8;
        const termPtr = words[at];
        const typeAndFlags = words[at + 6];
        tokens.push({
          term: decodeWtf8(bytes, termPtr, termPtr + words[at + 1]),
          startOffset: words[at + 2],
          endOffset: words[at + 3],
          posInc: words[at + 4],
          posLen: words[at + 5],
          type: typeName(typeAndFlags & 0xffff),
          keyword: ((typeAndFlags >>> 16) & 1) !== 0,
          termFreq: words[at + 7],
          payload: null,
        });
      }
    },
    () => {
      tokens = [];
    },
  );
  return { tokens, ...end };
}

/** Types that only a definition names (keep_types, word_delimiter type tables never make any; synonyms of custom sources may): ids above 1000. */
const customTypes: string[] = [];

function typeName(id: number): string {
  return id < 1000 ? TOKEN_TYPES[id] : customTypes[id - 1000];
}

export function tokenTypeIdOf(name: string): number {
  const known = tokenTypeId(name);
  if (known >= 0) return known;
  let custom = customTypes.indexOf(name);
  if (custom < 0) custom = customTypes.push(name) - 1;
  return 1000 + custom;
}

/** Bytes that the replay tokenizer reads. Payloads do not go this way. */
export function encodeTokens(stream: TokenStream): Uint8Array {
  const terms = stream.tokens.map((token) => encodeWtf8(token.term));
  let at = 16 + stream.tokens.length * 32;
  const out = new Uint8Array(terms.reduce((sum, term) => sum + term.length, at));
  const view = new DataView(out.buffer);
  view.setUint32(0, stream.tokens.length, true);
  view.setUint32(4, stream.endOffset, true);
  view.setUint32(8, stream.endPosInc, true);
  stream.tokens.forEach((token, i) => {
    const record = 16 + i * 32;
    view.setUint32(record, at, true);
    view.setUint32(record + 4, terms[i].length, true);
    view.setUint32(record + 8, token.startOffset, true);
    view.setUint32(record + 12, token.endOffset, true);
    view.setUint32(record + 16, token.posInc, true);
    view.setUint32(record + 20, token.posLen, true);
    view.setUint16(record + 24, tokenTypeIdOf(token.type), true);
    view.setUint16(record + 26, token.keyword ? 1 : 0, true);
    view.setUint32(record + 28, token.termFreq, true);
    out.set(terms[i], at);
    at += terms[i].length;
  });
  return out;
}
