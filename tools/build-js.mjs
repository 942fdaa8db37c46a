// Bundles the programs of src/, so that a process or thread starts from few files.
//   node tools/build-js.mjs
//   dist/bundle/   main.js (the command), library.js, front.js: ES modules with shared chunks
//   dist/service/  service-process.js and thread.js: start-up counts here. Each is a small script that runs one code file through V8's code
//                  cache, which the first run writes beside it (tools/launch.cjs).
// `new URL('../../build/...', import.meta.url)` means the same in src/<folder>/ and in both output folders.
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const MODULES = { main: 'src/main.ts', supervisor: 'src/node/supervisor.ts', library: 'src/library.ts', front: 'src/front/main.ts' };
const SERVICE = { 'service-process': 'src/cli/service-process.ts', thread: 'src/node/thread.ts' };
/** Native, or loaded by path on purpose. */
const SERVICE_EXTERNALS = ['lmdb', 'uWebSockets.js', 'uws-pack', 'hyper-express', 'msgpackr-extract', '@js-joda/core', '@js-joda/timezone'];

const common = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  target: 'node20',
  sourcemap: 'linked',

  logLevel: 'warning',
};

const bundles = path.join(root, 'dist/bundle');
rmSync(bundles, { recursive: true, force: true });
await build({
  ...common,
  entryPoints: Object.fromEntries(Object.entries(MODULES).filter(([, file]) => existsSync(path.join(root, file)))),
  outdir: bundles,
  splitting: true,
  format: 'esm',
  packages: 'external',
  chunkNames: 'chunk-[hash]',
});

const service = path.join(root, 'dist/service');
rmSync(service, { recursive: true, force: true });
await build({
  ...common,
  entryPoints: Object.fromEntries(Object.entries(SERVICE).map(([name, file]) => [`${name}.code`, file])),
  outdir: service,
  format: 'cjs',
  external: SERVICE_EXTERNALS,
  define: { 'import.meta.url': '__moduleUrl' },
  banner: { js: 'const __moduleUrl = require("node:url").pathToFileURL(__filename).href;' },
});
copyFileSync(path.join(root, 'tools/launch.cjs'), path.join(service, 'launch.js'));
writeFileSync(path.join(service, 'package.json'), '{ "type": "commonjs" }\n');
for (const name of Object.keys(SERVICE)) {
  const digest = createHash('sha256')
    .update(readFileSync(path.join(service, `${name}.code.js`)))
    .digest('hex')
    .slice(0, 16);
  writeFileSync(path.join(service, `${name}.js`), `require('./launch.js').launch('${name}', '${digest}');\n`);
}
