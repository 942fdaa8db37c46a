// Memory of a chain instance: one region that the host gives, laid out at chainInit and never grown.
//   region ├─ Chain ─┬─ Stage × stageCount ─┬─ per producer: Token[BATCH] ─ term buffer ─┬─ ··· ─┤
// A producer (the tokenizer, or a filter that makes more tokens than it takes) owns a batch; the filters behind it, up to the next
// producer, change that batch in place. Its terms lie in the producer's term buffer, filled from termsPtr; a filter that lengthens a
// term takes room behind termCur. What is told to be config is read-only and belongs to the blob (see chain.ts).
import { E_NO_SPACE } from '../mem/status';
import { Token, TOKEN_BYTES } from './token';

/** Tokens of a batch: its room, and how many are made at once unless the chain is stepped. */
export const BATCH: u32 = 512;

// The host reads the first four words (src/wasm/analysis.ts).
// @ts-ignore: decorator
@unmanaged
export class Chain {
  /** Tokens of the batch that chainNext returned. */
  tokens: usize;
  /** UTF-16 length of the text, valid after the end. */
  endOffset: u32;
  /** Position increment behind the last token: holes left by removed tokens. Valid after the end. */
  endPosInc: u32;
  /** The batch that chainNext returned is the last one of the text. */
  isThrough: u32;
  stages: usize;
  stageCount: u32;
  /** Index of the last producer: the batch it owns is the chain's. */
  lastProducer: u32;
  textPtr: usize;
  textEnd: usize;
  /** Read position of the tokenizer. */
  cur: usize;
  /** UTF-16 offset of `cur` = cur - unitBase. */
  unitBase: usize;
  /** Character filters: stages before the tokenizer. */
  textFilters: u32;
  /** They have run over this text; they have changed it; endOffset is one of the text that was given. */
  isFiltered: u32;
  isMapped: u32;
  isEndCorrected: u32;
  /** A stepped chain hands out one token at a time, so that its stages have read no further than Lucene's when a limit stops them. */
  isStepped: u32;
  /** End of the whole text + 1, of a stepped chain; 0 if not known. */
  whole: u32;
  /** Tokens that a filter makes at once: BATCH, or 1 in a stepped chain. */
  batch: u32;
}

// @ts-ignore: decorator
@unmanaged
export class Stage {
  id: u32;
  config: usize;
  configBytes: u32;
  /** Batch of a producer: tokens, how many, how many of them its reader has taken. */
  tokens: usize;
  count: u32;
  taken: u32;
  /** In a stepped chain: where the tokens of the batch begin (`tokens` is the one at hand), and how many are still to come. */
  home: usize;
  left: u32;
  termsPtr: usize;
  termCur: usize;
  termsEnd: usize;
  /** State words; all 0 at chainReset, which knows that nothing else stands from here to the end. */
  a: u32;
  b: u32;
  c: u32;
  d: u32;
  /** Increment that removed tokens leave to the next one. */
  carry: u32;
  /** In a stepped chain: increment that the last token got from removed ones; it counts again if the text is left there, as in Lucene. */
  hole: u32;
  e: u32;
  f: u32;
  g: u32;
  h: u32;
}

// @ts-ignore: decorator
@inline
export function stageAt(chain: Chain, index: u32): Stage {
  return changetype<Stage>(chain.stages + <usize>index * offsetof<Stage>());
}

// @ts-ignore: decorator
@inline
export function tokenAt(batch: Stage, index: u32): Token {
  return changetype<Token>(batch.tokens + <usize>index * TOKEN_BYTES);
}

/** Gives a token a new term of `bytes` bytes; room comes from the batch. Old bytes are not copied. Returns 0 or E_NO_SPACE. */
export function renewTerm(batch: Stage, token: Token, bytes: u32): i32 {
  if (bytes > token.termLen) {
    if (batch.termCur + bytes > batch.termsEnd) return E_NO_SPACE;
    token.termPtr = batch.termCur;
    batch.termCur += bytes;
  }
  token.termLen = bytes;
  return 0;
}
