// Both packages as users get them: packed, installed into empty projects, and used by the examples of their documentation.
//   npm test                 the Node that runs the tests; dependencies are links into this checkout, so that no registry is needed
//   npm run test:packages    Node 20, 22 and 24 (GANNET_TEST_NODES), installed from the registry, like the dependencies
// Needs `npm run build`.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { nodeBinary, PackageProject, packBoth } from '../support/packages.ts';
import { startService, untilAnswering } from '../support/service.ts';

const MB = 1_000_000;
const MAX_ANALYZER_BYTES = 2 * MB;
const MAX_INSTALLED_BYTES = 60 * MB;
const root = path.resolve(import.meta.dirname, '../..');
const folder = mkdtempSync(path.join(tmpdir(), 'gannet-packages-'));
/** Null is the Node that runs the tests. */
const nodes = process.env.GANNET_TEST_NODES ? process.env.GANNET_TEST_NODES.split(',') : [null];
let tarballs: { gannet: string; analyzer: string };

beforeAll(async () => {
  tarballs = await packBoth(folder);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The first program of a document that contains `text`. */
function example(file: string, text: string): string {
  const programs = [...readFileSync(path.join(root, file), 'utf8').matchAll(/```[jt]s\n(.*?)```/gs)].map(([, program]) => program);
  const found = programs.find((program) => program.includes(text));
  if (found === undefined) throw new Error(`${file} has no program with ${text}`);
  return found;
}

const ENGINE_EXAMPLE = example('docs/getting-started.md', "import { open } from 'gannet'");
const ANALYZER_EXAMPLE = example('packages/analyzer/README.md', "import { loadAnalyzer } from 'gannet-analyzer'");

describe.each(nodes)('on Node %s', (line) => {
  let engine: PackageProject;
  let analyzer: PackageProject;
  /** Before the first run, which writes code caches of 6 MB. */
  let installedBytes = 0;

  beforeAll(async () => {
    const node = line === null ? process.execPath : await nodeBinary(line);
    engine = new PackageProject(folder, node);
    analyzer = new PackageProject(folder, node);
    if (line === null) {
      await Promise.all([engine.unpack(tarballs.gannet, 'gannet'), analyzer.unpack(tarballs.analyzer, 'gannet-analyzer')]);
    } else {
      await Promise.all([engine.install(tarballs.gannet), analyzer.install(tarballs.analyzer)]);
    }
    installedBytes = engine.installedBytes();
  });

  test('gannet-analyzer analyses in ES modules and CommonJS', async () => {
    const shown = "console.log(analysis.analyze('Die Häuser', 'german').map((token) => token.term), analysis.highlight('The fox', 'FOX'));";
    expect(await analyzer.script(`${ANALYZER_EXAMPLE}\n${shown}`)).toBe("[ 'haus' ] [ 'The <em>fox</em>' ]\n");
    const source = "const { loadAnalyzer } = require('gannet-analyzer'); loadAnalyzer().then((a) => console.log(a.analyze('x')[0].term));";
    expect(await analyzer.script(source, 'script.cjs')).toBe('x\n');
  });

  test('gannet/analyzer is the same module', async () => {
    const source = ANALYZER_EXAMPLE.replace("'gannet-analyzer'", "'gannet/analyzer'");
    expect(await engine.script(`${source}\nconsole.log(analysis.analyze('Foxes', 'english')[0].term);`)).toBe('fox\n');
  });

  test('gannet opens an engine inside a program', async () => {
    expect(await engine.script(ENGINE_EXAMPLE)).toContain("title: 'The old man and the sea'");
  });

  test('the engine of a program contains the rules of time zones', async () => {
    const source = `import { open } from 'gannet';
      const engine = await open({ path: ${JSON.stringify(mkdtempSync(path.join(engine.folder, 'zones-')))} });
      await engine.bulk({ index: 'days', refresh: true, operations: [{ index: {} }, { at: '2024-07-01T23:00:00Z' }] });
      const aggs = { days: { date_histogram: { field: 'at', calendar_interval: 'day', time_zone: 'Europe/Berlin' } } };
      const { aggregations } = await engine.search({ index: 'days', body: { size: 0, aggs } });
      console.log(aggregations.days.buckets[0].key_as_string);
      await engine.close();`;
    expect(await engine.script(source)).toBe('2024-07-02T00:00:00.000+02:00\n');
  });

  test('commands of gannet serve and proxy', async () => {
    const command = (name: string): string[] => [engine.node, path.join(engine.modules, '.bin', name)];
    expect(await engine.run(path.join(engine.modules, '.bin/gannet'), '--version')).toMatch(/^gannet \d+\.\d+\.\d+ \(node \d+/);
    const service = await startService([], mkdtempSync(path.join(engine.folder, 'served-')), command('gannet'));
    const operations = '{"index":{"_id":"1"}}\n{"title":"The old man and the sea"}\n';
    expect((await service.request('POST', '/books/_bulk?refresh=true', operations)).body.errors).toBe(false);
    expect((await service.request('GET', '/books/_search?q=title:sea')).body.hits.total.value).toBe(1);
    const dates = '{"index":{}}\n{"at":"2024-07-01T23:00:00Z"}\n';
    expect((await service.request('POST', '/days/_bulk?refresh=true', dates)).body.errors).toBe(false);
    const local = { query: { range: { at: { gte: '2024-07-02T01:00', time_zone: 'Europe/Berlin' } } } };
    expect((await service.request('POST', '/days/_search', local)).body.hits.total.value).toBe(1);
    const withoutPackage = await service.request('PUT', '/_snapshot/cloud', { type: 's3', settings: { bucket: 'b' } });
    expect(withoutPackage).toMatchObject({
      status: 500,
      body: { error: { caused_by: { reason: expect.stringContaining('npm install @aws-sdk/client-s3') } } },
    });

    const port = await freePort();
    engine.write(
      'front.conf',
      `daemon off; events {} http { server { listen 127.0.0.1:${port}; location / { proxy_pass ${service.url}; } } }`,
    );
    mkdirSync(path.join(engine.folder, 'logs'));
    const [node, script] = command('gannet-nginx');
    const front = spawn(node, [script, '-p', engine.folder, '-c', 'front.conf'], { stdio: 'ignore' });
    await untilAnswering(`http://127.0.0.1:${port}`, front);
    expect(await (await fetch(`http://127.0.0.1:${port}/_cat/health?h=status`)).text()).toMatch(/green|yellow/);
    front.kill('SIGQUIT');
    expect(await once(front, 'exit')).toEqual([0, null]);
    expect(await service.stop()).toBe(0);
  });

  test('installs without its optional packages, in less than 60 MB', () => {
    expect(engine.manifest('gannet').peerDependenciesMeta).toEqual({
      '@6over3/zeroperl-ts': { optional: true },
      '@aws-sdk/client-s3': { optional: true },
      sharp: { optional: true },
      'uws-pack': { optional: true },
    });
    expect(engine.manifest('gannet').dependencies).not.toHaveProperty('uws-pack');
    expect(installedBytes).toBeLessThan(MAX_INSTALLED_BYTES);
  });

  test('serves by uWebSockets once uws-pack is installed, where that has a binary', async () => {
    const abi = await engine.script('console.log(process.versions.modules)');
    const name = `uws_${process.platform}_${process.arch}_${abi.trim()}.node`;
    const hasBinary = existsSync(path.join(root, 'node_modules/uws-pack/dist/bin', name));
    if (!existsSync(path.join(engine.modules, 'uws-pack'))) engine.link('uws-pack');
    const data = mkdtempSync(path.join(engine.folder, 'served-'));
    const service = await startService(hasBinary ? ['--http.listener=uws'] : [], data, [
      engine.node,
      path.join(engine.modules, '.bin/gannet'),
    ]);
    expect((await service.request('GET', '/')).status).toBe(200);
    expect(await service.stop()).toBe(0);
  });
});

describe('on any Node', () => {
  let engine: PackageProject;
  let analyzer: PackageProject;

  beforeAll(async () => {
    engine = new PackageProject(folder, process.execPath);
    analyzer = new PackageProject(folder, process.execPath);
    await Promise.all([engine.unpack(tarballs.gannet, 'gannet'), analyzer.unpack(tarballs.analyzer, 'gannet-analyzer')]);
  });

  test('the packages contain their exports, and no files that only the build needs', () => {
    for (const [project, name] of [
      [engine, 'gannet'],
      [analyzer, 'gannet-analyzer'],
    ] as const) {
      const files = project.files(name);
      const exported = [...JSON.stringify(project.manifest(name).exports).matchAll(/:"\.\/([^"]+)"/g)].map(([, file]) => file);
      expect(files).toEqual(expect.arrayContaining([...exported, 'README.md', 'LICENSE', 'package.json']));
      expect(files.filter((file) => /^(?:src|test|assembly|bench|tools)\b|\.(?:map|cache)$|debug\.wasm$/.test(file))).toEqual([]);
      expect(Object.keys(project.manifest(name).scripts ?? {}).filter((script) => /^(?:pre|post)?install$/.test(script))).toEqual([]);
    }
  });

  test('every relative import of a packed file is packed, too', () => {
    for (const [project, name] of [
      [engine, 'gannet'],
      [analyzer, 'gannet-analyzer'],
    ] as const) {
      const files = new Set(project.files(name));
      for (const file of files) {
        if (!/\.(?:js|cjs|d\.ts)$/.test(file) || file.startsWith('dist/service/')) continue;
        const source = readFileSync(path.join(project.modules, name, file), 'utf8');
        for (const [, target] of source.matchAll(/(?:^|[\s;}])(?:from|import)\s*\(?\s*["'](\.[^"']+)["']/g)) {
          const imported = path.posix.join(path.posix.dirname(file), target);
          if (!files.has(imported)) expect(files, `${file} imports ${target}`).toContain(imported.replace(/\.[jt]s$/, '.d.ts'));
        }
      }
    }
  });

  test('gannet-analyzer has no dependencies and less than 2 MB', () => {
    expect(analyzer.manifest('gannet-analyzer').dependencies).toBeUndefined();
    expect(analyzer.installedBytes()).toBeLessThan(MAX_ANALYZER_BYTES);
    expect(statSync(tarballs.analyzer).size).toBeLessThan(0.6 * MB);
  });

  test.each(['nodenext', 'bundler'])('types are found and strict with module resolution %s', async (resolution) => {
    for (const [project, specifier] of [
      [analyzer, 'gannet-analyzer'],
      [engine, 'gannet/analyzer'],
    ] as const) {
      project.write(
        'typed.ts',
        `import { type AnalyzedToken, loadAnalyzer, type TokenCursor } from '${specifier}';
         const analysis = await loadAnalyzer();
         export const tokens: AnalyzedToken[] = analysis.analyze('text');
         analysis.forEachToken('text', (token: TokenCursor) => token.startOffset.toFixed());
         // @ts-expect-error no such option
         loadAnalyzer({ setings: {} });`,
      );
      await typeCheck(project, resolution, []);
    }
  });

  test('types of the engine are found', async () => {
    engine.link('@types/node');
    engine.link('undici-types');
    engine.write(
      'typed.ts',
      `import { open, type Engine } from 'gannet';
       export const engine: Engine = await open({ path: 'data' });
       // @ts-expect-error the path is missing
       open({});`,
    );
    await typeCheck(engine, 'nodenext', ['--types', 'node', '--skipLibCheck']);
  });

  test('a bundle for browsers contains the analyzers and the address of the kernels', async () => {
    analyzer.write(
      'web.js',
      "import { loadAnalyzer } from 'gannet-analyzer'; import wasm from 'gannet-analyzer/analyzer.wasm'; loadAnalyzer({ wasm: fetch(wasm) });",
    );
    const { outputFiles } = await build({
      absWorkingDir: analyzer.folder,
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
});

async function typeCheck(project: PackageProject, resolution: string, flags: readonly string[]): Promise<void> {
  const module = resolution === 'bundler' ? 'esnext' : resolution;
  const lib = ['--target', 'es2022', '--lib', 'es2022,dom'];
  const args = ['--strict', '--noEmit', ...lib, '--module', module, '--moduleResolution', resolution, ...flags, 'typed.ts'];
  await project.run(path.join(root, 'node_modules/.bin/tsc'), ...args);
}
