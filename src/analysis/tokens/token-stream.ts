// Tokens on the host: lists of objects, and their encoding for the replay tokenizer (assembly/analysis/tokenizers/replay.ts).
import { ApiError } from '../../errors/api-error.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';
import type { AnalysisHost, ChainProgram, TextInput } from '../../wasm/analysis.ts';
import { TokenType } from '../../wasm/generated/analysis.ts';
import {
  END_OFFSET,
  isKeyword,
  POS_INC,
  POS_LEN,
  payloadNumberOf,
  START_OFFSET,
  TERM_FREQ,
  TERM_LEN,
  TERM_PTR,
  TOKEN_WORDS,
  TYPE_AND_FLAGS,
  typeAndFlagsOf,
  typeOf,
} from './token-record.ts';
import { typeIdOf, typeName } from './token-types.ts';
import { decodeWtf8, writeWtf8 } from './wtf8.ts';

/** A token as filters on the host see it; its position is relative, as in Lucene's attributes. */
export interface Token {
  term: string;
  startOffset: number;
  endOffset: number;
  posInc: number;
  posLen: number;
  type: string;
  keyword: boolean;
  termFreq: number;
  /** Bytes from delimited_payload, shown in hex by `explain`; null if there are none. */
  payload: Uint8Array | null;
  /**
   * End offset and increment of the text if it is abandoned after this token, which a later limit may need; -1 for the end of the whole text.
   */
  stopOffset: number;
  stopPosInc: number;
}

/** Tokens of one text, and its end. */
export interface TokenStream {
  tokens: Token[];
  /** UTF-16 length of the text. */
  endOffset: number;
  /** Position increment after the last token, from removed tokens. */
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

/** Maximum number of tokens of a text in a list: a token takes about 200 bytes, and a sequence of filters multiplies them. */
export const MAX_TOKENS = 1 << 20;

/** Most bytes of the encoded tokens of a text: the size of a word's n-grams grows with the square of its length. */
const MAX_STREAM_BYTES = 1 << 29;

/** A text has more tokens than MAX_TOKENS. */
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
 * @param payloads what encodeTokens collected, if the text is a token stream with payloads
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
        const at = (tokensPtr >>> 2) + i * TOKEN_WORDS;
        const termPtr = words[at + TERM_PTR];
        const typeAndFlags = words[at + TYPE_AND_FLAGS];
        tokens.push({
          term: decodeWtf8(bytes, termPtr, termPtr + words[at + TERM_LEN]),
          startOffset: words[at + START_OFFSET],
          endOffset: words[at + END_OFFSET],
          posInc: words[at + POS_INC],
          posLen: words[at + POS_LEN],
          type: typeName(typeOf(typeAndFlags)),
          keyword: isKeyword(typeAndFlags),
          termFreq: words[at + TERM_FREQ],
          payload: payloadOf(host, program, payloadNumberOf(typeAndFlags), payloads),
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

/** @throws ApiError illegal_argument_exception: the text has more payloads than there are numbers */
function payloadOf(host: AnalysisHost, program: ChainProgram, number: number, payloads: readonly Uint8Array[]): Uint8Array | null {
  if (!number) return null;
  if (number === MAX_PAYLOADS) throw tooManyPayloadsError();
  return (program.payloadStage ?? -1) < 0 ? payloads[number - 1] : host.payload(program, number);
}

function tooManyPayloadsError(): ApiError {
  return illegalArgumentError(`a text has more than [${MAX_PAYLOADS - 1}] payloads`);
}

/** Number that marks a payload too many: numbers have 15 bits of a token's flags. */
const MAX_PAYLOADS = 0x7fff;

/**
 * Encodes tokens for the replay tokenizer.
 * @param isStepped whether the chain needs the end of the text after each token
 * @param payloads receives the distinct payloads; the flags of tokens hold their number, from 1, and filters copy it
 * @throws ApiError illegal_argument_exception: more than 32766 different payloads
 */
export function encodeTokens(stream: TokenStream, isStepped = false, payloads: Uint8Array[] | null = null): Uint8Array {
  const { tokens } = stream;
  // A UTF-16 unit takes at most three bytes.
  const records = 16 + tokens.length * TOKEN_WORDS * 4;
  const stops = isStepped ? 8 * tokens.length + 4 : 0;
  const size = tokens.reduce((sum, token) => sum + token.term.length * 3, records + stops);
  if (size > MAX_STREAM_BYTES) throw illegalArgumentError(`the tokens of a text take more than [${MAX_STREAM_BYTES}] bytes`);
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
      if (number === MAX_PAYLOADS) throw tooManyPayloadsError();
      numbers.set(payload, number);
    }
    return number;
  };
  for (const token of tokens) {
    const bytes = writeWtf8(out, at, token.term);
    words[word + TERM_PTR] = at;
    words[word + TERM_LEN] = bytes;
    words[word + START_OFFSET] = token.startOffset;
    words[word + END_OFFSET] = token.endOffset;
    words[word + POS_INC] = token.posInc;
    words[word + POS_LEN] = token.posLen;
    words[word + TYPE_AND_FLAGS] = typeAndFlagsOf(typeIdOf(token.type) ?? TokenType.WORD, token.keyword, numberOf(token.payload));
    words[word + TERM_FREQ] = token.termFreq;
    at += bytes;
    word += TOKEN_WORDS;
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
