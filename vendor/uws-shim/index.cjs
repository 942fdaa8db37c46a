'use strict';
// hyper-express requires `uWebSockets.js`, which upstream publishes on GitHub only. This shim is the same native module from the npm package
// uws-pack. The entry of that package is an ES module, so the binary is looked up by its path and required directly. If uws-pack is not
// installed, upstream's own package is used.
const { existsSync } = require('node:fs');
const path = require('node:path');

const name = `uws_${process.platform}_${process.arch}_${process.versions.modules}.node`;
const files = ['uws-pack/dist/bin', 'uWebSockets.js'].flatMap((folder) =>
  require.resolve.paths('uws-pack').map((modules) => path.join(modules, folder, name)),
);
const found = files.find((file) => existsSync(file));
if (!found) {
  throw new Error(
    `no uWebSockets binary for this Node is installed (${name}): install uws-pack, which has those of Node 20 and 22, or set http.listener to net`,
  );
}
module.exports = require(found);
