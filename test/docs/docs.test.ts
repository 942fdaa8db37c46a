// The documentation matches the repository: links and paths resolve, commands exist, generated parts equal the code, and the map of ARCHITECTURE.md
// names every folder.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { outdatedFiles } from '../../tools/docs-reference.ts';

const root = path.resolve(import.meta.dirname, '../..');
const read = (file: string): string => readFileSync(path.join(root, file), 'utf8');
const pages = [
  ...readdirSync(root).filter((name) => name.endsWith('.md')),
  ...readdirSync(path.join(root, 'docs'), { recursive: true })
    .map((name) => `docs/${name}`)
    .filter((name) => name.endsWith('.md') && !name.includes('node_modules')),
  ...readdirSync(path.join(root, 'packages')).map((name) => `packages/${name}/README.md`),
];

/** Anchors of a page as GitHub makes them. */
function anchorsOf(file: string): Set<string> {
  const headings = [...read(file).matchAll(/^#+ (.*)$/gm)].map(([, heading]) => heading);
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}

describe.each(pages)('%s', (page) => {
  const content = read(page);

  test('has only links that resolve', () => {
    const broken: string[] = [];
    for (const [, target] of content.matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^[a-z]+:/.test(target)) continue;
      const [file, anchor] = target.split('#');
      const linked = file === '' ? page : path.join(path.dirname(page), file);
      if (!existsSync(path.join(root, linked))) broken.push(target);
      else if (anchor && !anchorsOf(linked).has(anchor)) broken.push(target);
    }
    expect(broken).toEqual([]);
  });

  test('names only files that exist', () => {
    const missing = pathsIn(content).filter((name) => !existsSync(path.join(root, name)));
    expect(missing).toEqual([]);
  });

  test('names only npm scripts that exist', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    const named = [...content.matchAll(/npm run ([\w:-]+)/g)].map(([, name]) => name);
    expect(named.filter((name) => !Object.hasOwn(scripts, name))).toEqual([]);
  });
});

/** Paths of the repository in a text; patterns with `*`, `{}` or capitals as placeholders are left out, as are outputs of builds. */
function pathsIn(content: string): string[] {
  const found = content.matchAll(
    /(?<![\w./@-])(?:src|assembly|test|tools|bench|docs|examples|bin|vendor|packages|LICENSES)\/[\w./-]*[\w/](?![\w*{<])/g,
  );
  return [...new Set([...found].map(([name]) => name))];
}

test('NOTICE names only files that exist', () => {
  expect(pathsIn(read('NOTICE')).filter((name) => !existsSync(path.join(root, name)))).toEqual([]);
});

test('the generated parts equal the code: run `npm run docs:reference` if not', async () => {
  expect([...(await outdatedFiles()).keys()]).toEqual([]);
});

test('ARCHITECTURE.md names every folder of src and assembly, down to the second level', () => {
  const architecture = read('ARCHITECTURE.md');
  const foldersOf = (folder: string): string[] =>
    readdirSync(path.join(root, folder), { withFileTypes: true }).flatMap((entry) =>
      entry.isDirectory() ? [`${folder}/${entry.name}`] : [],
    );
  const top = [...foldersOf('src'), ...foldersOf('assembly')];
  const all = [...top, ...top.flatMap(foldersOf), ...foldersOf('src/front/http')];
  expect(all.filter((folder) => !architecture.includes(`${folder}/`))).toEqual([]);
});

test.skipIf(!existsSync(path.join(root, '.git')))('the repository refers to nothing outside itself', () => {
  const files = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).trim().split('\n');
  const checked = files.filter((file) => /\.(?:ts|mjs|cjs|js|md|c)$/.test(file) && file !== 'test/docs/docs.test.ts');
  expect(checked.filter((file) => /\.\.\/shared\b|\bissues? #?\d/i.test(read(file)))).toEqual([]);
});
