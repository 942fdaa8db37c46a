// esbuild plugins of tools/build/bundles.mjs: each replaces modules by smaller ones, or by ones that are loaded later.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

/**
 * lmdb looks for its binary next to its own modules, which the bundle separates from it. The CommonJS build is used: from the ES modules esbuild
 * makes iterators that never finish.
 */
export const LMDB_BINARY = {
  name: 'lmdb-binary',
  setup(plugins) {
    const lmdb = createRequire(import.meta.url).resolve('lmdb');
    const { version } = JSON.parse(readFileSync(path.join(path.dirname(lmdb), '../package.json'), 'utf8'));
    plugins.onResolve({ filter: /^lmdb$/ }, () => ({ path: lmdb }));
    // All databases of the store are binary; lmdb's msgpackr, which is not the version of the service, would be 70 KB of the start code.
    plugins.onResolve({ filter: /^msgpackr$/ }, ({ importer }) =>
      importer === lmdb ? { path: 'encoder', namespace: 'lmdb-encoder' } : undefined,
    );
    plugins.onLoad({ filter: /.*/, namespace: 'lmdb-encoder' }, () => ({
      contents: 'exports.Encoder = class { constructor() { throw new Error("the encoding of every database must be binary"); } };',
    }));
    plugins.onResolve({ filter: /^node-gyp-build-optional-packages$/ }, () => ({ path: 'load', namespace: 'lmdb-binary' }));
    plugins.onLoad({ filter: /.*/, namespace: 'lmdb-binary' }, () => ({
      contents: `const { createRequire } = require('node:module');
        const { dirname } = require('node:path');
        const folder = '@lmdb/lmdb-' + process.platform + '-' + process.arch;
        // The binary for glibc is tried first: resolving lmdb takes 2 ms, detecting the C library 10 ms. It fails to load elsewhere.
        module.exports = () => {
          try {
            if (require(folder + '/package.json').version === '${version}')
              return require(folder + '/node.abi' + process.versions.modules + '.glibc.node');
          } catch {}
          const load = createRequire(createRequire(__filename).resolve('lmdb'));
          return load('node-gyp-build-optional-packages')(dirname(dirname(load.resolve('lmdb'))));
        };`,
    }));
  },
};

/** Packages and word lists in files of their own (`<name>.late.js`), loaded when one of their exports is first read. */
export const LATE_PARTS = {
  name: 'late-parts',
  setup(plugins) {
    plugins.onResolve(
      {
        filter:
          /^yaml$|\/(h3|nats-packages|public-suffixes|tracer|zone-rules)\.ts$|\/generated\/(kstem-lexicon|stop-words|thai-dictionary)\.ts$/,
      },
      ({ path: name }) => ({
        path: path.basename(name, '.ts'),
        namespace: 'late-parts',
      }),
    );
    plugins.onLoad({ filter: /.*/, namespace: 'late-parts' }, ({ path: name }) => ({
      contents: `module.exports = require('./launch.js').lateModule(() => require('./${name}.late.js'));`,
    }));
  },
};

/** Functions of modules whose packages are bundled for the service: the library uses the service's copy. */
const SHARED = { h3: 'h3', 'public-suffixes': 'parseHost', 'zone-rules': 'rulesOf' };

export const SHARED_PACKAGES = {
  name: 'shared-packages',
  setup(plugins) {
    plugins.onResolve({ filter: /\/(h3|public-suffixes|zone-rules)\.ts$/ }, ({ path: name }) => ({
      path: path.basename(name, '.ts'),
      namespace: 'shared-packages',
    }));
    plugins.onLoad({ filter: /.*/, namespace: 'shared-packages' }, ({ path: name }) => ({
      contents: `import { createRequire } from 'node:module';
        const require = createRequire(import.meta.url);
        export const ${SHARED[name]} = (...args) => require('../service/${name}.late.js').${SHARED[name]}(...args);`,
    }));
  },
};

/** hyper-express reads these functions from modules of Node.js while it loads, which would load the modules at each start. */
export const LATE_NAMES = {
  name: 'late-names',
  setup(plugins) {
    const contents = {
      http: "exports.STATUS_CODES = new Proxy({}, { get: (_, code) => require('node:http').STATUS_CODES[code] });",
      net: "exports.isIP = (text) => require('node:net').isIP(text);",
    };
    plugins.onResolve({ filter: /^(http|net)$/ }, ({ path: name, importer }) =>
      /[\\/]hyper-express[\\/]/.test(importer) ? { path: name, namespace: 'late-names' } : undefined,
    );
    plugins.onLoad({ filter: /.*/, namespace: 'late-names' }, ({ path: name }) => ({ contents: contents[name] }));
  },
};

/** hyper-express uses this table only to send files, which the service never does; loading it takes a tenth of the start. */
export const MIME_TYPES = {
  name: 'mime-types',
  setup(plugins) {
    plugins.onResolve({ filter: /^mime-types$/ }, () => ({ path: 'none', namespace: 'mime-types' }));
    plugins.onLoad({ filter: /.*/, namespace: 'mime-types' }, () => ({
      contents: 'exports.lookup = exports.contentType = exports.extension = () => false;',
    }));
  },
};

/** The dependency that hyper-express names is published on GitHub only; the shim loads it from npm packages. */
export const UWS_SHIM = {
  name: 'uws-shim',
  setup(plugins) {
    plugins.onResolve({ filter: /^uWebSockets\.js$/ }, () => ({ path: '../../vendor/uws-shim/index.cjs', external: true }));
  },
};

/** Keeps service-main.js a file of its own, with its own code cache. */
export const SERVICE_MAIN = {
  name: 'service-main',
  setup(plugins) {
    plugins.onResolve({ filter: /\/service-main\.ts$/ }, () => ({ path: './service-main.js', external: true }));
  },
};

/** The analyzer for Node is a small module over the one for browsers. */
export const NODE_ENTRY = {
  name: 'node-entry',
  setup(plugins) {
    plugins.onResolve({ filter: /\/analyzer\.ts$/ }, () => ({ path: './analyzer.browser.js', external: true }));
  },
};

/** Puts the stop words of each language into a file of its own, and a table of these files into words.browser.ts. */
export const browserWords = (stopWords) => ({
  name: 'browser-words',
  setup(plugins) {
    const files = Object.keys(stopWords).map((name) => `${name}: () => import('stop-words:${name}')`);
    plugins.onResolve({ filter: /\/words\.ts$/ }, ({ resolveDir, path: name }) => ({
      path: path.resolve(resolveDir, name.replace(/\.ts$/, '.browser.ts')),
    }));
    plugins.onLoad({ filter: /\/words\.browser\.ts$/ }, ({ path: file }) => ({
      contents: `const STOP_WORD_FILES = { ${files.join(', ')} };\n${readFileSync(file, 'utf8')}`,
      loader: 'ts',
      resolveDir: path.dirname(file),
    }));
    plugins.onResolve({ filter: /^stop-words:/ }, ({ path: name }) => ({ path: name.slice(11), namespace: 'stop-words' }));
    plugins.onLoad({ filter: /.*/, namespace: 'stop-words' }, ({ path: name }) => ({
      contents: `export default ${JSON.stringify(stopWords[name])};`,
    }));
  },
});
