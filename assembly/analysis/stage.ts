// Memory of a chain instance: one region, allocated by the host, laid out by chainInit (layout.ts) and never grown.
//   region ├─ Chain ─┬─ stage × stageCount, STAGE_BYTES each ─┬─ per producer: Token[BATCH] ─ area ─┬─ ··· ─┤
// A producer (the tokenizer, or a filter that may emit more tokens than it reads) owns a batch; the filters after it, up to the next
// producer, change that batch in place. The terms of a batch are in its producer's area, between termsPtr and termCur; a filter that
// lengthens a term allocates after termCur. A stage's config is read-only and part of the blob (layout.ts).
//   stage ├─ Stage ─┬─ state words × STATE_WORDS ─┤
// Each kind of stage has a subclass of Stage with its own state (ShingleState, ...), cast once at the top of its function by stateOf.
import { E_NO_SPACE } from '../mem/status';
import { Token, TOKEN_BYTES } from './token';

/** Capacity of a batch in tokens, and how many are produced at once unless the chain is stepped. */
export const BATCH: u32 = 512;

// Shared with the host, which reads the first four words (src/wasm/analysis.ts).
// @ts-ignore: decorator
@unmanaged
export class Chain {
  /** Tokens of the batch that chainNext returned. */
  tokens: usize;
  /** UTF-16 length of the text; valid at the end. */
  endOffset: u32;
  /** Position increment after the last token: holes left by removed tokens. Valid at the end. */
  endPosInc: u32;
  /** 1 if the batch that chainNext returned is the last one of the text. */
  isThrough: u32;
  stages: usize;
  stageCount: u32;
  /** Index of the last producer, whose batch chainNext returns. */
  lastProducer: u32;
  textPtr: usize;
  textEnd: usize;
  /** Read position of the tokenizer. */
  cur: usize;
  /** UTF-16 offset of `cur` = cur - unitBase. */
  unitBase: usize;
  /** Number of character filters: the stages before the tokenizer. */
  textFilters: u32;
  /** 1 once the character filters have run over this text. */
  isFiltered: u32;
  /** 1 if they changed the text, so that offsets must be mapped back. */
  isMapped: u32;
  /** 1 once endOffset has been mapped back to the original text. */
  isEndCorrected: u32;
  /** 1 if the chain returns one token at a time, so that its stages have read no further than Lucene's when a limit stops them. */
  isStepped: u32;
  /** Stepped chains: offset of the end of the whole text, plus 1; 0 if not known yet. */
  whole: u32;
  /** Number of tokens that a filter emits at once: BATCH, or 1 in a stepped chain. */
  batch: u32;
  /** Table index of `pull` in run.ts. Filters read their input through it (producer.ts) and need not import run.ts, which imports them. */
  pull: u32;
}

/** Header that all stages share. */
// @ts-ignore: decorator
@unmanaged
export class Stage {
  id: u32;
  index: u32;
  config: usize;
  configBytes: u32;
  /** Filters with a batch of their own: address of the producer that they read, see inputOf. */
  input: usize;
  /** Batch of a producer: its tokens, their number, and how many of them the reader has consumed. */
  tokens: usize;
  count: u32;
  taken: u32;
  /** Stepped chains: start of the batch (`tokens` is the current token), and the number of tokens after the current one. */
  batchStart: usize;
  left: u32;
  /** Area of the stage: terms of its batch, or whatever else the stage stores across batches. */
  termsPtr: usize;
  termCur: usize;
  termsEnd: usize;
  /** Position increment of removed tokens, to be added to the next token. resetChain clears everything from here to the end. */
  carry: u32;
  /** Stepped chains: increment that the current token got from removed ones. It counts again if the text ends here, as in Lucene. */
  hole: u32;
  /** 1 once the producer read by this stage has reported the end of the text. */
  isInputEnded: u32;
}

/** State of stages that build their data structures in the area on first use. */
// @ts-ignore: decorator
@unmanaged
export class AreaState extends Stage {
  isLaidOut: u32;
}

/** Words after the header, for the fields of subclasses. */
const STATE_WORDS: usize = 7;
export const STAGE_BYTES: usize = offsetof<Stage>() + STATE_WORDS * 4;

/** Casts a stage to the class of its kind. A class with too many fields does not compile. */
// @ts-ignore: decorator
@inline
export function stateOf<T extends Stage>(stage: Stage): T {
  if (offsetof<T>() > STAGE_BYTES) ERROR("the state exceeds STATE_WORDS");
  return changetype<T>(stage);
}

// @ts-ignore: decorator
@inline
export function stageAt(chain: Chain, index: u32): Stage {
  return changetype<Stage>(chain.stages + <usize>index * STAGE_BYTES);
}

/** The producer whose batch a filter reads. */
// @ts-ignore: decorator
@inline
export function inputOf(stage: Stage): Stage {
  return changetype<Stage>(stage.input);
}

// @ts-ignore: decorator
@inline
export function tokenAt(batch: Stage, index: u32): Token {
  return changetype<Token>(batch.tokens + <usize>index * TOKEN_BYTES);
}

/** Gives a token a new term of `bytes` bytes, allocated from the batch if the old one is shorter. Does not copy. Returns 0 or E_NO_SPACE. */
export function renewTerm(batch: Stage, token: Token, bytes: u32): i32 {
  if (bytes > token.termLen) {
    if (batch.termCur + bytes > batch.termsEnd) return E_NO_SPACE;
    token.termPtr = batch.termCur;
    batch.termCur += bytes;
  }
  token.termLen = bytes;
  return 0;
}

/** Starts a text. Its bytes must stay in place until the end. */
export function resetChain(chain: Chain, textPtr: usize, textLen: usize): void {
  chain.textPtr = textPtr;
  chain.textEnd = textPtr + textLen;
  chain.cur = textPtr;
  chain.unitBase = textPtr;
  chain.endOffset = 0;
  chain.endPosInc = 0;
  chain.isThrough = 0;
  chain.isFiltered = 0;
  chain.isMapped = 0;
  chain.isEndCorrected = 0;
  chain.whole = 0;
  for (let i: u32 = 0; i < chain.stageCount; i++) {
    const stage = stageAt(chain, i), state = changetype<usize>(stage) + offsetof<Stage>('carry');
    stage.count = 0;
    stage.taken = 0;
    stage.tokens = stage.batchStart;
    stage.left = 0;
    stage.termCur = stage.termsPtr;
    // The ten words from carry to the end of the state.
    v128.store(state, i32x4.splat(0));
    v128.store(state, i32x4.splat(0), 16);
    store<u64>(state, 0, 32);
  }
}
