// A set of sequence numbers as text: varints of (gap, run) pairs in base64. Documents that were never updated make a few long runs.
//   ├ gap since the end of the previous run ┬ length of the run ┤ ...

/** Collects ascending numbers. */
export class SeqNoSetBuilder {
  readonly #bytes: number[] = [];
  #end = 0;
  #runStart = -1;
  #count = 0;

  get count(): number {
    return this.#count;
  }

  add(seqNo: number): void {
    this.#count++;
    if (this.#runStart < 0) this.#runStart = this.#runEnd = seqNo;
    else if (seqNo !== this.#runEnd) {
      this.#close();
      this.#runStart = this.#runEnd = seqNo;
    }
    this.#runEnd = seqNo + 1;
  }

  #runEnd = -1;

  #close(): void {
    if (this.#runStart < 0) return;
    this.#varint(this.#runStart - this.#end);
    this.#varint(this.#runEnd - this.#runStart);
    this.#end = this.#runEnd;
    this.#runStart = -1;
  }

  #varint(value: number): void {
    let rest = value;
    for (; rest >= 128; rest = Math.floor(rest / 128)) this.#bytes.push((rest % 128) | 128);
    this.#bytes.push(rest);
  }

  encode(): string {
    this.#close();
    return Buffer.from(this.#bytes).toString('base64');
  }
}

/** The runs of an encoded set, ascending: first number and one past the last. @throws RangeError the text is damaged */
export function* seqNoRuns(encoded: string): Generator<readonly [start: number, end: number]> {
  const bytes = Buffer.from(encoded, 'base64');
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      if (at >= bytes.length || factor > 2 ** 49) throw new RangeError('the set of sequence numbers is truncated');
      const byte = bytes[at++];
      value += (byte & 127) * factor;
      if (byte < 128) return value;
    }
  };
  for (let end = 0; at < bytes.length; ) {
    const start = end + varint();
    end = start + varint();
    yield [start, end];
  }
}

/** Tests numbers, which must come in ascending order. @param encoded  null contains everything */
export function ascendingTest(encoded: string | null): (seqNo: number) => boolean {
  if (encoded === null) return () => true;
  const runs = seqNoRuns(encoded);
  let run = runs.next();
  return (seqNo) => {
    while (!run.done && run.value[1] <= seqNo) run = runs.next();
    return !run.done && run.value[0] <= seqNo;
  };
}
