// Compiles the WebAssembly modules from assembly/ into build/. `npm run build:wasm` compiles those that are out of date.
//   node tools/build-wasm.mjs [NAME...]  engine, engine.debug (shared memory), analyzer (unshared)
//   node tools/build-wasm.mjs --lint     compiles with a runtime in which every managed allocation is an error, and compares the bindings
//                                        of the host with the sources (generate-kernel-bindings.mjs); writes nothing
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import asc from 'assemblyscript/asc';
import { generateBindings } from './generate-kernel-bindings.mjs';

process.chdir(path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..'));
const SHARED = ['--sharedMemory'];
const BUILDS = {
  engine: { entry: 'assembly/engine.ts', target: 'release', flags: SHARED },
  'engine.debug': { entry: 'assembly/engine.ts', target: 'debug', flags: SHARED },
  analyzer: { entry: 'assembly/analyzer.ts', target: 'release', flags: [] },
};

const names = process.argv.slice(2);
if (names.includes('--lint')) {
  await checkBindings();
  for (const name of ['engine', 'analyzer']) await compile({ ...BUILDS[name], target: 'lint' }, name, []);
} else {
  for (const name of names.length > 0 ? names : Object.keys(BUILDS)) await compile(BUILDS[name], name, ['--outFile', `build/${name}.wasm`]);
}

async function compile({ entry, target, flags }, name, output) {
  const { error, stderr } = await asc.main([entry, '--config', 'asconfig.json', '--target', target, ...flags, ...output]);
  if (error) {
    process.stderr.write(`${stderr}\n${name}: ${error.message}\n`);
    process.exit(1);
  }
  process.stdout.write(`compiled ${name} (${target})\n`);
}

async function checkBindings() {
  const stale = await generateBindings({ check: true });
  for (const file of stale) process.stdout.write(`out of date: ${file}, run npm run build:wasm\n`);
  if (stale.length > 0) process.exit(1);
}
