// Builds the WebAssembly modules from assembly/ into build/.
//   node tools/build-wasm.mjs [--force]     engine.wasm, engine.debug.wasm (shared memory), analyzer.wasm (unshared)
//   node tools/build-wasm.mjs --lint        compiles with a runtime in which every managed allocation is an error; writes nothing
// Before that it brings src/wasm/generated/ up to date (tools/generate-kernel-bindings.mjs); --lint fails if that is out of date.
// A build is skipped when the digest of its sources equals the one stored beside the output.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import asc from 'assemblyscript/asc';
import { generateBindings } from './generate-kernel-bindings.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
process.chdir(root);
const SHARED = ['--sharedMemory'];
const BUILDS = [
  { name: 'engine', entry: 'assembly/engine.ts', target: 'release', flags: SHARED },
  { name: 'engine.debug', entry: 'assembly/engine.ts', target: 'debug', flags: SHARED },
  { name: 'analyzer', entry: 'assembly/analyzer.ts', target: 'release', flags: [] },
];

const lint = process.argv.includes('--lint');
const force = process.argv.includes('--force');
const digest = digestOf([
  'asconfig.json',
  'tools/build-wasm.mjs',
  'tools/generate-kernel-bindings.mjs',
  'package-lock.json',
  ...listSources('assembly'),
]);
mkdirSync('build', { recursive: true });
await updateBindings();
for (const build of lint ? lintBuilds() : BUILDS) {
  const out = `build/${build.name}.wasm`;
  const stamp = `build/${build.name}.digest`;
  if (!lint && !force && existsSync(out) && existsSync(stamp) && readFileSync(stamp, 'utf8') === digest) continue;
  const output = lint ? [] : ['--outFile', out];
  const { error, stderr } = await asc.main([build.entry, '--config', 'asconfig.json', '--target', build.target, ...build.flags, ...output]);
  if (error) {
    process.stderr.write(`${stderr}\n${build.name}: ${error.message}\n`);
    process.exit(1);
  }
  if (!lint) writeFileSync(stamp, digest);
  process.stdout.write(`${lint ? 'lint' : 'built'} ${build.name}\n`);
}

/** Writes the bindings of the host, or with --lint reports those that are out of date. */
async function updateBindings() {
  const stamp = 'build/bindings.digest';
  if (!lint && !force && existsSync(stamp) && readFileSync(stamp, 'utf8') === digest) return;
  const stale = await generateBindings({ check: lint });
  for (const file of stale) process.stdout.write(lint ? `out of date: ${file}, run npm run build:wasm\n` : `written ${file}\n`);
  if (lint && stale.length > 0) process.exit(1);
  if (!lint) writeFileSync(stamp, digest);
}

function lintBuilds() {
  return ['engine', 'analyzer'].map((name) => ({
    name,
    entry: `assembly/${name}.ts`,
    target: 'lint',
    flags: name === 'engine' ? SHARED : [],
  }));
}

function listSources(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath ?? entry.path, entry.name))
    .sort();
}

function digestOf(files) {
  const hash = createHash('sha256');
  for (const file of files) hash.update(file).update('\0').update(readFileSync(file)).update('\0');
  return hash.digest('hex');
}
