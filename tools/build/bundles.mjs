// Bundles the programs of src/ with esbuild, so that a process or thread starts from few files. Each function returns the paths it wrote.
//   bundleModules    dist/bundle/   main.js (the command), library.js: ES modules with shared chunks
//   bundleAnalyzer   dist/analyzer.node.js, analyzer.browser.js   `gannet/analyzer`: ES modules without dependencies; both use the second one and
//                    the words of languages in dist/analyzer-words/
//   bundleService    dist/service/  service-process.js, the modules it loads, and the threads: start-up time counts here. Each but the first is a
//                    small script that runs one code file through V8's code cache, which the first run writes next to it (launch.cjs).
//                    engine.js: code that the main thread needs only with an index (late-code.mjs).
//                    *.late.js: packages and word lists that a start does not need; they are read when they are first used.
// `new URL('../../build/...', import.meta.url)` means the same in src/<folder>/ and in dist/<folder>/.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';
import {
  browserWords,
  LATE_NAMES,
  LATE_PARTS,
  LMDB_BINARY,
  MIME_TYPES,
  NODE_ENTRY,
  SERVICE_MAIN,
  SHARED_PACKAGES,
  UWS_SHIM,
} from './esbuild-plugins.mjs';
import { listFiles } from './incremental.mjs';
import { buildStartAndEngine } from './late-code.mjs';

const SERVICE = 'dist/service';
/** Code files of the service: the main thread's part and the worker threads. */
const SERVICE_CODE = {
  'indexer-thread': 'src/node/indexing/indexer-thread.ts',
  'merger-thread': 'src/node/indexing/merger-thread.ts',
  'snapshots-thread': 'src/node/snapshots/snapshots-thread.ts',
  'answering-thread': 'src/node/answering-thread.ts',
};
const MAIN_CODE = {
  entry: 'src/cli/service/service-main.ts',
  startName: 'service-main.code',
  engineName: 'engine.code',
  enginePath: './engine.js',
};
/** Modules that LATE_PARTS loads from `<name>.late.js`. */
const SERVICE_LATE = {
  yaml: 'yaml',
  'kstem-lexicon': 'src/analysis/generated/kstem-lexicon.ts',
  'nats-packages': 'src/cluster/nats-packages.ts',
  'stop-words': 'src/analysis/generated/stop-words.ts',
  'thai-dictionary': 'src/analysis/generated/thai-dictionary.ts',
  h3: 'tools/build/h3.cjs',
  'public-suffixes': 'tools/build/public-suffixes.cjs',
  tracer: 'src/common/tracing/tracer.ts',
  'zone-rules': 'tools/build/zone-rules.cjs',
};
const SERVICE_EXTERNALS = ['./launch.js', './engine.js', './*.late.js'];

const COMMON = {
  bundle: true,
  write: false,
  platform: 'node',
  target: 'node20',
  sourcemap: 'linked',
  logLevel: 'warning',
};
/** Halves the bytes to read; names stay for stack traces. */
const SMALL = { minifyWhitespace: true, minifySyntax: true };

export async function bundleModules() {
  const files = await bundle({
    entryPoints: { main: 'src/main.ts', library: 'src/library.ts' },
    outdir: 'dist/bundle',
    splitting: true,
    format: 'esm',
    packages: 'external',
    chunkNames: 'chunk-[hash]',
    plugins: [SHARED_PACKAGES],
    ...SMALL,
  });
  return removeOthers('dist/bundle', files);
}

export async function bundleAnalyzer() {
  const node = await bundle({
    entryPoints: ['src/analyzer-node.ts'],
    outfile: 'dist/analyzer.node.js',
    format: 'esm',
    plugins: [NODE_ENTRY],
  });
  // A module of Node.js in it fails the build.
  const browser = await bundle({
    entryPoints: { 'analyzer.browser': 'src/analyzer.ts' },
    outdir: 'dist',
    splitting: true,
    format: 'esm',
    chunkNames: 'analyzer-words/[name]-[hash]',
    platform: 'browser',
    target: 'es2022',
    plugins: [browserWords(await stopWords())],
    ...SMALL,
  });
  return removeOthers('dist/analyzer-words', [...node, ...browser]);
}

export async function bundleService() {
  const moduleUrl = 'const __moduleUrl = require("node:url").pathToFileURL(__filename).href;';
  const options = {
    outdir: SERVICE,
    format: 'cjs',
    // msgpackr runs without its optional binary, which only speeds up many short strings and takes 20 ms to load.
    define: { 'import.meta.url': '__moduleUrl', 'process.env.MSGPACKR_NATIVE_ACCELERATION_DISABLED': '"true"' },
    charset: 'ascii',
  };
  const codeOptions = {
    ...options,
    external: SERVICE_EXTERNALS,
    plugins: [LMDB_BINARY, LATE_NAMES, LATE_PARTS, MIME_TYPES, UWS_SHIM],
    // launch.cjs evaluates the file as one function expression; adding the wrapper there would copy the whole string.
    banner: { js: `(function (exports, require, module, __filename, __dirname) {${moduleUrl}` },
    footer: { js: '})' },
    ...SMALL,
  };
  const code = await bundle({ ...codeOptions, entryPoints: renamed(SERVICE_CODE, 'code') });
  const main = await buildStartAndEngine({ ...COMMON, ...codeOptions }, MAIN_CODE);
  code.push(...writeAll(main.start), ...writeAll(main.engine));
  const late = await bundle({ ...options, entryPoints: renamed(SERVICE_LATE, 'late'), ...SMALL });
  const entry = await bundle({
    ...options,
    entryPoints: ['src/cli/service/service-process.ts'],
    plugins: [SERVICE_MAIN],
    banner: { js: moduleUrl },
  });
  const threads = ['service-main', 'engine', ...Object.keys(SERVICE_CODE)].map((name) =>
    write(`${SERVICE}/${name}.js`, `module.exports = require('./launch.js').launch('${name}', '${codeDigest(name)}');\n`),
  );
  return removeOthers(SERVICE, [
    ...code,
    ...late,
    ...entry,
    write(`${SERVICE}/launch.js`, readFileSync('tools/build/launch.cjs')),
    write(`${SERVICE}/package.json`, '{ "type": "commonjs" }\n'),
    ...threads,
  ]);
}

/** @returns {Promise<string[]>} the paths written */
async function bundle(options) {
  return writeAll(await build({ ...COMMON, ...options }));
}

const writeAll = ({ outputFiles }) =>
  outputFiles.map(({ path: file, contents }) => write(path.relative('.', file).replaceAll(path.sep, '/'), contents));

/** Replaces the file at once: a process that is starting reads the old or the new content. @returns the path */
function write(file, content) {
  mkdirSync(path.dirname(file), { recursive: true });
  const temporary = `${file}.${process.pid}`;
  writeFileSync(temporary, content);
  renameSync(temporary, file);
  return file;
}

const renamed = (entryPoints, ending) => Object.fromEntries(Object.entries(entryPoints).map(([name, file]) => [`${name}.${ending}`, file]));

const codeDigest = (name) =>
  createHash('sha256')
    .update(readFileSync(`${SERVICE}/${name}.code.js`))
    .digest('hex')
    .slice(0, 16);

/** Removes files that an earlier build, or a service with its code, left in the folder. @returns `files` */
function removeOthers(folder, files) {
  for (const file of listFiles(folder)) if (!files.includes(file)) rmSync(file);
  return files;
}

/** The stop words of each language, by its name. */
export async function stopWords() {
  const { outputFiles } = await build({ ...COMMON, entryPoints: [SERVICE_LATE['stop-words']], format: 'esm', sourcemap: false });
  const { STOP_WORDS } = await import(`data:text/javascript,${encodeURIComponent(outputFiles[0].text)}`);
  return STOP_WORDS;
}
