import { expect, test } from 'vitest';
import { parseJson, parseJsonBytes } from '../../../../src/common/json/json-parse.ts';
import { JsonSyntaxError, MAX_JSON_DEPTH } from '../../../../src/common/json/json-syntax-error.ts';

function failure(text: string): { kind: string; message: string; line: number; col: number } {
  try {
    parseJson(text);
  } catch (error) {
    const { kind, message, line, col } = error as JsonSyntaxError;
    return { kind, message: message.replaceAll(/Source: REDACTED \(`[^`]+` disabled\); byte offset: /g, ''), line, col };
  }
  throw new Error(`no error for ${text}`);
}

test.each([
  ['{"a":[1,2.5,-3e2,"x\\u0041\\n",true,false,null],"b":{}}', { a: [1, 2.5, -300, 'xA\n', true, false, null], b: {} }],
  ['/* one */ {"a": // two\n 1}', { a: 1 }],
  ['{"a":9007199254740993}', { a: 9007199254740993n }],
  ['{"a":-9223372036854775808,"b":1234567890123456}', { a: -9223372036854775808n, b: 1234567890123456 }],
  ['{"a":0.12345678901234567890}', { a: 0.12345678901234568 }],
  ['{"a":"1234567890123456789 // no comment"}', { a: '1234567890123456789 // no comment' }],
  ['\ufeff{"a":1}', { a: 1 }],
  ['{"a\\"b":"c\\\\"}', { 'a"b': 'c\\' }],
])('%s', (text, value) => {
  expect(parseJson(text)).toEqual(value);
});

test.each([
  ['{', 'end', 'Unexpected end-of-input: expected close marker for Object (start marker at [#UNKNOWN])\n at [#1]', 1, 2],
  ['{"query":', 'end', 'Unexpected end-of-input within/between Object entries\n at [#9]', 1, 10],
  ["{'size':1}", 'syntax', "Unexpected character (''' (code 39)): was expecting double-quote to start property name\n at [#1]", 1, 2],
  ['{"a":1,\n "b":2,\n "a":3}', 'syntax', 'Duplicate Object property "a"\n at [#20]', 3, 5],
  ['{"a":1 "b":2}', 'syntax', `Unexpected character ('"' (code 34)): was expecting comma to separate Object entries\n at [#7]`, 1, 8],
  [
    '{"a":"x\ny"}',
    'syntax',
    'Illegal unquoted character ((CTRL-CHAR, code 10)): has to be escaped using backslash to be included in string value\n at [#7]',
    1,
    8,
  ],
  ['{"a":"\\x"}', 'syntax', "Unrecognized character escape 'x' (code 120)\n at [#7]", 1, 8],
  [
    '{"a":nul}',
    'syntax',
    "Unrecognized token 'nul': was expecting (JSON String, Number, Array, Object or token 'null', 'true' or 'false')\n at [#5]",
    1,
    6,
  ],
  ['{"a":01}', 'syntax', 'Invalid numeric value: Leading zeroes not allowed\n at [#6]', 1, 7],
  ['{"a":{}]}', 'syntax', "Unexpected close marker ']': expected '}' (for Object starting at [#UNKNOWN])\n at [#7]", 1, 8],
  ['{"a":NaN}', 'syntax', "Non-standard token 'NaN': enable `JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS` to allow\n at [#8]", 1, 9],
  ['{} {}', 'trailing', 'Unexpected token [START_OBJECT] found after the main object.', 1, 4],
  [
    '{"é":x}',
    'syntax',
    "Unrecognized token 'x': was expecting (JSON String, Number, Array, Object or token 'null', 'true' or 'false')\n at [#6]",
    1,
    6,
  ],
])('%s is refused', (text, kind, message, line, col) => {
  expect(failure(text)).toEqual({ kind, message, line, col });
});

test.each([
  '',
  ' ',
  '[1,]',
  '{"a":1,}',
  '{"a"}',
  '{"a":-}',
  '{"a":1.}',
  '{"a":1e}',
  '{"a":+1}',
  '"abc',
  '{"a":"\\u12',
  '/* x',
  '/',
  '{"a":tru',
  '[1 2]',
])('%j is refused', (text) => {
  expect(() => parseJson(text)).toThrow(JsonSyntaxError);
});

test('depth is bounded and names may be __proto__', () => {
  const deep = (n: number): string => '['.repeat(n) + ']'.repeat(n);
  expect(Array.isArray(parseJson(deep(MAX_JSON_DEPTH)))).toBe(true);
  expect(failure(deep(MAX_JSON_DEPTH + 1)).kind).toBe('limit');
  expect(failure('['.repeat(1_000_000)).kind).toBe('limit');
  expect(Object.keys(parseJson('{"__proto__":1, "c":/**/2}') as object)).toEqual(['__proto__', 'c']);
});

test('bytes that are not UTF-8 are refused with their position', () => {
  expect(parseJsonBytes(Buffer.from('{"ä":1}'))).toEqual({ ä: 1 });
  expect(() => parseJsonBytes(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]))).toThrow(
    /Invalid UTF-8 start byte 0xff\n at .*#2\]/,
  );
});
