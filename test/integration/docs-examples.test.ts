// The examples of docs/getting-started.md and docs/analysis.md, run as they are written: the shell's against a service, the modules' in Node.
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startService, type TestService } from '../support/service.ts';

const root = path.resolve(import.meta.dirname, '../..');
/** The code blocks of a page in a language. */
function blocks(page: string, language: string): string[] {
  const content = readFileSync(path.join(root, 'docs', page), 'utf8');
  return [...content.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))].map((match) => match[1]);
}
/** A shell example, sent to the service of this test. */
const shell = (script: string) => run('bash', ['-e', '-c', script.replaceAll('localhost:9200', `127.0.0.1:${service.port}`)]);
/** Runs a module of this package in which its own name resolves by "exports". */
async function runModule(source: string): Promise<string> {
  const file = path.join(root, `docs-example-${process.pid}.mjs`);
  writeFileSync(file, source);
  try {
    return (await run(process.execPath, [file], { cwd: root })).stdout;
  } finally {
    rmSync(file);
  }
}
const run = promisify(execFile);

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(async () => {
  await service?.stop();
});

test('getting started: indexing and searching with curl', async () => {
  const script = blocks('getting-started.md', 'sh').find((block) => block.includes('_bulk'));
  const { stdout } = await shell(script ?? '');
  const [created, written, ...found] = stdout.replaceAll('}{', '}\n{').trim().split('\n');
  expect(JSON.parse(created)).toMatchObject({ acknowledged: true });
  expect(JSON.parse(written)).toMatchObject({ errors: false });
  expect(JSON.parse(found.join(''))).toMatchObject({
    hits: { total: { value: 1 } },
    aggregations: { tags: { buckets: [{ key: 'novel' }, { key: 'sea' }] } },
  });
});

test('getting started: the library', async () => {
  const [example] = blocks('getting-started.md', 'ts');
  const data = mkdtempSync(path.join(tmpdir(), 'gannet-library-'));
  try {
    const stdout = await runModule(example.replace("'./library-data'", JSON.stringify(data)));
    expect(stdout).toContain("{ value: 1, relation: 'eq' }");
    expect(stdout).toContain('The old man and the sea');
  } finally {
    rmSync(data, { recursive: true });
  }
});

test('analysis: the shell examples return the tokens in their comments', async () => {
  const [script] = blocks('analysis.md', 'sh');
  const { stdout } = await shell(script);
  const [created, ...answers] = stdout.replaceAll('}{', '}\n{').trim().split('\n');
  expect(JSON.parse(created)).toMatchObject({ acknowledged: true, index: 'artikel' });
  const expected = [...script.matchAll(/^analyze '.*# (.*)$/gm)].map(([, terms]) => terms.split(', '));
  expect(expected.length).toBe(3);
  const terms = answers.map((answer) => JSON.parse(answer).tokens.map((token: { token: string }) => token.token));
  expect(terms).toEqual(expected);
});

test('analysis: the module examples run in Node', async () => {
  const [first, hunspell, browser] = blocks('analysis.md', 'js');
  const prelude = `const text = 'Quick Fox'; const seen = []; const count = (term) => seen.push(term), mark = () => {};
    const affixText = 'SET UTF-8\\nSFX S Y 1\\nSFX S 0 s .\\n', wordText = '1\\nhaus/S\\n';`;
  const shown = `console.log(JSON.stringify([seen, analysis.highlight('The quick fox', 'QUICK')]));`;
  const stdout = await runModule(`${first}${hunspell}${shown}`.replace(/^(import .*)$/m, `$1\n${prelude}`));
  expect(JSON.parse(stdout)).toEqual([['quick', 'fox'], ['The <em>quick</em> fox']]);
  expect(browser).toContain("from 'gannet/analyzer'");
});
