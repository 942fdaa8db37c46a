/** The nginx.conf grammar: quoting, escapes, blocks, includes, and where errors are reported. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parseConfig } from '../../../../src/front/config/syntax.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'gannet-syntax-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const parse = (text: string) => {
  const file = path.join(folder, 'a.conf');
  writeFileSync(file, text, 'latin1');
  return parseConfig(file, folder);
};

describe('front config grammar', () => {
  test('reads words, quotes, escapes and comments', () => {
    const { nodes } = parse('a b "c d" \'e"f\' g\\"h; # gone\ni ${x} "\\\\";');
    expect(nodes.map((n) => [n.name, ...n.args])).toEqual([
      ['a', 'b', 'c d', 'e"f', 'g"h'],
      ['i', '${x}', '\\'],
    ]);
  });

  test('blocks nest and keep the line of their opening', () => {
    const { nodes } = parse('http {\n  server {\n    listen 80;\n  }\n}\n');
    expect(nodes[0].children?.[0].children?.[0]).toMatchObject({ name: 'listen', args: ['80'], line: 3 });
  });

  test.each([
    ['a b', 'unexpected end of file, expecting ";" or "}"'],
    ['a { b;', 'unexpected end of file, expecting "}"'],
    ['}', 'unexpected "}"'],
    [';', 'unexpected ";"'],
    ['a "b"c;', 'unexpected "c"'],
  ])('%s is refused', (text, message) => {
    expect(() => parse(text)).toThrow(`${message} in ${folder}/a.conf:1`);
  });

  test('include accepts a glob, reads files in order, and reports a missing file at its line', () => {
    writeFileSync(path.join(folder, 'x2.inc'), 'two;');
    writeFileSync(path.join(folder, 'x1.inc'), 'one;');
    const { nodes, files } = parse('include x*.inc;\nthree;');
    expect(nodes.map((n) => n.name)).toEqual(['one', 'two', 'three']);
    expect(files).toHaveLength(3);
    expect(() => parse('\ninclude nothing.inc;')).toThrow(/nothing\.inc" failed \(2: No such file or directory\) in .*:2/);
  });

  test('a file that includes itself is refused', () => {
    expect(() => parse('include a.conf;')).toThrow('too many nested includes');
  });
});
