// Checks that files named in comments of the sources exist: `npx tsx tools/check-comments.ts`; exit code 1 and one line per mention of a
// file that does not. A file is named by its path from the root, from the folder of the comment, or by the end of its path (`store/store.ts`).
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';

const FOLDERS = ['src', 'assembly', 'tools', 'test', 'bench'];
const SOURCE = /\.(ts|mjs|cjs|js)$/;
/** Data and configuration files have other extensions; those of sources and documents are never used for made-up names. */
const MENTION = /(?<![\w*<{$:/.-])((?:\.{1,2}\/)*[\w@.-]+(?:\/[\w@.-]+)*\.(?:ts|mjs|cjs|md|py))(?![\w*}-])/g;
/** Names in comments that are not files of the repository, each with the reason. */
const OTHERS: Readonly<Record<string, string>> = {
  'handlers/shop.ts': 'a handler of a user, in the example of js_import',
};

const root = path.resolve(import.meta.dirname, '..');
const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: root, encoding: 'utf8' })
  .split('\n')
  .filter((file) => file !== '');

/** Every end of a path that starts at a folder's or the file's name. */
const ends = new Set(files.flatMap((file) => file.split('/').map((_, i, parts) => parts.slice(i).join('/'))));

let problems = 0;
let mentions = 0;
for (const file of files.filter((name) => FOLDERS.includes(name.split('/')[0]) && SOURCE.test(name) && !name.includes('/generated/'))) {
  for (const { line, text } of comments(readFileSync(path.join(root, file), 'utf8'))) {
    for (const [, name] of text.matchAll(MENTION)) {
      mentions++;
      if (exists(name, file)) continue;
      problems++;
      console.error(`${file}:${line}: the comment names ${name}, which does not exist`);
    }
  }
}
console.log(`comments: ${mentions} files named, ${problems} of them missing`);
process.exitCode = problems === 0 ? 0 : 1;

function exists(name: string, from: string): boolean {
  if (Object.hasOwn(OTHERS, name)) return true;
  if (name.startsWith('.')) return ends.has(path.posix.normalize(path.posix.join(path.posix.dirname(from), name)));
  return ends.has(name);
}

/** Comment lines and comments at the end of lines; a `//` within a string looks like one, which does no harm. */
function* comments(source: string): Generator<{ line: number; text: string }> {
  let isBlock = false;
  for (const [i, text] of source.split('\n').entries()) {
    const line = i + 1;
    if (isBlock) {
      yield { line, text };
      isBlock = !text.includes('*/');
      continue;
    }
    const start = /(?:^|\s)(\/\/|\/\*)/.exec(text);
    if (!start) continue;
    yield { line, text: text.slice(start.index) };
    isBlock = start[1] === '/*' && !text.slice(start.index + 2).includes('*/');
  }
}
