import { describe, expect, test } from 'vitest';
import { BodyDecoder } from '../../../../src/http/wire/body-decoder.ts';
import { type HeadHandler, type HeadRules, HeadScanner } from '../../../../src/http/wire/head-scanner.ts';
import type { HeaderField } from '../../../../src/http/wire/header.ts';

const LENIENT: HeadRules = { methods: 'upper case', lineBytes: 64, headBytes: 128, isStrict: false };
const STRICT: HeadRules = { ...LENIENT, methods: 'any token', isStrict: true };

/** Collects the parts of a head. */
class Collector implements HeadHandler {
  line = '';
  readonly fields: string[] = [];
  readonly unusual: string[] = [];

  requestLine(line: string): number {
    this.line = line;
    return line.startsWith('BAD') ? 400 : 0;
  }

  field({ lname, value }: HeaderField): number {
    this.fields.push(`${lname}=${value}`);
    return 0;
  }

  unusualField(line: string): number {
    this.unusual.push(line);
    return 0;
  }
}

describe('HeadScanner', () => {
  test('reports the same parts however the head is split', () => {
    const head = 'GET /a HTTP/1.1\r\nHost: b\r\nX_Y: c\r\n\r\nrest';
    for (let cut = 1; cut < head.length - 4; cut++) {
      const scanner = new HeadScanner();
      const parts = new Collector();
      let text = head.slice(0, cut);
      let consumed = 0;
      let result = scanner.scan(text, 0, LENIENT, parts);
      consumed += scanner.position;
      if (result === 'more') {
        text = head.slice(consumed);
        result = scanner.scan(text, 0, LENIENT, parts);
        consumed += scanner.position;
      }
      expect([result, head.slice(consumed), parts.line, parts.fields, parts.unusual]).toEqual([
        'end',
        'rest',
        'GET /a HTTP/1.1',
        ['host=b'],
        ['X_Y: c'],
      ]);
    }
  });

  test.each<[string, string, HeadRules, unknown]>([
    ['a handler that refuses', 'BAD / HTTP/1.1\r\n', LENIENT, 400],
    ['a long request line', `GET /${'a'.repeat(80)} HTTP/1.1\r\n`, LENIENT, 'long line'],
    ['a long incomplete request line', `GET /${'a'.repeat(80)}`, LENIENT, 'long line'],
    ['a long field', `GET / HTTP/1.1\r\nA: ${'b'.repeat(80)}\r\n`, LENIENT, 'long head'],
    ['a long head', `GET / HTTP/1.1\r\n${`A: ${'b'.repeat(40)}\r\n`.repeat(3)}`, LENIENT, 'long head'],
    ['an incomplete method that cannot become valid', 'ge', LENIENT, 'bad method'],
    ['the same where any token is a method', 'ge', STRICT, 'more'],
    ['a bare LF', 'GET / HTTP/1.1\nHost: a\r\n\r\n', LENIENT, 'end'],
    ['a bare LF under strict rules', 'GET / HTTP/1.1\nHost: a\r\n\r\n', STRICT, 'bad line end'],
  ])('%s', (_name, text, rules, result) => {
    expect(new HeadScanner().scan(text, 0, rules, new Collector())).toBe(result);
  });
});

test('a strict BodyDecoder refuses chunk lines that end in a bare LF', () => {
  const decode = (text: string, isStrict: boolean): number | string => {
    const parts: string[] = [];
    const used = new BodyDecoder(undefined, isStrict).feed(Buffer.from(text), (data) => parts.push(data.toString()));
    return used < 0 ? used : parts.join('');
  };
  expect(decode('2\r\nok\r\n0\r\n\r\n', true)).toBe('ok');
  expect(decode('2\nok\n0\n\n', false)).toBe('ok');
  expect(decode('2\nok\r\n0\r\n\r\n', true)).toBe(-1);
  expect(decode('2\r\nok\n0\r\n\r\n', true)).toBe(-1);
});
