import { describe, expect, test } from 'vitest';
import { parseBody } from '../../../../src/rest/core/body.ts';

type Format = Parameters<typeof parseBody>[1];

function parse(body: string | Buffer, format: Format = 'json'): unknown {
  return parseBody(Buffer.from(body), format);
}

function refusal(body: string | Buffer, format: Format = 'json'): { type: string; status: number; message: string } {
  try {
    parse(body, format);
  } catch (error) {
    const { type, status, message } = error as { type: string; status: number; message: string };
    return { type, status, message };
  }
  throw new Error('the body was accepted');
}

const TOO_MANY = /would take more memory than the maximum allowed/;

describe('values of a body are counted before they take memory', () => {
  test.each([
    ['objects', `[${'{},'.repeat(3_000_000)}{}]`],
    ['lists', `[${'[],'.repeat(5_000_000)}[]]`],
    ['objects after a comment', `/* */[${'{},'.repeat(3_000_000)}{}]`],
    ['objects after a long integer', `[12345678901234567890,${'{},'.repeat(3_000_000)}{}]`],
  ])('JSON: %s', (_name, body) => {
    expect(refusal(body)).toMatchObject({ type: 'x_content_parse_exception', status: 400, message: expect.stringMatching(TOO_MANY) });
  });

  test('JSON: brackets inside strings do not count', () => {
    const text = '{"a":[],'.repeat(600_000);
    expect(parse(JSON.stringify({ text }))).toEqual({ text });
  });

  test.each([
    ['CBOR', 'cbor', Buffer.concat([Buffer.from('9a00500000', 'hex'), Buffer.alloc(0x500000, 0xa0)])],
    ['MessagePack', 'msgpack', Buffer.concat([Buffer.from('dd00500000', 'hex'), Buffer.alloc(0x500000, 0x80)])],
  ] as const)('%s', (_name, format, body) => {
    expect(refusal(body, format).message).toMatch(TOO_MANY);
  });
});

describe('MessagePack', () => {
  test.each([
    ['a list longer than the input', 'ddffffffff'],
    ['a map longer than the input', 'df7fffffff01'],
    ['deep lists', '91'.repeat(5000)],
    ['deep maps', '8101'.repeat(5000)],
  ])('refuses %s', (_name, hex) => {
    expect(refusal(Buffer.from(hex, 'hex'), 'msgpack')).toMatchObject({ status: 400 });
  });

  test('accepts every kind of value', () => {
    const kinds =
      'dc0013 c0 c2 c3 cc01 cd0001 ce00000001 d0ff d1ffff d2ffffffff a161 d90161 da000161 db0000000161 9101 8101a162 ca3f800000 cb3ff0000000000000 93010203 ff';
    expect(parse(Buffer.from(kinds.replaceAll(' ', ''), 'hex'), 'msgpack')).toEqual([
      ...[null, false, true, 1, 1, 1, -1, -1, -1, 'a', 'a', 'a', 'a', [1], { 1: 'b' }, 1, 1, [1, 2, 3], -1],
    ]);
  });
});

describe('YAML', () => {
  test.each([
    ['open brackets', '['.repeat(200_000)],
    ['closed brackets', '['.repeat(5000) + ']'.repeat(5000)],
    ['a list in a list in a list', `${'- '.repeat(5000)}1`],
    ['deep keys', Array.from({ length: 3000 }, (_, i) => `${' '.repeat(i)}k:`).join('\n')],
    ['many lines', '- 1\n'.repeat(100_000)],
    ['many keys', Array.from({ length: 50_000 }, (_, i) => `k${i}: 1`).join('\n')],
    ['many aliases', `a: &a 1\nb: [${'*a,'.repeat(1000)}*a]`],
    [
      'aliases of aliases',
      ['a0: &a0 [1]', ...Array.from({ length: 9 }, (_, i) => `a${i + 1}: &a${i + 1} [${`*a${i},`.repeat(9)}1]`)].join('\n'),
    ],
    ['a long string', `a: ${'x'.repeat(5_000_000)}`],
  ])('refuses %s', (_name, body) => {
    expect(refusal(body, 'yaml').status).toBe(400);
  });

  test('reports the place of a repeated key', () => {
    expect(refusal('a: 1\nb:\n  c: 1\n  c: 2\n', 'yaml')).toEqual({
      type: 'x_content_parse_exception',
      status: 400,
      message: '[4:3] Map keys must be unique',
    });
  });

  test('accepts block strings, dashes in text and aliases', () => {
    const body = 'script: |\n  if (a[0] - 1 > 2) {\n    return "x - y - z"\n  }\nlist: &l\n- a-b-c\n- - 1\n  - 2\nagain: *l\n';
    const list = ['a-b-c', [1, 2]];
    expect(parse(body, 'yaml')).toEqual({ script: 'if (a[0] - 1 > 2) {\n  return "x - y - z"\n}\n', list, again: list });
  });
});

test('JSON: an error far into the text is found in linear time', () => {
  expect(refusal(`${'\n'.repeat(1_000_000)}x`).message).toContain('Unrecognized token');
});
