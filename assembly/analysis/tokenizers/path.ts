// path_hierarchy tokenizer: every ancestor of a path is a token, counted from the start or, reversed, from the end; delimiters may be replaced.
//   config ├─ reverse u32 ─┬─ skip u32 ─┬─ step u32 ─┬─ delimiter bytes u32 ─┬─ replacement bytes u32 ─┬─ delimiter, 4 bytes ─┬─ replacement, 4 bytes ─┤
//   area   ├─ the path with replaced delimiters ─┬─ terms of the batch, from the middle of the area ─┤
// Forward parts end before a delimiter, and the first character of a part is not treated as one; reversed parts end after it.
import { E_NO_SPACE, E_WORK } from '../../mem/status';
import { decode, utf16Length } from '../../text/utf8';
import { termsLimit } from '../producer';
import { Chain, Stage, stateOf } from '../stage';
import { sameBytes } from '../term-set';
import { Token, TOKEN_BYTES, TokenType, writeToken } from '../token';
import { PathConfig } from '../stage-configs';

const DELIMITER: usize = offsetof<PathConfig>();
const REPLACEMENT: usize = DELIMITER + 4;

/** Most bytes of all tokens of a path, which grow with the square of its parts; longer paths are refused. */
const MOST_BYTES: u64 = 1 << 29;

// @ts-ignore: decorator
@unmanaged
class PathState extends Stage {
  /** 1 once the text has been scanned. */
  isOpen: u32;
  /** Bytes of the path with replaced delimiters, and how many of them precede the read position. */
  pathBytes: u32;
  position: u32;
  /** Start offset of all tokens or, reversed, their end offset. */
  fixedOffset: u32;
  tokensLeft: u32;
  /** Position increment of the next token. */
  increment: u32;
}

// @ts-ignore: decorator
@inline
export function isReversedPath(stage: Stage): bool {
  return changetype<PathConfig>(stage.config).isReversed != 0;
}

export function pathNext(chain: Chain, stage: Stage): i32 {
  const state = stateOf<PathState>(stage), middle = stage.termsPtr + ((stage.termsEnd - stage.termsPtr) >> 1);
  const outEnd = termsLimit(stage, middle), isReversed = isReversedPath(stage);
  if (!state.isOpen) {
    const status = isReversed ? openReversed(chain, state, middle) : openForward(chain, state, middle);
    if (status < 0) return status;
    state.isOpen = 1;
    state.increment = 1;
  }
  let out = middle, made: u32 = 0;
  while (made < chain.batch && state.tokensLeft) {
    const next = partEnd(chain, stage, chain.cur, isReversed), shown = state.position + partBytes(chain, stage, chain.cur, next, isReversed);
    const from = isReversed ? state.position : 0, len = (isReversed ? state.pathBytes : shown) - from;
    if (out + len > outEnd) {
      if (made) break;
      return E_NO_SPACE;
    }
    memory.copy(out, stage.termsPtr + from, len);
    const start = <u32>(chain.cur - chain.unitBase);
    moveTo(chain, next);
    const token = stage.tokens + <usize>made * TOKEN_BYTES;
    if (isReversed) writeToken(token, out, len, start, state.fixedOffset, TokenType.WORD);
    else writeToken(token, out, len, state.fixedOffset, <u32>(next - chain.unitBase), TokenType.WORD);
    changetype<Token>(token).posInc = state.increment;
    state.increment = changetype<PathConfig>(stage.config).step;
    out += len;
    made++;
    state.position = shown;
    state.tokensLeft--;
  }
  if (made == 0) moveTo(chain, chain.textEnd);
  // The delimiter after a token is consumed with it.
  chain.endOffset = <u32>(chain.cur - chain.unitBase) + (chain.cur < chain.textEnd ? 1 : 0);
  stage.termCur = out;
  return made;
}

/** Moves to the first delimiter that is part of a token, if the text has one, and copies the rest of the path. Returns 0 or a status. */
function openForward(chain: Chain, state: PathState, limit: usize): i32 {
  const end = chain.textEnd;
  for (let skip = changetype<PathConfig>(state.config).skip; skip && chain.cur < end; skip--) moveTo(chain, partEnd(chain, state, chain.cur, false));
  state.fixedOffset = <u32>(chain.cur - chain.unitBase);
  let bytes: u64 = 0, shown: u32 = 0;
  for (let p = chain.cur; p < end; state.tokensLeft++) {
    const next = partEnd(chain, state, p, false);
    shown += partBytes(chain, state, p, next, false);
    bytes += shown;
    p = next;
  }
  return bytes > MOST_BYTES ? E_WORK : copyPath(state, chain.cur, end, limit);
}

/** Copies the path up to the last delimiter that is part of a token. Returns 0 or a status. */
function openReversed(chain: Chain, state: PathState, limit: usize): i32 {
  const text = chain.textPtr, skip = changetype<PathConfig>(state.config).skip;
  let parts: u32 = 0;
  for (let p = text; p < chain.textEnd; parts++) p = partEnd(chain, state, p, true);
  state.tokensLeft = parts > skip ? parts - skip : 0;
  // A part is contained in all tokens up to its own.
  let bytes: u64 = 0, last = text;
  for (let i: u32 = 1; i <= state.tokensLeft; i++) {
    const next = partEnd(chain, state, last, true);
    bytes += <u64>i * partBytes(chain, state, last, next, true);
    last = next;
  }
  state.fixedOffset = utf16Length(text, last);
  return bytes > MOST_BYTES ? E_WORK : copyPath(state, text, last, limit);
}

// @ts-ignore: decorator
@inline
function isDelimiter(stage: Stage, p: usize, end: usize): bool {
  const bytes = changetype<PathConfig>(stage.config).delimiterBytes;
  return p + bytes <= end && load<u8>(p) == load<u8>(stage.config, DELIMITER) && sameBytes(p, stage.config + DELIMITER, bytes);
}

/**
 * End of the part that begins at `from`: the next delimiter after its first character or, reversed, the end of the next delimiter; the end of the
 * text if there is none. Pre: from is before the end of the text.
 */
function partEnd(chain: Chain, stage: Stage, from: usize, isReversed: bool): usize {
  const end = chain.textEnd;
  let p = isReversed ? from : from + (decode(from, end) >> 24);
  while (p < end && !isDelimiter(stage, p, end)) p++;
  return isReversed && p < end ? p + changetype<PathConfig>(stage.config).delimiterBytes : min(p, end);
}

/** Bytes of a part with its delimiter replaced, which is at its start or, reversed, at its end. */
function partBytes(chain: Chain, stage: Stage, from: usize, to: usize, isReversed: bool): u32 {
  const delimiter = changetype<PathConfig>(stage.config).delimiterBytes, bytes = <u32>(to - from);
  const at = isReversed ? to - delimiter : from;
  return at >= from && isDelimiter(stage, at, chain.textEnd) ? bytes - delimiter + changetype<PathConfig>(stage.config).replacementBytes : bytes;
}

/** Advances the read position, counting units. */
function moveTo(chain: Chain, to: usize): void {
  chain.unitBase += to - chain.cur - utf16Length(chain.cur, to);
  chain.cur = to;
}

/** Copies a piece of the text to the area with its delimiters replaced. Returns 0 or E_NO_SPACE. */
function copyPath(state: PathState, from: usize, to: usize, limit: usize): i32 {
  const delimiter = changetype<PathConfig>(state.config).delimiterBytes, replacement = changetype<PathConfig>(state.config).replacementBytes;
  let out = state.termsPtr;
  for (let p = from; p < to; ) {
    if (out + 4 > limit) return E_NO_SPACE;
    if (isDelimiter(state, p, to)) {
      store<u32>(out, load<u32>(state.config, REPLACEMENT));
      out += replacement;
      p += delimiter;
    } else store<u8>(out++, load<u8>(p++));
  }
  state.pathBytes = <u32>(out - state.termsPtr);
  return 0;
}
