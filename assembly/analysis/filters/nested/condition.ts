// Applies filters to some of the tokens: `condition`, where a script selects them, and the branches of `multiplexer` (multiplexer.ts), which take
// turns. A sequence of selected tokens is a run; it passes through an inner chain, which restarts for each run. Other tokens pass unchanged.
//   config ├─ test u32: a script's number, or 0 ─┬─ turn u32, if there is no script ─┬─ blob of the inner chain, its first stage S_INPUT ─┤
// nested.ts draws the area. The inner chain reads tokens on demand, as in Lucene (ConditionalTokenFilter), so that filters which read ahead or stop
// early see the same tokens:
// - A hole at the end of a run is added to the next token, or to the end of the text if there is none.
// - A run whose first token has the position of the token before it starts at the next position, and its output is moved back.
// - A run that ends before its input does (a limit) ends the text.
import { E_INCREMENT, E_NO_SPACE } from '../../../mem/status';
import { hostVerdicts } from '../../host-calls';
import { innerChain, NestedState, outerTerms, SourceState, VERDICTS } from '../../nested';
import { awaitToken, emitToken, forgetHoles, nextBatch, termsLimit } from '../../producer';
import { Chain, inputOf, Stage, stageAt, stateOf, tokenAt } from '../../stage';
import { Token, TOKEN_BYTES } from '../../token';
import { keepToken } from '../select/drop';
import { fail, startInner } from './inner';
import { SelectState } from './multiplexer-state';
import { ConditionConfig } from '../../stage-configs';

/** Verdicts: not known yet, passes unchanged, goes through the filters. */
const UNKNOWN: u32 = 0;
const PASSES: u32 = 1;
const FILTERED: u32 = 2;
// @ts-ignore: decorator
@unmanaged
class ConditionState extends NestedState {
  /** Position of the last token that the script has seen, plus 1. */
  nextPosition: u32;
  /** Verdict on the current token. */
  verdict: u32;
  /** 1 while the first token of a run is to be moved back by one position. */
  isMovedBack: u32;
  /** Increment of removed tokens before the current one. */
  skipped: u32;
}

// @ts-ignore: decorator
@unmanaged
class InputState extends SourceState {
  /** 1 after the first token of a run. */
  hasFirst: u32;
}

// @ts-ignore: decorator
@unmanaged
class PredicateState extends Stage {
  /** Position of the last token, plus 1. */
  nextPosition: u32;
}

export function conditionNext(chain: Chain, stage: Stage): i32 {
  const state = stateOf<ConditionState>(stage), input = inputOf(stage), inner = innerChain(stage), outPtr = outerTerms(stage);
  const outEnd = termsLimit(stage, outPtr);
  stage.termCur = outPtr;
  let made: u32 = 0;
  while (made < chain.batch) {
    if (state.isRunning) {
      if (state.innerTaken == state.innerCount) {
        const count = nextBatch(inner);
        if (count < 0) return fail(inner, chain, count);
        state.innerCount = count;
        state.innerTaken = 0;
        if (!count) {
          state.isRunning = 0;
          if (state.verdict == PASSES) state.skipped = inner.endPosInc;
          else {
            // The end of the input, or a limit inside the run.
            stage.isInputEnded = 1;
            forgetHoles(chain, stage);
            stage.carry = inner.endPosInc;
          }
          continue;
        }
      }
      const token = changetype<Token>(inner.tokens + <usize>state.innerTaken * TOKEN_BYTES);
      if (state.isMovedBack > token.posInc) return E_INCREMENT;
      if (emitToken(stage, made, token, token.termPtr, token.termLen, outEnd) < 0) return made ? made : E_NO_SPACE;
      tokenAt(stage, made).posInc -= state.isMovedBack;
      made++;
      state.isMovedBack = 0;
      state.innerTaken++;
      continue;
    }
    const verdict = stage.isInputEnded ? 0 : test(chain, state);
    if (verdict < 0) return verdict;
    if (!verdict) break;
    const token = tokenAt(input, input.taken);
    if (verdict == FILTERED) {
      startInner(chain, stage);
      state.isRunning = 1;
      state.innerCount = 0;
      state.innerTaken = 0;
      state.isMovedBack = token.posInc ? 0 : 1;
      stage.hole = 0;
      continue;
    }
    if (state.isMovedBack > token.posInc + state.skipped) return E_INCREMENT;
    if (emitToken(stage, made, token, token.termPtr, token.termLen, outEnd) < 0) return made ? made : E_NO_SPACE;
    tokenAt(stage, made).posInc += state.skipped - state.isMovedBack;
    made++;
    // If the text is abandoned here, the hole counts once more at its end, as in Lucene.
    stage.hole = state.skipped;
    state.skipped = 0;
    state.isMovedBack = 0;
    take(state, input);
  }
  return made;
}

// @ts-ignore: decorator
@inline
function take(state: ConditionState, input: Stage): void {
  state.verdict = UNKNOWN;
  input.taken++;
}

/** Verdict on the next token, which is determined once; 0 at the end, or a status. */
function test(chain: Chain, state: ConditionState): i32 {
  if (state.verdict) return state.verdict;
  const input = inputOf(state), script = changetype<ConditionConfig>(state.config).script, isNew = input.taken >= input.count;
  const status = awaitToken(chain, state);
  if (status <= 0) return status;
  let isTaken: bool;
  if (script) {
    if (isNew) {
      const refused = hostVerdicts(script, input.tokens, input.count, state.termsPtr + VERDICTS, state.nextPosition);
      if (refused < 0) return refused;
      for (let i: u32 = 0; i < input.count; i++) state.nextPosition += tokenAt(input, i).posInc;
    }
    isTaken = load<u8>(state.termsPtr + VERDICTS + input.taken) != 0;
  } else isTaken = stateOf<SelectState>(stageAt(chain, 0)).turn == changetype<ConditionConfig>(state.config).turn;
  state.verdict = isTaken ? FILTERED : PASSES;
  return state.verdict;
}

/** First stage of a condition's inner chain: reads the tokens of a run. */
export function inputNext(inner: Chain, stage: Stage): i32 {
  const state = stateOf<InputState>(stage), outer = changetype<Chain>(state.outer);
  const holder = changetype<ConditionState>(state.holder), input = inputOf(holder);
  const outEnd = termsLimit(stage, stage.termsPtr);
  stage.termCur = stage.termsPtr;
  let made: u32 = 0;
  while (made < inner.batch) {
    const verdict = test(outer, holder);
    if (verdict < 0) return fail(outer, inner, verdict);
    if (verdict != FILTERED) {
      inner.endOffset = verdict ? tokenAt(input, input.taken).endOffset : outer.endOffset;
      break;
    }
    const token = tokenAt(input, input.taken);
    if (emitToken(stage, made, token, token.termPtr, token.termLen, outEnd) < 0) return made ? made : E_NO_SPACE;
    if (!state.hasFirst && !token.posInc) tokenAt(stage, made).posInc = 1;
    state.hasFirst = 1;
    made++;
    take(holder, input);
  }
  return made;
}

/**
 * predicate_token_filter: keeps the tokens that a script selects.
 *   config ├─ script u32 ─┤   area ├─ verdicts u8 × BATCH ─┤
 */
export function predicateFilter(stage: Stage, batch: Stage): i32 {
  const state = stateOf<PredicateState>(stage);
  const status = hostVerdicts(load<u32>(stage.config), batch.tokens, batch.count, stage.termsPtr, state.nextPosition);
  if (status < 0) return status;
  let kept: u32 = 0;
  for (let i: u32 = 0; i < batch.count; i++) {
    const posInc = tokenAt(batch, i).posInc;
    state.nextPosition += posInc;
    if (load<u8>(stage.termsPtr + i)) kept = keepToken(stage, batch, i, kept);
    else stage.carry += posInc;
  }
  batch.count = kept;
  return 0;
}
