// What every corpus needs in order to be made, and where it is stored.
import path from 'node:path';
import type { DebianPackages } from './debian.ts';
import type { NpmPackages } from './npm.ts';

export interface CorpusContext {
  readonly debian: DebianPackages;
  readonly npm: NpmPackages;
  /** Documents to write, Infinity for the whole corpus. */
  readonly limit: number;
  readonly log: (message: string) => void;
  /** Path of an output file in the corpora folder. */
  output(name: string): string;
}

/** Where `npm run bench:data` puts the corpora unless --cache names another folder. */
export const CACHE_FOLDER = path.resolve(import.meta.dirname, '../../.cache/bench');

/** A corpus of the default cache, for example `prose.ndjson` or the folder `multilingual`. */
export function corpusPath(name: string): string {
  return path.join(CACHE_FOLDER, 'corpora', name);
}
