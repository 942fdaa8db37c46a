// Packs `gannet-analyzer`: the analysis module alone, from packages/analyzer/ and the build. `npm pack` runs this after packing `gannet`.
//   node tools/pack-analyzer.mjs [NPM PACK OPTIONS]     e.g. --pack-destination FOLDER
import { execFileSync } from 'node:child_process';
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
// `npm publish` packs, too; it publishes one package.
if (process.env.npm_command === 'publish') process.exit(0);

const destination = process.env.npm_config_pack_destination || process.cwd();
const staging = mkdtempSync(path.join(tmpdir(), 'gannet-analyzer-'));
try {
  stage();
  const options = ['--ignore-scripts', '--pack-destination', path.resolve(destination), ...process.argv.slice(2)];
  execFileSync('npm', ['pack', staging, ...options], { stdio: ['ignore', 'inherit', 'inherit'], shell: process.platform === 'win32' });
} finally {
  rmSync(staging, { recursive: true });
}

function stage() {
  const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
  const manifest = JSON.parse(readFileSync(path.join(root, 'packages/analyzer/package.json'), 'utf8'));
  writeFileSync(path.join(staging, 'package.json'), `${JSON.stringify({ ...manifest, version }, null, 2)}\n`);
  copyFileSync(path.join(root, 'packages/analyzer/README.md'), path.join(staging, 'README.md'));
  for (const name of ['LICENSE', 'NOTICE', 'LICENSES']) cpSync(path.join(root, name), path.join(staging, name), { recursive: true });
  for (const file of ['build/analyzer.wasm', 'dist/analyzer.node.js', 'dist/analyzer.browser.js', ...declarations('dist/analyzer.d.ts')])
    copy(file);
  cpSync(path.join(root, 'dist/analyzer-words'), path.join(staging, 'dist/analyzer-words'), {
    recursive: true,
    filter: (file) => !file.endsWith('.map'),
  });
}

function copy(file) {
  mkdirSync(path.join(staging, path.dirname(file)), { recursive: true });
  copyFileSync(path.join(root, file), path.join(staging, file));
}

/** A declaration file and those it imports, directly or not. */
function declarations(entry) {
  const found = new Set([entry]);
  for (const file of found) {
    for (const [, target] of readFileSync(path.join(root, file), 'utf8').matchAll(/(?:from|import\()\s*['"](\.[^'"]+)['"]/g)) {
      found.add(path.posix.join(path.posix.dirname(file), target.replace(/\.[jt]s$/, '.d.ts')));
    }
  }
  return [...found];
}
