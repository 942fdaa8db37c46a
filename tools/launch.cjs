'use strict';
// Runs `<name>.code.js` of this folder, compiled from V8's code cache if there is one. A process without a cache writes it once it has run
// for a while, so that it holds the functions that were really used. The cache is bound to the code by its digest and to Node by V8's
// version tag; a file that cannot be written (read-only installation) only costs the gain.
const { readFileSync, renameSync, rmSync, writeFileSync } = require('node:fs');
const { createRequire } = require('node:module');
const path = require('node:path');
const { cachedDataVersionTag } = require('node:v8');
const vm = require('node:vm');
const { workerData } = require('node:worker_threads');

const WRITE_AFTER_MS = 4000;

exports.launch = (name, digest) => {
  const file = path.join(__dirname, `${name}.code.js`);
  // Threads of one role use the same functions.
  const role = workerData?.gannetRole ?? 'main';
  // V8 takes a cache only under the version, processor and flags it was made with.
  const cacheFile = path.join(__dirname, `${name}.${role}.${digest}.${cachedDataVersionTag().toString(16)}.cache`);
  const cachedData = readOrUndefined(cacheFile);
  // The code is ASCII (tools/build-js.mjs): read as Latin-1 it needs no decoding.
  const script = new vm.Script(`(function (exports, require, module, __filename, __dirname) {${readFileSync(file, 'latin1')}\n})`, {
    filename: file,
    cachedData,
    importModuleDynamically: vm.constants?.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  if (cachedData === undefined || script.cachedDataRejected) setTimeout(() => writeCache(script, cacheFile), WRITE_AFTER_MS).unref();
  const module = { exports: {} };
  script.runInThisContext()(module.exports, createRequire(file), module, file, __dirname);
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
