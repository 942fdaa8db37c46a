// The list of npm packages that a build contains or an installed package depends on, with their licences and copyright lines.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { row, table } from './markdown.ts';

interface Manifest {
  readonly version?: string;
  readonly license?: string | { readonly type?: string };
  readonly licenses?: readonly { readonly type?: string }[];
  readonly author?: string | { readonly name?: string };
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** Development dependencies that tools/build/bundles.mjs and tools/build/console.mjs bundle. */
const BUNDLED = [
  'hyper-express',
  '@js-joda/core',
  '@js-joda/timezone',
  'h3-js',
  'tldts',
  'preact',
  'uplot',
  '@codemirror/autocomplete',
  '@codemirror/commands',
  '@codemirror/lang-json',
  '@codemirror/language',
  '@codemirror/lint',
  '@codemirror/search',
  '@codemirror/state',
  '@codemirror/view',
  '@lezer/highlight',
];

const readManifest = (folder: string): Manifest => JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as Manifest;

/** Folder of a package that `from` names, as Node resolves it. */
function resolveFolder(root: string, from: string, name: string): string | null {
  for (let at = from; ; at = path.dirname(at)) {
    const folder = path.join(at, 'node_modules', name);
    if (existsSync(path.join(folder, 'package.json'))) return folder;
    if (at === root) return null;
  }
}

function licenceOf({ license, licenses }: Manifest): string {
  if (typeof license === 'string') return license;
  return license?.type ?? licenses?.map(({ type }) => type).join(', ') ?? 'unknown';
}

function copyrightOf(folder: string, { author }: Manifest): string {
  const file = readdirSync(folder).find((name) => /^licen[cs]e/i.test(name));
  const lines = file ? readFileSync(path.join(folder, file), 'utf8').split('\n') : [];
  const found = lines.map((line) => line.trim()).filter((line) => /^Copyright (?:\(c\)|©|\d|[A-Z])/.test(line) && !line.includes('[yyyy]'));
  if (found.length > 0) return found.join('<br>').replaceAll('|', '\\|');
  return typeof author === 'string' ? author : (author?.name ?? '');
}

/** @param root  folder of the project, with its node_modules */
export function packages(root: string): string {
  const rows = new Map<string, string>();
  const visit = (from: string, name: string): void => {
    const folder = resolveFolder(root, from, name);
    if (folder === null || rows.has(name)) return;
    const manifest = readManifest(folder);
    rows.set(name, row(name, licenceOf(manifest), copyrightOf(folder, manifest)));
    for (const inner of Object.keys(manifest.dependencies ?? {})) visit(folder, inner);
  };
  const { dependencies, optionalDependencies } = readManifest(root);
  for (const name of [...Object.keys({ ...dependencies, ...optionalDependencies }), ...BUNDLED]) {
    if (dependencies && Object.hasOwn(dependencies, name) && resolveFolder(root, root, name) === null)
      throw new Error(`${name} is not installed: run \`npm ci\``);
    visit(root, name);
  }
  // The shim of this repository under the name that hyper-express imports.
  rows.delete('uWebSockets.js');
  return table(
    ['package', 'licence', 'copyright'],
    [...rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, line]) => line),
  );
}
