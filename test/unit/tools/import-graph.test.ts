import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { findCycles, readImportGraph } from '../../../tools/import-graph.ts';

const graphOf = (edges: Record<string, string[]>) => new Map(Object.entries(edges).map(([file, imports]) => [file, new Set(imports)]));

let root = '';
afterEach(() => root && rmSync(root, { recursive: true, force: true }));

test('finds each strongly connected component once', () => {
  const graph = graphOf({ a: ['b'], b: ['c', 'd'], c: ['a'], d: ['e'], e: ['d'], f: ['a', 'f'], g: ['f'] });
  expect(findCycles(graph)).toEqual([['d', 'e'], ['a', 'b', 'c'], ['f']]);
});

test('finds no cycle where two paths lead to the same file', () => {
  expect(findCycles(graphOf({ a: ['b', 'c'], b: ['d'], c: ['d'], d: [] }))).toEqual([]);
});

test('counts type imports, re-exports, dynamic imports and imports without extension', () => {
  root = mkdtempSync(path.join(tmpdir(), 'import-graph-'));
  mkdirSync(path.join(root, 'src'));
  const sources = {
    'a.ts': "import type { B } from './b.ts';\nimport data from './data.json';",
    'b.ts': "export { c } from './c.js';",
    'c.ts': "const d = await import('./d.ts');",
    'd.ts': "type A = import('./a').A;",
  };
  for (const [name, source] of Object.entries(sources)) writeFileSync(path.join(root, 'src', name), source);
  expect(findCycles(readImportGraph(root, ['src']))).toEqual([['src/a.ts', 'src/b.ts', 'src/c.ts', 'src/d.ts']]);
});
