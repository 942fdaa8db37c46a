// Slow twin of assembly/postings: reads a record as specified in docs/internals/segment-format.md.

export interface PostingsDoc {
  readonly doc: number;
  readonly freq: number;
  readonly norm: number;
  /** [position, startOffset, endOffset] */
  readonly positions: ReadonlyArray<readonly [number, number, number]>;
}

export interface FieldFlags {
  readonly freqs: boolean;
  readonly positions: boolean;
  readonly offsets: boolean;
  readonly norms: boolean;
}

export function flagBits(flags: FieldFlags): number {
  return (flags.freqs ? 2 : 0) | (flags.positions ? 4 : 0) | (flags.offsets ? 8 : 0) | (flags.norms ? 16 : 0);
}

class Bytes {
  at: number;
  readonly bytes: Uint8Array;
  constructor(bytes: Uint8Array, at: number) {
    this.bytes = bytes;
    this.at = at;
  }
  u8(): number {
    return this.bytes[this.at++];
  }
  u32(): number {
    return (this.u8() | (this.u8() << 8) | (this.u8() << 16) | (this.u8() << 24)) >>> 0;
  }
  vint(): number {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.u8();
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
  }
}

export type ImpactPair = readonly [norm: number, freq: number];

export interface DecodedRecord {
  readonly docs: ReadonlyArray<Omit<PostingsDoc, 'norm'>>;
  /** Per block, per group of 32 blocks, of the whole term; null where the record has none. */
  readonly impacts: { blocks: ImpactPair[][]; groups: ImpactPair[][]; term: ImpactPair[] } | null;
}

export function decodeRecord(
  postings: Uint8Array,
  positionsSection: Uint8Array,
  termOff: number,
  docFreq: number,
  flags: FieldFlags,
): DecodedRecord {
  const docs: number[] = [];
  const freqs: number[] = [];
  const readEntries = (bytes: Bytes, count: number): void => {
    for (let i = 0; i < count; i++) {
      const entry = bytes.vint();
      const gap = flags.freqs ? Math.floor(entry / 2) : entry;
      docs.push((docs.at(-1) ?? 0) + gap);
      freqs.push(flags.freqs && entry % 2 === 0 ? bytes.vint() : 1);
    }
  };
  if (docFreq < 128) {
    const bytes = new Bytes(postings, termOff);
    readEntries(bytes, docFreq);
    return { docs: readPositions(bytes, docs, freqs, flags), impacts: null };
  }
  const tableOff = new Bytes(postings, termOff).u32();
  const positionsOff = new Bytes(postings, termOff + 4).u32();
  const n = Math.ceil(docFreq / 128);
  const groups = Math.ceil(n / 32);
  const table = new Bytes(postings, termOff + tableOff);
  const column = (count: number): number[] => Array.from({ length: count }, () => table.u32());
  const lastDocs = column(n);
  const blockOffs = column(n);
  const positionOffs = flags.positions ? column(n) : [];
  const impactOffs = flags.freqs || flags.norms ? column(n + groups + 1) : [];
  for (let b = 0; b < n; b++) {
    const bytes = new Bytes(postings, termOff + blockOffs[b]);
    if ((b + 1) * 128 <= docFreq) readBlock(bytes, docs, freqs, flags);
    else readEntries(bytes, docFreq - b * 128);
    if (docs.at(-1) !== lastDocs[b]) throw new Error(`block ${b} ends at ${docs.at(-1)}, the table says ${lastDocs[b]}`);
  }
  const starts = docs.map((_, i) => (flags.positions && i % 128 === 0 ? positionsOff + positionOffs[i >> 7] : -1));
  const lists = impactOffs.map((off) => {
    const bytes = new Bytes(postings, termOff + off);
    return Array.from({ length: bytes.u8() }, (): ImpactPair => [bytes.u8(), bytes.vint()]);
  });
  const impacts = lists.length ? { blocks: lists.slice(0, n), groups: lists.slice(n, n + groups), term: lists[n + groups] } : null;
  return { docs: readPositions(new Bytes(positionsSection, 0), docs, freqs, flags, starts), impacts };
}

function readBlock(bytes: Bytes, docs: number[], freqs: number[], flags: FieldFlags): void {
  const first = docs.length === 0;
  const last = docs.at(-1) ?? 0;
  const kind = bytes.u8();
  if (kind >= 64) {
    const base = first ? 0 : last + 1;
    for (let byte = 0; byte < (kind - 64) * 8; byte++) {
      const value = bytes.u8();
      for (let bit = 0; bit < 8; bit++) if ((value >> bit) & 1) docs.push(base + byte * 8 + bit);
    }
  } else {
    let doc = last;
    for (const gap of unpack(bytes, kind)) docs.push((doc += gap));
  }
  if (!flags.freqs) {
    for (let i = 0; i < 128; i++) freqs.push(1);
    return;
  }
  const width = bytes.u8();
  const exceptions = bytes.u8();
  const values = unpack(bytes, width);
  for (let i = 0; i < exceptions; i++) values[bytes.u8()] += bytes.vint() * 2 ** width;
  freqs.push(...values.map((value) => value + 1));
}

/** 128 values of `width` bits; value i is in 32-bit lane i & 3, at bits (i >> 2) * width of that lane. */
export function unpack(bytes: Bytes, width: number): number[] {
  const start = bytes.at;
  bytes.at += 16 * width;
  return Array.from({ length: 128 }, (_, i) => {
    let value = 0;
    for (let bit = 0; bit < width; bit++) {
      const at = (i >> 2) * width + bit;
      const word = start + Math.floor(at / 32) * 16 + (i & 3) * 4;
      if ((bytes.bytes[word + ((at % 32) >> 3)] >> (at & 7)) & 1) value += 2 ** bit;
    }
    return value;
  });
}

function readPositions(
  bytes: Bytes,
  docs: number[],
  freqs: number[],
  flags: FieldFlags,
  starts: number[] = [],
): Array<Omit<PostingsDoc, 'norm'>> {
  return docs.map((doc, i) => {
    if (!flags.positions) return { doc, freq: freqs[i], positions: [] };
    if (starts.length && starts[i] >= 0) bytes.at = starts[i];
    let position = 0;
    let start = 0;
    const positions = Array.from({ length: freqs[i] }, (): [number, number, number] => {
      position += bytes.vint();
      if (!flags.offsets) return [position, 0, 0];
      start += bytes.vint();
      return [position, start, start + bytes.vint()];
    });
    return { doc, freq: freqs[i], positions };
  });
}

/** Pairs (norm, freq) that no other beats, norms ascending. */
export function competitive(docs: readonly PostingsDoc[]): ImpactPair[] {
  const pairs: ImpactPair[] = [];
  for (let norm = 0; norm < 256; norm++) {
    const freq = Math.max(0, ...docs.filter((doc) => doc.norm === norm).map((doc) => doc.freq));
    if (freq > (pairs.at(-1)?.[1] ?? 0)) pairs.push([norm, freq]);
  }
  return pairs;
}
