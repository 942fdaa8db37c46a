// Which operations a log has, compactly: 13 bytes each, so that a store of ten million documents can be checked within 130 MB.
import { crc32 } from '../common/encoding/crc32.ts';

const FIRST_CAPACITY = 1024;

export class LogIndex {
  #seqNos = new Float64Array(FIRST_CAPACITY);
  #ids = new Uint32Array(FIRST_CAPACITY);
  #ops = new Uint8Array(FIRST_CAPACITY);
  #length = 0;
  #isSorted = true;

  add(seqNo: number, op: number, id: string): void {
    const known = this.#isSorted && this.#length > 0 && seqNo <= this.#seqNos[this.#length - 1] ? this.#find(seqNo) : -1;
    const at = known >= 0 ? known : this.#length++;
    if (at === this.#seqNos.length) this.#grow();
    if (at > 0 && seqNo < this.#seqNos[at - 1]) this.#isSorted = false;
    this.#seqNos[at] = seqNo;
    this.#ids[at] = hashOf(id);
    this.#ops[at] = op;
  }

  get length(): number {
    return this.#length;
  }

  has(seqNo: number): boolean {
    return this.#find(seqNo) >= 0;
  }

  /** Whether the log has this operation for this document. */
  isOf(seqNo: number, id: string, op: number): boolean {
    const at = this.#find(seqNo);
    return at >= 0 && this.#ops[at] === op && this.#ids[at] === hashOf(id);
  }

  /** Ascending. */
  *seqNos(): Generator<number> {
    this.#sort();
    for (let i = 0; i < this.#length; i++) yield this.#seqNos[i];
  }

  #find(seqNo: number): number {
    this.#sort();
    let low = 0;
    let high = this.#length - 1;
    while (low <= high) {
      const middle = (low + high) >> 1;
      if (this.#seqNos[middle] === seqNo) return middle;
      if (this.#seqNos[middle] < seqNo) low = middle + 1;
      else high = middle - 1;
    }
    return -1;
  }

  #sort(): void {
    if (this.#isSorted) return;
    const order = Array.from({ length: this.#length }, (_, i) => i).sort((a, b) => this.#seqNos[a] - this.#seqNos[b]);
    this.#seqNos = Float64Array.from(order, (i) => this.#seqNos[i]);
    this.#ids = Uint32Array.from(order, (i) => this.#ids[i]);
    this.#ops = Uint8Array.from(order, (i) => this.#ops[i]);
    this.#isSorted = true;
  }

  #grow(): void {
    const length = this.#seqNos.length * 2;
    const copy = <T extends { set(from: T): void }>(from: T, to: T): T => {
      to.set(from);
      return to;
    };
    this.#seqNos = copy(this.#seqNos, new Float64Array(length));
    this.#ids = copy(this.#ids, new Uint32Array(length));
    this.#ops = copy(this.#ops, new Uint8Array(length));
  }
}

function hashOf(id: string): number {
  return crc32(Buffer.from(id)) >>> 0;
}
