// Lays out the region of a chain instance (stage.ts) for a blob, the chain's program.
//   blob ├─ ChainHeader ─┬─ ChainEntry × stageCount ─┬─ configs (8-byte aligned) ─┤
// The blob is read-only, may be shared by instances, and must outlive them. Written by src/analysis/blob.ts.
// Each producer gets a batch; producers, character filters and filters that store terms across batches get an area: the minimum
// size for the kind of stage, plus an equal share of the rest of the region.
import { E_CORRUPT, E_NO_SPACE } from '../mem/status';
import { BIGRAM_AREA } from './filters/combine/cjk-bigram';
import { clearAnswers } from './filters/expand/host-terms';
import { clearData } from './filters/rewrite/delimited';
import { clearStems } from './filters/rewrite/stem';
import { hasInner, INNER_HEAD, innerBlob, innerRegion } from './nested';
import { BATCH, Chain, resetChain, Stage, STAGE_BYTES, stageAt } from './stage';
import { ChainEntry, ChainHeader } from './stage-configs';
import { FIRST_FILTER, FIRST_STREAM_FILTER, FIRST_TEXT_FILTER, StageId } from './stage-ids';
import { TOKEN_BYTES } from './token';

const MAX_STAGES: u32 = 256;
/** Least size of an area: a token of 255 units may have 1020 bytes. A multiple of 64. */
const MIN_AREA: usize = (4096 + BIGRAM_AREA + 63) & ~63;

/**
 * @param isStepped 1: the chain is stepped whatever its blob says, because it is inside one that is
 * @param pull      table index of `pull` in run.ts
 * @returns 0, E_NO_SPACE (a larger region is needed) or E_CORRUPT
 */
export function layOut(region: usize, regionBytes: usize, blob: usize, isStepped: u32, pull: u32): i32 {
  const chain = changetype<Chain>(region), end = region + regionBytes, header = changetype<ChainHeader>(blob), count = header.stageCount;
  if (count == 0 || count > MAX_STAGES) return E_CORRUPT;
  chain.stageCount = count;
  chain.isStepped = (header.isStepped & 1) | isStepped;
  chain.batch = chain.isStepped ? 1 : BATCH;
  chain.pull = pull;
  chain.stages = (region + offsetof<Chain>() + 7) & ~7;
  const stagesEnd = (chain.stages + <usize>count * STAGE_BYTES + 63) & ~63;
  if (stagesEnd > end) return E_NO_SPACE;
  if (!readStages(chain, blob)) return E_CORRUPT;
  let fixed: usize = 0, areas: usize = 0;
  for (let i: u32 = 0; i < count; i++) {
    const stage = stageAt(chain, i), need = areaNeed(stage.id, stage.config);
    fixed += need;
    if (need) areas++;
    if (isProducer(stage.id)) fixed += BATCH * TOKEN_BYTES;
  }
  if (stagesEnd + fixed > end) return E_NO_SPACE;
  const share = ((end - stagesEnd - fixed) / areas) & ~63;
  let cur = stagesEnd;
  for (let i: u32 = 0; i < count; i++) {
    const stage = stageAt(chain, i), need = areaNeed(stage.id, stage.config);
    if (isProducer(stage.id)) {
      stage.tokens = cur;
      stage.batchStart = cur;
      cur += BATCH * TOKEN_BYTES;
    }
    if (!need) continue;
    stage.termsPtr = cur;
    cur += need + share;
    stage.termsEnd = cur;
    const status = open(chain, stage);
    if (status < 0) return status;
  }
  chain.tokens = stageAt(chain, chain.lastProducer).tokens;
  resetChain(chain, 0, 0);
  return 0;
}

/** Reads the stages of a blob. False: character filters, one tokenizer and filters are not in this order. */
function readStages(chain: Chain, blob: usize): bool {
  let producer: usize = 0;
  chain.textFilters = 0;
  for (let i: u32 = 0; i < chain.stageCount; i++) {
    const entry = entryAt(blob, i), stage = stageAt(chain, i);
    stage.id = entry.id;
    stage.index = i;
    stage.config = blob + entry.configOff;
    stage.configBytes = entry.configBytes;
    stage.input = producer;
    if (isTextFilter(stage.id)) {
      if (chain.textFilters++ != i) return false;
    } else if (isProducer(stage.id)) {
      producer = changetype<usize>(stage);
      chain.lastProducer = i;
    }
  }
  return chain.textFilters < chain.stageCount && stageAt(chain, chain.textFilters).id < FIRST_TEXT_FILTER;
}

// @ts-ignore: decorator
@inline
function entryAt(blob: usize, i: u32): ChainEntry {
  return changetype<ChainEntry>(blob + offsetof<ChainHeader>() + <usize>i * offsetof<ChainEntry>());
}

/** Prepares the area of a stage, once. Returns 0 or a status. */
function open(chain: Chain, stage: Stage): i32 {
  switch (stage.id) {
    case StageId.STEM: clearStems(stage); break;
    case StageId.HOST_TERMS: clearAnswers(stage); break;
    case StageId.DELIMITED: clearData(stage); break;
    case StageId.CONDITION:
    // Whose turn it is in a multiplexer depends on when a token is read, so its chain never reads ahead.
    case StageId.MULTIPLEXER: return openInner(stage, stage.id == StageId.CONDITION ? chain.isStepped : 1, chain.pull);
  }
  return 0;
}

/** Lays out the chain inside a condition or multiplexer. Returns 0 or a status. */
function openInner(stage: Stage, isStepped: u32, pull: u32): i32 {
  const region = innerRegion(stage), blob = innerBlob(stage.id, stage.config), need = regionNeed(blob);
  // Three quarters of what is left over go to the inner chain, since tokens may be long.
  const bytes = need + ((((stage.termsEnd - region - need - MIN_AREA) >> 2) * 3) & ~63);
  store<u32>(stage.termsPtr, <u32>(region + bytes));
  return layOut(region, bytes, blob, isStepped, pull);
}

/** Least size of a stage's area, a multiple of 64; 0 for a stage without one. */
function areaNeed(id: u32, config: usize): usize {
  if (hasInner(id)) return INNER_HEAD + regionNeed(innerBlob(id, config)) + MIN_AREA;
  return id < FIRST_FILTER || storesTerms(id) ? MIN_AREA : 0;
}

/** Least size of a region for a chain, a multiple of 64. */
function regionNeed(blob: usize): usize {
  const count = min<u32>(changetype<ChainHeader>(blob).stageCount, MAX_STAGES);
  let bytes = ((offsetof<Chain>() + 7) & ~7) + <usize>count * STAGE_BYTES + 128;
  for (let i: u32 = 0; i < count; i++) {
    const entry = entryAt(blob, i), id = entry.id;
    if (isProducer(id)) bytes += BATCH * TOKEN_BYTES;
    bytes += areaNeed(id, blob + entry.configOff);
  }
  return (bytes + 63) & ~63;
}

// @ts-ignore: decorator
@inline
function isTextFilter(id: u32): bool {
  return id >= FIRST_TEXT_FILTER && id < FIRST_STREAM_FILTER;
}

// @ts-ignore: decorator
@inline
function isProducer(id: u32): bool {
  return id < FIRST_FILTER && !isTextFilter(id);
}

/** In-place filters that store terms across batches. */
function storesTerms(id: u32): bool {
  return id == StageId.UNIQUE || id == StageId.DELIMITED || id == StageId.STEM || id == StageId.PREDICATE;
}
