// A chain of stages as data, pulled batch by batch.
//   blob ├─ stageCount u32 ─┬─ flags u32: 1 = stepped ─┬─ per stage: id u32, configOff u32, configBytes u32, 0 ─┬─ configs (8-byte aligned) ─┤
// The blob is read-only, may be shared by instances, and must outlive them. An instance is a region (stage.ts).
//   chainInit(region, regionBytes, blob)  once;  chainReset(region, text, len)  per text;  chainNext(region)  until 0 or isThrough.
import { E_CORRUPT, E_NO_SPACE, E_OFFSETS } from '../mem/status';
import { utf16Length } from '../text/utf8';
import { correctBatch, correctOffset, filterText, textFilterOf } from './char-filters/text-filter';
import { BIGRAM_AREA, cjkBigramNext, hasNoBigrams } from './filters/combine/cjk-bigram';
import { commonGramsNext, gramsOnlyNext } from './filters/combine/common-grams';
import { decompoundNext } from './filters/expand/decompound';
import { clearData, delimitedFilter, payloadAt } from './filters/rewrite/delimited';
import { fingerprintNext } from './filters/combine/fingerprint';
import { flattenNext } from './filters/combine/flatten-graph';
import { asciiFoldingFilter } from './filters/rewrite/folding';
import { caseFilter } from './filters/rewrite/case';
import { conditionNext, INNER_HEAD, innerBlob, inputNext, openInner, predicateFilter } from './filters/nested/condition';
import { clearAnswers, hostTermsNext } from './filters/expand/host-terms';
import { minHashNext } from './filters/combine/min-hash';
import { multiplexerNext, selectNext } from './filters/nested/multiplexer';
import { ngramNext } from './filters/expand/ngram';
import { normalizeFilter } from './filters/rewrite/normalize';
import {
  isLimitReached, keepFilter, keepTypesFilter, keywordMarkerFilter, lengthFilter, limitFilter, stemmerOverrideFilter,
} from './filters/select/select';
import { repeatNext } from './filters/expand/repeat';
import { shingleNext } from './filters/combine/shingle';
import { clearStems, stemFilter } from './filters/rewrite/stem';
import { stopFilter, trailingStopNext } from './filters/select/stop';
import { apostropheFilter, classicFilter, elisionFilter, reverseFilter, trimFilter, truncateFilter } from './filters/rewrite/term-edit';
import { synonymNext } from './filters/combine/synonym';
import { uniqueFilter } from './filters/select/unique';
import { wordDelimiterNext } from './filters/expand/word-delimiter';
import { heldIncrement } from './producer';
import { BATCH, Chain, Stage, stageAt, tokenAt } from './stage';
import * as ID from './stage-ids';
import { TOKEN_BYTES } from './token';
import { classicNext } from './tokenizers/classic';
import { charClassNext } from './tokenizers/char-class';
import { keywordNext } from './tokenizers/keyword';
import { ngramTokenizerNext } from './tokenizers/ngram';
import { isReversedPath, pathNext } from './tokenizers/path';
import { replayEnd, replayNext } from './tokenizers/replay';
import { standardNext } from './tokenizers/standard';
import { thaiNext } from './tokenizers/thai';
import { urlEmailNext } from './tokenizers/url-email';

const STAGE_WORDS: usize = 16;
const MAX_STAGES: u32 = 256;
const STEPPED: u32 = 1;
/** Term buffers smaller than this make no sense: a token of 255 units may take 1020 bytes. A multiple of 64. */
export const MIN_TERMS: usize = (4096 + BIGRAM_AREA + 63) & ~63;

/** Lays out a region for a blob. Returns 0, E_NO_SPACE (a larger region is needed) or E_CORRUPT. Pre: region and blob are 8-byte aligned. */
export function chainInit(region: usize, regionBytes: usize, blob: usize): i32 {
  return layOut(region, regionBytes, blob, 0);
}

/** @param isStepped whatever the blob says: a chain inside one that is */
export function layOut(region: usize, regionBytes: usize, blob: usize, isStepped: u32): i32 {
  const chain = changetype<Chain>(region);
  const count = load<u32>(blob);
  if (count == 0 || count > MAX_STAGES) return E_CORRUPT;
  chain.stageCount = count;
  chain.isStepped = (load<u32>(blob, 4) & STEPPED) | isStepped;
  chain.batch = chain.isStepped ? 1 : BATCH;
  chain.stages = (region + offsetof<Chain>() + 7) & ~7;
  let cur = chain.stages + <usize>count * ((offsetof<Stage>() + 7) & ~7);
  const end = region + regionBytes;
  let producers: u32 = 0, areas: u32 = 0;
  chain.textFilters = 0;
  for (let i: u32 = 0; i < count; i++) {
    const entry = blob + 8 + <usize>i * STAGE_WORDS, stage = stageAt(chain, i);
    stage.id = load<u32>(entry);
    stage.config = blob + load<u32>(entry, 4);
    stage.configBytes = load<u32>(entry, 8);
    if (isTextFilter(stage.id)) {
      if (chain.textFilters++ != i) return E_CORRUPT;
      areas++;
    } else if (stage.id < ID.FIRST_FILTER) {
      producers++;
      chain.lastProducer = i;
    } else if (needsArea(stage.id)) areas++;
  }
  if (chain.textFilters == count || stageAt(chain, chain.textFilters).id >= ID.FIRST_TEXT_FILTER) return E_CORRUPT;
  cur = (cur + 63) & ~63;
  const fixed = <usize>producers * BATCH * TOKEN_BYTES;
  let needs: usize = 0;
  for (let i: u32 = 0; i < count; i++) needs += areaNeed(stageAt(chain, i).id, stageAt(chain, i).config);
  if (cur + fixed + needs > end) return E_NO_SPACE;
  const share = ((end - cur - fixed - needs) / (producers + areas)) & ~63;
  for (let i: u32 = 0; i < count; i++) {
    const stage = stageAt(chain, i);
    if (stage.id < ID.FIRST_FILTER && !isTextFilter(stage.id)) {
      stage.tokens = cur;
      stage.home = cur;
      cur += BATCH * TOKEN_BYTES;
    } else if (!isTextFilter(stage.id) && !needsArea(stage.id)) continue;
    stage.termsPtr = cur;
    cur += areaNeed(stage.id, stage.config) + share;
    stage.termsEnd = cur;
    if (stage.id == ID.S_STEM) clearStems(stage);
    if (stage.id == ID.S_HOST_TERMS) clearAnswers(stage);
    if (stage.id == ID.S_DELIMITED) clearData(stage);
    if (hasInner(stage.id)) {
      const status = openInner(chain, stage);
      if (status < 0) return status;
    }
  }
  chain.tokens = stageAt(chain, chain.lastProducer).tokens;
  chainReset(region, 0, 0);
  return 0;
}

/** Least bytes of a stage's area, a multiple of 64; 0 for a stage without one. */
function areaNeed(id: u32, config: usize): usize {
  if (hasInner(id)) return INNER_HEAD + regionNeed(innerBlob(id, config)) + MIN_TERMS;
  return isTextFilter(id) || id < ID.FIRST_FILTER || needsArea(id) ? MIN_TERMS : 0;
}

/** Least bytes of a region for a chain, a multiple of 64. */
export function regionNeed(blob: usize): usize {
  const count = min<u32>(load<u32>(blob), MAX_STAGES);
  let bytes = ((offsetof<Chain>() + 7) & ~7) + <usize>count * ((offsetof<Stage>() + 7) & ~7) + 128;
  for (let i: u32 = 0; i < count; i++) {
    const entry = blob + 8 + <usize>i * STAGE_WORDS, id = load<u32>(entry);
    if (id < ID.FIRST_FILTER && !isTextFilter(id)) bytes += BATCH * TOKEN_BYTES;
    bytes += areaNeed(id, blob + load<u32>(entry, 4));
  }
  return (bytes + 63) & ~63;
}

// @ts-ignore: decorator
@inline
function hasInner(id: u32): bool {
  return id == ID.S_CONDITION || id == ID.S_MULTIPLEXER;
}

/** Starts a text. Its bytes must stay where they are until the end. */
export function chainReset(region: usize, textPtr: usize, textLen: usize): void {
  const chain = changetype<Chain>(region);
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
    const stage = stageAt(chain, i);
    stage.count = 0;
    stage.taken = 0;
    stage.tokens = stage.home;
    stage.left = 0;
    stage.termCur = stage.termsPtr;
    // The state words and increments, from `a` to `h`.
    v128.store(changetype<usize>(stage), i32x4.splat(0), offsetof<Stage>("a"));
    v128.store(changetype<usize>(stage), i32x4.splat(0), offsetof<Stage>("carry"));
    store<u64>(changetype<usize>(stage), 0, offsetof<Stage>("g"));
  }
}

/** Starts a text and makes its first batch: chainReset and chainNext in one call. */
export function chainStart(region: usize, textPtr: usize, textLen: usize): i32 {
  chainReset(region, textPtr, textLen);
  return chainNext(region);
}

/**
 * Next batch: count of tokens at chain.tokens, 0 at the end, or a status below 0 and then the text must be started again
 * (E_NO_SPACE: in a larger region), or refused: E_WORK, E_REFUSED, E_INCREMENT, E_OFFSETS (a token would end before it starts, see hasOrder).
 */
export function chainNext(region: usize): i32 {
  const chain = changetype<Chain>(region);
  if (chain.textFilters && !chain.isFiltered) {
    const status = filterText(chain);
    if (status < 0) return status;
    chain.isFiltered = 1;
  }
  if (chain.isThrough) return 0;
  const count = pull(chain, chain.lastProducer, chain.stageCount);
  chain.tokens = stageAt(chain, chain.lastProducer).tokens;
  if (count == 0 || (count > 0 && isThrough(chain))) {
    chain.isThrough = 1;
    chain.endPosInc = heldIncrement(chain, chain.stageCount);
  }
  return count;
}

/** Whether the last producer has said all it has to say. Those that do not tell are asked once more: short texts are worth a call less. */
function isThrough(chain: Chain): bool {
  if (chain.isStepped || chain.textFilters) return false;
  const producer = stageAt(chain, chain.lastProducer);
  const isAll = producer.id == ID.S_CJK_BIGRAM ? hasNoBigrams(producer) : isWordTokenizer(producer.id) && chain.cur >= chain.textEnd;
  if (isAll) for (let i: u32 = 0; i < chain.stageCount; i++) stageAt(chain, i).hole = 0;
  return isAll;
}

// @ts-ignore: decorator
@inline
function isWordTokenizer(id: u32): bool {
  return id == ID.S_STANDARD || id == ID.S_CHAR_CLASS;
}

/** Fills the batch of the producer at `index` and runs the filters behind it, which end before `filtersEnd`. */
export function pull(chain: Chain, index: u32, filtersEnd: u32): i32 {
  const batch = stageAt(chain, index);
  while (true) {
    if (isStopped(chain, index, filtersEnd)) {
      batch.count = 0;
      return 0;
    }
    const made = chain.isStepped ? step(chain, index, batch) : produceCorrected(chain, index, batch);
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

/**
 * Whether a limit among the filters behind a producer asks for no more. Those behind it are at the end of their input, and have no hole.
 */
function isStopped(chain: Chain, index: u32, filtersEnd: u32): bool {
  for (let i = filtersEnd - 1; i > index; i--) {
    const stage = stageAt(chain, i);
    if (stage.id == ID.S_LIMIT && isLimitReached(stage)) return true;
    stage.hole = 0;
  }
  return false;
}

/** The next token of a producer, its batch one token further on. Returns 1, 0 at the end, or a status. */
function step(chain: Chain, index: u32, batch: Stage): i32 {
  if (batch.left) {
    batch.tokens += TOKEN_BYTES;
    batch.left--;
  } else {
    batch.tokens = batch.home;
    const made = produceCorrected(chain, index, batch);
    if (made <= 0) return made;
    batch.left = made - 1;
  }
  if (index == chain.textFilters) tellPlace(chain, batch);
  return 1;
}

/** Sets the end of the text to what it is if the tokenizer is left behind its token at hand. */
function tellPlace(chain: Chain, batch: Stage): void {
  const token = tokenAt(batch, 0);
  if (batch.id == ID.S_PATH && !isReversedPath(batch)) {
    if (chain.isMapped) chain.endOffset = correctOffset(chain, chain.endOffset);
    return;
  }
  switch (batch.id) {
    case ID.S_REPLAY:
      replayEnd(chain, batch);
      return;
    // The chain around these knows.
    case ID.S_INPUT:
    case ID.S_SELECT:
      return;
    case ID.S_STANDARD:
    case ID.S_CHAR_CLASS:
    case ID.S_CLASSIC:
    case ID.S_URL_EMAIL:
      chain.endOffset = token.endOffset;
      // What the tokenizer carries lies behind its whole batch, which is further than the token at hand.
      batch.hole = token.posInc - 1 - batch.carry;
      return;
    default:
      // These have read the text before they cut it.
      if (!chain.whole) {
        const units = utf16Length(chain.textPtr, chain.textEnd);
        chain.whole = 1 + (chain.isMapped ? correctOffset(chain, units) : units);
      }
      chain.endOffset = chain.whole - 1;
  }
}

// @ts-ignore: decorator
@inline
function produceCorrected(chain: Chain, index: u32, batch: Stage): i32 {
  const made = produce(chain, index, batch);
  if (chain.isMapped && index == chain.textFilters) correct(chain, batch, made);
  return made;
}

/** Offsets of what the tokenizer has made of a filtered text. */
function correct(chain: Chain, batch: Stage, made: i32): void {
  if (made > 0) correctBatch(chain, batch, made);
  if (made != 0 || chain.isEndCorrected) return;
  chain.endOffset = chain.whole ? chain.whole - 1 : correctOffset(chain, chain.endOffset);
  chain.isEndCorrected = 1;
}

function produce(chain: Chain, index: u32, stage: Stage): i32 {
  switch (stage.id) {
    case ID.S_STANDARD: return standardNext(chain, stage);
    case ID.S_CHAR_CLASS: return charClassNext(chain, stage);
    case ID.S_KEYWORD: return keywordNext(chain, stage);
    case ID.S_REPLAY: return replayNext(chain, stage);
    case ID.S_CLASSIC: return classicNext(chain, stage);
    case ID.S_URL_EMAIL: return urlEmailNext(chain, stage);
    case ID.S_NGRAM_TOKENIZER: return ngramTokenizerNext(chain, stage);
    case ID.S_INPUT: return inputNext(chain, stage);
    case ID.S_SELECT: return selectNext(chain, stage);
    case ID.S_THAI: return thaiNext(chain, stage);
    case ID.S_PATH: return pathNext(chain, stage);
    case ID.S_CJK_BIGRAM: return cjkBigramNext(chain, index, stage, producerBefore(chain, index));
    case ID.S_NGRAM: return ngramNext(chain, index, stage, producerBefore(chain, index));
    case ID.S_SHINGLE: return shingleNext(chain, index, stage, producerBefore(chain, index));
    case ID.S_SYNONYM: return synonymNext(chain, index, stage, producerBefore(chain, index));
    case ID.S_FLATTEN: return flattenNext(chain, index, stage, producerBefore(chain, index));
    case ID.S_WORD_DELIMITER: return wordDelimiterNext(chain, index, stage, producerBefore(chain, index));
    case ID.S_COMMON_GRAMS: return commonGramsNext(chain, index, stage, producerBefore(chain, index));
    case ID.S_GRAMS_ONLY: return gramsOnlyNext(chain, index, stage, producerBefore(chain, index));
    case ID.S_FINGERPRINT: return fingerprintNext(chain, index, stage, producerBefore(chain, index));
    case ID.S_MIN_HASH: return minHashNext(chain, index, stage, producerBefore(chain, index));
    case ID.S_DECOMPOUND: return decompoundNext(chain, index, stage, producerBefore(chain, index));
    case ID.S_KEYWORD_REPEAT:
    case ID.S_FOLDING_AND_ORIGINAL: return repeatNext(chain, index, stage, producerBefore(chain, index));
    case ID.S_TRAILING_STOP: return trailingStopNext(chain, index, stage, producerBefore(chain, index));
    case ID.S_CONDITION: return conditionNext(chain, index, stage, producerBefore(chain, index));
    case ID.S_HOST_TERMS: return hostTermsNext(chain, index, stage, producerBefore(chain, index));
    case ID.S_MULTIPLEXER: return multiplexerNext(chain, index, stage, producerBefore(chain, index));
    default: return E_CORRUPT;
  }
}

function transform(stage: Stage, batch: Stage): i32 {
  switch (stage.id) {
    case ID.S_CASE: return caseFilter(stage, batch);
    case ID.S_STOP: return stopFilter(stage, batch);
    case ID.S_FOLDING: return asciiFoldingFilter(stage, batch);
    case ID.S_UNIQUE: return uniqueFilter(stage, batch);
    case ID.S_NORMALIZE: return normalizeFilter(stage, batch);
    case ID.S_APOSTROPHE: return apostropheFilter(stage, batch);
    case ID.S_ELISION: return elisionFilter(stage, batch);
    case ID.S_CLASSIC_FILTER: return classicFilter(stage, batch);
    case ID.S_REVERSE: return reverseFilter(stage, batch);
    case ID.S_TRIM: return trimFilter(stage, batch);
    case ID.S_TRUNCATE: return truncateFilter(stage, batch);
    case ID.S_KEEP: return keepFilter(stage, batch);
    case ID.S_KEEP_TYPES: return keepTypesFilter(stage, batch);
    case ID.S_LENGTH: return lengthFilter(stage, batch);
    case ID.S_LIMIT: return limitFilter(stage, batch);
    case ID.S_KEYWORD_MARKER: return keywordMarkerFilter(stage, batch);
    case ID.S_STEMMER_OVERRIDE: return stemmerOverrideFilter(stage, batch);
    case ID.S_DELIMITED: return delimitedFilter(stage, batch);
    case ID.S_PREDICATE: return predicateFilter(stage, batch);
    case ID.S_STEM: return stemFilter(stage, batch);
    default: return E_CORRUPT;
  }
}

// @ts-ignore: decorator
@inline
function isTextFilter(id: u32): bool {
  return id >= ID.FIRST_TEXT_FILTER && id < ID.FIRST_STREAM_FILTER;
}

/** Filters that join tokens, which another filter may have put out of order. */
// @ts-ignore: decorator
@inline
function mayDisorder(id: u32): bool {
  return id == ID.S_SHINGLE || id == ID.S_SYNONYM || id == ID.S_COMMON_GRAMS || id == ID.S_WORD_DELIMITER;
}

/** Whether each token ends at or behind its start. If not, the chain's endPosInc and endOffset are start and end of the first that does not. */
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

/** Stages that keep terms across batches get a share of the region. */
function needsArea(id: u32): bool {
  return id == ID.S_UNIQUE || id == ID.S_DELIMITED || id == ID.S_STEM || id == ID.S_PREDICATE;
}

/** The producer whose batch the one at `index` reads. The tokenizer is the first. */
function producerBefore(chain: Chain, index: u32): u32 {
  let before = index - 1;
  while (stageAt(chain, before).id >= ID.FIRST_FILTER) before--;
  return before;
}

/** Of a stepped chain, between two tokens: increment behind the last one if the text is left here. The chain's endOffset is valid then, too. */
export function chainHeldPosInc(region: usize): u32 {
  const chain = changetype<Chain>(region);
  return heldIncrement(chain, chain.stageCount);
}

export function chainMapCount(region: usize, filter: u32): u32 {
  const chain = changetype<Chain>(region);
  return chain.isMapped ? textFilterOf(stageAt(chain, filter)).mapCount : 0;
}

/** Offsets of a character filter (char-filters/text-filter.ts). */
export function chainMap(region: usize, filter: u32): usize {
  return textFilterOf(stageAt(changetype<Chain>(region), filter)).map;
}

/** A payload that a stage (filters/rewrite/delimited.ts) has given to tokens of the text at hand. */
export function chainPayload(region: usize, stage: u32, number: u32): usize {
  return payloadAt(stageAt(changetype<Chain>(region), stage), number);
}
