// Filters over some of the tokens: `condition`, where a script decides, and the branches of `multiplexer` (multiplexer.ts), where the turn decides.
// Tokens in a row that the test takes are a run: they go through a chain of their own, which begins anew with each run. Others pass.
//   config ├─ test u32: a script's number, or 0 ─┬─ turn u32, if there is no script ─┬─ blob of the inner chain, its first stage S_INPUT ─┤
//   area   ├─ address of the terms u32 ─┬─ 0 × 12 ─┬─ verdicts u8 × BATCH ─┬─ region of the inner chain ─┬─ terms of the batch ─┤
// The inner chain reads a token when it asks for one, as Lucene's does (ConditionalTokenFilter), so that a filter which reads ahead or stops early
// finds what it finds there:
// - What a run leaves as a hole at its end is added to the next token, or is the text's if that ends with the run.
// - A run whose first token stands at the position of the one before begins at the next, and what comes of it is moved back.
// - A run that ends before its tokens do (a limit) ends the text.
// State: a = 1 in a run, b = tokens of the inner batch, c = how many are written, d = position of the last token that the script has seen + 1,
// e = verdict on the token at hand, g = 1 while the run's first token is to be moved back, h = hole before the token at hand.
import { E_INCREMENT, E_NO_SPACE } from '../../../mem/status';
import { chainNext, chainReset, layOut, MIN_TERMS, regionNeed } from '../../chain';
import { hostVerdicts } from '../../host-calls';
import { awaitToken, emitToken, forgetHoles, termsLimit } from '../../producer';
import { BATCH, Chain, Stage, stageAt, tokenAt } from '../../stage';
import { S_CONDITION } from '../../stage-ids';
import { Token, TOKEN_BYTES } from '../../token';
import { keepToken } from '../select/drop';

/** Verdicts: not asked yet, passes, goes through the filters. */
const UNKNOWN: u32 = 0;
const PASSES: u32 = 1;
const FILTERED: u32 = 2;
const BLOB: usize = 8;
const VERDICTS: usize = 16;
/** Bytes in front of the inner region, at most; a multiple of 64. */
export const INNER_HEAD: usize = 768;

/** Region of the chain inside a stage; terms of the stage's batch lie behind it. */
// @ts-ignore: decorator
@inline
export function innerRegion(stage: Stage): usize {
  return (stage.termsPtr + VERDICTS + BATCH + 63) & ~63;
}

// @ts-ignore: decorator
@inline
export function termsBehind(stage: Stage): usize {
  return load<u32>(stage.termsPtr);
}

/** Chain inside a stage, as bytes. */
// @ts-ignore: decorator
@inline
export function innerBlob(id: u32, config: usize): usize {
  return id == S_CONDITION ? config + BLOB : config;
}

/** Lays out the chain inside a condition or multiplexer. Returns 0 or a status. */
export function openInner(chain: Chain, stage: Stage): i32 {
  const region = innerRegion(stage), blob = innerBlob(stage.id, stage.config), need = regionNeed(blob);
  // What it does not need at least is shared, since tokens may be long.
  const bytes = need + ((((stage.termsEnd - region - need - MIN_TERMS) >> 2) * 3) & ~63);
  store<u32>(stage.termsPtr, <u32>(region + bytes));
  // Whose turn it is counts when a token is read, not before.
  return layOut(region, bytes, blob, stage.id == S_CONDITION ? chain.isStepped : 1);
}

/** Starts the inner chain; its first stage reads what the stage at `index` has before it. */
export function startInner(chain: Chain, index: u32, stage: Stage, previousProducer: u32): void {
  const region = innerRegion(stage);
  chainReset(region, 0, 0);
  const source = stageAt(changetype<Chain>(region), 0);
  source.a = <u32>changetype<usize>(chain);
  source.b = index;
  source.c = previousProducer;
}

/** Passes a failure on with what it tells (chain.ts). */
export function fail(from: Chain, to: Chain, status: i32): i32 {
  to.endOffset = from.endOffset;
  to.endPosInc = from.endPosInc;
  return status;
}

export function conditionNext(chain: Chain, index: u32, stage: Stage, previousProducer: u32): i32 {
  const input = stageAt(chain, previousProducer), inner = changetype<Chain>(innerRegion(stage)), outPtr = termsBehind(stage);
  const outEnd = termsLimit(stage, outPtr);
  stage.termCur = outPtr;
  let made: u32 = 0;
  while (made < chain.batch) {
    if (stage.a) {
      if (stage.c == stage.b) {
        const count = chainNext(changetype<usize>(inner));
        if (count < 0) return fail(inner, chain, count);
        stage.b = count;
        stage.c = 0;
        if (!count) {
          stage.a = 0;
          if (stage.e == PASSES) stage.h = inner.endPosInc;
          else {
            // The text has ended, or ends here.
            stage.f = 1;
            forgetHoles(chain, index);
            stage.carry = inner.endPosInc;
          }
          continue;
        }
      }
      const token = changetype<Token>(inner.tokens + <usize>stage.c * TOKEN_BYTES);
      if (stage.g > token.posInc) return E_INCREMENT;
      if (emitToken(stage, made, token, token.termPtr, token.termLen, outEnd) < 0) return made ? made : E_NO_SPACE;
      tokenAt(stage, made).posInc -= stage.g;
      made++;
      stage.g = 0;
      stage.c++;
      continue;
    }
    const verdict = stage.f ? 0 : test(chain, index, stage, previousProducer);
    if (verdict < 0) return verdict;
    if (!verdict) break;
    const token = tokenAt(input, input.taken);
    if (verdict == FILTERED) {
      startInner(chain, index, stage, previousProducer);
      stage.a = 1;
      stage.b = 0;
      stage.c = 0;
      stage.g = token.posInc ? 0 : 1;
      stage.hole = 0;
      continue;
    }
    if (stage.g > token.posInc + stage.h) return E_INCREMENT;
    if (emitToken(stage, made, token, token.termPtr, token.termLen, outEnd) < 0) return made ? made : E_NO_SPACE;
    tokenAt(stage, made).posInc += stage.h - stage.g;
    made++;
    // Left here, the text ends with the hole once more, as Lucene has it.
    stage.hole = stage.h;
    stage.h = 0;
    stage.g = 0;
    take(stage, input);
  }
  return made;
}

// @ts-ignore: decorator
@inline
function take(stage: Stage, input: Stage): void {
  stage.e = UNKNOWN;
  input.taken++;
}

/** Verdict on the next token, which is asked for once; 0 at the end, or a status. */
function test(chain: Chain, index: u32, stage: Stage, previousProducer: u32): i32 {
  if (stage.e) return stage.e;
  const input = stageAt(chain, previousProducer), script = load<u32>(stage.config), isNew = input.taken >= input.count;
  const status = awaitToken(chain, index, stage, previousProducer);
  if (status <= 0) return status;
  let isTaken: bool;
  if (script) {
    if (isNew) {
      const refused = hostVerdicts(script, input.tokens, input.count, stage.termsPtr + VERDICTS, stage.d);
      if (refused < 0) return refused;
      for (let i: u32 = 0; i < input.count; i++) stage.d += tokenAt(input, i).posInc;
    }
    isTaken = load<u8>(stage.termsPtr + VERDICTS + input.taken) != 0;
  } else isTaken = stageAt(chain, 0).d == load<u32>(stage.config, 4);
  stage.e = isTaken ? FILTERED : PASSES;
  return stage.e;
}

/** First stage of a condition's inner chain: the tokens of a run. State: a, b, c as startInner sets them, d = 1 behind the first one. */
export function inputNext(inner: Chain, stage: Stage): i32 {
  const outer = changetype<Chain>(<usize>stage.a), holder = stageAt(outer, stage.b), input = stageAt(outer, stage.c);
  const outEnd = termsLimit(stage, stage.termsPtr);
  stage.termCur = stage.termsPtr;
  let made: u32 = 0;
  while (made < inner.batch) {
    const verdict = test(outer, stage.b, holder, stage.c);
    if (verdict < 0) return fail(outer, inner, verdict);
    if (verdict != FILTERED) {
      inner.endOffset = verdict ? tokenAt(input, input.taken).endOffset : outer.endOffset;
      break;
    }
    const token = tokenAt(input, input.taken);
    if (emitToken(stage, made, token, token.termPtr, token.termLen, outEnd) < 0) return made ? made : E_NO_SPACE;
    if (!stage.d && !token.posInc) tokenAt(stage, made).posInc = 1;
    stage.d = 1;
    made++;
    take(holder, input);
  }
  return made;
}

/**
 * predicate_token_filter: keeps the tokens that a script takes. State: a = position of the last token + 1.
 *   config ├─ script u32 ─┤   area ├─ verdicts u8 × BATCH ─┤
 */
export function predicateFilter(stage: Stage, batch: Stage): i32 {
  const status = hostVerdicts(load<u32>(stage.config), batch.tokens, batch.count, stage.termsPtr, stage.a);
  if (status < 0) return status;
  let kept: u32 = 0;
  for (let i: u32 = 0; i < batch.count; i++) {
    const posInc = tokenAt(batch, i).posInc;
    stage.a += posInc;
    if (load<u8>(stage.termsPtr + i)) kept = keepToken(stage, batch, i, kept);
    else stage.carry += posInc;
  }
  batch.count = kept;
  return 0;
}
