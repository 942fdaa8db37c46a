// npm packages of the lock file, installed into the cache: data sets and their readers, which only this folder needs.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

export type NpmLock = Readonly<Record<string, { readonly version: string; readonly integrity: string }>>;

export class NpmPackages {
  readonly #lock: NpmLock;
  readonly #folder: string;
  readonly #log: (message: string) => void;

  constructor(lock: NpmLock, cache: string, log: (message: string) => void) {
    this.#lock = lock;
    this.#folder = path.join(cache, 'npm');
    this.#log = log;
  }

  /** Installs the locked packages where the cache does not hold them. @throws Error the registry has other contents than the lock file */
  fetch(): void {
    if (this.#mismatch() === null) return;
    const dependencies = Object.fromEntries(Object.entries(this.#lock).map(([name, { version }]) => [name, version]));
    mkdirSync(this.#folder, { recursive: true });
    writeFileSync(path.join(this.#folder, 'package.json'), `${JSON.stringify({ private: true, dependencies }, null, 2)}\n`);
    this.#log(`installing ${Object.keys(dependencies).join(', ')}`);
    const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
    execFileSync('npm', ['install', ...options], { cwd: this.#folder, stdio: ['ignore', 'ignore', 'inherit'] });
    const mismatch = this.#mismatch();
    if (mismatch !== null) throw new Error(`npm package [${mismatch}] does not have the integrity of the lock file`);
  }

  /** Folder of a package. */
  folder(name: string): string {
    return path.join(this.#folder, 'node_modules', name);
  }

  /** Imports a module of a package by its file. */
  import<T>(name: string, file: string): Promise<T> {
    return import(pathToFileURL(path.join(this.folder(name), file)).href) as Promise<T>;
  }

  /** First package that is missing or differs from the lock file, null if there is none. */
  #mismatch(): string | null {
    const file = path.join(this.#folder, 'node_modules/.package-lock.json');
    if (!existsSync(file)) return Object.keys(this.#lock)[0];
    const { packages } = JSON.parse(readFileSync(file, 'utf8')) as { packages: Record<string, { integrity?: string }> };
    const differs = ([name, { integrity }]: [string, NpmLock[string]]) => packages[`node_modules/${name}`]?.integrity !== integrity;
    return Object.entries(this.#lock).find(differs)?.[0] ?? null;
  }
}
