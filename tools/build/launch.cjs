'use strict';
// Runs `<name>.code.js` of this folder, a function expression, compiled from V8's code cache if there is one. A process without a cache writes it
// after it has run for a while, so that the cache contains the functions that were used. The cache is bound to the code by its digest, and to
// Node by its version and flags. If it cannot be written (a read-only installation), starts are slower.
// Modules of Node.js that a start does not need are loaded when one of their functions is first used: together they take a third of the time
// from process start to first response.
const { readFileSync, renameSync, rmSync, writeFileSync } = require('node:fs');
const { createRequire } = require('node:module');
const path = require('node:path');
const vm = require('node:vm');

const WRITE_AFTER_MS = 4000;
const LATE_MODULES = new Set(
  'child_process cluster crypto dns fs/promises http net os perf_hooks querystring readline timers/promises v8 zlib'.split(' '),
);

exports.launch = (name, digest) => {
  const file = path.join(__dirname, `${name}.code.js`);
  // V8 accepts a cache only under the version, processor and flags that it was written under.
  const cacheFile = path.join(__dirname, `${name}.${digest}.${nodeTag()}.cache`);
  const cachedData = readOrUndefined(cacheFile);
  // The code is ASCII and one function expression (tools/build/bundles.mjs): read as Latin-1 it needs no decoding.
  const script = new vm.Script(readFileSync(file, 'latin1'), {
    filename: file,
    cachedData,
    importModuleDynamically: vm.constants?.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  if (cachedData === undefined || script.cachedDataRejected) setTimeout(() => writeCache(script, cacheFile), WRITE_AFTER_MS).unref();
  const module = { exports: {} };
  script.runInThisContext()(module.exports, lateRequire(createRequire(file)), module, file, __dirname);
  return module.exports;
};

/** Node's version and flags, to which V8 binds a cache. */
function nodeTag() {
  let hash = 0;
  for (const character of [process.version, process.arch, process.env.NODE_OPTIONS ?? '', ...process.execArgv].join(' ')) {
    hash = (Math.imul(hash, 31) + character.charCodeAt(0)) >>> 0;
  }
  return hash.toString(16);
}

/** A `require` that returns late modules as views, which load them on first use. */
function lateRequire(load) {
  const views = new Map();
  const require = (name) => {
    const plain = name.startsWith('node:') ? name.slice(5) : name;
    if (!LATE_MODULES.has(plain)) return load(name);
    if (!views.has(plain))
      views.set(
        plain,
        exports.lateModule(() => load(plain)),
      );
    return views.get(plain);
  };
  return Object.assign(require, { resolve: load.resolve });
}

/** Names are looked up in the module when they are read. The view is its own prototype, so that objects can be made to inherit from it. */
exports.lateModule = (load) => {
  const view = new Proxy({}, { get: (_, name) => load()[name], has: (_, name) => name in load(), getPrototypeOf: () => view });
  return view;
};

function readOrUndefined(file) {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}

function writeCache(script, file) {
  const temporary = `${file}.${process.pid}`;
  try {
    writeFileSync(temporary, script.createCachedData());
    renameSync(temporary, file);
  } catch {
    rmSync(temporary, { force: true });
  }
}
