// Checks the imports of src and assembly: each folder imports only what MAP allows, and no files import each other in a cycle.
//   npx tsx tools/check-imports.ts            prints a line per violation; exit code 1 if there is one
//   npx tsx tools/check-imports.ts --shrink   also removes from tools/known-cycles.json the files that are no longer part of a cycle
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { findCycles, type ImportGraph, readImportGraph } from './import-graph.ts';
import { MAP, ROOMS } from './import-map.ts';

/** Files that still import each other in a cycle, and why. The list only shrinks: new cycles, and files that have left theirs, are violations. */
interface KnownCycle {
  reason: string;
  files: string[];
}

/** The folder that MAP has an entry for: `assembly/search` for `assembly/search/top-k.ts`, `src/library` for `src/library.ts`. */
function unitOf(file: string): string {
  const [top, second] = file.split('/');
  return `${top}/${(second ?? '').replace(/\.ts$/, '')}`;
}

/** The room of a file in a folder that contains it: `plan` for `src/search/plan/planner.ts` in `src/search`, `.` if it is in no room. */
function roomIn(folder: string, file: string): string {
  const rest = file.slice(folder.length + 1).split('/');
  return rest.length > 1 ? (rest[0] as string) : '.';
}

/** Imports that the rooms of a file, from the outermost to the innermost, do not allow. */
function roomViolations(file: string, imports: Iterable<string>): string[] {
  const violations: string[] = [];
  const folders = file.split('/').slice(0, -1);
  for (let depth = 3; depth <= folders.length; depth++) {
    const folder = folders.slice(0, depth - 1).join('/');
    const room = folders.slice(0, depth).join('/');
    const allowed = ROOMS[room]?.split(' ');
    if (!allowed) continue;
    for (const imported of imports) {
      if (!imported.startsWith(`${folder}/`) || imported.startsWith(`${room}/`)) continue;
      if (!allowed.includes(roomIn(folder, imported))) violations.push(`${file}: ${room} may not import ${imported}`);
    }
  }
  return violations;
}

function folderViolations(graph: ImportGraph): string[] {
  const violations: string[] = [];
  for (const [file, imports] of graph) {
    const unit = unitOf(file);
    const allowed = MAP[unit];
    if (allowed === undefined) {
      if (file.startsWith('src/')) violations.push(`${file}: ${unit} is not in tools/import-map.ts`);
      continue;
    }
    const units = new Set(allowed.split(' '));
    violations.push(...roomViolations(file, imports));
    const top = file.slice(0, file.indexOf('/') + 1);
    for (const imported of imports) {
      const target = unitOf(imported);
      if (!imported.startsWith(top)) continue;
      if (target !== unit && !units.has(target.slice(top.length))) violations.push(`${file}: ${unit} may not import ${target}`);
    }
  }
  return violations;
}

function cycleViolations(cycles: readonly string[][], known: readonly KnownCycle[]): string[] {
  const violations: string[] = [];
  for (const cycle of cycles) {
    const listed = known.some(({ files }) => cycle.every((file) => files.includes(file)));
    if (!listed) violations.push(`import cycle of ${cycle.length} files:\n${cycle.map((file) => `    ${file}`).join('\n')}`);
  }
  const inCycle = new Set(cycles.flat());
  for (const file of known.flatMap(({ files }) => files)) {
    if (!inCycle.has(file)) violations.push(`${file}: is in no cycle any more; remove it from tools/known-cycles.json (--shrink does)`);
  }
  return violations;
}

/** The list without the files that are no longer part of a cycle. */
function shrink(known: readonly KnownCycle[], cycles: readonly string[][]): KnownCycle[] {
  const inCycle = new Set(cycles.flat());
  return known
    .map(({ reason, files }) => ({ reason, files: files.filter((file) => inCycle.has(file)) }))
    .filter(({ files }) => files.length > 0);
}

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const knownFile = path.join(root, 'tools/known-cycles.json');
const graph = readImportGraph(root, ['assembly', 'src']);
const cycles = findCycles(graph);
let known: KnownCycle[] = JSON.parse(readFileSync(knownFile, 'utf8'));
if (process.argv.includes('--shrink')) {
  known = shrink(known, cycles);
  writeFileSync(knownFile, `${JSON.stringify(known, null, 2)}\n`);
}
const violations = [...folderViolations(graph), ...cycleViolations(cycles, known)];
for (const violation of violations) process.stdout.write(`${violation}\n`);
process.stdout.write(`imports: ${violations.length} violations, ${cycles.length} known cycles with ${cycles.flat().length} files\n`);
process.exit(violations.length > 0 ? 1 : 0);
