// Modules of the SWORD project: Bibles and commentaries (zText, zCom) and dictionaries (zLD), all in compressed blocks. Integers are little-endian.
import { readFileSync } from 'node:fs';
import { inflateRawSync, inflateSync } from 'node:zlib';
import type { DictionaryEntry } from './dictd.ts';

export interface Verse {
  /** Number of the compressed block: a book in these modules. */
  readonly block: number;
  readonly text: string;
}

/** Index records of 10 bytes hold sizes of 16 bits; these numbers of 12-byte records are those of modules with sizes of 32 bits. */
const WIDE_RECORD_COUNTS: ReadonlySet<number> = new Set([24_115, 8_246, 31_027, 8_248]);
const NARROW = 10;
const WIDE = 12;

/**
 * The verses of a testament in order; a text to which several verses point is returned once.
 * @param base  path without extension
 * @param kind  `bz` or `cz`: the start of the extensions
 */
export function swordVerses(base: string, kind: 'bz' | 'cz'): Verse[] {
  const blocks = readFileSync(`${base}.${kind}s`);
  const verses = readFileSync(`${base}.${kind}v`);
  const data = readFileSync(`${base}.${kind}z`);
  const width = WIDE_RECORD_COUNTS.has(verses.length / WIDE) ? WIDE : NARROW;
  const seen = new Set<string>();
  const found: Verse[] = [];
  let current = -1;
  let inflated: Buffer = Buffer.alloc(0);
  for (let at = 0; at + width <= verses.length; at += width) {
    const block = verses.readUInt32LE(at);
    const offset = verses.readUInt32LE(at + 4);
    const size = width === WIDE ? verses.readUInt32LE(at + 8) : verses.readUInt16LE(at + 8);
    if (size === 0 || block * 12 + 12 > blocks.length || seen.has(`${block} ${offset}`)) continue;
    seen.add(`${block} ${offset}`);
    if (block !== current) {
      const start = blocks.readUInt32LE(block * 12);
      const length = blocks.readUInt32LE(block * 12 + 4);
      if (length === 0) continue;
      inflated = inflate(data.subarray(start, start + length));
      current = block;
    }
    found.push({ block, text: inflated.toString('utf8', offset, offset + size) });
  }
  return found;
}

/** @param base  path without extension */
export function swordDictionary(base: string): DictionaryEntry[] {
  const index = readFileSync(`${base}.idx`);
  const records = readFileSync(`${base}.dat`);
  const blocks = readFileSync(`${base}.zdx`);
  const data = readFileSync(`${base}.zdt`);
  const found: DictionaryEntry[] = [];
  let current = -1;
  let inflated: Buffer = Buffer.alloc(0);
  for (let at = 0; at + 8 <= index.length; at += 8) {
    const start = index.readUInt32LE(at);
    const record = records.subarray(start, start + index.readUInt32LE(at + 4));
    const lineEnd = record.indexOf(10);
    if (lineEnd < 0 || record.length < lineEnd + 9) continue;
    const word = record
      .toString('utf8', 0, lineEnd)
      .replace(/[\r\\]+/g, '')
      .trim();
    const block = record.readUInt32LE(lineEnd + 1);
    const entry = record.readUInt32LE(lineEnd + 5);
    if (block !== current) {
      const from = blocks.readUInt32LE(block * 8);
      inflated = inflate(data.subarray(from, from + blocks.readUInt32LE(block * 8 + 4)));
      current = block;
    }
    if (entry >= inflated.readUInt32LE(0)) continue;
    const offset = inflated.readUInt32LE(4 + entry * 8);
    const size = inflated.readUInt32LE(8 + entry * 8);
    found.push({ word, text: inflated.toString('utf8', offset, offset + size).replace(/\0+$/, '') });
  }
  return found;
}

function inflate(block: Buffer): Buffer {
  try {
    return inflateSync(block);
  } catch {
    return inflateRawSync(block);
  }
}
