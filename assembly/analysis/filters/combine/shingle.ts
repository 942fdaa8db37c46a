// Shingles: adjacent tokens joined to one, with a filler for each missing position. Holds a window of `max` tokens with their terms.
//   config ├─ min u32 ─┬─ max u32 ─┬─ flags u32 ─┬─ separator bytes u32 ─┬─ filler bytes u32 ─┬─ separator ─┬─ filler ─┤
//   area   ├─ Window ─┬─ Token × max (the window) ─┬─ terms of the window ─┬─ terms of the batch ─┤
// flags: 1 = also single tokens; 2 = single tokens if the text is too short for any shingle. A filler is a token of length 0 with the configured term.
import { E_NO_SPACE } from '../../../mem/status';
import { appendText } from '../../../text/utf8';
import { awaitToken, heldIncrement, termsLimit } from '../../producer';
import { AreaState, Chain, inputOf, Stage, stateOf, tokenAt } from '../../stage';
import { copyToken, Token, TOKEN_BYTES, TokenType, writeToken } from '../../token';
import { ShingleConfig, ShingleFlag } from '../../stage-configs';


const SEPARATOR: usize = offsetof<ShingleConfig>();

// @ts-ignore: decorator
@unmanaged
class Window {
  /** Tokens in the window, and where they and their terms are stored. */
  count: u32;
  slots: usize;
  heap: usize;
  heapEnd: usize;
  /** Where the next term goes. */
  cur: usize;
  /** Fillers still to be added before the next token, or at the end. */
  fillers: u32;
  /** The fillers before the next token have been counted. */
  areCounted: bool;
  isEnded: bool;
  /** A position without a shingle ends the stream. */
  isOver: bool;
  /** The first window, before any token left it. */
  isFirst: bool;
  /** Single tokens replace the shingles of a short text. */
  isLonely: bool;
  /** The first token of the window has produced output. */
  hasOutput: bool;
  /** Size of the next shingle that starts at the first token; 0 before the first one. */
  size: u32;
}

export function shingleNext(chain: Chain, stage: Stage): i32 {
  const state = stateOf<AreaState>(stage), config = changetype<ShingleConfig>(stage.config);
  const least = config.min, most = config.max, flags = config.flags;
  const window = changetype<Window>((stage.termsPtr + 7) & ~7);
  if (!state.isLaidOut) {
    if (!layOutWindow(stage, window, most)) return E_NO_SPACE;
    state.isLaidOut = 1;
  }
  const slots = window.slots, outEnd = termsLimit(stage, window.heapEnd);
  stage.termCur = window.heapEnd;
  let made: u32 = 0;
  while (made < chain.batch && !window.isOver) {
    if (!window.size) {
      const status = fill(chain, stage, window, most);
      if (status < 0) return status;
      if (window.isFirst) window.isLonely = flags == ShingleFlag.UNIGRAMS_IF_NONE && window.count < least;
      window.isFirst = false;
      window.size = flags & ShingleFlag.UNIGRAMS || window.isLonely ? 1 : least;
    }
    if (window.size > most || window.size > window.count) {
      if (!window.hasOutput) {
        window.isOver = true;
        break;
      }
      window.count--;
      memory.copy(slots, slots + TOKEN_BYTES, <usize>window.count * TOKEN_BYTES);
      window.size = 0;
      window.hasOutput = false;
      continue;
    }
    const size = window.size;
    if (hasToken(slots, size)) {
      if (!join(stage, made, slots, size, outEnd)) {
        if (made) return made;
        return E_NO_SPACE;
      }
      const token = tokenAt(stage, made++), smallest: u32 = flags & ShingleFlag.UNIGRAMS || window.isLonely ? 1 : least;
      if (size > 1) token.type = <u16>TokenType.SHINGLE;
      token.posInc = window.hasOutput ? 0 : 1;
      token.posLen = size - smallest + 1;
      window.hasOutput = true;
    }
    window.size = size == 1 ? least : size + 1;
  }
  return window.isOver && !made ? drain(chain, stage) : made;
}

/** Lays an empty window out in the stage's area. False: the area is too small. */
function layOutWindow(stage: Stage, window: Window, most: u32): bool {
  const slots = changetype<usize>(window) + ((offsetof<Window>() + 7) & ~7), heap = slots + <usize>most * TOKEN_BYTES;
  if (heap + 64 > stage.termsEnd) return false;
  memory.fill(changetype<usize>(window), 0, offsetof<Window>());
  window.isFirst = true;
  window.slots = slots;
  window.heap = heap;
  window.heapEnd = heap + ((stage.termsEnd - heap) >> 2);
  window.cur = heap;
  return true;
}

/** Reads tokens until the window is full or the text ends. Returns 0 or a status. */
function fill(chain: Chain, stage: Stage, window: Window, most: u32): i32 {
  const input = inputOf(stage);
  while (window.count < most) {
    if (!window.isEnded) {
      const status = awaitToken(chain, stage);
      if (status < 0) return status;
      if (!status) {
        window.isEnded = true;
        window.fillers = min(heldIncrement(chain, stage.index), most - 1);
      }
    }
    if (window.isEnded) {
      if (!window.fillers) return 0;
      window.fillers--;
      addFiller(stage, window, null, chain.endOffset);
      continue;
    }
    const token = tokenAt(input, input.taken);
    if (!window.areCounted) {
      window.fillers = token.posInc ? min(token.posInc - 1, most - 1) : 0;
      window.areCounted = true;
    }
    if (window.fillers) {
      window.fillers--;
      addFiller(stage, window, token, token.startOffset);
      continue;
    }
    if (window.cur + token.termLen > window.heapEnd) {
      compact(window);
      if (window.cur + token.termLen > window.heapEnd) return E_NO_SPACE;
    }
    const slot = changetype<Token>(window.slots + <usize>window.count * TOKEN_BYTES);
    copyToken(changetype<usize>(slot), changetype<usize>(token));
    memory.copy(window.cur, token.termPtr, token.termLen);
    slot.termPtr = window.cur;
    window.cur += token.termLen;
    window.count++;
    window.areCounted = false;
    input.taken++;
  }
  return 0;
}

/** Adds a filler to the window: a copy of the token that follows it; at the end of the text, a word. */
function addFiller(stage: Stage, window: Window, like: Token | null, offset: u32): void {
  const config = changetype<ShingleConfig>(stage.config), slot = changetype<Token>(window.slots + <usize>window.count * TOKEN_BYTES);
  window.count++;
  if (like) copyToken(changetype<usize>(slot), changetype<usize>(like));
  else writeToken(changetype<usize>(slot), 0, 0, 0, 0, TokenType.WORD);
  slot.termPtr = stage.config + SEPARATOR + config.separatorBytes;
  slot.termLen = config.fillerBytes;
  slot.startOffset = offset;
  slot.endOffset = offset;
  slot.posInc = FILLER;
}

/** Position increment that marks a filler in the window; shingles get increments of their own. */
const FILLER: u32 = 0xffffffff;

/** Moves the terms of the window to the start of their room. */
function compact(window: Window): void {
  const slots = window.slots;
  let cur = window.heap;
  for (let i: u32 = 0; i < window.count; i++) {
    const slot = changetype<Token>(slots + <usize>i * TOKEN_BYTES);
    if (slot.posInc == FILLER) continue;
    memory.copy(cur, slot.termPtr, slot.termLen);
    slot.termPtr = cur;
    cur += slot.termLen;
  }
  window.cur = cur;
}

/** Whether one of the first `size` tokens of the window is not a filler. */
function hasToken(slots: usize, size: u32): bool {
  for (let i: u32 = 0; i < size; i++) if (changetype<Token>(slots + <usize>i * TOKEN_BYTES).posInc != FILLER) return true;
  return false;
}

/** Emits the first `size` tokens of the window as one. False: there is no room for it. */
function join(stage: Stage, made: u32, slots: usize, size: u32, outEnd: usize): bool {
  const separatorBytes = changetype<ShingleConfig>(stage.config).separatorBytes;
  let cur = stage.termCur;
  for (let i: u32 = 0; i < size; i++) {
    const slot = changetype<Token>(slots + <usize>i * TOKEN_BYTES);
    if (cur + separatorBytes + slot.termLen > outEnd) return false;
    if (i) cur = appendText(stage.termCur, cur, stage.config + SEPARATOR, separatorBytes);
    cur = appendText(stage.termCur, cur, slot.termPtr, slot.termLen);
  }
  const token = tokenAt(stage, made);
  copyToken(changetype<usize>(token), slots);
  token.termPtr = stage.termCur;
  token.termLen = <u32>(cur - stage.termCur);
  token.endOffset = changetype<Token>(slots + <usize>(size - 1) * TOKEN_BYTES).endOffset;
  stage.termCur = cur;
  return true;
}

/** Reads the rest of the text for its end offset and holes. Returns 0 or a status. */
function drain(chain: Chain, stage: Stage): i32 {
  const input = inputOf(stage);
  let status: i32;
  while ((status = awaitToken(chain, stage)) > 0) input.taken = input.count;
  return status;
}
