// Bundles the programs of src/ into dist/bundle/: few files, so that a thread is up in tens of milliseconds instead of hundreds.
//   node tools/build-js.mjs      dist/bundle/{main,library,thread,service-process,...}.js with shared chunks and source maps
//                               dist/analyzer.browser.js, `gannet/analyzer` for browsers
// Every other output lies in one folder at the depth of src/<folder>/<file>, so `new URL('../../build/...', import.meta.url)` means the same in both.
import { existsSync, rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const ENTRIES = {
  main: 'src/main.ts',
  library: 'src/library.ts',
  thread: 'src/node/thread.ts',
  'service-process': 'src/node/service-process.ts',
  front: 'src/front/main.ts',
};

const outdir = path.join(root, 'dist/bundle');
rmSync(outdir, { recursive: true, force: true });
await build({
  absWorkingDir: root,
  entryPoints: Object.fromEntries(Object.entries(ENTRIES).filter(([, file]) => existsSync(path.join(root, file)))),
  outdir,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  packages: 'external',
  sourcemap: 'linked',
  minifyWhitespace: true,
  chunkNames: 'chunk-[hash]',
  logLevel: 'warning',
});

// The analysis module for browsers, in one file without bare imports, beside dist/analyzer.js: both find ../build/analyzer.wasm.
await build({
  absWorkingDir: root,
  entryPoints: ['src/analyzer.ts'],
  outfile: path.join(root, 'dist/analyzer.browser.js'),
  bundle: true,
  format: 'esm',
  platform: 'browser',
  target: 'es2022',
  minify: true,
  sourcemap: 'linked',
});
