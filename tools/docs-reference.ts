// Writes the reference parts of the documentation from the tables that the code reads: settings, REST routes, registries, directives.
//   npm run docs:reference              rewrites the text between `<!-- generated: NAME -->` and `<!-- end: NAME -->` in each file
//   npm run docs:reference -- --check   changes nothing; exit code 1 and the names of the files that are out of date
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { testedClients } from './docs/clients.ts';
import { aggregations, analysisComponents, fieldTypes, processors, queries } from './docs/compatibility.ts';
import { dialects } from './docs/dialects.ts';
import { frontDirectives } from './docs/front-directives.ts';
import { doubtfulRequests } from './docs/front-shapes.ts';
import { importArrows } from './docs/import-arrows.ts';
import { packages } from './docs/packages.ts';
import { clusterPrivileges, indexPrivileges } from './docs/privileges.ts';
import { commonParams, restApis, restOverview } from './docs/rest-apis.ts';
import { indexSettings, nodeSettings } from './docs/settings.ts';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');

/** Generated parts by file and name. */
const PARTS: Readonly<Record<string, Readonly<Record<string, () => string | Promise<string>>>>> = {
  'ARCHITECTURE.md': { imports: () => importArrows(root) },
  'docs/configuration.md': { 'node settings': nodeSettings, 'index settings': indexSettings },
  'docs/compatibility.md': {
    queries,
    aggregations,
    'field types': fieldTypes,
    processors,
    apis: restOverview,
    dialects,
    clients: () => testedClients(root),
  },
  'docs/reference/rest-api.md': { 'common parameters': commonParams, apis: restApis },
  'docs/reference/privileges.md': { 'cluster privileges': clusterPrivileges, 'index privileges': indexPrivileges },
  'docs/reference/analysis.md': { components: analysisComponents },
  'docs/reference/front-directives.md': { directives: frontDirectives },
  'docs/internals/front-compared.md': { 'doubtful requests': doubtfulRequests },
  'LICENSES/packages.md': { packages: () => packages(root) },
};

function replacePart(file: string, content: string, name: string, part: string): string {
  const start = `<!-- generated: ${name} -->`;
  const end = `<!-- end: ${name} -->`;
  const [before, rest] = content.split(start);
  if (rest === undefined || !rest.includes(end)) throw new Error(`${file} has no part between ${start} and ${end}`);
  return `${before}${start}\n\n${part}\n\n${end}${rest.slice(rest.indexOf(end) + end.length)}`;
}

/** Files whose generated parts differ from the code, with their new content. */
export async function outdatedFiles(): Promise<ReadonlyMap<string, string>> {
  const outdated = new Map<string, string>();
  for (const [file, parts] of Object.entries(PARTS)) {
    const old = readFileSync(path.join(root, file), 'utf8');
    let content = old;
    for (const [name, part] of Object.entries(parts)) content = replacePart(file, content, name, await part());
    if (content !== old) outdated.set(file, content);
  }
  return outdated;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const outdated = await outdatedFiles();
  const isCheck = process.argv.includes('--check');
  for (const [file, content] of outdated) {
    if (!isCheck) writeFileSync(path.join(root, file), content);
    process.stdout.write(`${file} ${isCheck ? 'is out of date: run `npm run docs:reference`' : 'rewritten'}\n`);
  }
  if (isCheck && outdated.size > 0) process.exitCode = 1;
}
