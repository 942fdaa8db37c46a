import { expect, test } from 'vitest';
import { renderTemplate } from '../../../src/scripting/mustache.ts';

test.each([
  ['{"a":"{{x}}"}', { x: 'say "hi"\n' }, '{"a":"say \\"hi\\"\\n"}'],
  ['{{{x}}} {{&x}}', { x: '"' }, '" "'],
  ['{{a.b.1.c}}{{a.b.size}}', { a: { b: [0, { c: 'q' }] } }, 'q2'],
  ['{{x}}{{^x}}10{{/x}}', {}, '10'],
  ['{{x}}{{^x}}10{{/x}}', { x: 3 }, '3'],
  ['[{{#xs}}"{{.}}",{{/xs}}"end"]', { xs: ['p', 'q'] }, '["p","q","end"]'],
  ['{{#o}}{{n}}-{{m}}{{/o}}', { o: { n: 1 }, m: 2 }, '1-2'],
  ['{{#toJson}}o{{/toJson}}', { o: { a: [1, 'x'] } }, '{"a":[1,"x"]}'],
  ["{{#join}}w{{/join}} {{#join delimiter='||'}}w{{/join delimiter='||'}}", { w: ['a', 'b'] }, 'a,b a||b'],
  ['{{#url}}{{u}}{{/url}}', { u: 'x y/z' }, 'x+y%2Fz'],
  ['{{l}} {{{l}}} {{o}}', { l: ['a', { b: 1 }, [2]], o: { l: [1] } }, '{0=a, 1={b=1}, 2=[2]} {0=a, 1={b=1}, 2=[2]} {l=[1]}'],
  ['{{#l}}{{.}};{{/l}}{{#join}}l{{/join}}', { l: [[1, 2], 3] }, '{0=1, 1=2};3;[1, 2],3'],
  ['a{{! said }}b', {}, 'ab'],
])('%s', (template, params, expected) => {
  expect(renderTemplate(template, params)).toBe(expected);
});

test('unclosed sections are refused', () => {
  expect(() => renderTemplate('{{#a}}', {})).toThrow('Unclosed section "a"');
  expect(() => renderTemplate('{{#a}}{{/b}}', {})).toThrow('Unclosed section "a"');
});

test('the number 0 opens a section and closes an inverted one', () => {
  expect(renderTemplate('{{#n}}{{n}}:{{.}}{{/n}}{{^n}}none{{/n}}', { n: 0 })).toBe('0:0');
});

test('output and nesting are limited', () => {
  const list = Array.from({ length: 1000 }, () => 'x'.repeat(20));
  expect(() => renderTemplate('{{#a}}{{#a}}{{.}}{{/a}}{{/a}}', { a: list })).toThrow('the rendered template exceeds');
  expect(() => renderTemplate('{{#a}}'.repeat(60) + '{{/a}}'.repeat(60), {})).toThrow('sections nest deeper than 50');
});

test('members of prototypes are not reachable', () => {
  expect(renderTemplate('[{{a.constructor}}{{constructor}}{{a.length}}]', { a: 'text' })).toBe('[]');
});

test('large sources, endless loops without output and output of functions are refused', () => {
  expect(() => renderTemplate('x'.repeat(70_000), {})).toThrow('exceeded max allowed inline script size');
  const list = Array.from({ length: 200 }, () => 1);
  expect(() => renderTemplate('{{#a}}'.repeat(4) + '{{/a}}'.repeat(4), { a: list })).toThrow('sections run more than');
  const large = 'x'.repeat(1 << 20);
  expect(() => renderTemplate('{{#a}}{{#toJson}}b{{/toJson}}{{/a}}', { a: list, b: large })).toThrow('the rendered template exceeds');
});

test('a syntax error inside a function is a template error', () => {
  expect(() => renderTemplate('{{=<% %>=}}<%#url%>{{#a}}<%/url%>', {})).toThrow('Unclosed section "a"');
  expect(() => renderTemplate('{{#a}}'.repeat(5000) + '{{/a}}'.repeat(5000), {})).toThrow('sections nest deeper than 50');
});
