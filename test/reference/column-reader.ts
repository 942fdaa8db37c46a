// Reads a column section as docs/internals/segment-format.md describes it, value by value.

export interface DecodedColumn {
  readonly flags: number;
  readonly width: number;
  readonly docs: (bigint | number)[][];
  readonly valueCount: number;
  readonly docCount: number;
}

/** @throws Error where block bounds do not enclose the values exactly */
export function readColumn(bytes: Uint8Array): DecodedColumn {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const u32 = (off: number): number => view.getUint32(off, true);
  const [flags, width, valuesOff, presenceOff, ranksOff, startsOff, boundsOff, maxDoc] = [0, 4, 32, 36, 40, 44, 48, 52].map(u32);
  const [multi, full, direct, isF64] = [1, 2, 4, 8].map((flag) => (flags & flag) !== 0);
  const base = view.getBigInt64(8, true);
  const multiplier = view.getBigInt64(16, true);
  const storedAt = (i: number): bigint => {
    if (width === 0) return 0n;
    if (width === 1) return BigInt(view.getUint8(valuesOff + i));
    if (width === 2) return BigInt(view.getUint16(valuesOff + i * 2, true));
    return width === 4 ? BigInt(u32(valuesOff + i * 4)) : view.getBigUint64(valuesOff + i * 8, true);
  };
  const doubleAt = (i: number): number =>
    width === 4 ? view.getFloat32(valuesOff + i * 4, true) : view.getFloat64(valuesOff + i * 8, true);
  const docs: (bigint | number)[][] = [];
  const bounds = new Map<number, (bigint | number)[]>();
  let rank = 0;
  for (let doc = 0; doc < maxDoc; doc++) {
    const present = full || (view.getUint8(presenceOff + (doc >> 3)) >> (doc & 7)) & 1;
    if (!full && !direct && doc % 512 === 0 && u32(ranksOff + (doc / 512) * 4) !== rank) throw new Error(`rank before ${doc}`);
    const values: (bigint | number)[] = [];
    if (present) {
      const slot = full || direct ? doc : rank;
      const from = multi ? u32(startsOff + slot * 4) : slot;
      const to = multi ? u32(startsOff + slot * 4 + 4) : slot + 1;
      const block = bounds.get(doc >> 12) ?? [];
      bounds.set(doc >> 12, block);
      for (let i = from; i < to; i++) {
        values.push(isF64 ? doubleAt(i) : BigInt.asIntN(64, base + multiplier * storedAt(i)));
        block.push(isF64 ? doubleAt(i) : storedAt(i));
      }
      rank++;
    }
    docs.push(values);
  }
  for (let block = 0; block << 12 < maxDoc; block++) {
    const at = boundsOff + block * 16;
    const [low, high] = isF64
      ? [view.getFloat64(at, true), view.getFloat64(at + 8, true)]
      : [view.getBigUint64(at, true), view.getBigUint64(at + 8, true)];
    const sorted = [...(bounds.get(block) ?? [])].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
    const fits = sorted.length === 0 ? low > high : low === sorted[0] && high === sorted[sorted.length - 1];
    if (!fits && !(isF64 && Number(low) === Number(sorted[0]) && Number(high) === Number(sorted.at(-1))))
      throw new Error(`bounds of block ${block}: ${low}..${high}`);
  }
  return { flags, width, docs, valueCount: u32(24), docCount: u32(28) };
}
