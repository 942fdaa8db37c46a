// Hunspell dictionaries in the configuration directory.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { configFiles } from '../../../../src/node/metadata/config-directory.ts';

let directory = '';

beforeAll(() => {
  directory = mkdtempSync(path.join(os.tmpdir(), 'gannet-config-'));
  const write = (locale: string, files: Record<string, string>): void => {
    mkdirSync(path.join(directory, 'hunspell', locale), { recursive: true });
    for (const [name, text] of Object.entries(files)) writeFileSync(path.join(directory, 'hunspell', locale, name), text);
  };
  write('en_GB', { 'en.aff': 'SET UTF-8', 'b.dic': '1\nbe', 'a.dic': '1\nan', 'settings.yml': 'ignore_case: true\n' });
  write('de', { 'a.aff': '', 'a.dic': '1\nan' });
  write('fr', { 'a.aff': '', 'a.dic': '1\nan', 'settings.json': '{"ignore_case": false}' });
  write('two', { 'a.aff': '', 'b.aff': '', 'a.dic': '' });
  write('none', { 'a.dic': '' });
  write('bare', { 'a.aff': '' });
  writeFileSync(path.join(directory, 'words.txt'), 'a\nb');
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

function hunspell(locale: string, ...names: string[]) {
  return configFiles(directory).hunspell!(locale, names);
}

const texts = (parts: readonly (Uint8Array | string)[]): string[] => parts.map((part) => new TextDecoder().decode(part as Uint8Array));

test('all dictionaries sorted by name, or the requested ones', () => {
  const source = hunspell('en_GB')!;
  expect(texts([source.affix])).toEqual(['SET UTF-8']);
  expect(texts(source.dictionaries)).toEqual(['1\nan', '1\nbe']);
  expect(source.ignoreCase).toBe(true);
  expect(texts(hunspell('en_GB', 'b')!.dictionaries)).toEqual(['1\nbe']);
  expect(texts(hunspell('en_GB', 'b.dic', 'a')!.dictionaries)).toEqual(['1\nbe', '1\nan']);
});

test('ignore_case is taken from the node for the locale, the dictionary, or the node for all', () => {
  const ignoreCase = (locale: string, flags: Record<string, boolean>) => configFiles(directory, flags).hunspell!(locale, [])!.ignoreCase;
  expect(ignoreCase('en_GB', { 'en_GB.ignore_case': false })).toBe(false);
  expect(ignoreCase('en_GB', { ignore_case: false })).toBe(true);
  expect(ignoreCase('de', {})).toBe(false);
  expect(ignoreCase('de', { ignore_case: true })).toBe(true);
  expect(ignoreCase('fr', { ignore_case: true })).toBe(false);
});

test.each([['missing'], ['../hunspell/en_GB'], ['.'], ['..'], ['']])('there is no dictionary [%s]', (locale) => {
  expect(hunspell(locale)).toBeNull();
});

test.each([
  ['two', [], 'Too many affix files exist for hunspell dictionary [two]'],
  ['none', [], 'Missing affix file for hunspell dictionary [none]'],
  ['bare', [], 'Missing dictionary file for hunspell dictionary [bare]'],
  ['en_GB', ['../two/a'], 'Could not find dictionary file [../two/a.dic] of hunspell dictionary [en_GB]'],
])('%s %j is refused', (locale, names, reason) => {
  expect(() => hunspell(locale, ...names)).toThrow(reason);
});

test('files are only read inside the directory', () => {
  expect(configFiles(directory).read('words.txt')).toBe('a\nb');
  expect(() => configFiles(directory).read('../words.txt')).toThrow('Resource path must be inside config directory: ');
  expect(configFiles(directory)).toBe(configFiles(directory));
});
