// Unique filter: drops a term that came before in the text, or only at the same position, which is also what remove_duplicates does.
// Increments are not handed on (as the recorded server does).
//   config ├─ onlyOnSamePosition u32 ─┤
//   area   ├─ entries ├─ len u32 ─┬─ bytes ─┤ ··· ─┬─ free ─┬─ slot u32 × slots ─┤   slot: 0 empty, else an entry's offset from the area + 1
// Up to FEW terms are compared one after the other. More get a table, at most half full: a position of few terms, or a short text, costs no clearing,
// and many terms cost the same each. The area is a share of the region; a text with more distinct terms answers E_NO_SPACE.
// State: a = entries, b = slots, 0 for no table; termCur = end of the entries.
import { E_NO_SPACE } from '../../../mem/status';
import { hashTerm, sameBytes } from '../../term-set';
import { Stage, tokenAt } from '../../stage';
import { copyToken } from '../../token';

/** Terms that are compared one after the other. */
const FEW: u32 = 8;

export function uniqueFilter(stage: Stage, batch: Stage): i32 {
  const samePosition = load<u32>(stage.config) != 0;
  let kept: u32 = 0;
  for (let i: u32 = 0; i < batch.count; i++) {
    const token = tokenAt(batch, i);
    if (samePosition && token.posInc > 0) clear(stage);
    // Most tokens are alone at their position: nobody asks for them.
    if (!samePosition || i + 1 == batch.count || token.posInc == 0 || tokenAt(batch, i + 1).posInc == 0) {
      const seen = add(stage, token.termPtr, token.termLen);
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
function clear(stage: Stage): void {
  stage.a = 0;
  stage.b = 0;
  stage.termCur = stage.termsPtr;
}

/** 1 if the term was there, 0 if it is new now, E_NO_SPACE. */
function add(stage: Stage, ptr: usize, len: u32): i32 {
  let slot: usize = 0;
  if (!stage.b) {
    for (let entry = stage.termsPtr; entry < stage.termCur; entry = entryAfter(entry)) if (isTerm(entry, ptr, len)) return 1;
  } else {
    slot = findSlot(stage, ptr, len);
    if (load<u32>(slot)) return 1;
  }
  const entry = stage.termCur, end = entry + ((len + 7) & ~3);
  if (end > tableOf(stage)) return E_NO_SPACE;
  store<u32>(entry, len);
  memory.copy(entry + 4, ptr, len);
  stage.termCur = end;
  if (slot) store<u32>(slot, <u32>(entry - stage.termsPtr) + 1);
  return ++stage.a > (stage.b ? stage.b >> 1 : FEW) ? grow(stage) : 0;
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
function tableOf(stage: Stage): usize {
  return stage.termsEnd - (<usize>stage.b << 2);
}

/** The slot of a term, or the empty one where it belongs. Pre: there is a table, and it is not full. */
function findSlot(stage: Stage, ptr: usize, len: u32): usize {
  const table = tableOf(stage), mask = stage.b - 1;
  let i = hashTerm(ptr, len) & mask;
  while (true) {
    const slot = table + (<usize>i << 2), place = load<u32>(slot);
    if (!place || isTerm(stage.termsPtr + place - 1, ptr, len)) return slot;
    i = (i + 1) & mask;
  }
}

/** Lays out a table of twice the slots, or the first one. Returns 0 or E_NO_SPACE. */
function grow(stage: Stage): i32 {
  const slots = stage.b ? stage.b << 1 : FEW << 2;
  if (stage.termCur + (<usize>slots << 2) > stage.termsEnd) return E_NO_SPACE;
  stage.b = slots;
  memory.fill(tableOf(stage), 0, <usize>slots << 2);
  for (let entry = stage.termsPtr; entry < stage.termCur; entry = entryAfter(entry)) {
    store<u32>(findSlot(stage, entry + 4, load<u32>(entry)), <u32>(entry - stage.termsPtr) + 1);
  }
  return 0;
}
