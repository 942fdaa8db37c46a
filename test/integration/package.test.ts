// The package as others get it: what `npm pack` puts into it, unpacked beside nothing but its dependencies, used by its name from Node (ESM,
// CommonJS), TypeScript and a bundle for browsers, and by its commands. Needs `npm run build`, no network.
import { execFile, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isUws } from '../../src/http/uws-process.ts';
import { freePort } from '../support/free-port.ts';
import { startService, untilAnswering } from '../support/service.ts';

const root = path.resolve(import.meta.dirname, '../..');
const project = mkdtempSync(path.join(tmpdir(), 'gannet-package-'));
const modules = path.join(project, 'node_modules');
const installed = path.join(modules, 'gannet');
const run = async (command: string, ...args: string[]) => (await promisify(execFile)(command, args, { cwd: project })).stdout;
const write = (file: string, text: string) => writeFileSync(path.join(project, file), text);
let manifest: { bin: Record<string, string>; dependencies: Record<string, string>; exports: object };

beforeAll(async () => {
  mkdirSync(path.join(modules, '.bin'), { recursive: true });
  await promisify(execFile)('npm', ['pack', '--ignore-scripts', '--pack-destination', project], { cwd: root });
  await run('tar', 'xzf', readdirSync(project).find((name) => name.endsWith('.tgz'))!);
  await run('mv', 'package', installed);
  manifest = JSON.parse(readFileSync(path.join(installed, 'package.json'), 'utf8'));
  for (const name of Object.keys(manifest.dependencies)) {
    mkdirSync(path.dirname(path.join(modules, name)), { recursive: true });
    symlinkSync(path.join(root, 'node_modules', name), path.join(modules, name));
  }
  for (const [name, file] of Object.entries(manifest.bin)) symlinkSync(path.join(installed, file), path.join(modules, '.bin', name));
});

afterAll(() => rmSync(project, { recursive: true, force: true }));

test('it holds what it exports and nothing that only its own build needs', () => {
  const files = readdirSync(installed, { recursive: true }).map(String);
  const exported = JSON.stringify(manifest.exports).match(/(?<="\.\/)[^"]*\.(?:js|ts|wasm)(?=")/g)!;
  for (const file of exported.filter((name) => name !== 'analyzer.wasm')) expect(existsSync(path.join(installed, file)), file).toBe(true);
  expect(files.filter((file) => /^(?:src|test|assembly|bench|tools)\b|\.(?:map|cache)$|debug\.wasm$/.test(file))).toEqual([]);
  expect(Object.keys(JSON.parse(readFileSync(path.join(installed, 'package.json'), 'utf8')).scripts)).not.toContain('postinstall');
});

test('gannet/analyzer gives tokens to ES modules and to CommonJS', async () => {
  const print = "loadAnalyzer().then((a) => console.log(a.analyze('Quick foxes', 'english').map((t) => t.term).join()))";
  write('a.mjs', `import { loadAnalyzer } from 'gannet/analyzer'; ${print}`);
  write('a.cjs', `const { loadAnalyzer } = require('gannet/analyzer'); ${print}`);
  expect(await run('node', 'a.mjs')).toBe('quick,fox\n');
  expect(await run('node', 'a.cjs')).toBe('quick,fox\n');
});

test('gannet opens an engine, with threads', async () => {
  write(
    'open.mjs',
    `import { open } from 'gannet';
     const engine = await open({ path: './data', settings: { threads: 2 } });
     await engine.index({ index: 'i', id: '1', document: { title: 'The sea' }, refresh: true });
     console.log((await engine.search({ index: 'i', body: { query: { match: { title: 'sea' } } } })).hits.total.value);
     await engine.close();`,
  );
  expect(await run('node', 'open.mjs')).toBe('1\n');
});

test.each(['nodenext', 'bundler'])('its types are found and strict with the module resolution %s', async (resolution) => {
  write(
    'typed.ts',
    `import { type AnalyzedToken, loadAnalyzer, type TokenCursor } from 'gannet/analyzer';
     const analysis = await loadAnalyzer();
     export const tokens: AnalyzedToken[] = analysis.analyze('text');
     analysis.forEachToken('text', (token: TokenCursor) => token.startOffset.toFixed());
     // @ts-expect-error no such option
     loadAnalyzer({ setings: {} });`,
  );
  write('package.json', '{ "type": "module" }');
  const module = resolution === 'bundler' ? 'esnext' : resolution;
  const flags = ['--strict', '--noEmit', '--target', 'es2022', '--lib', 'es2022,dom', '--module', module, '--moduleResolution', resolution];
  await run(path.join(root, 'node_modules/.bin/tsc'), ...flags, 'typed.ts');
});

test('a bundle for browsers has the analyzers and the address of the kernels', async () => {
  write(
    'web.js',
    "import { loadAnalyzer } from 'gannet/analyzer'; import wasm from 'gannet/analyzer.wasm'; loadAnalyzer({ wasm: fetch(wasm) });",
  );
  const { outputFiles } = await build({
    absWorkingDir: project,
    entryPoints: ['web.js'],
    bundle: true,
    format: 'esm',
    platform: 'browser',
    loader: { '.wasm': 'file' },
    outdir: 'out',
    write: false,
  });
  expect(outputFiles.map((file) => path.extname(file.path)).sort()).toEqual(['.js', '.wasm']);
});

test('its commands serve, by uWebSockets where there is a binary, and proxy', async () => {
  const command = (name: string) => path.join(modules, '.bin', name);
  expect(await run(command('gannet'), '--version')).toContain('gannet');
  const flags = isUws('auto') ? ['--http.listener=uws'] : [];
  const service = await startService(flags, mkdtempSync(path.join(project, 'served-')), [command('gannet')]);
  const { body } = await service.request('POST', '/_analyze', { analyzer: 'english', text: 'Quick foxes' });
  expect(body.tokens).toHaveLength(2);
  const port = await freePort();
  write('front.conf', `daemon off; events {} http { server { listen 127.0.0.1:${port}; location / { proxy_pass ${service.url}; } } }`);
  mkdirSync(path.join(project, 'logs'));
  const front = spawn(command('gannet-nginx'), ['-p', project, '-c', 'front.conf'], { stdio: 'ignore' });
  const ended = new Promise((resolve) => front.once('exit', resolve));
  await untilAnswering(`http://127.0.0.1:${port}`, front);
  expect(await (await fetch(`http://127.0.0.1:${port}/_cat/health?h=status`)).text()).toContain('green');
  front.kill('SIGQUIT');
  expect(await ended).toBe(0);
  expect(await service.stop()).toBe(0);
});
