// Unique filter: drops a term that came before in the text, or only at the same position. Increments are not handed on (as the recorded server does).
//   config ├─ onlyOnSamePosition u32 ─┤
//   area   ├─ slot u32 × SLOTS ─┬─ entries ├─ len u32 ─┬─ bytes ─┤ ··· ─┤   slot: 0 empty, else offset of an entry
// The area is a share of the region; a text with more distinct terms answers E_NO_SPACE.
import { E_NO_SPACE } from '../../mem/status';
import { hashTerm, sameBytes } from '../term-set';
import { Stage, tokenAt } from '../stage';
import { copyToken } from '../token';

export function uniqueFilter(stage: Stage, batch: Stage): i32 {
  const samePosition = load<u32>(stage.config) != 0;
  let kept: u32 = 0;
  for (let i: u32 = 0; i < batch.count; i++) {
    const token = tokenAt(batch, i);
    if (samePosition && token.posInc > 0) clear(stage);
    const seen = add(stage, token.termPtr, token.termLen);
    if (seen < 0) return seen;
    if (seen && (!samePosition || token.posInc == 0)) continue;
    if (kept != i) copyToken(changetype<usize>(tokenAt(batch, kept)), changetype<usize>(token));
    kept++;
  }
  batch.count = kept;
  return 0;
}

/** Slots are a power of two, a quarter of the area at most. */
// @ts-ignore: decorator
@inline
function slotCount(stage: Stage): u32 {
  return <u32>1 << (29 - clz(<u32>(stage.termsEnd - stage.termsPtr) >> 2));
}

function clear(stage: Stage): void {
  if (stage.a == 0) return;
  memory.fill(stage.termsPtr, 0, <usize>slotCount(stage) << 2);
  stage.a = 0;
}

/** 1 if the term was there, 0 if it is new now, E_NO_SPACE. State: a = entries, b = 1 once the slots are clean; termCur = end of entries. */
function add(stage: Stage, ptr: usize, len: u32): i32 {
  const slots = slotCount(stage), table = stage.termsPtr;
  if (!stage.b) {
    memory.fill(table, 0, <usize>slots << 2);
    stage.b = 1;
  }
  if (stage.a == 0) stage.termCur = table + (<usize>slots << 2);
  let slot = hashTerm(ptr, len) & (slots - 1);
  while (true) {
    const at = table + (<usize>slot << 2), offset = load<u32>(at);
    if (!offset) {
      const entry = (stage.termCur + 3) & ~3;
      if (entry + 4 + len > stage.termsEnd || stage.a + 1 >= slots) return E_NO_SPACE;
      store<u32>(at, <u32>(entry - table));
      store<u32>(entry, len);
      memory.copy(entry + 4, ptr, len);
      stage.termCur = entry + 4 + len;
      stage.a++;
      return 0;
    }
    const entry = table + offset;
    if (load<u32>(entry) == len && sameBytes(entry + 4, ptr, len)) return 1;
    slot = (slot + 1) & (slots - 1);
  }
}
