// Splits the service's main thread into two code files that share their modules: service-main.code.js, which a start evaluates, and
// engine.code.js with the modules of LATE_CODE and those that only they import, which is loaded when one of their functions is first called.
//
//   service-main.code.js                                            engine.code.js
//     a module that imports `search` from a late module   ──────>     the late module
//     gets a stub, a `let` that is replaced once the engine is loaded
//     its own modules, by path                            <──────     imports of modules that the first file contains
//
// esbuild can share modules between files only as ES modules, for which Node has no code cache. Three builds: the first finds the modules and names
// of the first file, the second builds the engine, the third adds to the first file what the engine imports from it.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';

/** Folders of src/ that a start without an index does not need, unless a module is listed below. */
const LATE_CODE = /^src\/(?:aggs|analysis|api|dates|indexing|ingest|mapping|plan|query|regex|scripting|search|snapshots)\//;
/** Modules that a start calls. */
const START_CODE = new Set([
  'src/api/core/index-names.ts',
  'src/api/core/metric-names.ts',
  'src/api/core/read-counters.ts',
  'src/api/core/request-cache.ts',
  'src/api/core/search-caches.ts',
  'src/api/core/segment-version.ts',
  'src/mapping/core/stored-query.ts',
  'src/mapping/core/time-series.ts',
  'src/search/shard/document-segment.ts',
  'src/search/shard/search-caches.ts',
]);
/**
 * Also late: roles that run in the main thread only if there are no threads for them, and code that is only needed for indices, for heavy requests, by
 * nodes of a cluster, for bodies in a rare format, or by requests that filter their response.
 */
const LATE_ROLES = new Set([
  'src/common/json/filter-path.ts',
  'src/common/json/smile-reader.ts',
  'src/node/cluster/jetstream-link.ts',
  'src/node/indexing/indexer.ts',
  'src/node/indexing/merger.ts',
  'src/node/main/linked-node.ts',
  'src/node/metadata/build-index.ts',
  'src/node/reading/cluster-reads.ts',
  'src/node/reading/copies-elsewhere.ts',
  'src/node/reading/field-memory.ts',
  'src/node/snapshots/snapshot-worker.ts',
  'src/rest/cluster/all-nodes.ts',
  'src/rest/cluster/cat-indices.ts',
  'src/rest/cluster/cat-snapshots.ts',
  'src/rest/core/forwarded.ts',
  'src/rest/core/relay.ts',
  'src/rest/core/typed-requests.ts',
]);

/** Marks the names of each module that the output uses. */
const STUB = '__lateStub';
const SHARED = '__sharedWithEngine';
const PART = '\0';

const isLate = (file) => (LATE_CODE.test(file) || LATE_ROLES.has(file)) && !START_CODE.has(file);

/**
 * @param {object} options  esbuild options of both files
 * @param {string} entry    module of the main thread
 * @returns {Promise<{ start: object[], engine: object[] }>} output files of esbuild; names of the code files are those of `entryPoints`
 */
export async function buildStartAndEngine(options, { entry, startName, engineName, enginePath }) {
  for (const file of [...START_CODE, ...LATE_ROLES])
    if (!existsSync(file)) throw new Error(`${file} does not exist: correct the lists of late-code.mjs`);
  const names = new Map();
  const startOptions = (used, shared) => ({
    ...options,
    metafile: true,
    entryPoints: undefined,
    stdin: { contents: startEntry(entry, shared), resolveDir: '.', sourcefile: 'service-start.js' },
    outfile: path.join(options.outdir, `${startName}.js`),
    outdir: undefined,
    plugins: [startPart(used, enginePath, names), ...options.plugins],
  });
  const first = await build(startOptions(null, new Map()));
  const used = marksIn(first, STUB);
  refuseConstants(used);
  const modules = modulesOf(first.metafile);
  const engine = await build({
    ...options,
    metafile: true,
    entryPoints: undefined,
    stdin: { contents: engineEntry(used), resolveDir: '.', sourcefile: 'engine.js' },
    outfile: path.join(options.outdir, `${engineName}.js`),
    outdir: undefined,
    banner: { js: options.banner.js + SHARED_READER },
    plugins: [enginePart(modules, names), ...options.plugins],
  });
  const shared = marksIn(engine, SHARED);
  const start = await build(startOptions(used, new Map([...shared].map(([file, list]) => [file, { list, ...modules.get(file) }]))));
  return { start, engine };
}

/** Replaces imports of late modules by stubs. */
const startPart = (used, enginePath, names) => ({
  name: 'start-part',
  setup(plugins) {
    plugins.onResolve({ filter: /^\.{1,2}\// }, ({ path: name, resolveDir, namespace }) => {
      if (namespace !== 'file') return undefined;
      const file = relative(path.resolve(resolveDir, name));
      return isLate(file) ? { path: file, namespace: 'late-code' } : undefined;
    });
    plugins.onLoad({ filter: /.*/, namespace: 'late-code' }, async ({ path: file }) => {
      const exported = await exportsOf(file, names);
      const stubs = exported.map((name) => `export let ${name} = /* @__PURE__ */ ${STUB}(${JSON.stringify(`${file}#${name}`)});`);
      const isUsed = used?.get(file) ?? [];
      const bind = isUsed.map((name) => `${name} = module.${name};`).join(' ');
      const hook = isUsed.length > 0 ? `onEngine(${JSON.stringify(file)}, (module) => { ${bind} });` : '';
      return {
        contents: `import { ${STUB}, onEngine } from 'engine-loader';\n${stubs.join('\n')}\n${hook}`,
        resolveDir: '.',
      };
    });
    plugins.onResolve({ filter: /^engine-loader$/ }, ({ path: name }) => ({ path: name, namespace: 'engine-loader' }));
    plugins.onLoad({ filter: /.*/, namespace: 'engine-loader' }, () => ({ contents: engineLoader(enginePath) }));
  },
});

/** The module in the first file that loads the second one. */
const engineLoader = (enginePath) => `
  let modules = null;
  const hooks = [];
  export function loadEngine() {
    if (modules === null) {
      modules = require(${JSON.stringify(enginePath)});
      for (const [file, hook] of hooks) hook(modules[file]);
    }
    return modules;
  }
  export function onEngine(file, hook) {
    if (modules === null) hooks.push([file, hook]);
    else hook(modules[file]);
  }
  /** Stands for a function, class or object of the engine until the engine is loaded. */
  export function ${STUB}(key) {
    const [file, name] = key.split('#');
    const real = () => loadEngine()[file][name];
    const stub = new Proxy(function () {}, {
      apply: (_, self, parameters) => Reflect.apply(real(), self, parameters),
      construct: (_, parameters, target) => Reflect.construct(real(), parameters, target === stub ? real() : target),
      get: (_, property) => real()[property],
      has: (_, property) => property in real(),
    });
    return stub;
  }`;

/** Replaces imports of modules that the first file contains. */
const enginePart = (modules, names) => ({
  name: 'engine-part',
  setup(plugins) {
    plugins.onResolve({ filter: /.*/ }, async ({ path: name, pluginData, kind, importer, resolveDir, namespace }) => {
      if (pluginData === PART || kind === 'entry-point' || (namespace !== 'file' && namespace !== '')) return undefined;
      const found = await plugins.resolve(name, { kind, importer, resolveDir, namespace, pluginData: PART });
      const file = relative(found.path);
      // Others are left to esbuild, which reads whether they are ES modules from their package.json.
      return found.namespace === 'file' && modules.has(file) ? { path: file, namespace: 'shared-code' } : undefined;
    });
    plugins.onLoad({ filter: /.*/, namespace: 'shared-code' }, async ({ path: file }) => {
      const shared = (name) => `/* @__PURE__ */ ${SHARED}(${JSON.stringify(`${file}#${name}`)})`;
      if (modules.get(file).format === 'cjs') return { contents: `module.exports = ${shared('')};` };
      const exported = await exportsOf(file, names);
      return {
        contents: exported
          .map((name) => (name === 'default' ? `export default ${shared(name)};` : `export const ${name} = ${shared(name)};`))
          .join('\n'),
      };
    });
  },
});

function startEntry(entry, shared) {
  const imports = [];
  const registry = [];
  let count = 0;
  for (const [file, { list, format, isStatic }] of shared) {
    const from = JSON.stringify(`./${file}`);
    if (format === 'cjs' || !isStatic) {
      registry.push(`${JSON.stringify(file)}: () => require(${from})`);
      continue;
    }
    const locals = list.map((name) => [name, `${name.replace(/\W/g, '')}$${count++}`]);
    imports.push(`import { ${locals.map(([name, local]) => `${name} as ${local}`).join(', ')} } from ${from};`);
    registry.push(`${JSON.stringify(file)}: () => ({ ${locals.map(([name, local]) => `${name}: ${local}`).join(', ')} })`);
  }
  return `${imports.join('\n')}\nexport * from ${JSON.stringify(`./${entry}`)};\nexport const modules = { ${registry.join(',\n')} };`;
}

function engineEntry(used) {
  const loaded = [...used].map(([file, list], at) => [file, list.map((name) => [name, `${name}$${at}`])]);
  const imports = loaded.map(
    ([file, list]) => `import { ${list.map(([name, local]) => `${name} as ${local}`).join(', ')} } from ${JSON.stringify(`./${file}`)};`,
  );
  const table = loaded.map(([file, list]) => `${JSON.stringify(file)}: { ${list.map(([name, local]) => `${name}: ${local}`).join(', ')} }`);
  return `${imports.join('\n')}\nmodule.exports = { ${table.join(',\n')} };`;
}

/** Reads a name of a module of the first file, for the banner of the second one. */
export const SHARED_READER = `const __sharedModules = require('./service-main.js').modules, __sharedRead = new Map();
function ${SHARED}(key) {
  const at = key.lastIndexOf('#'), file = key.slice(0, at), name = key.slice(at + 1);
  let module = __sharedRead.get(file);
  if (module === undefined) __sharedRead.set(file, (module = __sharedModules[file]()));
  return name === '' ? module : module[name];
}`;

/** A stub calls functions, makes objects and reads properties. Numbers and strings cannot be stubbed. */
function refuseConstants(used) {
  for (const [file, list] of used) {
    const name = list.find((each) => /^[A-Z][A-Z\d_]+$/.test(each));
    if (name !== undefined) throw new Error(`a start imports the constant ${name} of ${file}: move it to a module of START_CODE`);
  }
}

/** @returns {Map<string, string[]>} names by path of the module, as the calls of `marker` in the output have them */
function marksIn({ outputFiles }, marker) {
  const found = new Map();
  const text = outputFiles.find((file) => file.path.endsWith('.js')).text;
  for (const [, file, name] of text.matchAll(new RegExp(`${marker}\\d*\\("([^"#]+)#([^"]*)"\\)`, 'g'))) {
    if (!found.has(file)) found.set(file, []);
    if (!found.get(file).includes(name)) found.get(file).push(name);
  }
  return found;
}

/** @returns {Map<string, { format: string, isStatic: boolean }>} the modules of a bundle; `isStatic`: evaluated with the entry */
function modulesOf({ inputs }) {
  const entry = Object.keys(inputs).find((file) => file === 'service-start.js');
  const reached = new Set();
  const open = [entry];
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (reached.has(file)) continue;
    reached.add(file);
    const esm = inputs[file].format === 'esm';
    for (const { path: next, kind, external } of inputs[file].imports) if (esm && kind === 'import-statement' && !external) open.push(next);
  }
  return new Map(Object.entries(inputs).map(([file, { format }]) => [file, { format: format ?? 'cjs', isStatic: reached.has(file) }]));
}

/** Names of the values that a module exports. */
async function exportsOf(file, names) {
  if (!names.has(file)) {
    const { metafile } = await build({
      entryPoints: [file],
      bundle: false,
      write: false,
      format: 'esm',
      metafile: true,
      outdir: 'none',
      logLevel: 'error',
    });
    names.set(file, Object.values(metafile.outputs)[0].exports);
  }
  return names.get(file);
}

const relative = (file) => path.relative('.', file).replaceAll(path.sep, '/');
