'use strict';
// hyper-express asks for `uWebSockets.js`, which upstream publishes on GitHub only. This shim hands it the same native module from
// the npm package uws-pack, whose own entry is ESM only; so the binary is looked up by path and required directly.
const { existsSync } = require('node:fs');
const path = require('node:path');

const file = `uws_${process.platform}_${process.arch}_${process.versions.modules}.node`;
const folders = require.resolve.paths('uws-pack').map((folder) => path.join(folder, 'uws-pack', 'dist', 'bin'));
const found = folders.map((folder) => path.join(folder, file)).find((candidate) => existsSync(candidate));
if (!found) throw new Error(`no uWebSockets binary ${file} in uws-pack (looked in ${folders.join(', ')})`);
module.exports = require(found);
