// Received bytes that no command has consumed yet. The memory grows by doubling, so the cost of a command that arrives in many pieces is
// proportional to its length; the session limits the length.

const MIN_BYTES = 512;
const LF = 10;

export class InputBuffer {
  #memory: Buffer = Buffer.alloc(0);
  #start = 0;
  #end = 0;
  /** no line end before it */
  #scanned = 0;

  /** Bytes held. */
  get length(): number {
    return this.#end - this.#start;
  }

  append(data: Buffer): void {
    if (this.#end + data.length > this.#memory.length) this.#makeRoom(data.length);
    data.copy(this.#memory, this.#end);
    this.#end += data.length;
  }

  #makeRoom(bytes: number): void {
    const held = this.bytes();
    const needed = held.length + bytes;
    const memory = Buffer.allocUnsafe(Math.max(MIN_BYTES, needed > this.#memory.length ? needed * 2 : this.#memory.length));
    held.copy(memory);
    this.#scanned -= this.#start;
    this.#memory = memory;
    this.#start = 0;
    this.#end = held.length;
  }

  /** The buffered bytes. The view is valid until the next call that changes the buffer. */
  bytes(): Buffer {
    return this.#memory.subarray(this.#start, this.#end);
  }

  consume(count: number): void {
    this.#start += count;
    if (this.#start >= this.#end) this.clear();
    else this.#scanned = Math.max(this.#scanned, this.#start);
  }

  /** The next line without its end (LF, or CR and LF), latin1. @param maxBytes  longest line, its end included */
  takeLine(maxBytes: number): { line: string } | 'more' | 'too long' {
    const at = this.#memory.subarray(0, this.#end).indexOf(LF, Math.max(this.#scanned, this.#start));
    if (at < 0) {
      this.#scanned = this.#end;
      return this.length < maxBytes ? 'more' : 'too long';
    }
    if (at + 1 - this.#start > maxBytes) return 'too long';
    const line = this.#memory.latin1Slice(this.#start, at).replace(/\r$/, '');
    this.consume(at + 1 - this.#start);
    return { line };
  }

  /** Removes and returns everything. */
  takeAll(): Buffer {
    const held = Buffer.from(this.bytes());
    this.clear();
    return held;
  }

  clear(): void {
    this.#memory = Buffer.alloc(0);
    this.#start = this.#end = this.#scanned = 0;
  }
}
