// Common parts of building a corpus, and its place on disk.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { usage } from '../usage.ts';
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

/** Exits with instructions for building the corpus if the file or folder does not exist. */
export function requireCorpus(file: string, name: string): void {
  if (!existsSync(file)) usage(`no ${file}: make it by npm run bench:data -- --only ${name}`);
}
