// Bundles the programs of src/, so that a process or thread starts from few files.
//   node tools/build-js.mjs
//   dist/bundle/   main.js (the command), library.js: ES modules with shared chunks
//   dist/analyzer.node.js, analyzer.browser.js   gannet/analyzer: one ES module each; the browser's has the packages it needs in it, and
//                  words of languages beside it in analyzer-words/
//   dist/service/  service-process.js, what it loads, and the threads: start-up counts here. Each but the first is a small script that runs
//                  one code file through V8's code cache, which the first run writes beside it (tools/launch.cjs). *.late.js: packages
//                  and word lists that a start does not need; as files of their own they are not read before they are used.
// `new URL('../../build/...', import.meta.url)` means the same in src/<folder>/ and in both output folders.
import { createHash } from 'node:crypto';
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const MODULES = { main: 'src/main.ts', library: 'src/library.ts' };
const SERVICE = {
  'service-main': 'src/cli/service-main.ts',
  'indexer-thread': 'src/node/indexer-thread.ts',
  'merger-thread': 'src/node/merger-thread.ts',
  'http-thread': 'src/node/http-thread.ts',
};
/** Native, or loaded late and seldom. */
const SERVICE_EXTERNALS = ['./launch.js', './*.late.js', '@js-joda/core', '@js-joda/timezone'];
/** lmdb looks for its binary beside its own modules, which a bundle takes it away from. Of its ES modules esbuild makes iterators without end. */
const LMDB_BINARY = {
  name: 'lmdb-binary',
  setup(plugins) {
    const lmdb = createRequire(import.meta.url).resolve('lmdb');
    const { version } = JSON.parse(readFileSync(path.join(path.dirname(lmdb), '../package.json'), 'utf8'));
    plugins.onResolve({ filter: /^lmdb$/ }, () => ({ path: lmdb }));
    plugins.onResolve({ filter: /^node-gyp-build-optional-packages$/ }, () => ({ path: 'load', namespace: 'lmdb-binary' }));
    plugins.onLoad({ filter: /.*/, namespace: 'lmdb-binary' }, () => ({
      contents: `const { createRequire } = require('node:module');
        const { dirname } = require('node:path');
        const folder = '@lmdb/lmdb-' + process.platform + '-' + process.arch;
        // The usual one from its usual place at once: to resolve lmdb takes 2 ms, to find out which C library there is 10. Elsewhere, or on
        // another library, it does not load.
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
/** Loaded when a name of theirs is first used: `<name>.late.js` in the output, by what it is made of. */
const LATE = {
  re2js: 're2js',
  yaml: 'yaml',
  'kstem-lexicon': './src/analysis/generated/kstem-lexicon.ts',
  'stop-words': './src/analysis/generated/stop-words.ts',
  'thai-dictionary': './src/analysis/generated/thai-dictionary.ts',
};
const LATE_PARTS = {
  name: 'late-parts',
  setup(plugins) {
    plugins.onResolve({ filter: /^(re2js|yaml)$|\/generated\/(kstem-lexicon|stop-words|thai-dictionary)\.ts$/ }, ({ path: name }) => ({
      path: path.basename(name, '.ts'),
      namespace: 'late-parts',
    }));
    plugins.onLoad({ filter: /.*/, namespace: 'late-parts' }, ({ path: name }) => ({
      contents: `module.exports = require('./launch.js').lateModule(() => require('./${name}.late.js'));`,
    }));
  },
};
/** hyper-express takes these from Node's modules while it loads, which would load them whole at each start. */
const LATE_NAMES = {
  name: 'late-names',
  setup(plugins) {
    const contents = {
      http: "exports.STATUS_CODES = new Proxy({}, { get: (_, code) => require('node:http').STATUS_CODES[code] });",
      net: "exports.isIP = (text) => require('node:net').isIP(text);",
    };
    plugins.onResolve({ filter: /^(http|net)$/ }, ({ path: name, importer }) =>
      importer.includes('/hyper-express/') ? { path: name, namespace: 'late-names' } : undefined,
    );
    plugins.onLoad({ filter: /.*/, namespace: 'late-names' }, ({ path: name }) => ({ contents: contents[name] }));
  },
};
/** hyper-express names types of files by it, which the service never does; its table takes a tenth of the start. */
const MIME_TYPES = {
  name: 'mime-types',
  setup(plugins) {
    plugins.onResolve({ filter: /^mime-types$/ }, () => ({ path: 'none', namespace: 'mime-types' }));
    plugins.onLoad({ filter: /.*/, namespace: 'mime-types' }, () => ({
      contents: 'exports.lookup = exports.contentType = exports.extension = () => false;',
    }));
  },
};

/** hyper-express' own dependency is fetched from GitHub; the package has it as a file of its own. */
const UWS_SHIM = {
  name: 'uws-shim',
  setup(plugins) {
    plugins.onResolve({ filter: /^uWebSockets\.js$/ }, () => ({ path: '../../vendor/uws-shim/index.cjs', external: true }));
  },
};
/** Stays a file of its own with its own code cache. */
const SERVICE_MAIN = {
  name: 'service-main',
  setup(plugins) {
    plugins.onResolve({ filter: /\/service-main\.ts$/ }, () => ({ path: './service-main.js', external: true }));
  },
};

/** Words of languages as files of their own, and the table of those with stop words. */
const BROWSER_WORDS = {
  name: 'browser-words',
  async setup(plugins) {
    const { STOP_WORDS } = await import('../dist/analysis/generated/stop-words.js');
    const files = Object.keys(STOP_WORDS).map((name) => `${name}: () => import('stop-words:${name}')`);
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
      contents: `export default ${JSON.stringify(STOP_WORDS[name])};`,
    }));
  },
};

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
  entryPoints: MODULES,
  outdir: bundles,
  splitting: true,
  format: 'esm',
  packages: 'external',
  chunkNames: 'chunk-[hash]',
});

const analyzer = { ...common, format: 'esm' };
await build({ ...analyzer, entryPoints: ['src/analyzer-node.ts'], outfile: 'dist/analyzer.node.js', packages: 'external' });
const words = path.join(root, 'dist/analyzer-words');
rmSync(words, { recursive: true, force: true });
// Anything of Node's in it fails the build.
await build({
  ...analyzer,
  entryPoints: { 'analyzer.browser': 'src/analyzer.ts' },
  outdir: 'dist',
  splitting: true,
  chunkNames: 'analyzer-words/[name]-[hash]',
  platform: 'browser',
  target: 'es2022',
  plugins: [BROWSER_WORDS],
});

const service = path.join(root, 'dist/service');
rmSync(service, { recursive: true, force: true });
const serviceOptions = {
  ...common,
  outdir: service,
  format: 'cjs',
  // Without its optional binary, which only speeds up many short strings and takes 20 ms to load.
  define: { 'import.meta.url': '__moduleUrl', 'process.env.MSGPACKR_NATIVE_ACCELERATION_DISABLED': '"true"' },
  charset: 'ascii',
};
const MODULE_URL = 'const __moduleUrl = require("node:url").pathToFileURL(__filename).href;';
/** Half the bytes to read at each start; names stay for stack traces. */
const small = { minifyWhitespace: true, minifySyntax: true };
await build({
  ...serviceOptions,
  entryPoints: Object.fromEntries(Object.entries(SERVICE).map(([name, file]) => [`${name}.code`, file])),
  external: SERVICE_EXTERNALS,
  plugins: [LMDB_BINARY, LATE_NAMES, LATE_PARTS, MIME_TYPES, UWS_SHIM],
  // As launch.cjs runs it: a wrapper put around it there would copy the whole text.
  banner: { js: `(function (exports, require, module, __filename, __dirname) {${MODULE_URL}` },
  footer: { js: '})' },
  ...small,
});
await build({
  ...serviceOptions,
  entryPoints: Object.fromEntries(Object.entries(LATE).map(([name, file]) => [`${name}.late`, file])),
  ...small,
});
await build({ ...serviceOptions, entryPoints: ['src/cli/service-process.ts'], plugins: [SERVICE_MAIN], banner: { js: MODULE_URL } });
copyFileSync(path.join(root, 'tools/launch.cjs'), path.join(service, 'launch.js'));
writeFileSync(path.join(service, 'package.json'), '{ "type": "commonjs" }\n');
for (const name of Object.keys(SERVICE)) {
  const digest = createHash('sha256')
    .update(readFileSync(path.join(service, `${name}.code.js`)))
    .digest('hex')
    .slice(0, 16);
  writeFileSync(path.join(service, `${name}.js`), `module.exports = require('./launch.js').launch('${name}', '${digest}');\n`);
}
