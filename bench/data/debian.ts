// Debian packages of the lock file, downloaded by apt-get with a root of its own, so that neither the machine's package lists nor its installed
// packages matter, and unpacked by dpkg-deb without being installed.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { sha256OfFile } from './output.ts';

export interface LockedDebianPackage {
  readonly version: string;
  readonly sha256: string;
}

export interface DebianLock {
  readonly suite: string;
  readonly packages: Readonly<Record<string, LockedDebianPackage>>;
}

/** Packages per call of apt-get: an interrupted run repeats at most this many. */
const BATCH = 8;
const KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg';

export class DebianPackages {
  readonly #lock: DebianLock;
  readonly #cache: string;
  readonly #mirror: string | null;
  readonly #log: (message: string) => void;
  #isReady = false;

  /** @param mirror  address of a Debian archive; null takes the one in the machine's own apt configuration */
  constructor(lock: DebianLock, cache: string, mirror: string | null, log: (message: string) => void) {
    this.#lock = lock;
    this.#cache = cache;
    this.#mirror = mirror;
    this.#log = log;
  }

  /** Downloads and unpacks the packages that are not in the cache. @throws Error a package is not in the lock file or cannot be downloaded */
  fetch(names: readonly string[]): void {
    mkdirSync(this.#path('debs'), { recursive: true });
    const missing = names.filter((name) => this.#archive(name) === null);
    for (let i = 0; i < missing.length; i += BATCH) this.#download(missing.slice(i, i + BATCH));
    for (const name of names) this.#unpack(name);
  }

  /** Folder of an unpacked package. */
  tree(name: string): string {
    return this.#path('trees', name);
  }

  /** Removes the unpacked packages; the downloads stay. */
  removeTrees(): void {
    rmSync(this.#path('trees'), { recursive: true, force: true });
  }

  #path(...parts: string[]): string {
    return path.join(this.#cache, 'debian', ...parts);
  }

  #archive(name: string): string | null {
    const file = readdirSync(this.#path('debs')).find((entry) => entry.startsWith(`${name}_`) && entry.endsWith('.deb'));
    return file ? this.#path('debs', file) : null;
  }

  #locked(name: string): LockedDebianPackage {
    const locked = this.#lock.packages[name];
    if (!locked) throw new Error(`Debian package [${name}] is not in the lock file`);
    return locked;
  }

  #download(names: readonly string[]): void {
    this.#prepare();
    this.#log(`downloading ${names.join(', ')}`);
    const partial = this.#path(`partial-${process.pid}`);
    mkdirSync(partial, { recursive: true });
    try {
      this.#apt(['download', ...names.map((name) => `${name}=${this.#locked(name).version}`)], partial);
    } catch {
      // A point release replaces packages: then the newest version is used, and #unpack reports the difference.
      this.#apt(['download', ...names], partial);
    }
    for (const file of readdirSync(partial)) renameSync(path.join(partial, file), this.#path('debs', file));
    rmSync(partial, { recursive: true });
  }

  #unpack(name: string): void {
    const tree = this.tree(name);
    if (existsSync(tree)) return;
    const archive = this.#archive(name);
    if (archive === null) throw new Error(`no archive of Debian package [${name}] after the download`);
    if (sha256OfFile(archive) !== this.#locked(name).sha256) {
      this.#log(`${path.basename(archive)} is not the locked version ${this.#locked(name).version}: the corpus will differ`);
    }
    const partial = `${tree}.partial`;
    rmSync(partial, { recursive: true, force: true });
    mkdirSync(path.dirname(partial), { recursive: true });
    execFileSync('dpkg-deb', ['-x', archive, partial]);
    renameSync(partial, tree);
  }

  /** Writes the private apt root and reads the package lists once per run. */
  #prepare(): void {
    if (this.#isReady) return;
    const root = this.#path('apt');
    for (const folder of ['lists/partial', 'archives/partial', 'etc']) mkdirSync(path.join(root, folder), { recursive: true });
    const mirror = this.#mirror ?? machineMirror();
    const signedBy = existsSync(KEYRING) ? `[signed-by=${KEYRING}] ` : '';
    writeFileSync(path.join(root, 'etc/sources.list'), `deb ${signedBy}${mirror} ${this.#lock.suite} main non-free\n`);
    writeFileSync(path.join(root, 'etc/status'), '');
    writeFileSync(
      path.join(root, 'apt.conf'),
      [
        `Dir::Etc::sourcelist "${root}/etc/sources.list";`,
        'Dir::Etc::sourceparts "-";',
        'Dir::Etc::preferences "-";',
        'Dir::Etc::preferencesparts "-";',
        `Dir::State "${root}";`,
        `Dir::State::lists "${root}/lists";`,
        `Dir::State::status "${root}/etc/status";`,
        `Dir::Cache "${root}/archives";`,
        'APT::Architecture "amd64";',
        'APT::Sandbox::User "";',
        'Acquire::Languages "none";',
        '',
      ].join('\n'),
    );
    this.#apt(['update'], root);
    this.#isReady = true;
  }

  #apt(args: readonly string[], cwd: string): void {
    const env = { ...process.env, APT_CONFIG: this.#path('apt/apt.conf'), LC_ALL: 'C' };
    execFileSync('apt-get', ['-q', ...args], { cwd, env, stdio: ['ignore', 'ignore', 'pipe'] });
  }
}

/** The archive in the machine's apt configuration. @throws Error the machine has none */
function machineMirror(): string {
  const addresses = execFileSync('apt-get', ['indextargets', '--format', '$(REPO_URI)', 'Created-By: Packages'], { encoding: 'utf8' });
  const mirror = addresses.split('\n').find((address) => /\/debian\/?$/.test(address));
  if (!mirror) throw new Error('no Debian archive in the apt configuration of this machine: name one with --mirror');
  return mirror;
}

/** The files below a folder in byte order of their paths, folder by folder; links are left out. A folder that does not exist has none. */
export function filesBelow(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const name = path.join(folder, entry.name);
      if (entry.isDirectory()) return filesBelow(name);
      return entry.isFile() ? [name] : [];
    });
}

export function readLock<T>(file: string): T {
  return JSON.parse(readFileSync(file, 'utf8')) as T;
}
