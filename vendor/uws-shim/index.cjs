'use strict';
// hyper-express asks for `uWebSockets.js`, which upstream publishes on GitHub only. This shim hands it the same native module from
// the npm package uws-pack, whose own entry is ESM only; so the binary is looked up by path and required directly. Where uws-pack is
// not installed, upstream's own package is looked for.
const { existsSync } = require('node:fs');
const path = require('node:path');

const name = `uws_${process.platform}_${process.arch}_${process.versions.modules}.node`;
const files = ['uws-pack/dist/bin', 'uWebSockets.js'].flatMap((folder) =>
  require.resolve.paths('uws-pack').map((modules) => path.join(modules, folder, name)),
);
const found = files.find((file) => existsSync(file));
if (!found) throw new Error(`no uWebSockets binary of this Node is installed (looked for ${files.join(', ')})`);
module.exports = require(found);
