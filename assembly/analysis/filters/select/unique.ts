// Unique filter: drops terms that occurred before in the text, or only those at the same position, as remove_duplicates does, too.
// Increments of dropped tokens are lost, as in the recorded server.
//   config ├─ onlyOnSamePosition u32 ─┤
//   area   ├─ entries ├─ len u32 ─┬─ bytes ─┤ ··· ─┬─ free ─┬─ slot u32 × slots ─┤   slot: 0 empty, else an entry's offset from the area + 1
// Up to FEW terms are compared one by one; more get a hash table, at most half full. So positions with few terms, and short input, need not clear a
// table. termCur is the end of the entries. A text with more distinct terms than the area holds returns E_NO_SPACE.
import { E_NO_SPACE } from '../../../mem/status';
import { ONLY_ON_SAME_POSITION } from '../../config-values';
import { hashTerm, sameBytes } from '../../term-set';
import { Stage, stateOf, tokenAt } from '../../stage';
import { copyToken } from '../../token';

/** Most terms that are compared one by one. */
const FEW: u32 = 8;

// @ts-ignore: decorator
@unmanaged
class UniqueState extends Stage {
  entries: u32;
  /** Slots of the table; 0 if there is none. */
  slots: u32;
}

export function uniqueFilter(stage: Stage, batch: Stage): i32 {
  const state = stateOf<UniqueState>(stage), samePosition = load<u32>(stage.config) == ONLY_ON_SAME_POSITION;
  let kept: u32 = 0;
  for (let i: u32 = 0; i < batch.count; i++) {
    const token = tokenAt(batch, i);
    if (samePosition && token.posInc > 0) clear(state);
    // Most tokens are alone at their position and need no entry.
    if (!samePosition || i + 1 == batch.count || token.posInc == 0 || tokenAt(batch, i + 1).posInc == 0) {
      const seen = add(state, token.termPtr, token.termLen);
      if (seen < 0) return seen;
      if (seen) continue;
    }
    if (kept != i) copyToken(changetype<usize>(tokenAt(batch, kept)), changetype<usize>(token));
    kept++;
  }
  batch.count = kept;
  return 0;
}

// @ts-ignore: decorator
@inline
function clear(state: UniqueState): void {
  state.entries = 0;
  state.slots = 0;
  state.termCur = state.termsPtr;
}

/** Adds a term. Returns 1 if it was there already, 0 if it is new, or E_NO_SPACE. */
function add(state: UniqueState, ptr: usize, len: u32): i32 {
  let slot: usize = 0;
  if (!state.slots) {
    for (let entry = state.termsPtr; entry < state.termCur; entry = entryAfter(entry)) if (isTerm(entry, ptr, len)) return 1;
  } else {
    slot = findSlot(state, ptr, len);
    if (load<u32>(slot)) return 1;
  }
  const entry = state.termCur, end = entry + ((len + 7) & ~3);
  if (end > tableOf(state)) return E_NO_SPACE;
  store<u32>(entry, len);
  memory.copy(entry + 4, ptr, len);
  state.termCur = end;
  if (slot) store<u32>(slot, <u32>(entry - state.termsPtr) + 1);
  return ++state.entries > (state.slots ? state.slots >> 1 : FEW) ? grow(state) : 0;
}

// @ts-ignore: decorator
@inline
function entryAfter(entry: usize): usize {
  return entry + ((load<u32>(entry) + 7) & ~3);
}

// @ts-ignore: decorator
@inline
function isTerm(entry: usize, ptr: usize, len: u32): bool {
  return load<u32>(entry) == len && sameBytes(entry + 4, ptr, len);
}

// @ts-ignore: decorator
@inline
function tableOf(state: UniqueState): usize {
  return state.termsEnd - (<usize>state.slots << 2);
}

/** The slot of a term, or the empty slot for it. Pre: there is a table, and it is not full. */
function findSlot(state: UniqueState, ptr: usize, len: u32): usize {
  const table = tableOf(state), mask = state.slots - 1;
  let i = hashTerm(ptr, len) & mask;
  while (true) {
    const slot = table + (<usize>i << 2), place = load<u32>(slot);
    if (!place || isTerm(state.termsPtr + place - 1, ptr, len)) return slot;
    i = (i + 1) & mask;
  }
}

/** Doubles the table, or creates the first one. Returns 0 or E_NO_SPACE. */
function grow(state: UniqueState): i32 {
  const slots = state.slots ? state.slots << 1 : FEW << 2;
  if (state.termCur + (<usize>slots << 2) > state.termsEnd) return E_NO_SPACE;
  state.slots = slots;
  memory.fill(tableOf(state), 0, <usize>slots << 2);
  for (let entry = state.termsPtr; entry < state.termCur; entry = entryAfter(entry)) {
    store<u32>(findSlot(state, entry + 4, load<u32>(entry)), <u32>(entry - state.termsPtr) + 1);
  }
  return 0;
}
