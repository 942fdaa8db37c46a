/** Completion scripts: they contain every command and its flags, and bash completes with them. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { UsageError } from '../../../src/cli/arguments.ts';
import { COMPLETED, completionCommand } from '../../../src/cli/completion.ts';
import { commandHelp, helpText } from '../../../src/cli/help.ts';
import { remainingText } from '../../../src/cli/progress.ts';

afterEach(() => vi.restoreAllMocks());

async function script(shell: string): Promise<string> {
  let text = '';
  vi.spyOn(process.stdout, 'write').mockImplementation((more) => {
    text += more;
    return true;
  });
  expect(await completionCommand([shell])).toBe(0);
  vi.restoreAllMocks();
  return text;
}

test('every command is completed', () => {
  const main = readFileSync(path.resolve(import.meta.dirname, '../../../src/main.ts'), 'utf8');
  const commands = [...main.matchAll(/^ {2}(\w+): async \(\) =>/gm)].map(([, name]) => name);
  expect(Object.keys(COMPLETED).sort()).toEqual(commands.sort());
});

test('every command is in the help', () => {
  const help = helpText();
  expect(Object.keys(COMPLETED).filter((command) => !help.includes(`\n  ${command} `))).toEqual([]);
});

test('every completed flag is in the help of its command', () => {
  const missing = Object.entries(COMPLETED).flatMap(([command, { flags = [] }]) =>
    flags.filter((flag) => !new RegExp(`--${flag}\\b`).test(commandHelp(command))).map((flag) => `${command} --${flag}`),
  );
  expect(missing).toEqual([]);
});

test('the help of a command shows nothing of others, and settings with their units', () => {
  expect(commandHelp('top')).not.toMatch(/analyze|threads/);
  const help = commandHelp('serve');
  expect(help).toContain('JavaScript heap of a lane; a request that needs more is ended with 429 [384mb]');
  expect(help).toContain('heavy requests that wait for a lane; 429 beyond [1000]');
  expect(help).toContain('heavy requests that run for longer are ended with 503; -1: never [30s]');
  expect(help).toContain('requests that take longer go to the slow log; -1: off [-1]');
});

describe.each(['bash', 'zsh', 'fish'])('%s', (shell) => {
  test('has every command', async () => {
    const text = await script(shell);
    for (const command of Object.keys(COMPLETED)) expect(text).toContain(command);
    expect(text).toContain('http.port');
  });
});

test.skipIf(!existsSync('/bin/bash'))('bash completes commands, subcommands and flags', async () => {
  const source = await script('bash');
  const complete = (...words: string[]): string[] => {
    const program = `${source}\nCOMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _gannet; printf '%s\\n' "\${COMPREPLY[@]}"`;
    return execFileSync('/bin/bash', ['-c', program, 'bash', 'gannet', ...words], { encoding: 'utf8' })
      .trim()
      .split('\n');
  };
  expect(complete('se')).toEqual(['serve', 'search']);
  expect(complete('index', '')).toEqual(['ls', 'create', 'rm']);
  expect(complete('index', 'rm', '--y')).toEqual(['--yes']);
  expect(complete('serve', '--http.po')).toContain('--http.port');
  expect(complete('nonsense', 'x')).toEqual(['']);
});

test('other shells are refused', async () => {
  await expect(completionCommand(['tcsh'])).rejects.toThrow(UsageError);
});

test.each([
  [0.001, 100, ''],
  [1, 100, ''],
  [0.5, 10, ', 10 s left'],
  [0.1, 20, ', 3 min 0 s left'],
  [0.01, 100, ', 2 h 45 min left'],
])('at %d after %d s remains "%s"', (share, seconds, text) => {
  expect(remainingText(share, seconds)).toBe(text);
});
