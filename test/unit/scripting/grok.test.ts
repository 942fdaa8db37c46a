import { expect, test } from 'vitest';
import { Grok } from '../../../src/scripting/extraction/grok.ts';
import { GROK_PATTERNS } from '../../../src/scripting/extraction/patterns.ts';

function match(expression: string, text: string, definitions = {}): Record<string, unknown> | null {
  const values = new Grok(expression, definitions).match(text);
  return values && Object.fromEntries(values);
}

test.each(Object.keys(GROK_PATTERNS))('%s can be built', (name) => {
  expect(() => new Grok(`%{${name}:x}`, {})).not.toThrow();
});

test('a line of an access log', () => {
  const line =
    '127.0.0.1 - frank [10/Oct/2000:13:55:36 -0700] "GET /a.gif?x=1 HTTP/1.0" 200 2326 "http://example.org/start" "Mozilla/4.08 [en] (Win98)"';
  expect(match('%{COMBINEDAPACHELOG}', line)).toEqual({
    clientip: '127.0.0.1',
    ident: '-',
    auth: 'frank',
    timestamp: '10/Oct/2000:13:55:36 -0700',
    verb: 'GET',
    request: '/a.gif?x=1',
    httpversion: '1.0',
    response: '200',
    bytes: '2326',
    referrer: '"http://example.org/start"',
    agent: '"Mozilla/4.08 [en] (Win98)"',
  });
});

test.each([
  ['%{NUMBER:n:int} %{NUMBER:x:float} %{WORD:b:boolean}', '5 1.5 true', { n: 5, x: 1.5, b: true }],
  ['%{IP:client.ip}', 'from 2001:db8::1 on', { 'client.ip': '2001:db8::1' }],
  ['(?<queue_id>[0-9A-F]{3,5})!', 'x 1AF2! ', { queue_id: '1AF2' }],
  ['%{DATA:a} (?:%{INT:b}|-)', 'x -', { a: 'x' }],
  ['(?:%{INT:v}|%{WORD:v})', 'abc', { v: 'abc' }],
  ['^%{WORD:w}$', 'two words\nlast', { w: 'last' }],
  ['%{WORD:w}', '---', null],
  ['(?=(a|b))[[:alpha:]_]+(?<rest>\\h+)', 'a_12', { rest: '12' }],
  ['%{LOGLEVEL:l} %{JAVACLASS:c}', 'WARN org.example.Main', { l: 'WARN', c: 'org.example.Main' }],
  ['%{TIMESTAMP_ISO8601:t}', 'at 2024-02-29T12:00:01,5+01:00', { t: '2024-02-29T12:00:01,5+01:00' }],
])('%s', (expression, text, expected) => {
  expect(match(expression, text)).toEqual(expected);
});

test('definitions override built-in patterns and must not be circular', () => {
  expect(match('%{INT:n}', 'x7', { INT: 'x\\d' })).toEqual({ n: 'x7' });
  expect(() => new Grok('%{A}', { A: '%{B}', B: '%{A}' })).toThrow(
    expect.objectContaining({ reason: expect.stringContaining('circular reference') }),
  );
  expect(() => new Grok('%{NOTHING:x}', {})).toThrow(
    expect.objectContaining({ reason: "Unable to find pattern [NOTHING] in Grok's pattern dictionary" }),
  );
});
