// Makes the corpora of the benches as NDJSON from npm and Debian packages, and checks them against lock.json.
//   npm run bench:data [-- --only cities,events,prose,multilingual] [--limit N] [--cache DIR] [--mirror URL] [--clean]
// Downloads and corpora go to .cache/bench (or --cache). A corpus that already has the locked checksum is not made again.
//   --limit   a prefix of N documents of cities, events and prose, for trying a bench; replaces what the cache holds
//   --mirror  Debian archive, by default the one in the machine's apt configuration
//   --clean   removes the unpacked packages (3 GB) at the end; the downloads (0.6 GB) stay
// cities, events and multilingual need npm alone; prose needs apt-get and dpkg-deb (Debian, Ubuntu).
import { existsSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { usage } from '../usage.ts';
import { makeCities } from './cities.ts';
import { CACHE_FOLDER, type CorpusContext } from './corpus.ts';
import { type DebianLock, DebianPackages, readLock } from './debian.ts';
import { makeEvents } from './events.ts';
import { makeMultilingual } from './multilingual.ts';
import { type NpmLock, NpmPackages } from './npm.ts';
import { digest } from './output.ts';
import { makeProse } from './prose.ts';

interface Lock {
  readonly npm: NpmLock;
  readonly debian: DebianLock;
  /** By file name. */
  readonly corpora: Readonly<Record<string, { readonly documents: number; readonly sha256: string }>>;
}

const CORPORA: Readonly<Record<string, (context: CorpusContext) => void | Promise<void>>> = {
  cities: makeCities,
  events: makeEvents,
  multilingual: makeMultilingual,
  prose: makeProse,
};

const { values: options } = parseArgs({
  options: {
    only: { type: 'string' },
    limit: { type: 'string' },
    cache: { type: 'string', default: CACHE_FOLDER },
    mirror: { type: 'string' },
    clean: { type: 'boolean', default: false },
  },
});
const names = options.only?.split(',') ?? Object.keys(CORPORA);
const unknown = names.find((name) => !CORPORA[name]);
if (unknown !== undefined) usage(`bench:data -- [--only ${Object.keys(CORPORA).join(',')}] [--limit N], not [${unknown}]`);

const cache = path.resolve(options.cache);
const lock = readLock<Lock>(path.join(import.meta.dirname, 'lock.json'));
const context: CorpusContext = {
  debian: new DebianPackages(lock.debian, cache, options.mirror ?? null, log),
  npm: new NpmPackages(lock.npm, cache, log),
  limit: Number(options.limit ?? Number.POSITIVE_INFINITY),
  log,
  output: (name) => path.join(cache, 'corpora', name),
};
const isWhole = context.limit === Number.POSITIVE_INFINITY;

for (const name of names) {
  if (isWhole && differences(name).length === 0) {
    log(`${name}: as in the lock file already`);
    continue;
  }
  log(`${name}: being made`);
  await CORPORA[name](context);
  if (!isWhole) continue;
  const found = differences(name);
  for (const difference of found) log(difference);
  log(
    found.length === 0 ? `${name}: as in the lock file` : `${name}: differs from the lock file: recorded results and figures do not apply`,
  );
  if (found.length > 0) process.exitCode = 1;
}
if (options.clean) context.debian.removeTrees();

/** How the files of a corpus differ from the lock file; a corpus is a file or a folder of files. */
function differences(corpus: string): string[] {
  const files = Object.keys(lock.corpora).filter((file) => file === `${corpus}.ndjson` || file.startsWith(`${corpus}/`));
  return files.flatMap((file) => {
    const name = context.output(file);
    if (!existsSync(name)) return [`${file}: missing`];
    const { documents, sha256 } = digest(name);
    const expected = lock.corpora[file];
    if (documents === expected.documents && sha256 === expected.sha256) return [];
    return [`${file}: ${documents} documents, sha256 ${sha256}; expected ${expected.documents}, ${expected.sha256}`];
  });
}

function log(message: string): void {
  process.stderr.write(`${message}\n`);
}
