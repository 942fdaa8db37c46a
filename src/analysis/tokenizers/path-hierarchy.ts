// Paths: every ancestor of a path is a token, counted from the start or, reversed, from the end.
import { illegalArgumentError } from '../../errors/catalog.ts';
import { PathConfig, StageId } from '../../wasm/generated/analysis.ts';
import { joinConfigs, recordBytes } from '../blob.ts';
import type { ComponentEntry, Tokenizer, TokenizerFactory } from '../component.ts';
import { encodeWtf8 } from '../tokens/wtf8.ts';
import { tokenizerEntry } from './kernel-tokenizers.ts';

interface PathOptions {
  /** One UTF-16 unit each. */
  readonly delimiter: string;
  readonly replacement: string;
  readonly skip: number;
  readonly reverse: boolean;
  /** Position increment of all tokens but the first. */
  readonly step: number;
}

/** Config of the path stage; assembly/analysis/tokenizers/path.ts has the layout. */
export function pathConfig({ delimiter, replacement, skip, reverse, step }: PathOptions): Uint8Array {
  const texts = [delimiter, replacement].map(encodeWtf8);
  const padded = texts.map((bytes) => joinConfigs([bytes, new Uint8Array(4 - bytes.length)]));
  const values = { isReversed: reverse ? 1 : 0, skip, step, delimiterBytes: texts[0].length, replacementBytes: texts[1].length };
  return recordBytes(PathConfig, values, joinConfigs(padded));
}

export const PATH_TOKENIZERS: readonly ComponentEntry<TokenizerFactory>[] = [
  tokenizerEntry(
    'path_hierarchy',
    ['delimiter: char = /', 'replacement: char', 'skip: int = 0', 'reverse: bool = false', 'buffer_size: int = 1024'],
    ({ settings, dialect }) => {
      const oneChar = (key: string, fallback: string): string => {
        const value = settings.get(key);
        if (value === undefined) return fallback;
        if (value.length !== 1) throw illegalArgumentError(`${key} must be a one char value`);
        // The kernel reads characters, and a surrogate is not one.
        if (/[\ud800-\udfff]/.test(value)) throw illegalArgumentError(`${key} must not be half of a surrogate pair`);
        return value;
      };
      const delimiter = oneChar('delimiter', '/');
      const replacement = oneChar('replacement', delimiter);
      const skip = settings.int('skip', 0);
      const bufferSize = settings.int('buffer_size', 1024);
      const reverse = settings.bool('reverse', false);
      const step = dialect.stepsOverPaths ? 1 : 0;
      return (): Tokenizer => {
        if (bufferSize < 0) throw illegalArgumentError('bufferSize cannot be negative');
        if (skip < 0) throw illegalArgumentError('skip cannot be negative');
        return { kind: 'kernel', stage: { id: StageId.PATH, config: pathConfig({ delimiter, replacement, skip, reverse, step }) } };
      };
    },
  ),
];
