// A window over the input of a filter that must see several tokens before it can decide what happens to the first one. Terms are copied
// into the window, since the batch they came from may be overwritten by the time they are needed.
//   room ├─ Token × capacity ─┬─ terms ─┤
import { E_NO_SPACE } from '../../../mem/status';
import { awaitToken } from '../../producer';
import { Chain, inputOf, Stage, tokenAt } from '../../stage';
import { copyToken, Token, TOKEN_BYTES } from '../../token';

// @ts-ignore: decorator
@unmanaged
export class Lookahead {
  /** Tokens in the window. */
  slots: usize;
  capacity: u32;
  count: u32;
  /** Room for terms: [heap, heapEnd); the next one goes to `cur`. */
  heap: usize;
  cur: usize;
  heapEnd: usize;
}

/** Lays an empty window out in [from, end). Returns 0 or E_NO_SPACE. Pre: from is 8-byte aligned. */
export function openLookahead(window: Lookahead, capacity: u32, from: usize, end: usize): i32 {
  window.slots = from;
  window.capacity = capacity;
  window.count = 0;
  window.heap = from + <usize>capacity * TOKEN_BYTES;
  window.cur = window.heap;
  window.heapEnd = end;
  return window.heap < end ? 0 : E_NO_SPACE;
}

// @ts-ignore: decorator
@inline
export function windowToken(window: Lookahead, i: u32): Token {
  return changetype<Token>(window.slots + <usize>i * TOKEN_BYTES);
}

/** Fills the window up to `size` tokens or the end of the text. Returns the number of tokens in it, or a status. Pre: size <= capacity. */
export function readAhead(window: Lookahead, size: u32, chain: Chain, stage: Stage): i32 {
  const input = inputOf(stage);
  while (window.count < size) {
    const status = awaitToken(chain, stage);
    if (status < 0) return status;
    if (!status) break;
    const token = tokenAt(input, input.taken);
    if (window.cur + token.termLen > window.heapEnd) {
      compact(window);
      if (window.cur + token.termLen > window.heapEnd) return E_NO_SPACE;
    }
    const slot = windowToken(window, window.count++);
    copyToken(changetype<usize>(slot), changetype<usize>(token));
    memory.copy(window.cur, token.termPtr, token.termLen);
    slot.termPtr = window.cur;
    window.cur += token.termLen;
    input.taken++;
  }
  return window.count;
}

/** Removes the first `count` tokens. */
export function dropAhead(window: Lookahead, count: u32): void {
  window.count -= count;
  if (window.count) memory.copy(window.slots, window.slots + <usize>count * TOKEN_BYTES, <usize>window.count * TOKEN_BYTES);
  else window.cur = window.heap;
}

/** Moves the terms to the start of their room. */
function compact(window: Lookahead): void {
  let cur = window.heap;
  for (let i: u32 = 0; i < window.count; i++) {
    const slot = windowToken(window, i);
    memory.copy(cur, slot.termPtr, slot.termLen);
    slot.termPtr = cur;
    cur += slot.termLen;
  }
  window.cur = cur;
}
