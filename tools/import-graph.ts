// The import graph of src and assembly, for tools/check-imports.ts: which file imports which, and the cycles among them.
// `import type`, re-exports, dynamic imports and `import('./x').Type` count like any other import: a cycle of types is still read as a cycle.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** For each file, the project files that it imports; paths relative to the root of the repository. */
export type ImportGraph = ReadonlyMap<string, ReadonlySet<string>>;

const IMPORT = /(?:from|import)\s*\(?\s*['"](\.[^'"]+)['"]/g;

/** Reads the imports of all TypeScript files, with or without JSX, below the given folders of `root`. */
export function readImportGraph(root: string, folders: readonly string[]): ImportGraph {
  const graph = new Map<string, Set<string>>();
  for (const folder of folders) {
    for (const entry of readdirSync(path.join(root, folder), { recursive: true, withFileTypes: true })) {
      if (!entry.isFile() || !/\.tsx?$/.test(entry.name)) continue;
      const file = path.relative(root, path.join(entry.parentPath, entry.name));
      const imported = new Set<string>();
      for (const [, specifier] of readFileSync(path.join(root, file), 'utf8').matchAll(IMPORT)) {
        const target = resolveImport(root, path.join(path.dirname(file), specifier as string));
        if (target !== null) imported.add(target);
      }
      graph.set(file, imported);
    }
  }
  return graph;
}

/** The file that an import of `target` loads. AssemblyScript omits the extension, the sources in src spell it. null for anything but TypeScript. */
function resolveImport(root: string, target: string): string | null {
  for (const file of [target, `${target}.ts`, target.replace(/\.js$/, '.ts')]) {
    if (/\.tsx?$/.test(file) && existsSync(path.join(root, file))) return file;
  }
  return null;
}

/**
 * The cycles of a graph: its strongly connected components of two or more files, and files that import themselves.
 * Each component is sorted. Source: Tarjan, "Depth-first search and linear graph algorithms" (1972).
 */
export function findCycles(graph: ImportGraph): string[][] {
  const index = new Map<string, number>();
  const lowest = new Map<string, number>();
  const stack: string[] = [];
  const onStack = new Set<string>();
  const cycles: string[][] = [];

  function visit(file: string): number {
    const order = index.size;
    let low = order;
    index.set(file, order);
    stack.push(file);
    onStack.add(file);
    for (const imported of graph.get(file) ?? []) {
      const seen = index.get(imported);
      if (seen === undefined) low = Math.min(low, visit(imported));
      else if (onStack.has(imported)) low = Math.min(low, lowest.get(imported) ?? seen);
    }
    lowest.set(file, low);
    if (low === order) {
      const component = stack.splice(stack.indexOf(file));
      for (const member of component) onStack.delete(member);
      if (component.length > 1 || graph.get(file)?.has(file)) cycles.push(component.sort());
    }
    return low;
  }

  for (const file of graph.keys()) if (!index.has(file)) visit(file);
  return cycles;
}
