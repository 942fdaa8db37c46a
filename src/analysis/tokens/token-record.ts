// A token in kernel memory as 32-bit words, by the layout of assembly/analysis/token.ts.
import { FLAG_KEYWORD, Token } from '../../wasm/generated/analysis.ts';

/** Words of a record, and the index of each field in it. */
export const TOKEN_WORDS = Token.sizeof >> 2;
export const TERM_PTR = Token.termPtr >> 2;
export const TERM_LEN = Token.termLen >> 2;
export const START_OFFSET = Token.startOffset >> 2;
export const END_OFFSET = Token.endOffset >> 2;
export const POS_INC = Token.posInc >> 2;
export const POS_LEN = Token.posLen >> 2;
export const TERM_FREQ = Token.termFreq >> 2;
/** Type in the lower half, flags in the upper one. */
export const TYPE_AND_FLAGS = Token.type >> 2;

const FLAGS_SHIFT = (Token.flags - Token.type) * 8;
const TYPE_MASK = (1 << FLAGS_SHIFT) - 1;
const KEYWORD_BIT = FLAG_KEYWORD << FLAGS_SHIFT;
/** The number of a payload is above the keyword flag. */
const PAYLOAD_SHIFT = FLAGS_SHIFT + 1;

export const typeOf = (typeAndFlags: number): number => typeAndFlags & TYPE_MASK;
export const isKeyword = (typeAndFlags: number): boolean => (typeAndFlags & KEYWORD_BIT) !== 0;
export const payloadNumberOf = (typeAndFlags: number): number => typeAndFlags >>> PAYLOAD_SHIFT;

export function typeAndFlagsOf(type: number, keyword: boolean, payloadNumber: number): number {
  return type | (keyword ? KEYWORD_BIT : 0) | (payloadNumber << PAYLOAD_SHIFT);
}
