// Tracks of an MP4 file: the atoms and sample tables that a cut reads.

export interface Atom {
  name: string;
  /** The whole atom. */
  start: number;
  end: number;
  /** Its content. */
  body: number;
}

export function atoms(data: Buffer, from: number, to: number): Atom[] {
  const out: Atom[] = [];
  for (let pos = from; pos + 8 <= to; ) {
    let size = data.readUInt32BE(pos);
    let body = pos + 8;
    if (size === 1) {
      if (pos + 16 > to) throw new Error('mp4 atom is cut short');
      size = Number(data.readBigUInt64BE(pos + 8));
      body = pos + 16;
    } else if (size === 0) size = to - pos;
    if (size < body - pos || pos + size > to) throw new Error('mp4 atom is too large');
    out.push({ name: data.latin1Slice(pos + 4, pos + 8), start: pos, end: pos + size, body });
    pos += size;
  }
  return out;
}

export interface Track {
  timescale: number;
  stbl: Map<string, Atom>;
  /** First sample and one past the last, counted from 0. */
  firstSample: number;
  endSample: number;
  /** Start and end of its data in the file. */
  dataStart: number;
  dataEnd: number;
  /** Hidden time before the start, in units of the track. */
  prefix: number;
  tables: Map<string, Buffer>;
  chunkOffsets: number[];
  wide: boolean;
  /** Duration including the hidden part, in units of the track. */
  duration: number;
  /** Duration without the hidden part, in units of the movie. */
  movieDuration: number;
}

/** Offsets of fields in an atom's body, in version 0 and 1: 32 and 64 bits wide. */
export const MVHD = { scale: [12, 20], duration: [16, 24] };
export const MDHD = MVHD;
export const TKHD = { duration: [20, 28] };

export const durationOf = (moov: Buffer, atom: Atom, { duration: [narrow, wide] }: typeof TKHD): number =>
  moov[atom.body] === 1 ? Number(moov.readBigUInt64BE(atom.body + wide)) : moov.readUInt32BE(atom.body + narrow);

export function timescaleOf(moov: Buffer, atom: Atom, { scale: [narrow, wide] }: typeof MVHD): number {
  const scale = moov.readUInt32BE(atom.body + (moov[atom.body] === 1 ? wide : narrow));
  if (scale === 0) throw new Error(`mp4 ${atom.name} atom has a zero timescale`);
  return scale;
}

export const inScale = (ms: number, scale: number): number => Math.floor((ms * scale) / 1000);

/** null if it is not a track, or ends before the start. */
export function readTrack(moov: Buffer, trak: Atom, movieScale: number, options: CutOptions): Track | null {
  const find = (parent: Atom | null, name: string) => parent && atoms(moov, parent.body, parent.end).find((a) => a.name === name);
  const tkhd = find(trak, 'tkhd');
  const mdia = find(trak, 'mdia');
  const mdhd = find(mdia ?? null, 'mdhd');
  const stblAtom = find(find(mdia ?? null, 'minf') ?? null, 'stbl');
  if (!tkhd || !mdhd || !stblAtom) return null;
  const timescale = timescaleOf(moov, mdhd, MDHD);
  const duration = played(durationOf(moov, mdhd, MDHD), timescale, options);
  const movieDuration = played(durationOf(moov, tkhd, TKHD), movieScale, options);
  if (duration <= 0 || movieDuration <= 0) return null;
  const stbl = new Map(atoms(moov, stblAtom.body, stblAtom.end).map((a) => [a.name, a]));
  const zero = { firstSample: 0, endSample: 0, dataStart: 0, dataEnd: 0, prefix: 0 };
  return { timescale, duration, movieDuration, stbl, ...zero, tables: new Map(), chunkOffsets: [], wide: stbl.has('co64') };
}

export function need(track: Track, name: string): Atom {
  return track.stbl.get(name) ?? fail(`no mp4 ${name} atom was found in trak`);
}
export function fail(message: string): never {
  throw new Error(message);
}

/** Rows of a table of u32 columns. */
export function rows(moov: Buffer, atom: Atom, columns: number): number[][] {
  const count = moov.readUInt32BE(atom.body + 4);
  if (atom.body + 8 + count * columns * 4 > atom.end) throw new Error(`mp4 ${atom.name} atom is too small`);
  return Array.from({ length: count }, (_, n) =>
    Array.from({ length: columns }, (_, c) => moov.readUInt32BE(atom.body + 8 + (n * columns + c) * 4)),
  );
}

export function table(name: string, list: number[][], extra: number[] = []): Buffer {
  const columns = list[0]?.length ?? 0;
  const out = Buffer.alloc(12 + extra.length * 4 + 4 + list.length * columns * 4);
  out.writeUInt32BE(out.length, 0);
  out.write(name, 4, 'latin1');
  let at = 12;
  for (const value of extra) {
    out.writeUInt32BE(value, at);
    at += 4;
  }
  out.writeUInt32BE(list.length, at);
  at += 4;
  for (const row of list) {
    for (const value of row) {
      out.writeUInt32BE(value >>> 0, at);
      at += 4;
    }
  }
  return out;
}

/** Index of the sample at a time in units of the track. */
export function sampleAt(stts: number[][], time: number): number {
  let sample = 0;
  let left = time;
  for (const [count, duration] of stts) {
    if (left < count * duration) return sample + Math.floor(left / duration);
    left -= count * duration;
    sample += count;
  }
  return sample;
}

export function timeOf(stts: number[][], sample: number): number {
  return cutRuns(stts, 0, sample).reduce((sum, [count, d]) => sum + count * d, 0);
}

export interface CutOptions {
  startMs: number;
  /** null for the end of the film. */
  lengthMs: number | null;
  /** Start at the key frame before the start time and hide what precedes it. */
  keyFrame: boolean;
  maxMoov: number;
}

/** The rest of a duration after the start, at most the requested length; zero or less if there is none. */
export function played(duration: number, scale: number, options: CutOptions): number {
  const left = duration - inScale(options.startMs, scale);
  return options.lengthMs === null ? left : Math.min(left, inScale(options.lengthMs, scale));
}

/** Cuts run-length rows `[count, value]` to a range of samples. */
export function cutRuns(list: number[][], first: number, end: number): number[][] {
  const out: number[][] = [];
  let at = 0;
  for (const [count, value] of list) {
    const from = Math.max(first, at);
    const to = Math.min(end, at + count);
    if (to > from) out.push([to - from, value]);
    at += count;
  }
  return out;
}
