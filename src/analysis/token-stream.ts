// Tokens on the host: lists of objects, and their bytes for the replay tokenizer (assembly/analysis/tokenizers/replay.ts).
import type { AnalysisHost, ChainProgram } from '../wasm/analysis.ts';
import { TOKEN_TYPES, tokenTypeId } from './token-types.ts';
import { decodeWtf8, writeWtf8 } from './wtf8.ts';

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
  const { tokens } = stream;
  // A UTF-16 unit takes three bytes at most.
  const records = 16 + tokens.length * 32;
  const out = new Uint8Array(tokens.reduce((sum, token) => sum + token.term.length * 3, records));
  const words = new Uint32Array(out.buffer, 0, records >> 2);
  words[0] = tokens.length;
  words[1] = stream.endOffset;
  words[2] = stream.endPosInc;
  let at = records;
  let word = 4;
  for (const token of tokens) {
    const bytes = writeWtf8(out, at, token.term);
    words[word] = at;
    words[word + 1] = bytes;
    words[word + 2] = token.startOffset;
    words[word + 3] = token.endOffset;
    words[word + 4] = token.posInc;
    words[word + 5] = token.posLen;
    words[word + 6] = tokenTypeIdOf(token.type) | (token.keyword ? 0x10000 : 0);
    words[word + 7] = token.termFreq;
    at += bytes;
    word += 8;
  }
  return out.subarray(0, at);
}
