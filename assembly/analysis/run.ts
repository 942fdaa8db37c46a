// Runs a chain of stages over its input, batch by batch. Each producer pulls batches from the one before it.
//   chainInit(region, regionBytes, blob)  once;  chainReset(region, text, len)  per text;  chainNext(region)  until 0 or isThrough
// layout.ts draws the blob, stage.ts the region, dispatch.ts lists the stages.
import { E_OFFSETS } from '../mem/status';
import { utf16Length } from '../text/utf8';
import { correctBatch, correctOffset, textFilterOf } from './char-filters/text-filter';
import { filterText } from './char-filters/run';
import { produce, transform } from './dispatch';
import { hasNoBigrams } from './filters/combine/cjk-bigram';
import { payloadAt } from './filters/rewrite/delimited';
import { isLimitReached } from './filters/select/select';
import { layOut } from './layout';
import { endChain, heldIncrement } from './producer';
import { Chain, resetChain, Stage, stageAt, tokenAt } from './stage';
import { StageId } from './stage-ids';
import { TOKEN_BYTES } from './token';
import { isReversedPath } from './tokenizers/path';
import { replayEnd } from './tokenizers/replay';

/** Lays out a region for a blob. Returns 0, E_NO_SPACE (a larger region is needed) or E_CORRUPT. Pre: region and blob are 8-byte aligned. */
export function chainInit(region: usize, regionBytes: usize, blob: usize): i32 {
  return layOut(region, regionBytes, blob, 0, pull.index);
}

/** Starts a text. Its bytes must stay in place until the end. */
export function chainReset(region: usize, textPtr: usize, textLen: usize): void {
  resetChain(changetype<Chain>(region), textPtr, textLen);
}

/** Starts a text and returns its first batch: chainReset and chainNext in one call. */
export function chainStart(region: usize, textPtr: usize, textLen: usize): i32 {
  chainReset(region, textPtr, textLen);
  return chainNext(region);
}

/**
 * Next batch: the number of tokens at chain.tokens, 0 at the end, or a status below 0. After E_NO_SPACE the text must be started again in a
 * larger region; after E_WORK, E_REFUSED, E_INCREMENT and E_OFFSETS (a token would end before it starts, see hasOrder) it is refused.
 */
export function chainNext(region: usize): i32 {
  const chain = changetype<Chain>(region);
  if (chain.textFilters && !chain.isFiltered) {
    const status = filterText(chain);
    if (status < 0) return status;
    chain.isFiltered = 1;
  }
  // As nextBatch does for inner chains, but with a direct call: stepped chains come here once per token (limit: 6 ns each).
  if (chain.isThrough) return 0;
  const count = pull(chain, chain.lastProducer, chain.stageCount);
  chain.tokens = stageAt(chain, chain.lastProducer).tokens;
  if (count == 0 || (count > 0 && isThrough(chain))) endChain(chain);
  return count;
}

/** Whether the last producer is known to be exhausted. Saves a call for short input; other producers return 0 from the next one. */
function isThrough(chain: Chain): bool {
  if (chain.isStepped || chain.textFilters) return false;
  const producer = stageAt(chain, chain.lastProducer);
  const isAll = producer.id == StageId.CJK_BIGRAM ? hasNoBigrams(producer) : isWordTokenizer(producer.id) && chain.cur >= chain.textEnd;
  if (isAll) for (let i: u32 = 0; i < chain.stageCount; i++) stageAt(chain, i).hole = 0;
  return isAll;
}

// @ts-ignore: decorator
@inline
function isWordTokenizer(id: u32): bool {
  return id == StageId.STANDARD || id == StageId.CHAR_CLASS;
}

/**
 * Fills the batch of the producer at `index` and runs the filters between it and `filtersEnd`. Called through Chain.pull.
 * @returns the number of tokens, 0 at the end, or a status below 0
 */
function pull(chain: Chain, index: u32, filtersEnd: u32): i32 {
  const batch = stageAt(chain, index);
  while (true) {
    if (isStopped(chain, index, filtersEnd)) {
      batch.count = 0;
      return 0;
    }
    const made = chain.isStepped ? step(chain, batch) : produceCorrected(chain, batch);
    if (made <= 0) {
      batch.count = 0;
      for (let i = index; i < filtersEnd; i++) stageAt(chain, i).hole = 0;
      return made;
    }
    if (mayDisorder(batch.id) && !hasOrder(chain, batch, made)) return E_OFFSETS;
    batch.count = made;
    batch.taken = 0;
    for (let i = index + 1; i < filtersEnd && batch.count; i++) {
      const stage = stageAt(chain, i), carry = stage.carry;
      const status = transform(stage, batch);
      if (status < 0) return status;
      stage.hole = batch.count ? carry : 0;
    }
    if (batch.count) return batch.count;
  }
}

/** Whether a limit among the filters after a producer needs no more tokens. The filters after the limit are then at their end, without a hole. */
function isStopped(chain: Chain, index: u32, filtersEnd: u32): bool {
  for (let i = filtersEnd - 1; i > index; i--) {
    const stage = stageAt(chain, i);
    if (stage.id == StageId.LIMIT && isLimitReached(stage)) return true;
    stage.hole = 0;
  }
  return false;
}

/** Moves a producer of a stepped chain to its next token. Returns 1, 0 at the end, or a status. */
function step(chain: Chain, batch: Stage): i32 {
  if (batch.left) {
    batch.tokens += TOKEN_BYTES;
    batch.left--;
  } else {
    batch.tokens = batch.batchStart;
    const made = produceCorrected(chain, batch);
    if (made <= 0) return made;
    batch.left = made - 1;
  }
  if (batch.index == chain.textFilters) setEndAtToken(chain, batch);
  return 1;
}

/** Sets chain.endOffset as if the text were abandoned after the tokenizer's current token. */
function setEndAtToken(chain: Chain, batch: Stage): void {
  const token = tokenAt(batch, 0);
  if (batch.id == StageId.PATH && !isReversedPath(batch)) {
    if (chain.isMapped) chain.endOffset = correctOffset(chain, chain.endOffset);
    return;
  }
  switch (batch.id) {
    case StageId.REPLAY:
      replayEnd(chain, batch);
      return;
    // The outer chain sets it.
    case StageId.INPUT:
    case StageId.SELECT:
      return;
    case StageId.STANDARD:
    case StageId.CHAR_CLASS:
    case StageId.CLASSIC:
    case StageId.URL_EMAIL:
      chain.endOffset = token.endOffset;
      // The tokenizer's carry belongs to the end of its batch, which is after the current token.
      batch.hole = token.posInc - 1 - batch.carry;
      return;
    default:
      // These read the whole text before they cut it.
      if (!chain.whole) {
        const units = utf16Length(chain.textPtr, chain.textEnd);
        chain.whole = 1 + (chain.isMapped ? correctOffset(chain, units) : units);
      }
      chain.endOffset = chain.whole - 1;
  }
}

/** Fills the batch of a producer; offsets of a tokenizer that read a filtered text are mapped back to the original one. */
// @ts-ignore: decorator
@inline
function produceCorrected(chain: Chain, batch: Stage): i32 {
  const made = produce(chain, batch);
  if (chain.isMapped && batch.index == chain.textFilters) correct(chain, batch, made);
  return made;
}

function correct(chain: Chain, batch: Stage, made: i32): void {
  if (made > 0) correctBatch(chain, batch, made);
  if (made != 0 || chain.isEndCorrected) return;
  chain.endOffset = chain.whole ? chain.whole - 1 : correctOffset(chain, chain.endOffset);
  chain.isEndCorrected = 1;
}

/** Filters that join tokens, which an earlier filter may have put out of order. */
// @ts-ignore: decorator
@inline
function mayDisorder(id: u32): bool {
  return id == StageId.SHINGLE || id == StageId.SYNONYM || id == StageId.COMMON_GRAMS || id == StageId.WORD_DELIMITER;
}

/** Whether no token ends before it starts. Otherwise the chain's endPosInc and endOffset are set to start and end of the first that does. */
function hasOrder(chain: Chain, batch: Stage, made: u32): bool {
  for (let i: u32 = 0; i < made; i++) {
    const token = tokenAt(batch, i);
    if (token.endOffset >= token.startOffset) continue;
    chain.endPosInc = token.startOffset;
    chain.endOffset = token.endOffset;
    return false;
  }
  return true;
}

/** Stepped chains, between two tokens: position increment if the text were abandoned after the last token. chain.endOffset is valid then, too. */
export function chainHeldPosInc(region: usize): u32 {
  const chain = changetype<Chain>(region);
  return heldIncrement(chain, chain.stageCount);
}

/** Number of offset corrections of a character filter. */
export function chainMapCount(region: usize, filter: u32): u32 {
  const chain = changetype<Chain>(region);
  return chain.isMapped ? textFilterOf(stageAt(chain, filter)).mapCount : 0;
}

/** Offset corrections of a character filter (char-filters/text-filter.ts). */
export function chainMap(region: usize, filter: u32): usize {
  return textFilterOf(stageAt(changetype<Chain>(region), filter)).map;
}

/** A payload of the current text, by the number that a stage (filters/rewrite/delimited.ts) gave to tokens. */
export function chainPayload(region: usize, stage: u32, number: u32): usize {
  return payloadAt(stageAt(changetype<Chain>(region), stage), number);
}
