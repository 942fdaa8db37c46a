import { expect, test } from 'vitest';
import {
  escapeQueryString,
  parseQueryStringSyntax,
  type SyntaxNode,
  type SyntaxQuery,
} from '../../../../src/query/text/query-string-syntax.ts';
import { parseSimpleSyntax, SIMPLE_FLAGS, type SimpleSyntaxNode } from '../../../../src/query/text/simple-query-string-syntax.ts';

/** The tree as a compact string, to keep expectations short. */
function show(node: SyntaxNode): string {
  const field = node.field ? `${node.field}:` : '';
  const boost = node.boost === null || node.boost === undefined ? '' : `^${node.boost}`;
  switch (node.kind) {
    case 'query':
      return `${field}(${items(node)})${boost}`;
    case 'word':
      return `${field}${node.text}${boost}`;
    case 'fuzzy':
      return `${field}${node.text}~${node.fuzziness ?? 'auto'}${boost}`;
    case 'prefix':
      return `${field}${node.text}*${boost}`;
    case 'wildcard':
      return `${field}<${node.pattern}>${boost}`;
    case 'regexp':
      return `${field}/${node.pattern}/${boost}`;
    case 'phrase':
      return `${field}"${node.text}"${node.slop === null ? '' : `~${node.slop}`}${boost}`;
    case 'range':
      return `${field}${node.includeFrom ? '[' : '{'}${node.from ?? '*'}..${node.to ?? '*'}${node.includeTo ? ']' : '}'}${boost}`;
  }
}

function items(query: SyntaxQuery): string {
  return query.items
    .map((item) => {
      if (item.words) return `words(${item.text})`;
      const conjunction = item.conjunction === 'none' ? '' : `${item.conjunction.toUpperCase()} `;
      return conjunction + (item.modifier === 'not' ? '-' : item.modifier === 'required' ? '+' : '') + show(item.clause);
    })
    .join(' ');
}

test.each([
  ['quick fox', 'words(quick fox)'],
  ['quick', 'quick'],
  ['a b AND c', 'a b AND c'],
  ['a AND b OR NOT c', 'a AND b OR -c'],
  ['+a -b !c', '+a -b -c'],
  ['a && b || c', 'a AND b OR c'],
  ['title:(a b)^2 d', 'title:(words(a b))^2 d'],
  ['f:"x y"~3^1.5', 'f:"x y"~3^1.5'],
  ['f:"x y"^2', 'f:"x y"^2'],
  ['roam~ roam~1 roam~2^3', 'roam~auto roam~1 roam~2^3'],
  ['te?t te*t tes*', '<te?t> <te*t> tes*'],
  ['*:* *', '*:<*> <*>'],
  ['/jo[hn]+/ a', '/jo[hn]+/ a'],
  ['at:[2012-01-01 TO *} n:{1 TO 5]', 'at:[2012-01-01..*} n:{1..5]'],
  ['at:["a b" TO "c d"]', 'at:[a b..c d]'],
  ['n:>=10 n:<5', 'n:>=10 n:<5'],
  ['quick\\-dog sea\\:salt', 'words(quick-dog sea:salt)'],
  ['\\u0041b', 'Ab'],
  ['quick-dog', 'quick-dog'],
  ['a b:c d', 'a b:c d'],
  ['_exists_:year', '_exists_:year'],
  ['', ''],
])('classic: %s', (text, expected) => {
  expect(items(parseQueryStringSyntax(text))).toBe(expected);
});

test.each(['(a', 'a)', '"a', 'n:[1 TO', 'a AND', 'AND a', 'a^', 'f:', '[a b]', 'x\\'])('classic: %s is no query', (text) => {
  expect(() => parseQueryStringSyntax(text)).toThrow();
});

test('rejects deep nesting without overflowing the stack', () => {
  expect(() => parseQueryStringSyntax('('.repeat(20_000) + 'a' + ')'.repeat(20_000))).toThrow('nested groups');
});

test('an escaped string parses to plain words', () => {
  const text = 'a+b (c) "d" e:f [g]';
  const query = parseQueryStringSyntax(escapeQueryString(text));
  expect(query.items).toEqual([{ words: true, text }]);
});

function showSimple(node: SimpleSyntaxNode | null): string {
  switch (node?.kind) {
    case undefined:
      return 'nothing';
    case 'all':
      return 'all';
    case 'word':
      return node.text;
    case 'prefix':
      return `${node.text}*`;
    case 'fuzzy':
      return `${node.text}~${node.edits}`;
    case 'phrase':
      return `"${node.text}"~${node.slop}`;
    case 'not':
      return `-${showSimple(node.inner)}`;
    case 'group':
      return `${node.operator}(${node.clauses.map(showSimple).join(' ')})`;
  }
}

test.each([
  ['a + b', 'and(a b)'],
  ['a b', 'or(a b)'],
  ['a | b + c', 'and(or(a b) c)'],
  ['a -b', 'or(a -b)'],
  ['--a', 'a'],
  ['(a b) + c', 'and(or(a b) c)'],
  ['"a b"~2 c', 'or("a b"~2 c)'],
  ['"a b', 'or(a b)'],
  ['(a b', 'or(a b)'],
  ['a) b', 'or(a b)'],
  ['fo* ba~1 x~9', 'or(fo* ba~1 x~2)'],
  ['a \\+ b', 'or(a + b)'],
  ['+ | +', 'nothing'],
  ['*', 'all'],
  ['()', 'nothing'],
  ['""', 'nothing'],
])('simple: %s', (text, expected) => {
  expect(showSimple(parseSimpleSyntax(text, -1, 'or'))).toBe(expected);
});

test('simple_query_string reads disabled operators as plain characters', () => {
  expect(showSimple(parseSimpleSyntax('a* + "b c"', SIMPLE_FLAGS['OR'] | SIMPLE_FLAGS['WHITESPACE'], 'or'))).toBe('or(a* + "b c")');
});
