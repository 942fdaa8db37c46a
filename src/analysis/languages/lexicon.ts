// Word lists for stemmers that need one, in the layout of assembly/analysis/stemmers/other/lexicon.ts.
import { LexiconHeader } from '../../wasm/generated/analysis.ts';
import { recordBytes, termMap } from '../blob.ts';
import { exceptions, roots, words } from './words.ts';

let kstem: Uint8Array | null = null;

/** The list of KStem, a multiple of 4 bytes; built once and copied into every chain that uses it. */
export function kstemLexicon(): Uint8Array {
  kstem ??= lexicon(words(), [
    ...exceptions()
      .split(' ')
      .map((word): [string, string] => [word, '!']),
    ...roots()
      .split('|')
      .map((pair) => pair.split(' ') as [string, string]),
  ]);
  return kstem;
}

/**
 * @param blocks  front-coded words (tools/generate-kstem-lexicon.ts), blocks separated by spaces
 * @param roots   ASCII words with their roots, "!" for a word that is not the stem of a verb
 */
function lexicon(blocks: string, roots: Iterable<readonly [string, string]>): Uint8Array {
  const encoder = new TextEncoder();
  const list = blocks.split(' ');
  const map = termMap([...roots].map(([word, root]) => [word, encoder.encode(root)]));
  const header = LexiconHeader.sizeof + (list.length + 1) * 4;
  const rootsOff = (header + blocks.length - list.length + 1 + 3) & ~3;
  const out = new Uint8Array(rootsOff + map.length);
  const view = new DataView(out.buffer);
  out.set(recordBytes(LexiconHeader, { rootsOff, blockCount: list.length }));
  let at = header;
  list.forEach((block, i) => {
    view.setUint32(LexiconHeader.sizeof + i * 4, at, true);
    at += encoder.encodeInto(block, out.subarray(at)).written;
  });
  view.setUint32(LexiconHeader.sizeof + list.length * 4, at, true);
  out.set(map, rootsOff);
  return out;
}
