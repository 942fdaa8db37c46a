// The examples of docs/analysis.md, run as they are written: the shell's against a service, the module's in Node.
import { execFile } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startService, type TestService } from '../support/service.ts';

const root = path.resolve(import.meta.dirname, '../..');
const section = readFileSync(path.join(root, 'docs/analysis.md'), 'utf8');
const blocks = (language: string): string[] =>
  [...section.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))].map((m) => m[1]);
const run = promisify(execFile);

let service: TestService;
beforeAll(async () => {
  service = await startService();
}, 60_000);
afterAll(async () => {
  await service?.stop();
});

test('the shell examples give what their comments say', async () => {
  const [script] = blocks('sh');
  const { stdout } = await run('bash', ['-e', '-c', script.replaceAll('localhost:9200', `127.0.0.1:${service.port}`)]);
  const [created, ...answers] = stdout.replaceAll('}{', '}\n{').trim().split('\n');
  expect(JSON.parse(created)).toMatchObject({ acknowledged: true, index: 'artikel' });
  const expected = [...script.matchAll(/^analyze '.*# (.*)$/gm)].map(([, terms]) => terms.split(', '));
  expect(expected.length).toBe(3);
  const terms = answers.map((answer) => JSON.parse(answer).tokens.map((token: { token: string }) => token.token));
  expect(terms).toEqual(expected);
});

test('the module examples run in Node', async () => {
  const [first, hunspell, browser] = blocks('js');
  const prelude = `const text = 'Quick Fox'; const seen = []; const count = (term) => seen.push(term), mark = () => {};
    const affixText = 'SET UTF-8\\nSFX S Y 1\\nSFX S 0 s .\\n', wordText = '1\\nhaus/S\\n';`;
  const shown = `console.log(JSON.stringify([seen, analysis.highlight('The quick fox', 'QUICK')]));`;
  // Inside the package its own name resolves by "exports".
  const file = path.join(root, `docs-example-${process.pid}.mjs`);
  writeFileSync(file, `${first}${hunspell}${shown}`.replace(/^(import .*)$/m, `$1\n${prelude}`));
  try {
    const { stdout } = await run(process.execPath, [file], { cwd: root });
    expect(JSON.parse(stdout)).toEqual([['Quick', 'Fox'].map((term) => term.toLowerCase()), ['The <em>quick</em> fox']]);
  } finally {
    rmSync(file);
  }
  expect(browser).toContain("from 'gannet/analyzer'");
});
