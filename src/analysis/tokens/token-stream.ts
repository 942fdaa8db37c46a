// Tokens on the host: lists of objects, and their bytes for the replay tokenizer (assembly/analysis/tokenizers/replay.ts).
import { ApiError } from '../../errors/api-error.ts';
import { illegalArgument } from '../../errors/catalog.ts';
import type { AnalysisHost, ChainProgram, TextInput } from '../../wasm/analysis.ts';
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
  /**
   * End offset and increment of the text if it is read no further than for this token, which a limit further on may want to know;
   * -1 where that is the end of the whole text.
   */
  stopOffset: number;
  stopPosInc: number;
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
  return {
    term,
    startOffset,
    endOffset,
    posInc,
    posLen: 1,
    type,
    keyword: false,
    termFreq: 1,
    payload: null,
    stopOffset: -1,
    stopPosInc: 0,
  };
}

/** Tokens of a text that lists hold: a token takes some 200 bytes, and filters one behind the other multiply them. */
export const MAX_TOKENS = 1 << 20;

/** Bytes of the tokens of a text on their way to a kernel: n-grams of a long word grow with the square of it. */
const MAX_STREAM_BYTES = 1 << 29;

/** A text makes more tokens than a list may hold. */
export class TooManyTokens extends ApiError {
  constructor() {
    super('illegal_argument_exception', 400, `a text makes more than [${MAX_TOKENS}] tokens, which this analyzer cannot hold`);
  }
}

/** @throws TooManyTokens */
export function checkTokenCount(count: number): void {
  if (count > MAX_TOKENS) throw new TooManyTokens();
}

/**
 * Runs a kernel chain over a text and reads its tokens.
 * @param payloads what encodeTokens has collected, if the text is a token stream with payloads
 */
export function runChain(
  host: AnalysisHost,
  program: ChainProgram,
  text: Uint8Array | TextInput,
  payloads: readonly Uint8Array[] = [],
): TokenStream {
  let tokens: Token[] = [];
  const end = host.run(
    program,
    text,
    (bytes, words, tokensPtr, count) => {
      checkTokenCount(tokens.length + count);
      const place = program.isStepped ? host.place(program) : null;
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
          payload: payloadOf(host, program, typeAndFlags >>> 17, payloads),
          stopOffset: place?.endOffset ?? -1,
          stopPosInc: place?.endPosInc ?? 0,
        });
      }
    },
    () => {
      tokens = [];
    },
  );
  return { tokens, ...end };
}

/** @throws ApiError illegal_argument_exception: the text has more payloads than numbers */
function payloadOf(host: AnalysisHost, program: ChainProgram, number: number, payloads: readonly Uint8Array[]): Uint8Array | null {
  if (!number) return null;
  if (number === MAX_PAYLOADS) throw tooManyPayloads();
  return (program.payloadStage ?? -1) < 0 ? payloads[number - 1] : host.payload(program, number);
}

function tooManyPayloads(): ApiError {
  return illegalArgument(`a text has more than [${MAX_PAYLOADS - 1}] payloads`);
}

/** Types that only a definition names (keep_types, word_delimiter type tables never make any; synonyms of custom sources may): ids above 1000. */
const customTypes: string[] = [];

export function typeName(id: number): string {
  return id < 1000 ? TOKEN_TYPES[id] : customTypes[id - 1000];
}

export function tokenTypeIdOf(name: string): number {
  const known = tokenTypeId(name);
  if (known >= 0) return known;
  let custom = customTypes.indexOf(name);
  if (custom < 0) custom = customTypes.push(name) - 1;
  return 1000 + custom;
}

/** Number of payloads that have none of their own: numbers have 15 bits of a token's flags. */
const MAX_PAYLOADS = 0x7fff;

/**
 * Bytes that the replay tokenizer reads.
 * @param isStepped the chain wants to know where the text ends behind each token
 * @param payloads takes the different payloads; tokens carry their number, from 1, above the keyword flag, wherever filters copy them
 * @throws ApiError illegal_argument_exception: more than 32766 different payloads
 */
export function encodeTokens(stream: TokenStream, isStepped = false, payloads: Uint8Array[] | null = null): Uint8Array {
  const { tokens } = stream;
  // A UTF-16 unit takes three bytes at most.
  const records = 16 + tokens.length * 32;
  const stops = isStepped ? 8 * tokens.length + 4 : 0;
  const size = tokens.reduce((sum, token) => sum + token.term.length * 3, records + stops);
  if (size > MAX_STREAM_BYTES) throw illegalArgument(`the tokens of a text take more than [${MAX_STREAM_BYTES}] bytes`);
  const out = new Uint8Array(size);
  const words = new Uint32Array(out.buffer, 0, records >> 2);
  words[0] = tokens.length;
  words[1] = stream.endOffset;
  words[2] = stream.endPosInc;
  let at = records;
  let word = 4;
  const numbers = new Map<Uint8Array, number>();
  const numberOf = (payload: Uint8Array | null): number => {
    if (!payload || !payloads) return 0;
    let number = numbers.get(payload);
    if (number === undefined) {
      number = payloads.push(payload);
      if (number === MAX_PAYLOADS) throw tooManyPayloads();
      numbers.set(payload, number);
    }
    return number << 17;
  };
  for (const token of tokens) {
    const bytes = writeWtf8(out, at, token.term);
    words[word] = at;
    words[word + 1] = bytes;
    words[word + 2] = token.startOffset;
    words[word + 3] = token.endOffset;
    words[word + 4] = token.posInc;
    words[word + 5] = token.posLen;
    words[word + 6] = tokenTypeIdOf(token.type) | (token.keyword ? 0x10000 : 0) | numberOf(token.payload);
    words[word + 7] = token.termFreq;
    at += bytes;
    word += 8;
  }
  if (isStepped) {
    at = (at + 3) & ~3;
    words[3] = at;
    const view = new DataView(out.buffer);
    for (const { stopOffset, stopPosInc } of tokens) {
      view.setUint32(at, stopOffset < 0 ? stream.endOffset : stopOffset, true);
      view.setUint32(at + 4, stopPosInc, true);
      at += 8;
    }
  }
  return out.subarray(0, at);
}
