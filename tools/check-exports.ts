// Checks that what src and assembly export is used: `npx tsx tools/check-exports.ts`; exit code 1 and one line per export that is not.
//   - An export that is mentioned neither in its own file nor by an import outside of test/ is dead. Tests alone do not keep code alive.
//   - A value that only its own file uses need not be exported. One that tests import may be, and types may be as well, since they
//     name what exported functions take and return.
//   - A kernel, which assembly/engine.ts or assembly/analyzer.ts exports, must be called by name in src, or by tests if other kernels use
//     it, too. Constants and classes of assembly may be used in src by name: tools/generate-kernel-bindings.mjs repeats them there.
// Reads the sources as biome formats them, without a parser: declarations start at the first column.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '..');
const EXPORTING = ['src', 'assembly'];
const IMPORTING = [...EXPORTING, 'test', 'bench', 'tools', 'examples', 'packages'];
/** Files whose exports are used by something else than an import of the repository, each with the reason. */
const ENTRIES: Readonly<Record<string, string>> = {
  'src/library.ts': 'the package',
  'src/analyzer.ts': 'the package gannet-analyzer',
  'src/analyzer.browser.ts': 'the package gannet-analyzer in browsers',
  'src/analyzer.node.ts': 'the package gannet-analyzer on Node',
  'src/analysis/languages/words.browser.ts': 'the bundler puts it in the place of words.ts',
  'src/front/http/js/ts-hooks.ts': 'module hooks, which Node calls',
};
const KERNEL_LISTS = new Set(['assembly/engine.ts', 'assembly/analyzer.ts']);

interface Export {
  readonly name: string;
  readonly isType: boolean;
}

const DECLARATION =
  /^export (?:declare )?(?:abstract )?(?:default )?(?:async )?(function\*?|class|const enum|const|let|enum|interface|type|namespace) (\w+)/gm;
const EXPORT_LIST = /^export (type )?\{([^}]*)\}(?: from '([^']+)')?;/gm;
const EXPORT_ALL = /^export (?:type )?\*(?: as \w+)? from '([^']+)';/gm;
const IMPORT_LIST = /^import (?:type )?(?:\w+, )?\{([^}]*)\} from '([^']+)';/gm;
const WHOLE_MODULE = /(?:^import (?:type )?(?:\w+, )?\* as \w+ from |\bimport\(|\bvi\.mock\(|\bregister\()\s*'([^']+)'\)?/gm;
const IMPORTED_TYPE = /\bimport\('([^']+)'\)\.(\w+)/g;
const COMMENT = /\/\*[\s\S]*?\*\/|(?:^|\s)\/\/.*$/gm;

const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', ...IMPORTING], { cwd: root, encoding: 'utf8' })
  .split('\n')
  .filter((file) => /\.(tsx?|mjs|cjs|mts)$/.test(file) && existsSync(path.join(root, file)));
const sources = new Map(files.map((file) => [file, readFileSync(path.join(root, file), 'utf8')]));

/** By file: the names that other files import from it; `*` stands for all of them. */
const used = new Map<string, Set<string>>();
const usedByTests = new Map<string, Set<string>>();
/** The functions that the lists of kernels export, as file and name. */
const kernels = new Set<string>();
for (const [file, source] of sources) readImports(file, source);

/** Every word of src and of test, which use the names of kernels, their constants and their records through generated files. */
const hostWords = wordsBelow('src/');
const testWords = wordsBelow('test/');

let problems = 0;
let checked = 0;
for (const [file, source] of sources) {
  if (!EXPORTING.includes(file.split('/')[0] as string) || file.includes('/generated/') || Object.hasOwn(ENTRIES, file)) continue;
  if (KERNEL_LISTS.has(file)) checkKernels(file, source);
  else checkExports(file, source);
}
console.log(`exports: ${checked} checked, ${problems} unused`);
process.exitCode = problems === 0 ? 0 : 1;

function report(file: string, name: string, problem: string): void {
  problems++;
  console.error(`${file}: ${name} ${problem}`);
}

function wordsBelow(folder: string): Set<string> {
  const texts = [...sources].filter(([file]) => file.startsWith(folder) && !file.includes('/generated/')).map(([, source]) => source);
  return new Set(texts.join('\n').replace(COMMENT, '').match(/\w+/g));
}

function checkExports(file: string, source: string): void {
  const names = used.get(file);
  if (names?.has('*')) return;
  const isKernel = file.startsWith('assembly/');
  for (const { name, isType } of exportsOf(source)) {
    checked++;
    if (names?.has(name) || (isKernel && (hostWords.has(name) || kernels.has(`${file} ${name}`)))) continue;
    const isUsedHere = mentions(source, name) > 1;
    const tests = usedByTests.get(file);
    const isTested = (isKernel && testWords.has(name)) || (tests !== undefined && (tests.has(name) || tests.has('*')));
    if (!isUsedHere) report(file, name, isTested ? 'is used by tests only' : 'is not used');
    else if (!isType && !isTested) report(file, name, 'is used in its own file only, and need not be exported');
  }
}

function checkKernels(file: string, source: string): void {
  for (const [, , list, specifier] of source.matchAll(EXPORT_LIST)) {
    const target = resolve(file, specifier as string) as string;
    for (const { inner, outer } of itemsOf(list as string)) {
      checked++;
      if (hostWords.has(outer) || (testWords.has(outer) && isUsedByKernels(target, inner))) continue;
      report(file, outer, 'is called nowhere in src');
    }
  }
}

/** Whether another file of assembly, or another function of its own, uses it. */
function isUsedByKernels(file: string, name: string): boolean {
  return used.get(file)?.has(name) || mentions(sources.get(file) as string, name) > 1;
}

/** How often a source mentions a name outside of comments, its declaration included. */
function mentions(source: string, name: string): number {
  return [...source.replace(COMMENT, '').matchAll(new RegExp(`(?<!\\w|(?<!\\.\\.)\\.)${name}(?!\\w)`, 'g'))].length;
}

function exportsOf(source: string): Export[] {
  const found: Export[] = [...source.matchAll(DECLARATION)].map(([, kind, name]) => ({
    name: name as string,
    isType: kind === 'interface' || kind === 'type',
  }));
  for (const [, type, list] of source.matchAll(EXPORT_LIST)) {
    for (const item of itemsOf(list as string)) found.push({ name: item.outer, isType: type !== undefined || item.isType });
  }
  return found;
}

/** The names in the braces of an import or an export: `a`, `type b`, `c as d`. */
function itemsOf(list: string): { inner: string; outer: string; isType: boolean }[] {
  const items = list.replace(COMMENT, '').split(',');
  return items.flatMap((item) => {
    const match = /^\s*(type )?(\w+)(?: as (\w+))?\s*$/.exec(item);
    return match ? [{ inner: match[2] as string, outer: match[3] ?? (match[2] as string), isType: match[1] !== undefined }] : [];
  });
}

function readImports(file: string, source: string): void {
  for (const [, list, specifier] of source.matchAll(IMPORT_LIST)) {
    for (const { inner } of itemsOf(list as string)) use(file, specifier as string, inner);
  }
  for (const [, , list, specifier] of source.matchAll(EXPORT_LIST)) {
    if (specifier === undefined) continue;
    for (const { inner } of itemsOf(list as string)) {
      if (KERNEL_LISTS.has(file)) kernels.add(`${resolve(file, specifier)} ${inner}`);
      else use(file, specifier, inner);
    }
  }
  for (const [, specifier] of source.matchAll(EXPORT_ALL)) use(file, specifier as string, '*');
  for (const [, specifier, name] of source.matchAll(IMPORTED_TYPE)) use(file, specifier as string, name as string);
  for (const match of source.matchAll(WHOLE_MODULE)) {
    const isType = source[match.index + match[0].length] === '.' && match[0].startsWith('import(');
    if (!isType) use(file, match[1] as string, '*');
  }
}

function use(from: string, specifier: string, name: string): void {
  const target = resolve(from, specifier);
  if (target === null) return;
  const isTest = from.startsWith('test/') || target.startsWith('test/');
  const uses = isTest ? usedByTests : used;
  const names = uses.get(target) ?? new Set();
  uses.set(target, names.add(name));
}

/** The source that an import loads; what is built in dist comes from src. */
function resolve(from: string, specifier: string): string | null {
  if (!specifier.startsWith('.')) return null;
  const target = path.posix.join(path.posix.dirname(from), specifier).replace(/^dist\/(.*)\.js$/, 'src/$1.ts');
  return [target, `${target}.ts`, `${target}.tsx`].find((file) => sources.has(file)) ?? null;
}
