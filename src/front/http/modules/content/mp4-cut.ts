// Cuts an MP4 file in time: a new moov atom whose sample tables start and end at the requested times, and the range of media data it refers to.
//   file: ftyp | moov( mvhd, trak( tkhd, mdia( mdhd, minf( stbl( stts stss ctts stsc stsz stco|co64 ))))) | mdat
// Source: ISO/IEC 14496-12, section 8.
import {
  type Atom,
  atoms,
  type CutOptions,
  cutRuns,
  durationOf,
  fail,
  inScale,
  MDHD,
  MVHD,
  need,
  played,
  readTrack,
  rows,
  sampleAt,
  TKHD,
  type Track,
  table,
  timeOf,
  timescaleOf,
} from './mp4-track.ts';

export interface Source {
  size: number;
  read(at: number, count: number): Buffer;
}

class TrackEnded extends Error {}

/** Each atom outside of others costs a read, during which the event loop waits: 2 µs. */
const MAX_TOP_ATOMS = 1 << 18;

/** Average bytes per second of the whole film; null without a duration. @throws Error: not an MP4 file */
export function bytesPerSecond(source: Source, maxMoov: number): number | null {
  const { moov } = topAtoms(source, maxMoov);
  const [root] = atoms(moov, 0, moov.length);
  const mvhd = atoms(moov, root.body, root.end).find((c) => c.name === 'mvhd') ?? fail('no mp4 mvhd atom was found');
  const seconds = durationOf(moov, mvhd, MVHD) / timescaleOf(moov, mvhd, MVHD);
  return seconds > 0 ? source.size / seconds : null;
}

/** @returns undefined if the whole film is wanted and its moov atom precedes the data already @throws Error: a file that cannot be cut */
export function cutMoov(source: Source, options: CutOptions): { head: Buffer[]; dataStart: number; dataEnd: number } | undefined {
  const top = topAtoms(source, options.maxMoov);
  if (top.moovFirst && options.startMs === 0 && options.lengthMs === null) return undefined;
  const { moov } = top;
  const [root] = atoms(moov, 0, moov.length);
  const children = atoms(moov, root.body, root.end);
  const mvhd = children.find((c) => c.name === 'mvhd') ?? fail('no mp4 mvhd atom was found');
  const movieScale = timescaleOf(moov, mvhd, MVHD);
  const longest = played(durationOf(moov, mvhd, MVHD), movieScale, options);
  if (longest <= 0) throw new Error('mp4 movie duration is less than start time');
  const tracks = new Map<Atom, Track>();
  for (const child of children) {
    if (child.name !== 'trak') continue;
    const track = readTrack(moov, child, movieScale, options);
    if (track) tracks.set(child, track);
  }
  if (tracks.size === 0) throw new Error('no mp4 trak atoms were found');
  for (const [atom, track] of [...tracks]) {
    try {
      cutTrack(moov, track, options);
    } catch (error) {
      // Tracks that end before the start are omitted, unless there is only one.
      if (!(error instanceof TrackEnded) || tracks.size === 1) throw error;
      tracks.delete(atom);
    }
  }
  const cut = [...tracks.values()];
  const dataStart = cut.reduce((least, t) => Math.min(least, t.dataStart), top.mdatEnd);
  const lastByte = cut.reduce((most, t) => Math.max(most, t.dataEnd), 0);
  const dataEnd = options.lengthMs === null ? top.mdatEnd : Math.min(lastByte, top.mdatEnd);
  if (!(dataStart < dataEnd)) throw new Error('start time is out mp4 mdat atom');
  const build = (shift: number) => buildMoov(moov, children, tracks, shift, longest);
  const wide = dataEnd - dataStart + 8 > 0xffffffff;
  const mdatHead = wide ? 16 : 8;
  const measured = build(0);
  const shift = top.ftyp.length + measured.length + mdatHead - dataStart;
  const moovOut = build(shift);
  const head = Buffer.alloc(mdatHead);
  head.writeUInt32BE(wide ? 1 : dataEnd - dataStart + 8, 0);
  head.write('mdat', 4, 'latin1');
  if (wide) head.writeBigUInt64BE(BigInt(dataEnd - dataStart + 16), 8);
  return { head: [top.ftyp, moovOut, head].filter((b) => b.length > 0), dataStart, dataEnd };
}

function topAtoms(source: Source, maxMoov: number): { ftyp: Buffer; moov: Buffer; moovFirst: boolean; mdatEnd: number } {
  let ftyp: Buffer = Buffer.alloc(0);
  let moov: Buffer | null = null;
  let mdatEnd = -1;
  let moovFirst = false;
  let left = MAX_TOP_ATOMS;
  for (let pos = 0; pos + 8 <= source.size; ) {
    if (left-- === 0) throw new Error(`mp4 file has more than ${MAX_TOP_ATOMS} atoms`);
    const head = source.read(pos, 16);
    let size = head.readUInt32BE(0);
    const name = head.latin1Slice(4, 8);
    if (size === 1 && head.length >= 16) size = Number(head.readBigUInt64BE(8));
    else if (size === 0) size = source.size - pos;
    if (size < 8 || pos + size > source.size) throw new Error(`mp4 atom "${name}" is too large or too small: ${size}`);
    if (name === 'ftyp') ftyp = size <= 1024 ? source.read(pos, size) : ftyp;
    else if (name === 'moov') {
      if (size > maxMoov) throw new Error(`mp4 moov atom is too large: ${size}, you may want to increase mp4_max_buffer_size`);
      moov = source.read(pos, size);
      moovFirst = mdatEnd < 0;
    } else if (name === 'mdat') mdatEnd = pos + size;
    pos += size;
  }
  if (!moov) throw new Error('no mp4 moov atom was found');
  if (mdatEnd < 0) throw new Error('no mp4 mdat atom was found');
  return { ftyp, moov, moovFirst, mdatEnd };
}

function cutTrack(moov: Buffer, track: Track, options: CutOptions): void {
  const stts = rows(moov, need(track, 'stts'), 2);
  const total = stts.reduce((sum, [count]) => sum + count, 0);
  const { timescale } = track;
  const stss = track.stbl.get('stss');
  const syncs = stss ? rows(moov, stss, 1).map(([n]) => n - 1) : null;
  track.firstSample = sampleAt(stts, inScale(options.startMs, timescale));
  if (track.firstSample >= total && options.startMs > 0) throw new TrackEnded('start time is out mp4 stts samples');
  if (options.keyFrame && syncs) {
    const key = syncs.filter((s) => s <= track.firstSample).at(-1);
    if (key !== undefined && key < track.firstSample) {
      track.prefix = timeOf(stts, track.firstSample) - timeOf(stts, key);
      track.duration += track.prefix;
      track.firstSample = key;
    }
  }
  const { firstSample } = track;
  // The length counts from the start of the first sample, even if the start time is inside it.
  const fromFirst = cutRuns(stts, firstSample, total);
  if (options.lengthMs === null) track.endSample = total;
  else track.endSample = Math.min(total, firstSample + sampleAt(fromFirst, inScale(options.lengthMs, timescale) + track.prefix));
  if (track.endSample <= firstSample) track.endSample = Math.min(total, firstSample + 1);
  const { endSample } = track;
  track.tables.set('stts', table('stts', cutRuns(stts, firstSample, endSample)));
  if (syncs) {
    const kept = syncs.filter((s) => s >= firstSample && s < endSample).map((s) => [s - firstSample + 1]);
    track.tables.set('stss', table('stss', kept));
  }
  const ctts = track.stbl.get('ctts');
  if (ctts) track.tables.set('ctts', table('ctts', cutOffsets(rows(moov, ctts, 2), firstSample, endSample, options)));
  cutChunks(moov, track, total, options);
}

/** As cutRuns; a run that starts where the range ends is kept with no samples, as in nginx. */
function cutOffsets(list: number[][], first: number, end: number, options: CutOptions): number[][] {
  if (options.lengthMs === null) return cutRuns(list, first, end);
  const out = cutRuns(list, first, end + 1);
  const last = out.at(-1);
  if (last && out.reduce((sum, [count]) => sum + count, 0) > end - first) last[0]--;
  return out;
}

/** Sizes of a track's samples. The number of samples that other tables claim has no limit, but this table is as long as it says. */
interface SampleSizes {
  bytesOf(first: number, end: number): number;
  /** the table of the samples from `first` */
  cut(first: number, end: number): Buffer;
}

/** @throws Error: the table ends before the range does; without a requested length, only if it ends before the start */
function sizesOf(moov: Buffer, track: Track, options: CutOptions): SampleSizes {
  const atom = need(track, 'stsz');
  const uniform = moov.readUInt32BE(atom.body + 4);
  const count = moov.readUInt32BE(atom.body + 8);
  if (uniform > 0) {
    const cut = (first: number, end: number): Buffer => {
      const out = table('stsz', [], [uniform]);
      out.writeUInt32BE(Math.min(end - first, 0xffffffff), 16);
      return out;
    };
    return { cut, bytesOf: (first, end) => (end - first) * uniform };
  }
  if (atom.body + 12 + count * 4 > atom.end) fail('mp4 stsz atom is too small');
  if (track.firstSample >= count) fail('start time is out mp4 stsz samples');
  if (options.lengthMs !== null && track.endSample > count) fail('end time is out mp4 stsz samples');
  const at = (sample: number): number => atom.body + 12 + Math.min(sample, count) * 4;
  const sizes = (first: number, end: number): Buffer => moov.subarray(at(first), at(end));
  return {
    bytesOf: (first, end) => {
      const list = sizes(first, end);
      let bytes = 0;
      for (let n = 0; n < list.length; n += 4) bytes += list.readUInt32BE(n);
      return bytes;
    },
    cut: (first, end) => {
      const list = sizes(first, end);
      const head = table('stsz', [], [0]);
      head.writeUInt32BE(head.length + list.length, 0);
      head.writeUInt32BE(list.length / 4, 16);
      return Buffer.concat([head, list]);
    },
  };
}

function cutChunks(moov: Buffer, track: Track, total: number, options: CutOptions): void {
  const { firstSample, endSample } = track;
  const sizes = sizesOf(moov, track, options);
  const coAtom = track.stbl.get('co64') ?? need(track, 'stco');
  const chunkCount = moov.readUInt32BE(coAtom.body + 4);
  const width = track.wide ? 8 : 4;
  if (coAtom.body + 8 + chunkCount * width > coAtom.end) fail(`mp4 ${coAtom.name} atom is too small`);
  const offsetOf = (chunk: number): number => {
    const at = coAtom.body + 8 + chunk * width;
    return track.wide ? Number(moov.readBigUInt64BE(at)) : moov.readUInt32BE(at);
  };
  const stsc = rows(moov, need(track, 'stsc'), 3);
  // Walks the chunks and keeps those with samples in the range.
  const kept: { row: number; samples: number; description: number; offset: number }[] = [];
  let sample = 0;
  let row = 0;
  track.dataStart = Number.POSITIVE_INFINITY;
  for (let chunk = 0; chunk < chunkCount && sample < total; chunk++) {
    while (row + 1 < stsc.length && stsc[row + 1][0] <= chunk + 1) row++;
    const inChunk = stsc[row]?.[1] ?? 0;
    const from = Math.max(sample, firstSample);
    const to = Math.min(sample + inChunk, endSample);
    if (to > from) {
      const offset = offsetOf(chunk) + sizes.bytesOf(sample, from);
      kept.push({ row, samples: to - from, description: stsc[row][2], offset });
      track.dataStart = Math.min(track.dataStart, offset);
      track.dataEnd = Math.max(track.dataEnd, offset + sizes.bytesOf(from, to));
    }
    sample += inChunk;
  }
  if (kept.length === 0) fail('start time is out mp4 stsc chunks');
  track.chunkOffsets = kept.map((k) => k.offset);
  const outStsc: number[][] = [];
  kept.forEach((k, n) => {
    const last = outStsc.at(-1);
    if (!last || last[1] !== k.samples || kept[n - 1].row !== k.row) outStsc.push([n + 1, k.samples, k.description]);
  });
  track.tables.set('stsc', table('stsc', outStsc));
  track.tables.set('stsz', sizes.cut(firstSample, endSample));
}

function offsetTable(track: Track, shift: number): Buffer {
  const list = track.chunkOffsets.map((o) => o + shift);
  if (!track.wide)
    return table(
      'stco',
      list.map((o) => [o]),
    );
  const out = Buffer.alloc(16 + list.length * 8);
  out.writeUInt32BE(out.length, 0);
  out.write('co64', 4, 'latin1');
  out.writeUInt32BE(list.length, 12);
  list.forEach((o, n) => out.writeBigUInt64BE(BigInt(o), 16 + n * 8));
  return out;
}

/** Children of each container that are kept, in this order; edit lists and sample groups of the original would be wrong. */
const KEPT: Record<string, string[]> = {
  moov: ['mvhd', 'trak'],
  trak: ['tkhd', 'mdia'],
  mdia: ['mdhd', 'hdlr', 'minf'],
  minf: ['vmhd', 'smhd', 'dinf', 'stbl'],
  stbl: ['stsd', 'stts', 'stss', 'ctts', 'stsc', 'stsz', 'stco', 'co64'],
};

const keptOf = (name: string, list: Atom[]): Atom[] => KEPT[name].flatMap((wanted) => list.filter((atom) => atom.name === wanted));

function wrap(name: string, parts: Buffer[]): Buffer {
  const size = 8 + parts.reduce((sum, p) => sum + p.length, 0);
  const head = Buffer.alloc(8);
  head.writeUInt32BE(size, 0);
  head.write(name, 4, 'latin1');
  return Buffer.concat([head, ...parts]);
}

function buildMoov(moov: Buffer, children: Atom[], tracks: Map<Atom, Track>, shift: number, longest: number): Buffer {
  const parts = keptOf('moov', children).map((child) => {
    if (child.name === 'mvhd') return patchDuration(moov, child, MVHD, longest);
    const track = tracks.get(child);
    return track ? buildContainer(moov, child, track, shift) : Buffer.alloc(0);
  });
  return wrap('moov', parts);
}

/** Copies a header atom with a new duration. */
function patchDuration(moov: Buffer, atom: Atom, { duration: [narrow, wide] }: typeof TKHD, duration: number): Buffer {
  const out = Buffer.from(moov.subarray(atom.start, atom.end));
  const body = atom.body - atom.start;
  if (out[body] === 1) out.writeBigUInt64BE(BigInt(duration), body + wide);
  else out.writeUInt32BE(Math.min(duration, 0xffffffff), body + narrow);
  return out;
}

function buildContainer(moov: Buffer, parent: Atom, track: Track, shift: number): Buffer {
  const parts: Buffer[] = [];
  for (const atom of keptOf(parent.name, atoms(moov, parent.body, parent.end))) {
    if (atom.name in KEPT) parts.push(buildContainer(moov, atom, track, shift));
    else if (atom.name === 'tkhd') {
      parts.push(patchDuration(moov, atom, TKHD, track.movieDuration));
      if (track.prefix > 0) parts.push(editList(track));
    } else if (atom.name === 'mdhd') parts.push(patchDuration(moov, atom, MDHD, track.duration));
    else if (atom.name === 'stco' || atom.name === 'co64') parts.push(offsetTable(track, shift));
    else parts.push(track.tables.get(atom.name) ?? moov.subarray(atom.start, atom.end));
  }
  return wrap(parent.name, parts);
}

/** An edit list that starts after the hidden part: the key frame before the start is decoded but not shown. */
function editList(track: Track): Buffer {
  const elst = Buffer.alloc(36);
  elst.writeUInt32BE(36, 0);
  elst.write('elst', 4, 'latin1');
  elst[8] = 1;
  elst.writeUInt32BE(1, 12);
  elst.writeBigUInt64BE(BigInt(track.movieDuration), 16);
  elst.writeBigUInt64BE(BigInt(track.prefix), 24);
  elst.writeUInt16BE(1, 32);
  return wrap('edts', [elst]);
}
