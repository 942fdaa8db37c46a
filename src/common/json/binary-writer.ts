// What the encoders of binary forms of JSON share: a buffer that grows, and the distinction of values.

export abstract class BinaryWriter {
  protected bytes = Buffer.allocUnsafe(1024);
  #length = 0;

  /** What was written, without a copy. */
  finish(): Buffer {
    return this.bytes.subarray(0, this.#length);
  }

  /** Makes room, which may replace `bytes`. @returns where the room starts */
  protected reserve(count: number): number {
    const at = this.#length;
    if (at + count > this.bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(this.bytes.length * 2, at + count));
      this.bytes.copy(larger, 0, 0, at);
      this.bytes = larger;
    }
    this.#length = at + count;
    return at;
  }

  protected put(...bytes: number[]): void {
    const at = this.reserve(bytes.length);
    for (let i = 0; i < bytes.length; i++) this.bytes[at + i] = bytes[i];
  }

  /** @param bytes  length of the string in UTF-8 */
  protected utf8(value: string, bytes: number): void {
    const at = this.reserve(bytes);
    this.bytes.write(value, at, bytes, 'utf8');
  }

  /** Writes a plain value (without RawJson); what JSON has no form for becomes null. */
  value(value: unknown): void {
    switch (typeof value) {
      case 'string':
        this.string(value);
        return;
      case 'number':
        if (Number.isSafeInteger(value) && !Object.is(value, -0)) this.integer(value);
        else this.double(value);
        return;
      case 'bigint':
        this.integer(value);
        return;
      case 'boolean':
        this.boolean(value);
        return;
      case 'object':
        if (value !== null) {
          if (Array.isArray(value)) this.list(value);
          else this.members(Object.entries(value).filter(([, member]) => member !== undefined));
          return;
        }
    }
    this.none();
  }

  protected abstract string(value: string): void;
  protected abstract integer(value: number | bigint): void;
  protected abstract double(value: number): void;
  protected abstract boolean(value: boolean): void;
  protected abstract list(items: readonly unknown[]): void;
  protected abstract members(members: ReadonlyArray<readonly [name: string, value: unknown]>): void;
  protected abstract none(): void;
}
