// Parsed key sets of files and of responses: parsed again only if the file or the text has changed.
import { readFileSync, statSync } from 'node:fs';
import { fsPath } from '../../fs-path.ts';
import { type Key, parseKeySet } from './key-set.ts';

/** Number of cached key sets; the oldest is evicted. */
const MAX_SETS = 256;
const MAX_FILE_BYTES = 1 << 20;

interface Entry {
  readonly keys: readonly Key[];
  /** identity of the file's content, or the text itself */
  readonly version: string;
  readonly readMs: number;
}

/** Key sets by file name or by the URI of their subrequest. */
export class KeyCache {
  readonly #entries = new Map<string, Entry>();

  /** Keys that were read at most `maxAgeMs` ago. */
  fresh(name: string, maxAgeMs: number): readonly Key[] | null {
    const entry = this.#entries.get(name);
    return entry && maxAgeMs > 0 && Date.now() - entry.readMs < maxAgeMs ? entry.keys : null;
  }

  /** @throws Error the file cannot be read, or is not a key set */
  fromFile(file: string): readonly Key[] {
    const { size, mtimeMs, ctimeMs, ino } = statSync(fsPath(file));
    if (size > MAX_FILE_BYTES) throw new Error(`the file is larger than ${MAX_FILE_BYTES} bytes`);
    // A file that changed a moment ago may change again within the resolution of its time.
    const settled = Date.now() - mtimeMs > 2000;
    const version = settled ? `${ino} ${size} ${mtimeMs} ${ctimeMs}` : '';
    return this.#keep(`file ${file}`, version, () => readFileSync(fsPath(file), 'utf8'));
  }

  /** @throws Error the text is not a key set */
  fromText(name: string, text: string): readonly Key[] {
    return this.#keep(name, text, () => text);
  }

  #keep(name: string, version: string, read: () => string): readonly Key[] {
    const entry = this.#entries.get(name);
    const keys = entry && version !== '' && entry.version === version ? entry.keys : parseKeySet(read());
    this.#entries.delete(name);
    this.#entries.set(name, { keys, version, readMs: Date.now() });
    if (this.#entries.size > MAX_SETS) for (const oldest of [...this.#entries.keys()].slice(0, 1)) this.#entries.delete(oldest);
    return keys;
  }
}
