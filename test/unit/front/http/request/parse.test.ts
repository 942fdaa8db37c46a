/** Request lines, URIs, hosts, header lines. */
import { describe, expect, test } from 'vitest';
import { findArg, normalisePath, parseUri, validHost } from '../../../../../src/front/http/request/parse.ts';
import { BodyDecoder } from '../../../../../src/http/wire/body-decoder.ts';
import { parseHeaderLine } from '../../../../../src/http/wire/header.ts';
import { parseRequestLine } from '../../../../../src/http/wire/request-line.ts';

describe('front request parsing', () => {
  test('reads request lines', () => {
    expect(parseRequestLine('GET /a?b HTTP/1.1')).toMatchObject({ method: 'GET', rawUri: '/a?b', version: 1001 });
    expect(parseRequestLine('GET /')).toMatchObject({ version: 9 });
    expect(parseRequestLine('GET http://h:8/x HTTP/1.0')).toMatchObject({ host: 'h:8', rawUri: '/x', version: 1000 });
    expect(parseRequestLine('GET http://h?x HTTP/1.0')).toMatchObject({ host: 'h', rawUri: '?x' });
    expect(parseRequestLine('CONNECT h:443 HTTP/1.1')).toMatchObject({ host: 'h:443' });
  });

  test.each([
    ['get / HTTP/1.1', 'method'],
    ['GET / HTTP/2.0', 'version'],
    ['GET / HTTP/15', 'version'],
    ['GET / HTTP/01.1', 'request'],
    ['GET / HTTP/1.100', 'request'],
    ['GET / HTTX/1.1', 'request'],
    ['GET /a b HTTP/1.1', 'request'],
    ['GET \x01 HTTP/1.1', 'request'],
    ['POST /', 'request'],
    ['CONNECT h: HTTP/1.1', 'request'],
    ['CONNECT h:65536 HTTP/1.1', 'request'],
    ['CONNECT /x HTTP/1.1', 'request'],
  ])('%j is refused', (line, why) => expect(parseRequestLine(line)).toBe(why));

  test.each([
    ['/a/./b', '/a/b'],
    ['/a/../b', '/b'],
    ['/a//b', '/a/b'],
    ['/a/..', '/'],
    ['/a/.', '/a/'],
    ['/%61%2Fb', '/a/b'],
    ['/..', null],
    ['/a/%2e%2e/%2e%2e/b', null],
    ['/%00', null],
    ['/%zz', null],
    ['/a...', '/a...'],
  ])('normalizes the path %s', (raw, path) => expect(normalisePath(raw, true)).toBe(path));

  test('separates query and fragment, and merges slashes', () => {
    expect(parseUri('/a?b=/../c', true)).toEqual({ path: '/a', args: 'b=/../c' });
    expect(parseUri('/a#x?y', true)).toEqual({ path: '/a', args: '' });
    expect(parseUri('//a', false)?.path).toBe('//a');
    expect(findArg('a=1&B=2&c', 'b')).toBe('2');
    expect(findArg('ab=1', 'b')).toBeNull();
  });

  test('reads hosts', () => {
    expect(validHost('Example.COM.:80')).toEqual({ name: 'example.com', port: '80' });
    expect(validHost('[::1]:8080')).toEqual({ name: '[::1]', port: '8080' });
    for (const bad of ['', 'a/b', 'a\\b', 'a..b', 'a b', 'a:99999', 'a:b:c']) expect(validHost(bad)).toBeNull();
  });

  test('reads header lines', () => {
    expect(parseHeaderLine('A-b:  c ', false, true)).toEqual({ name: 'A-b', lname: 'a-b', value: 'c' });
    expect(parseHeaderLine('a_b: c', false, true)).toBe('ignored');
    expect(parseHeaderLine('a_b: c', true, true)).toMatchObject({ value: 'c' });
    for (const bad of [': x', 'a b: c', 'a\t: c', 'a: b\0c', ' a: b']) expect(parseHeaderLine(bad, false, true)).toBe('invalid');
  });
});

describe('front body decoding', () => {
  const decode = (pieces: string[], length?: number) => {
    const decoder = new BodyDecoder(length);
    let out = '';
    let used = 0;
    for (const piece of pieces) {
      const n = decoder.feed(Buffer.from(piece, 'latin1'), (data) => (out += data.toString('latin1')));
      if (n < 0) return 'invalid';
      used += n;
    }
    return { out, used, done: decoder.done, trailers: decoder.trailers.map((t) => `${t.lname}=${t.value}`) };
  };

  test('decodes chunks with extensions and trailers, however they are split', () => {
    const text = '3;x=y\r\nabc\r\n1\nd\n0\r\nT: v\r\n\r\nrest';
    const whole = decode([text]);
    expect(whole).toEqual({ out: 'abcd', used: text.length - 4, done: true, trailers: ['t=v'] });
    for (let cut = 1; cut < text.length - 4; cut++)
      expect(decode([text.slice(0, cut), text.slice(cut, -4)])).toMatchObject({ out: 'abcd', done: true });
  });

  test.each(['g\r\n', '-1\r\n', '3\r\nabcX', 'ffffffffffffffff\r\n', ' 3\r\nabc\r\n', '0x3\r\nabc'])('%j is refused', (text) => {
    expect(decode([text])).toBe('invalid');
  });

  test('a length limits the bytes that are consumed', () => {
    expect(decode(['abcdef'], 4)).toMatchObject({ out: 'abcd', used: 4, done: true });
  });
});
