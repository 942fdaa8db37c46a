// Shingles: neighbouring tokens joined, holes filled with a filler. A producer that keeps a window of `max` tokens with their terms.
//   config ├─ min u32 ─┬─ max u32 ─┬─ flags u32 ─┬─ separator bytes u32 ─┬─ filler bytes u32 ─┬─ separator ─┬─ filler ─┤
//   area   ├─ Window ─┬─ Token × max (the window) ─┬─ terms of the window ─┬─ terms of the batch ─┤
// flags: 1 = single tokens, too; 2 = single tokens if the text is too short for any shingle. A filler is a token without length whose term is the config's. State: e = 1 once the window is laid out.
import { E_NO_SPACE } from '../../../mem/status';
import { appendText } from '../../../text/utf8';
import { awaitToken, heldIncrement, termsLimit } from '../../producer';
import { Chain, Stage, stageAt, tokenAt } from '../../stage';
import { copyToken, Token, TOKEN_BYTES, TokenType, writeToken } from '../../token';

const UNIGRAMS: u32 = 1;
const UNIGRAMS_IF_NONE: u32 = 2;

// @ts-ignore: decorator
@unmanaged
class Window {
  /** Tokens in the window. */
  count: u32;
  /** Fillers that go before the token at hand, or at the end. */
  fillers: u32;
  areCounted: bool;
  isEnded: bool;
  /** Nothing more comes: a place without a shingle ends the stream. */
  isOver: bool;
  /** The first window, before any token left it. */
  isFirst: bool;
  /** Single tokens stand in for shingles. */
  isLonely: bool;
  /** The first token has given something. */
  hasOutput: bool;
  /** Size of the next shingle of the first token, 0 before the first one. */
  size: u32;
  /** Where the next term of the window goes. */
  cur: usize;
}

export function shingleNext(chain: Chain, index: u32, stage: Stage, previousProducer: u32): i32 {
  const config = stage.config, least = load<u32>(config), most = load<u32>(config, 4), flags = load<u32>(config, 8);
  const window = changetype<Window>((stage.termsPtr + 7) & ~7);
  const slots = changetype<usize>(window) + ((offsetof<Window>() + 7) & ~7), heap = slots + <usize>most * TOKEN_BYTES;
  if (heap + 64 > stage.termsEnd) return E_NO_SPACE;
  const heapEnd = heap + ((stage.termsEnd - heap) >> 2), outEnd = termsLimit(stage, heapEnd);
  if (!stage.e) {
    memory.fill(changetype<usize>(window), 0, offsetof<Window>());
    window.isFirst = true;
    window.cur = heap;
    stage.e = 1;
  }
  stage.termCur = heapEnd;
  let made: u32 = 0;
  while (made < chain.batch && !window.isOver) {
    if (!window.size) {
      const status = fill(chain, index, stage, previousProducer, window, slots, heap, heapEnd, most);
      if (status < 0) return status;
      if (window.isFirst) window.isLonely = flags == UNIGRAMS_IF_NONE && window.count < least;
      window.isFirst = false;
      window.size = flags & UNIGRAMS || window.isLonely ? 1 : least;
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
      const token = tokenAt(stage, made++), smallest: u32 = flags & UNIGRAMS || window.isLonely ? 1 : least;
      if (size > 1) token.type = <u16>TokenType.SHINGLE;
      token.posInc = window.hasOutput ? 0 : 1;
      token.posLen = size - smallest + 1;
      window.hasOutput = true;
    }
    window.size = size == 1 ? least : size + 1;
  }
  return window.isOver && !made ? drain(chain, index, stage, previousProducer) : made;
}

/** Reads tokens until the window is full or the text ends. Returns 0 or a status. */
function fill(chain: Chain, index: u32, stage: Stage, previousProducer: u32, window: Window, slots: usize, heap: usize, heapEnd: usize, most: u32): i32 {
  const input = stageAt(chain, previousProducer);
  while (window.count < most) {
    if (!window.isEnded) {
      const status = awaitToken(chain, index, stage, previousProducer);
      if (status < 0) return status;
      if (!status) {
        window.isEnded = true;
        window.fillers = min(heldIncrement(chain, index), most - 1);
      }
    }
    if (window.isEnded) {
      if (!window.fillers) return 0;
      window.fillers--;
      addFiller(stage, window, slots, null, chain.endOffset);
      continue;
    }
    const token = tokenAt(input, input.taken);
    if (!window.areCounted) {
      window.fillers = token.posInc ? min(token.posInc - 1, most - 1) : 0;
      window.areCounted = true;
    }
    if (window.fillers) {
      window.fillers--;
      addFiller(stage, window, slots, token, token.startOffset);
      continue;
    }
    if (window.cur + token.termLen > heapEnd) {
      compact(window, slots, heap);
      if (window.cur + token.termLen > heapEnd) return E_NO_SPACE;
    }
    const slot = changetype<Token>(slots + <usize>window.count * TOKEN_BYTES);
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

/** Puts a filler into the window, like the token that it stands before; at the end like the last one, as a word. */
function addFiller(stage: Stage, window: Window, slots: usize, like: Token | null, offset: u32): void {
  const separatorBytes = load<u32>(stage.config, 12), fillerBytes = load<u32>(stage.config, 16);
  const slot = changetype<Token>(slots + <usize>window.count * TOKEN_BYTES);
  window.count++;
  if (like) copyToken(changetype<usize>(slot), changetype<usize>(like));
  else writeToken(changetype<usize>(slot), 0, 0, 0, 0, TokenType.WORD);
  slot.termPtr = stage.config + 20 + separatorBytes;
  slot.termLen = fillerBytes;
  slot.startOffset = offset;
  slot.endOffset = offset;
  slot.posInc = FILLER;
}

/** The increment of a slot says what it is; shingles get their own. */
const FILLER: u32 = 0xffffffff;

/** Moves the terms of the window to the start of their room. */
function compact(window: Window, slots: usize, heap: usize): void {
  let cur = heap;
  for (let i: u32 = 0; i < window.count; i++) {
    const slot = changetype<Token>(slots + <usize>i * TOKEN_BYTES);
    if (slot.posInc == FILLER) continue;
    memory.copy(cur, slot.termPtr, slot.termLen);
    slot.termPtr = cur;
    cur += slot.termLen;
  }
  window.cur = cur;
}

/** Whether one of the first tokens of the window is none that fills a hole. */
function hasToken(slots: usize, size: u32): bool {
  for (let i: u32 = 0; i < size; i++) if (changetype<Token>(slots + <usize>i * TOKEN_BYTES).posInc != FILLER) return true;
  return false;
}

/** Writes the first `size` tokens of the window as one. False: there is no room for it. */
function join(stage: Stage, made: u32, slots: usize, size: u32, outEnd: usize): bool {
  const separatorBytes = load<u32>(stage.config, 12);
  let cur = stage.termCur;
  for (let i: u32 = 0; i < size; i++) {
    const slot = changetype<Token>(slots + <usize>i * TOKEN_BYTES);
    if (cur + separatorBytes + slot.termLen > outEnd) return false;
    if (i) cur = appendText(stage.termCur, cur, stage.config + 20, separatorBytes);
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

/** Reads the rest of the text, whose end and holes are still to be told. Returns 0 or a status. */
function drain(chain: Chain, index: u32, stage: Stage, previousProducer: u32): i32 {
  const input = stageAt(chain, previousProducer);
  let status: i32;
  while ((status = awaitToken(chain, index, stage, previousProducer)) > 0) input.taken = input.count;
  return status;
}
