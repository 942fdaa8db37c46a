// Encodes what kernels read: chain blobs (assembly/analysis/layout.ts) and term sets (assembly/analysis/term-set.ts).
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
  let offset = 8 + stages.length * 16;
  const offsets = stages.map((stage) => {
    const at = (offset + 7) & ~7;
    offset = at + stage.config.length;
    return at;
  });
  const blob = new Uint8Array((offset + 7) & ~7);
  const view = new DataView(blob.buffer);
  view.setUint32(0, stages.length, true);
  view.setUint32(4, isStepped ? 1 : 0, true);
  stages.forEach((stage, i) => {
    view.setUint32(8 + i * 16, stage.id, true);
    view.setUint32(12 + i * 16, offsets[i], true);
    view.setUint32(16 + i * 16, stage.config.length, true);
    blob.set(stage.config, offsets[i]);
  });
  return blob;
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

/** Config of several numbers (assembly/analysis/stage-configs.ts), followed by bytes. A field that is misspelt or missing does not compile. */
export function stageConfig<Layout extends ConfigLayout>(
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
  let size = 8 + slots * 4;
  for (const key of keys) size += pad4(8 + key.bytes.length) + (key.value.length ? pad4(4 + key.value.length) : 0);
  const out = new Uint8Array(size);
  const view = new DataView(out.buffer);
  view.setUint32(0, slots - 1, true);
  view.setUint32(4, Math.max(0, ...keys.map((key) => key.bytes.length)), true);
  let at = 8 + slots * 4;
  for (const { bytes, value } of keys) {
    let slot = hashTerm(bytes) & (slots - 1);
    while (view.getUint32(8 + slot * 4, true)) slot = (slot + 1) & (slots - 1);
    view.setUint32(8 + slot * 4, at, true);
    view.setUint32(at + 4, bytes.length, true);
    out.set(bytes, at + 8);
    const entry = at;
    at += pad4(8 + bytes.length);
    if (value.length) {
      view.setUint32(entry, at, true);
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
