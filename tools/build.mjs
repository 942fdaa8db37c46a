// Builds what is out of date: kernels into build/, programs, modules and types into dist/.
//   node tools/build.mjs [--force | --list] [TARGET...]     TARGET is a step or a group below; everything by default. --list names the steps only
// A step runs when one of its inputs, or one of its outputs, differs from those of its last run (tools/build/incremental.mjs).
// Steps that do not depend on each other run in parallel.
import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { listFiles, runSteps, withLock } from './build/incremental.mjs';

process.chdir(path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..'));

/** The build itself, and the versions of the installed packages. */
const COMMON_INPUTS = ['tools/build.mjs', 'tools/build/incremental.mjs', 'node_modules/.package-lock.json'];

/** Files below dist/ that tools/build/bundles.mjs and tools/build/console.mjs write. */
const BUNDLES = /^dist\/(?:(?:bundle|console|service|analyzer-words)\/|analyzer\.(?:node|browser)\.js)/;

/**
 * A step of the build.
 * @typedef {object} Step
 * @property {readonly string[]} inputs   files and folders that the outputs depend on, besides COMMON_INPUTS
 * @property {readonly string[]} [after]  steps whose outputs are inputs, too
 * @property {string} [variant]           any other value that the outputs depend on
 * @property {() => Promise<readonly string[]>} run  writes the outputs and returns their paths
 */

/** @type {Readonly<Record<string, Step>>} */
const STEPS = {
  engine: wasmStep('engine'),
  service: bundleStep('bundleService'),
  'engine.debug': wasmStep('engine.debug'),
  analyzer: wasmStep('analyzer'),
  bindings: {
    inputs: ['assembly', 'tools/generate-kernel-bindings.mjs'],
    run: async () => {
      await nodeScript('tools/generate-kernel-bindings.mjs');
      return listFiles('src/wasm/generated');
    },
  },
  types: {
    after: ['bindings'],
    inputs: ['src', 'tsconfig.json', 'tsconfig.build.json'],
    run: async () => {
      await nodeScript('node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json');
      const modules = listFiles('src').filter(
        (file) => file.endsWith('.ts') && !file.endsWith('.d.ts') && !file.startsWith('src/console/'),
      );
      const outputs = modules.flatMap((file) =>
        ['.js', '.js.map', '.d.ts'].map((ending) => file.replace(/^src/, 'dist').replace(/\.ts$/, ending)),
      );
      // Modules that no longer exist; bundles are in folders and files of their own.
      const isOutput = new Set(outputs);
      for (const file of listFiles('dist')) if (!isOutput.has(file) && !BUNDLES.test(file)) rmSync(file);
      return outputs;
    },
  },
  modules: bundleStep('bundleModules'),
  'analyzer-modules': bundleStep('bundleAnalyzer'),
  console: {
    after: ['bindings', 'analyzer'],
    inputs: ['src', 'tools/build', 'tools/console', 'package.json'],
    run: async () => (await import('./build/console.mjs')).bundleConsole(),
  },
  'code-caches': {
    inputs: ['bin/gannet', 'tools/build/code-caches.mjs'],
    after: ['engine', 'service'],
    // V8 accepts a cache only in the version that wrote it.
    variant: `${process.version} ${process.arch}`,
    run: async () => (await import('./build/code-caches.mjs')).writeCodeCaches(),
  },
};

const GROUPS = {
  all: Object.keys(STEPS),
  wasm: ['engine', 'engine.debug', 'analyzer', 'bindings'],
  js: ['modules', 'analyzer-modules', 'service'],
  /** Everything that `gannet serve` needs: without code caches its first start is slower, and writes them. */
  serve: ['engine', 'analyzer', 'modules', 'service', 'console'],
  front: ['types'],
};

function wasmStep(name) {
  return {
    inputs: ['assembly', 'asconfig.json', 'tools/build-wasm.mjs'],
    run: async () => {
      await nodeScript('tools/build-wasm.mjs', name);
      return [`build/${name}.wasm`];
    },
  };
}

function bundleStep(name) {
  return {
    after: ['bindings'],
    inputs: ['src', 'vendor', 'tools/build', 'tsconfig.json', 'package.json'],
    run: async () => (await import('./build/bundles.mjs'))[name](),
  };
}

/** Runs a script in a process of its own, which uses another core. Prints its output if it fails. */
async function nodeScript(...args) {
  try {
    await promisify(execFile)(process.execPath, args, { maxBuffer: 1 << 26 });
  } catch (error) {
    throw new Error(`${args.join(' ')} failed\n${error.stdout}${error.stderr}`);
  }
}

const args = process.argv.slice(2);
const targets = args.filter((arg) => arg !== '--force' && arg !== '--list');
const names = new Set((targets.length > 0 ? targets : ['all']).flatMap((target) => GROUPS[target] ?? [target]));
const unknown = [...names].find((name) => !Object.hasOwn(STEPS, name));
if (unknown !== undefined) {
  process.stderr.write(`unknown target [${unknown}], must be one of [${[...Object.keys(GROUPS), ...Object.keys(STEPS)].join(', ')}]\n`);
  process.exit(2);
}
if (args.includes('--list')) {
  process.stdout.write(`${[...names].join('\n')}\n`);
  process.exit(0);
}
try {
  await withLock(() => runSteps(STEPS, names, { common: COMMON_INPUTS, force: args.includes('--force') }));
} catch (error) {
  process.stderr.write(`build failed: ${error.message}\n`);
  process.exit(1);
}
