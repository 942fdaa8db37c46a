import { expect, test } from 'vitest';
import { checkAliasName, checkIndexName, templateNameProblems } from '../../../src/metadata/names.ts';

test('names of indices and aliases have the characters and length that Elasticsearch takes, and no control characters', () => {
  for (const name of ['a', '.hidden', 'a-b_c+d', 'ü-ß', '日本', 'constructor', 'a.b', '1', 'é'.repeat(127)]) {
    expect(() => checkIndexName(name), name).not.toThrow();
    expect(() => checkAliasName(name, () => false), name).not.toThrow();
  }
  const refused = [
    '',
    '.',
    '..',
    '_a',
    '-a',
    '+a',
    '__proto__',
    'a b',
    'a,b',
    'a#b',
    'a:b',
    'a/b',
    'a\\b',
    'a*',
    'a?',
    'a"',
    '<a>',
    'a|b',
    'é'.repeat(128),
  ];
  const unprintable = ['\u0000', 'a\nb', 'a\rb', 'a\tb', '\u001bx', 'a\u007f', 'a\u0085', 'a\u2028', '\ud800', 'a\uffff'];
  for (const name of [...refused, ...unprintable]) {
    expect(() => checkIndexName(name), JSON.stringify(name)).toThrow(expect.objectContaining({ type: 'invalid_index_name_exception' }));
    expect(() => checkAliasName(name, () => false), JSON.stringify(name)).toThrow(
      expect.objectContaining({ type: 'invalid_alias_name_exception' }),
    );
  }
  expect(() => checkIndexName('Upper')).toThrow('must be lowercase');
  for (const name of unprintable.filter((text) => text.length > 1))
    expect(templateNameProblems(name), JSON.stringify(name)).not.toEqual([]);
});
