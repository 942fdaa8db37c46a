// Filters that keep, drop or mark whole tokens: keep, keep_types, length, limit, keyword_marker, stemmer_override.
import { E_NO_SPACE } from '../../../mem/status';
import { utf16Length } from '../../../text/utf8';
import { IGNORE_CASE } from '../../config-values';
import { findTerm, findTermIgnoringCase } from '../../term-set';
import { renewTerm, Stage, stateOf, tokenAt } from '../../stage';
import { FLAG_KEYWORD, Token } from '../../token';
import { keepToken } from './drop';
import { KeepTypesConfig, LengthConfig, LimitConfig, TermSetEntry } from '../../stage-configs';

/** Entry of a token's term. config ├─ flags u32: 1 = ignore case ─┬─ set or map ─┤. Returns 0 if there is none, 1 for E_NO_SPACE. */
function lookUp(config: usize, batch: Stage, token: Token): usize {
  if (!(load<u32>(config) & IGNORE_CASE)) return findTerm(config + 4, token.termPtr, token.termLen);
  if (batch.termCur + token.termLen * 2 + 8 > batch.termsEnd) return 1;
  return findTermIgnoringCase(config + 4, token.termPtr, token.termLen, batch.termCur);
}

/** Keeps the tokens whose term is in the set. */
export function keepFilter(stage: Stage, batch: Stage): i32 {
  let kept: u32 = 0;
  for (let i: u32 = 0; i < batch.count; i++) {
    const token = tokenAt(batch, i), entry = lookUp(stage.config, batch, token);
    if (entry == 1) return E_NO_SPACE;
    if (entry) kept = keepToken(stage, batch, i, kept);
    else stage.carry += token.posInc;
  }
  batch.count = kept;
  return 0;
}

/** Keeps or drops by type.   config ├─ exclude u32 ─┬─ count u32 ─┬─ type id u32 × count ─┤ */
export function keepTypesFilter(stage: Stage, batch: Stage): i32 {
  const config = changetype<KeepTypesConfig>(stage.config), exclude = config.isExclusion != 0, types = config.typeCount;
  let kept: u32 = 0;
  for (let i: u32 = 0; i < batch.count; i++) {
    const token = tokenAt(batch, i);
    let listed = false;
    for (let k: u32 = 0; k < types; k++) if (load<u32>(stage.config + offsetof<KeepTypesConfig>() + (<usize>k << 2)) == token.type) listed = true;
    if (listed != exclude) kept = keepToken(stage, batch, i, kept);
    else stage.carry += token.posInc;
  }
  batch.count = kept;
  return 0;
}

/** Keeps terms of min..max UTF-16 units.   config ├─ min u32 ─┬─ max u32 ─┤ */
export function lengthFilter(stage: Stage, batch: Stage): i32 {
  const config = changetype<LengthConfig>(stage.config), min = config.min, max = config.max;
  let kept: u32 = 0;
  for (let i: u32 = 0; i < batch.count; i++) {
    const token = tokenAt(batch, i), units = utf16Length(token.termPtr, token.termPtr + token.termLen);
    if (units >= min && units <= max) kept = keepToken(stage, batch, i, kept);
    else stage.carry += token.posInc;
  }
  batch.count = kept;
  return 0;
}

// @ts-ignore: decorator
@unmanaged
class LimitState extends Stage {
  /** Tokens of the text passed on so far. */
  passed: u32;
}

/** Keeps the first tokens of a text.   config ├─ count u32 ─┬─ consumeAll u32 ─┤ */
export function limitFilter(stage: Stage, batch: Stage): i32 {
  const state = stateOf<LimitState>(stage), left = changetype<LimitConfig>(stage.config).max - state.passed;
  if (batch.count > left) batch.count = left;
  state.passed += batch.count;
  return 0;
}

/** Whether a limit is reached and the stage reads no further. */
// @ts-ignore: decorator
@inline
export function isLimitReached(stage: Stage): bool {
  const config = changetype<LimitConfig>(stage.config);
  return stateOf<LimitState>(stage).passed == config.max && !config.consumesAll;
}

export function keywordMarkerFilter(stage: Stage, batch: Stage): i32 {
  for (let i: u32 = 0; i < batch.count; i++) {
    const status = markKeyword(batch, tokenAt(batch, i), stage.config);
    if (status < 0) return status;
  }
  return 0;
}

/** Sets the keyword flag if the term is in the set of a config. Returns 0 or E_NO_SPACE. */
export function markKeyword(batch: Stage, token: Token, config: usize): i32 {
  const entry = lookUp(config, batch, token);
  if (entry == 1) return E_NO_SPACE;
  if (entry) token.flags |= FLAG_KEYWORD;
  return 0;
}

export function stemmerOverrideFilter(stage: Stage, batch: Stage): i32 {
  for (let i: u32 = 0; i < batch.count; i++) {
    const status = overrideStem(batch, tokenAt(batch, i), stage.config);
    if (status < 0) return status;
  }
  return 0;
}

/** Replaces a term that is in the map of a config and marks it as a keyword; keywords stay unchanged. Returns 0 or E_NO_SPACE. */
export function overrideStem(batch: Stage, token: Token, config: usize): i32 {
  if (token.flags & FLAG_KEYWORD) return 0;
  const entry = lookUp(config, batch, token);
  if (entry == 1) return E_NO_SPACE;
  if (!entry) return 0;
  const value = config + 4 + changetype<TermSetEntry>(entry).value, len = load<u32>(value);
  const status = renewTerm(batch, token, len);
  if (status < 0) return status;
  memory.copy(token.termPtr, value + 4, len);
  token.flags |= FLAG_KEYWORD;
  return 0;
}
