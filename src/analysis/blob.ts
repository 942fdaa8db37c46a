// Encodes what kernels read: chain blobs (assembly/analysis/layout.ts) and term sets (assembly/analysis/term-set.ts). The records of both are
// declared in assembly/analysis/stage-configs.ts.
import { ChainEntry, ChainHeader, TermSetEntry, TermSetHeader } from '../wasm/generated/analysis.ts';
import type { RecordLayout } from '../wasm/records.ts';
import { encodeWtf8 } from './tokens/wtf8.ts';

/** One stage of a chain: its id and config bytes. */
export interface KernelStage {
  readonly id: number;
  readonly config: Uint8Array;
  /** Objects that must live as long as the stage: functions that the config refers to by number. */
  readonly keeps?: unknown;
  /** True if the stage may stop before the end of its input, because of a filter inside it. */
  readonly stops?: boolean;
}

/** @param isStepped the chain returns one token at a time (assembly/analysis/stage.ts) */
export function chainBlob(stages: readonly KernelStage[], isStepped = false): Uint8Array {
  const head = [recordBytes(ChainHeader, { stageCount: stages.length, isStepped: isStepped ? 1 : 0 })];
  const configs: Uint8Array[] = [];
  let configOff = ChainHeader.sizeof + stages.length * ChainEntry.sizeof;
  for (const { id, config } of stages) {
    const configBytes = config.length;
    head.push(recordBytes(ChainEntry, { id, configOff, configBytes, reserved: 0 }));
    configs.push(config, new Uint8Array(-configBytes & 7));
    configOff += (configBytes + 7) & ~7;
  }
  return joinConfigs([...head, ...configs]);
}

/** Config of u32 words, followed by bytes. */
export function words(values: readonly number[], tail: Uint8Array = new Uint8Array(0)): Uint8Array {
  const out = new Uint8Array(values.length * 4 + tail.length);
  const view = new DataView(out.buffer);
  values.forEach((value, i) => {
    view.setUint32(i * 4, value, true);
  });
  out.set(tail, values.length * 4);
  return out;
}

type ConfigLayout = RecordLayout & Readonly<Record<string, number>>;
type ConfigValues<Layout extends ConfigLayout> = Readonly<Record<Exclude<keyof Layout, 'sizeof'>, number>>;

/** Record of several numbers (assembly/analysis/stage-configs.ts), followed by bytes. A field that is misspelt or missing does not compile. */
export function recordBytes<Layout extends ConfigLayout>(
  layout: Layout,
  values: ConfigValues<Layout>,
  tail: Uint8Array = new Uint8Array(0),
): Uint8Array {
  const out = new Uint8Array(layout.sizeof + tail.length);
  const view = new DataView(out.buffer);
  for (const [name, value] of Object.entries<number>(values)) view.setUint32(layout[name], value, true);
  out.set(tail, layout.sizeof);
  return out;
}

/** Concatenates configs. */
export function joinConfigs(parts: readonly Uint8Array[]): Uint8Array {
  const out = new Uint8Array(parts.reduce((size, part) => size + part.length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}

/** Hash of a term in a set, the same as hashTerm of the kernels: four bytes at a time. */
function hashTerm(bytes: Uint8Array): number {
  let hash = bytes.length;
  for (let at = 0; at < bytes.length; at += 4) {
    let word = 0;
    for (let i = Math.min(3, bytes.length - at - 1); i >= 0; i--) word = (word << 8) | bytes[at + i];
    hash = Math.imul(hash ^ word, 0x9e3779b1);
    hash ^= hash >>> 15;
  }
  return hash >>> 0;
}

/** Encodes a set of terms. */
export function termSet(terms: Iterable<string>): Uint8Array {
  return termMap([...new Set(terms)].map((term) => [term, new Uint8Array(0)]));
}

/**
 * Encodes a map from terms to bytes. The value word of an entry is the offset, from the start of the map, of ├─ len u32 ─┬─ bytes ─┤, or 0 for an
 * empty value. The first of several equal terms wins.
 */
export function termMap(entries: Iterable<readonly [string, Uint8Array]>): Uint8Array {
  const unique = new Map<string, Uint8Array>();
  for (const [term, value] of entries) if (!unique.has(term)) unique.set(term, value);
  let slots = 8;
  while (slots < unique.size * 2) slots *= 2;
  const keys = [...unique].map(([term, value]) => ({ bytes: encodeWtf8(term), value }));
  const entriesOff = TermSetHeader.sizeof + slots * 4;
  let size = entriesOff;
  for (const key of keys) size += pad4(TermSetEntry.sizeof + key.bytes.length) + (key.value.length ? pad4(4 + key.value.length) : 0);
  const out = new Uint8Array(size);
  const view = new DataView(out.buffer);
  view.setUint32(TermSetHeader.mask, slots - 1, true);
  const longest = keys.reduce((length, { bytes }) => Math.max(length, bytes.length), 0);
  view.setUint32(TermSetHeader.longestTerm, longest, true);
  let at = entriesOff;
  for (const { bytes, value } of keys) {
    let slot = hashTerm(bytes) & (slots - 1);
    while (view.getUint32(TermSetHeader.sizeof + slot * 4, true)) slot = (slot + 1) & (slots - 1);
    view.setUint32(TermSetHeader.sizeof + slot * 4, at, true);
    view.setUint32(at + TermSetEntry.termBytes, bytes.length, true);
    out.set(bytes, at + TermSetEntry.sizeof);
    const entry = at;
    at += pad4(TermSetEntry.sizeof + bytes.length);
    if (value.length) {
      view.setUint32(entry + TermSetEntry.value, at, true);
      view.setUint32(at, value.length, true);
      out.set(value, at + 4);
      at += pad4(4 + value.length);
    }
  }
  return out;
}

function pad4(n: number): number {
  return (n + 3) & ~3;
}
