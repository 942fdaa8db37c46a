// Column images by docs/internals/segment-format.md, written slowly from lists of values per document.

export interface ColumnSpec {
  readonly kind: 'i64' | 'f64';
  /** Values of each document, ascending; [] = none. */
  readonly docs: ReadonlyArray<ReadonlyArray<number>>;
  readonly multiplier: number;
  /** false: slots are ranks although the column is dense enough to be direct. */
  readonly direct: boolean;
}

/** The section's bytes (without block bounds, which aggregations do not read). */
export function columnImage(spec: ColumnSpec): Uint8Array {
  const { docs } = spec;
  const all = docs.flat();
  const full = docs.every((values) => values.length > 0);
  const multi = docs.some((values) => values.length > 1);
  const base = all.length > 0 ? Math.min(...all) : 0;
  const stored = spec.kind === 'f64' ? all : all.map((value) => (value - base) / spec.multiplier);
  const largest = stored.length > 0 ? Math.max(...stored) : 0;
  const isF32 = spec.kind === 'f64' && all.every((value) => Math.fround(value) === value);
  const width =
    spec.kind === 'f64' ? (isF32 ? 4 : 8) : largest === 0 ? 0 : largest < 256 ? 1 : largest < 65536 ? 2 : largest < 2 ** 32 ? 4 : 8;
  const slots = docs.filter((values) => full || spec.direct || values.length > 0);
  const flags = (multi ? 1 : 0) | (full ? 2 : 0) | (spec.direct ? 4 : 0) | (spec.kind === 'f64' ? 8 : 0);

  const values: number[] = [];
  const starts: number[] = [0];
  for (const slot of slots) {
    const kept = slot.map((value) => (spec.kind === 'f64' ? value : (value - base) / spec.multiplier));
    values.push(...(kept.length > 0 || multi ? kept : [0]));
    starts.push(values.length);
  }
  const sections: Uint8Array[] = [];
  let end = 64;
  const place = (bytes: Uint8Array): number => {
    const at = end;
    const padded = new Uint8Array(Math.ceil(bytes.length / 64) * 64);
    padded.set(bytes);
    sections.push(padded);
    end += padded.length;
    return at;
  };
  const valuesOff = place(packed(values, width, spec.kind === 'f64'));
  const presence = new Uint8Array(Math.ceil(docs.length / 512) * 64);
  const ranks = new Uint32Array(Math.ceil(docs.length / 512) + 1);
  let rank = 0;
  docs.forEach((list, doc) => {
    if (doc % 512 === 0) ranks[doc / 512] = rank;
    if (list.length > 0) {
      presence[doc >> 3] |= 1 << (doc & 7);
      rank++;
    }
  });
  const presenceOff = full ? 0 : place(presence);
  const ranksOff = full || spec.direct ? 0 : place(new Uint8Array(ranks.buffer));
  const startsOff = multi ? place(new Uint8Array(Uint32Array.from(starts).buffer)) : 0;

  const image = new Uint8Array(end);
  const view = new DataView(image.buffer);
  view.setUint32(0, flags, true);
  view.setUint32(4, width, true);
  if (spec.kind === 'i64') {
    view.setBigInt64(8, BigInt(base), true);
    view.setBigInt64(16, BigInt(spec.multiplier), true);
  }
  view.setUint32(24, all.length, true);
  view.setUint32(28, rank, true);
  view.setUint32(32, valuesOff, true);
  view.setUint32(36, presenceOff, true);
  view.setUint32(40, ranksOff, true);
  view.setUint32(44, startsOff, true);
  view.setUint32(52, docs.length, true);
  let at = 64;
  for (const section of sections) {
    image.set(section, at);
    at += section.length;
  }
  return image;
}

function packed(values: readonly number[], width: number, isDouble: boolean): Uint8Array {
  const bytes = new Uint8Array(values.length * width);
  const view = new DataView(bytes.buffer);
  values.forEach((value, i) => {
    if (isDouble) width === 4 ? view.setFloat32(i * 4, value, true) : view.setFloat64(i * 8, value, true);
    else if (width === 1) view.setUint8(i, value);
    else if (width === 2) view.setUint16(i * 2, value, true);
    else if (width === 4) view.setUint32(i * 4, value, true);
    else if (width === 8) view.setBigUint64(i * 8, BigInt(value), true);
  });
  return bytes;
}
