import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const root = path.resolve(import.meta.dirname, '../../..');
const { scripts } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as { scripts: Record<string, string> };

/** The steps that the build of an npm script runs. */
function stepsOf(script: string): string[] {
  const targets = /node tools\/build\.mjs([\w\s.-]*)/.exec(scripts[script])?.[1].trim().split(/\s+/) ?? [];
  const listed = execFileSync(process.execPath, [path.join(root, 'tools/build.mjs'), '--list', ...targets], { encoding: 'utf8' });
  return listed.trim().split('\n');
}

/** Names of the kernels that code of the service opens, without `.wasm`; debug builds are for tests. */
function openedKernels(): Set<string> {
  const wasm = path.join(root, 'src/wasm');
  const sources = readdirSync(wasm).filter((file) => file.endsWith('.ts'));
  const texts = sources.map((file) => readFileSync(path.join(wasm, file), 'utf8'));
  return new Set(
    texts.flatMap((text) => [...text.matchAll(/'([\w.]+)\.wasm'/g)].map(([, name]) => name)).filter((name) => !name.endsWith('.debug')),
  );
}

test.each(['start', 'demo'])('npm run %s builds the kernels, programs and pages that the service opens', (script) => {
  expect(openedKernels()).toContain('analyzer');
  expect(stepsOf(script)).toEqual(expect.arrayContaining([...openedKernels(), 'modules', 'service', 'console']));
});
