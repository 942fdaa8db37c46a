// Lists in definitions and in files: comments, numbers of lines, encodings, files that cannot be read. Expected values are OpenSearch's.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { AnalysisRegistry } from '../../../src/analysis/analysis-registry.ts';
import { analyzeText } from '../../../src/analysis/analyze/analyze-api.ts';
import type { ApiError } from '../../../src/errors/api-error.ts';
import { configFiles } from '../../../src/node/metadata/config-directory.ts';
import { AnalysisHost } from '../../../src/wasm/analysis.ts';
import { analyzerModule } from '../../support/analysis-server.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'gannet-lists-'));
afterAll(() => rmSync(folder, { recursive: true }));
const registry = AnalysisRegistry.global({ host: new AnalysisHost(analyzerModule()), files: configFiles(folder) });

function run(body: object): string {
  try {
    const { tokens } = analyzeText(JSON.stringify({ tokenizer: 'whitespace', ...body }), { index: null, registry }) as {
      tokens: { token: string }[];
    };
    return tokens.map(({ token }) => token).join('|');
  } catch (error) {
    return (error as ApiError).reason ?? '';
  }
}
const filtered = (filter: object, text: string): string => run({ filter: [filter], text });
const mapped = (mappings: string[], text: string): string => run({ char_filter: [{ type: 'mapping', mappings }], text });

test('lines and list items that start with # are comments, unless they are rules about #', () => {
  expect(mapped(['#a => b', '# => x', '#=nothing'], '# #a')).toBe('x|xa');
  expect(filtered({ type: 'word_delimiter', type_table: ['#bad', '# => ALPHA'] }, 'a#b c-d')).toBe('a#b|c|d');
  expect(filtered({ type: 'stemmer_override', rules: ['#a => b', 'c => d'] }, '#a c')).toBe('#a|d');
  expect(filtered({ type: 'keep', keep_words: ['#a', 'b'] }, '#a a b')).toBe('b');
  expect(filtered({ type: 'word_delimiter', protected_words: ['#a-b', 'c-d'] }, '#a-b c-d')).toBe('a|b|c-d');
  expect(filtered({ type: 'dictionary_decompounder', word_list: ['#abc', 'def'] }, '#abcdef')).toBe('#abcdef|def');
  // Words of these are words.
  expect(filtered({ type: 'stop', stopwords: ['#a'] }, '#a a')).toBe('a');
  expect(filtered({ type: 'elision', articles: ['#l'] }, "#l'a")).toBe('a');
});

test('line numbers in errors count comments, but not the empty lines of files', () => {
  expect(mapped(['# c', 'a'], 'x')).toBe('Line [2]: Invalid mapping rule : [a]');
  expect(filtered({ type: 'word_delimiter', type_table: ['# c', 'a'] }, 'x')).toBe('Line [2]: Invalid mapping rule: [a]');
  expect(filtered({ type: 'stemmer_override', rules: ['# c', ''] }, 'x')).toBe('Line [2]: Invalid keyword override rule: ');
  expect(mapped(['a => b', 'a => c'], 'x')).toBe('match "a" was already added');
  writeFileSync(path.join(folder, 'rules.txt'), '\n# c\n\n  \na\n');
  expect(run({ char_filter: [{ type: 'mapping', mappings_path: 'rules.txt' }], text: 'x' })).toBe('Line [2]: Invalid mapping rule : [a]');
});

test('trims rules like Java, which keeps wide spaces', () => {
  expect(mapped(['\u00a0=> _'], 'a\u00a0b')).toBe('a_b');
  expect(filtered({ type: 'synonym', synonyms: ['\u00a0, b'] }, '\u00a0')).toBe('\u00a0|b');
});

test('files must be UTF-8 and inside the directory, and keep a byte order mark', () => {
  writeFileSync(path.join(folder, 'mark.txt'), '\ufeffa\n\u00a0b \nc');
  expect(filtered({ type: 'stop', stopwords_path: 'mark.txt' }, '\ufeffa a \u00a0b b c')).toBe('a|b');
  writeFileSync(path.join(folder, 'latin.txt'), Buffer.from([0x61, 0xff, 0x0a]));
  expect(filtered({ type: 'keep', keep_words_path: 'latin.txt' }, 'a')).toBe(
    'Unsupported character encoding detected while reading keep_words_path: files must be UTF-8 encoded',
  );
  expect(filtered({ type: 'stop', stopwords_path: '../x' }, 'a')).toBe('Resource path must be inside config directory: ../x');
  expect(filtered({ type: 'stop', stopwords_path: 'none.txt' }, 'a')).toBe('IOException while reading stopwords_path: file not readable');
  expect(filtered({ type: 'synonym', synonyms_path: 'none.txt' }, 'a')).toBe(
    'IOException while reading synonyms_path_path: file not readable',
  );
});
