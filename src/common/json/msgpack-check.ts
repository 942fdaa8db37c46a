// Walks the structure of MessagePack without building values, so that bodies with too many values or levels are refused before they take memory.
// Source: https://github.com/msgpack/msgpack/blob/master/spec.md
import { MAX_JSON_DEPTH } from './json-syntax-error.ts';
import { MAX_VALUE_BYTES, TOO_MANY_VALUES, VALUE_BYTES } from './value-budget.ts';

/** The body is deeper than JSON may be, its values take too much memory, or it claims more values than it has bytes. */
class MsgpackLimit extends Error {}

/** Bytes that follow each head from 0xc0 on: of the value, or of the length or count if that is listed in LENGTHS or COUNTS. */
const SIZES = [0, 0, 0, 0, 1, 2, 4, 1, 2, 4, 4, 8, 1, 2, 4, 8, 1, 2, 4, 8, 2, 3, 5, 9, 17, 1, 2, 4, 2, 4, 2, 4];
const NIL = 0xc0;

/**
 * Checks one or more values. Truncated input passes: the decoder reports it.
 * @throws MsgpackLimit
 */
export function checkMsgpack(bytes: Buffer): void {
  /** Values that are left on each level. */
  const left: number[] = [];
  let memory = 0;
  for (let at = 0; at < bytes.length; ) {
    while (left.length > 0 && left[left.length - 1] === 0) left.pop();
    if (left.length > 0) left[left.length - 1]--;
    const head = bytes[at++];
    memory += VALUE_BYTES.item;
    let count = -1;
    if (head < 0x80 || head >= 0xe0) continue;
    if (head < 0x90) {
      count = 2 * (head & 15);
      memory += VALUE_BYTES.object + (head & 15) * VALUE_BYTES.member;
    } else if (head < 0xa0) {
      count = head & 15;
      memory += VALUE_BYTES.list;
    } else if (head < NIL) {
      at += head & 31;
      continue;
    } else {
      const size = SIZES[head - NIL];
      if (at + size > bytes.length) return;
      if (isBytes(head)) at += size + bytes.readUIntBE(at, size) + (head >= 0xc7 && head <= 0xc9 ? 1 : 0);
      else if (head >= 0xdc) {
        const entries = bytes.readUIntBE(at, size);
        at += size;
        const isMap = head >= 0xde;
        count = isMap ? 2 * entries : entries;
        memory += isMap ? VALUE_BYTES.object : VALUE_BYTES.list;
      } else at += size;
      if (count < 0) continue;
    }
    if (memory > MAX_VALUE_BYTES) throw new MsgpackLimit(TOO_MANY_VALUES);
    // No more values can follow than there are bytes: the decoder may reserve room for a count that the input does not have.
    if (count > bytes.length - at) throw new MsgpackLimit('unexpected end of input');
    left.push(count);
    if (left.length > MAX_JSON_DEPTH) throw new MsgpackLimit(`nested deeper than ${MAX_JSON_DEPTH}`);
  }
  if (memory > MAX_VALUE_BYTES) throw new MsgpackLimit(TOO_MANY_VALUES);
}

/** Whether the head is followed by a length and as many bytes: bin, ext, str. */
function isBytes(head: number): boolean {
  return (head >= 0xc4 && head <= 0xc9) || (head >= 0xd9 && head <= 0xdb);
}
