// Large analysis definitions take seconds to build: 100,000 synonym rules 2 s. They are checked where nobody waits for the event loop, in a lane or an
// indexer; main, which has a listener, only compares digests of what was checked.
import { createHash } from 'node:crypto';
import type { SynonymSets } from '../../metadata/cluster-state.ts';
import type { FlatSettings } from '../../metadata/settings/index-settings.ts';

/** Definitions with fewer characters are built in a few milliseconds. */
const SMALL_CHARS = 8 << 10;
/** An item of a list costs as much as this many characters. */
const CHARS_PER_ITEM = 8;
const REMEMBERED = 64;

/** What a definition of analyzers is built from. */
export interface AnalysisSource {
  readonly settings: FlatSettings;
  readonly synonymSets: SynonymSets;
}

/** Thrown by a reducer's environment where an analysis definition may not be built: it is to be checked elsewhere first. */
export class UncheckedAnalysis extends Error {
  readonly source: AnalysisSource;
  readonly digest: string;

  constructor(source: AnalysisSource, digest: string) {
    super('an analysis definition has not been checked');
    this.name = 'UncheckedAnalysis';
    this.source = source;
    this.digest = digest;
  }
}

/** @returns null if the definition is small; files that it names count as large and are not part of the digest */
export function digestOf({ settings, synonymSets }: AnalysisSource): string | null {
  const parts = Object.entries(settings).filter(([name]) => name.startsWith('index.analysis.') || /^index\.max_\w+_diff$/.test(name));
  const sets = parts
    .filter(([name]) => name.endsWith('.synonyms_set'))
    .flatMap(([, set]) => (Object.hasOwn(synonymSets, String(set)) ? synonymSets[String(set)].map(({ synonyms }) => synonyms) : []));
  let chars = sizeOf(sets);
  for (const [name, value] of parts) chars += name.length + (namesFile(name, value) ? SMALL_CHARS : sizeOf(value));
  return chars < SMALL_CHARS
    ? null
    : createHash('sha256')
        .update(JSON.stringify([parts, sets]))
        .digest('base64');
}

/** Whether a definition reads files, which may differ the next time. */
export function readsFiles({ settings }: AnalysisSource): boolean {
  return Object.entries(settings).some(([name, value]) => namesFile(name, value));
}

function namesFile(name: string, value: unknown): boolean {
  return name.startsWith('index.analysis.') && (name.endsWith('_path') || (name.endsWith('.type') && value === 'hunspell'));
}

function sizeOf(value: string | readonly string[]): number {
  if (typeof value === 'string') return value.length;
  return value.reduce((chars, item) => chars + item.length + CHARS_PER_ITEM, 0);
}

/** The latest definitions that were checked, by digest. */
export class CheckedAnalyses {
  readonly #digests = new Set<string>();

  add(digest: string): void {
    this.#digests.delete(digest);
    this.#digests.add(digest);
    const [oldest] = this.#digests;
    if (this.#digests.size > REMEMBERED) this.#digests.delete(oldest);
  }

  has(digest: string): boolean {
    return this.#digests.has(digest);
  }
}
