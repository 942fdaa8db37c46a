// Multiplexer: each token once per branch, at its own place. A branch is a chain of its own that takes one token at a time.
//   config ├─ branches u32 ─┬─ blob u32 × branches: offset from config of a chain blob behind a replay stage, 0 for the token as it is ─┤
//   area   ├─ region of a chain × branches ─┬─ the token as the replay stage reads it ─┬─ terms of the batch ─┤
// State: d = 1 while a token is at hand, 2 when a branch has written one for it; a = branch, b = tokens of the branch's batch, c = how many of
// them are written, e = 1 when the branch has written one; its batch stays in its region. carry: increments of tokens that no branch has
// written one for. Between two tokens (d = 0) b is what the last branch has left for the end of the text, which is all that is told there.
import { E_CORRUPT, E_NO_SPACE } from '../../mem/status';
import { chainInit, chainNext, chainReset } from '../chain';
import { awaitToken, emitToken, termsLimit } from '../producer';
import { Chain, Stage, stageAt, tokenAt } from '../stage';
import { copyToken, Token, TOKEN_BYTES } from '../token';

/** Head of what the replay stage reads. */
const REPLAY_HEAD: usize = 16;

// @ts-ignore: decorator
@inline
function regionBytes(stage: Stage, branches: u32): usize {
  return ((((stage.termsEnd - stage.termsPtr) >> 1) - 64) / branches) & ~63;
}

// @ts-ignore: decorator
@inline
function regionOf(stage: Stage, branch: u32, branches: u32): usize {
  return ((stage.termsPtr + 63) & ~63) + <usize>branch * regionBytes(stage, branches);
}

/** Lays the branches out, once for a region. Returns 0, E_NO_SPACE or E_CORRUPT. */
export function openMultiplexer(stage: Stage): i32 {
  const branches = load<u32>(stage.config);
  if (!branches) return E_CORRUPT;
  for (let i: u32 = 0; i < branches; i++) {
    const blob = load<u32>(stage.config + 4 + (<usize>i << 2));
    const status = blob ? chainInit(regionOf(stage, i, branches), regionBytes(stage, branches), stage.config + blob) : 0;
    if (status < 0) return status;
  }
  return 0;
}

export function multiplexerNext(chain: Chain, index: u32, stage: Stage, previousProducer: u32): i32 {
  const branches = load<u32>(stage.config), input = stageAt(chain, previousProducer);
  const scratch = regionOf(stage, branches, branches), quarter = (stage.termsEnd - scratch) >> 2;
  const outPtr = scratch + quarter, outEnd = termsLimit(stage, outPtr);
  stage.termCur = outPtr;
  let made: u32 = 0;
  while (made < chain.batch) {
    if (!stage.d) {
      const status = awaitToken(chain, index, stage, previousProducer);
      if (status < 0) return status;
      if (!status) break;
      if (tokenAt(input, input.taken).termLen + REPLAY_HEAD + TOKEN_BYTES + 64 > quarter) return E_NO_SPACE;
      stage.d = 1;
      stage.a = 0;
      startBranch(chain, stage, tokenAt(input, input.taken), scratch);
    }
    if (stage.a == branches) {
      stage.carry = stage.d == 2 ? 0 : stage.carry + tokenAt(input, input.taken).posInc;
      stage.d = 0;
      input.taken++;
      continue;
    }
    const token = tokenAt(input, input.taken), blob = load<u32>(stage.config + 4 + (<usize>stage.a << 2));
    if (stage.c == stage.b) {
      const region = regionOf(stage, stage.a, branches), count = blob ? chainNext(region) : stage.e ^ 1;
      if (count < 0) return count;
      stage.c = 0;
      stage.b = count;
      if (!count) {
        stage.a++;
        if (stage.a < branches) startBranch(chain, stage, token, scratch);
        else stage.b = blob ? changetype<Chain>(region).endPosInc : 0;
        continue;
      }
    }
    const result = blob ? changetype<Token>(changetype<Chain>(regionOf(stage, stage.a, branches)).tokens + <usize>stage.c * TOKEN_BYTES) : token;
    if (emitToken(stage, made, result, result.termPtr, result.termLen, outEnd) < 0) return made ? made : E_NO_SPACE;
    const out = tokenAt(stage, made);
    if (!blob) out.posInc += stage.carry;
    if (stage.d == 2 && !stage.e) out.posInc = 0;
    made++;
    stage.d = 2;
    stage.e = 1;
    stage.c++;
  }
  return made;
}

/** Gives the token to the branch at hand. */
function startBranch(chain: Chain, stage: Stage, token: Token, scratch: usize): void {
  const branches = load<u32>(stage.config), blob = load<u32>(stage.config + 4 + (<usize>stage.a << 2));
  stage.b = 0;
  stage.c = 0;
  stage.e = 0;
  if (!blob) return;
  store<u32>(scratch, 1);
  store<u32>(scratch, token.endOffset, 4);
  store<u64>(scratch, 0, 8);
  const record = scratch + REPLAY_HEAD, copy = changetype<Token>(record);
  copyToken(record, changetype<usize>(token));
  copy.termPtr = REPLAY_HEAD + TOKEN_BYTES;
  copy.posInc += stage.carry;
  memory.copy(record + TOKEN_BYTES, token.termPtr, token.termLen);
  chainReset(regionOf(stage, stage.a, branches), scratch, REPLAY_HEAD + TOKEN_BYTES + token.termLen);
}
