// Checks that folders import only what the map allows (README, "Map"): each entry lists everything a folder may import besides itself.
//   npx tsx tools/check-imports.ts      a line per violation, exit code 1 if there is one
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const SRC_LAYERS =
  'rest http node api ingest aggs search scripting plan query indexing metadata mapping analysis store arena wasm config common errors';

const MAP: Record<string, string> = {
  'assembly/executor': 'search aggs postings docvalues terms codec mem',
  'assembly/aggs': 'docvalues sketch codec mem',
  'assembly/search': 'postings docvalues terms codec mem',
  'assembly/buffer': 'analysis postings docvalues terms codec text mem',
  'assembly/analysis': 'text mem',
  'assembly/terms': 'codec mem',
  'assembly/postings': 'codec mem',
  'assembly/docvalues': 'codec mem',
  'assembly/sketch': 'codec mem',
  'assembly/codec': 'mem',
  'assembly/text': 'mem',
  'assembly/mem': '',
  'src/cli': `${SRC_LAYERS} front library main`,
  'src/main': `${SRC_LAYERS} cli front library`,
  'src/library': 'node api config errors common',
  'src/analyzer': 'analysis wasm errors common',
  'src/analyzer-node': 'analyzer',
  'src/front': 'http errors config common',
  'src/rest': 'http api errors common config',
  'src/http': 'common errors config',
  'src/node': 'api search aggs indexing metadata mapping analysis plan query store arena wasm config errors common http rest',
  'src/api': 'ingest scripting search aggs indexing metadata mapping analysis query plan errors common',
  'src/ingest': 'metadata mapping analysis scripting errors common',
  'src/aggs': 'query mapping plan scripting analysis wasm errors common',
  'src/search': 'query mapping plan scripting arena store analysis aggs wasm errors common',
  'src/scripting': 'common errors',
  'src/plan': 'wasm errors common',
  'src/query': 'mapping scripting common errors',
  'src/indexing': 'scripting mapping analysis store arena plan wasm errors common config metadata',
  'src/metadata': 'mapping analysis store config errors common',
  'src/mapping': 'analysis errors common',
  'src/analysis': 'scripting wasm errors common',
  'src/store': 'common errors',
  'src/arena': 'mapping plan wasm errors common',
  'src/wasm': 'errors common',
  'src/config': 'common errors',
  'src/common': '',
  'src/errors': '',
};

/** `assembly/search` of `assembly/search/topk.ts`, `src/library` of `src/library.ts`. */
function unitOf(file: string): string {
  const [top, second] = file.split('/');
  return `${top}/${(second ?? '').replace(/\.ts$/, '')}`;
}

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const violations: string[] = [];
for (const top of ['assembly', 'src']) {
  for (const entry of readdirSync(path.join(root, top), { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !entry.name.endsWith('.ts')) continue;
    const file = path.relative(root, path.join(entry.parentPath, entry.name));
    const unit = unitOf(file);
    const allowed = MAP[unit];
    if (allowed === undefined) {
      if (top === 'src') violations.push(`${file}: ${unit} is not in the map of tools/check-imports.ts`);
      continue;
    }
    const names = new Set(allowed.split(' '));
    for (const [, target] of readFileSync(path.join(root, file), 'utf8').matchAll(/(?:from|import)\s*\(?\s*['"](\.[^'"]+)['"]/g)) {
      const imported = unitOf(path.relative(root, path.resolve(root, path.dirname(file), target)));
      if (imported === unit || !imported.startsWith(top)) continue;
      if (!names.has(imported.slice(top.length + 1))) violations.push(`${file}: ${unit} may not import ${imported}`);
    }
  }
}
for (const violation of violations) process.stdout.write(`${violation}\n`);
process.stdout.write(`imports: ${violations.length} violations\n`);
process.exit(violations.length > 0 ? 1 : 0);
