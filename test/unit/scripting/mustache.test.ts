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
  ['a{{! said }}b', {}, 'ab'],
])('%s', (template, params, expected) => {
  expect(renderTemplate(template, params)).toBe(expected);
});

test('what is not closed is refused', () => {
  expect(() => renderTemplate('{{#a}}', {})).toThrow("Failed to close 'a' tag");
  expect(() => renderTemplate('{{#a}}{{/b}}', {})).toThrow('Mismatched');
});
