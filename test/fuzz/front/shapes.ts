/** Requests of doubtful form by name, and the results of the front, node:http and nginx where they disagree. */

const get = (fields: string) => `GET /a HTTP/1.1\r\n${fields}\r\n`;
const post = (fields: string, body: string) => `POST /a HTTP/1.1\r\nHost: x\r\n${fields}\r\n${body}`;
const hidden = 'GET /hidden HTTP/1.1\r\nHost: x\r\n\r\n';
const chunked = (body: string, field = 'Transfer-Encoding: chunked\r\n') => post(field, body);

/** Each is followed by one plain request that ends the connection. */
export const SHAPES: Record<string, string> = {
  plain: get('Host: x\r\n'),
  'body by length': post('Content-Length: 3\r\n', 'abc'),
  'body in chunks': chunked('3\r\nabc\r\n0\r\n\r\n'),
  'length and chunks': post('Content-Length: 4\r\nTransfer-Encoding: chunked\r\n', '0\r\n\r\n'),
  'chunks and length': post('Transfer-Encoding: chunked\r\nContent-Length: 4\r\n', '0\r\n\r\n'),
  'length hides a request in chunks': post(`Content-Length: ${5 + hidden.length}\r\nTransfer-Encoding: chunked\r\n`, `0\r\n\r\n${hidden}`),
  'two equal lengths': post('Content-Length: 3\r\nContent-Length: 3\r\n', 'abc'),
  'two different lengths': post('Content-Length: 3\r\nContent-Length: 0\r\n', 'abc'),
  'lengths in a list': post('Content-Length: 3, 3\r\n', 'abc'),
  'length with a plus': post('Content-Length: +3\r\n', 'abc'),
  'length in hexadecimal': post('Content-Length: 0x3\r\n', 'abc'),
  'length with a space inside': post('Content-Length: 3 0\r\n', 'abc'),
  'length with trailing space': post('Content-Length: 3 \r\n', 'abc'),
  'length below zero': post('Content-Length: -1\r\n', 'abc'),
  'length empty': post('Content-Length: \r\n', ''),
  'length too large': post('Content-Length: 99999999999999999999\r\n', ''),
  'length with zeros': post('Content-Length: 0003\r\n', 'abc'),
  'coding in capitals': chunked('0\r\n\r\n', 'TRANSFER-ENCODING: CHUNKED\r\n'),
  'coding unknown': chunked('0\r\n\r\n', 'Transfer-Encoding: xchunked\r\n'),
  'coding identity': post('Transfer-Encoding: identity\r\nContent-Length: 3\r\n', 'abc'),
  'coding twice': chunked('0\r\n\r\n', 'Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n'),
  'coding in a list': chunked('0\r\n\r\n', 'Transfer-Encoding: gzip, chunked\r\n'),
  'chunked is not last': chunked('0\r\n\r\n', 'Transfer-Encoding: chunked, identity\r\n'),
  'coding with a tab': chunked('0\r\n\r\n', 'Transfer-Encoding:\tchunked\r\n'),
  'coding with a vertical tab': chunked('0\r\n\r\n', 'Transfer-Encoding: \x0bchunked\r\n'),
  'coding with quotes': chunked('0\r\n\r\n', 'Transfer-Encoding: "chunked"\r\n'),
  'coding with a comma': chunked('0\r\n\r\n', 'Transfer-Encoding: chunked,\r\n'),
  'coding with an underscore': chunked('0\r\n\r\n', 'Transfer_Encoding: chunked\r\n'),
  'space before the colon of a coding': chunked('0\r\n\r\n', 'Transfer-Encoding : chunked\r\n'),
  'space before the colon of a length': post('Content-Length : 3\r\n', 'abc'),
  'coding folded': chunked('0\r\n\r\n', 'Transfer-Encoding:\r\n chunked\r\n'),
  'field folded': get('Host: x\r\nA: b\r\n c\r\n'),
  'first field folded': `GET /a HTTP/1.1\r\n Host: y\r\nHost: x\r\n\r\n`,
  'coding in HTTP/1.0': 'POST /a HTTP/1.0\r\nHost: x\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
  'chunk extension': chunked('3;a=b\r\nabc\r\n0;c\r\n\r\n'),
  'chunk extension quoted': chunked('3;a="\r\n"\r\nabc\r\n0\r\n\r\n'),
  'chunk extension with LF': chunked('3;a\nabc\r\n0\r\n\r\n'),
  'chunk size with spaces': chunked('3 \r\nabc\r\n0\r\n\r\n'),
  'chunk size with a sign': chunked('+3\r\nabc\r\n0\r\n\r\n'),
  'chunk size with 0x': chunked('0x3\r\nabc\r\n0\r\n\r\n'),
  'chunk size empty': chunked('\r\nabc\r\n0\r\n\r\n'),
  'chunk size too large': chunked('fffffffffffffffff\r\nabc\r\n0\r\n\r\n'),
  'chunk size wraps 64 bits': chunked('10000000000000003\r\nabc\r\n0\r\n\r\n'),
  'chunk longer than said': chunked('3\r\nabcd\r\n0\r\n\r\n'),
  'chunk shorter than said': chunked('5\r\nabc\r\n0\r\n\r\n'),
  'chunks with bare LF': chunked('3\nabc\n0\n\n'),
  'chunks with bare CR': chunked('3\rabc\r0\r\r'),
  'last chunk with zeros': chunked('3\r\nabc\r\n000\r\n\r\n'),
  'trailer fields': chunked('0\r\nA: b\r\n\r\n'),
  'trailer names a length': chunked('0\r\nContent-Length: 50\r\n\r\n'),
  'bare LF': 'GET /a HTTP/1.1\nHost: x\n\n',
  'bare LF after one field': 'GET /a HTTP/1.1\r\nHost: x\nA: b\r\n\r\n',
  'bare CR in a value': get('Host: x\r\nA: b\rc\r\n'),
  'bare CR makes a coding': post('A: b\rTransfer-Encoding: chunked\r\nContent-Length: 3\r\n', 'abc'),
  'bare CR ends the head': 'GET /a HTTP/1.1\r\nHost: x\r\rGET /hidden HTTP/1.1\r\nHost: x\r\n\r\n',
  'empty lines first': `\r\n\r\n${get('Host: x\r\n')}`,
  'space in a name': get('Host: x\r\nA b: c\r\n'),
  'name empty': get('Host: x\r\n: c\r\n'),
  'no colon': get('Host: x\r\nabc\r\n'),
  'NUL in a name': get('Host: x\r\nA\0b: c\r\n'),
  'NUL in a value': get('Host: x\r\nA: b\0c\r\n'),
  'control character in a value': get('Host: x\r\nA: b\x01c\r\n'),
  'eight-bit value': get('Host: x\r\nA: \xe4\r\n'),
  'eight-bit name': get('Host: x\r\n\xe4: b\r\n'),
  'name with a dot': get('Host: x\r\na.b: c\r\n'),
  'no host': get(''),
  'two hosts': get('Host: x\r\nHost: y\r\n'),
  'host empty': get('Host: \r\n'),
  'host with a path': get('Host: x/y\r\n'),
  'host with an at sign': get('Host: a@x\r\n'),
  'host with a space': get('Host: x y\r\n'),
  'host with a bad port': get('Host: x:y\r\n'),
  'absolute URI': 'GET http://y/a HTTP/1.1\r\nHost: x\r\n\r\n',
  'absolute URI without a path': 'GET http://y HTTP/1.1\r\nHost: x\r\n\r\n',
  'absolute URI with a user': 'GET http://u@y/a HTTP/1.1\r\nHost: x\r\n\r\n',
  'absolute URI of another scheme': 'GET ftp://y/a HTTP/1.1\r\nHost: x\r\n\r\n',
  'no slash': 'GET a HTTP/1.1\r\nHost: x\r\n\r\n',
  asterisk: 'OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n',
  'NUL in the URI': 'GET /a\0b HTTP/1.1\r\nHost: x\r\n\r\n',
  'encoded NUL': 'GET /a%00 HTTP/1.1\r\nHost: x\r\n\r\n',
  'above the root': 'GET /../a HTTP/1.1\r\nHost: x\r\n\r\n',
  'space in the URI': 'GET /a b HTTP/1.1\r\nHost: x\r\n\r\n',
  'tab in the request line': 'GET\t/a HTTP/1.1\r\nHost: x\r\n\r\n',
  'two spaces': 'GET  /a  HTTP/1.1\r\nHost: x\r\n\r\n',
  'eight-bit URI': 'GET /\xe4 HTTP/1.1\r\nHost: x\r\n\r\n',
  fragment: 'GET /a#b HTTP/1.1\r\nHost: x\r\n\r\n',
  'method in small letters': 'get /a HTTP/1.1\r\nHost: x\r\n\r\n',
  'method unknown': 'FOO /a HTTP/1.1\r\nHost: x\r\n\r\n',
  'method with an odd character': 'G@T /a HTTP/1.1\r\nHost: x\r\n\r\n',
  'version 1.2': 'GET /a HTTP/1.2\r\nHost: x\r\n\r\n',
  'version 2.0': 'GET /a HTTP/2.0\r\nHost: x\r\n\r\n',
  'version in small letters': 'GET /a http/1.1\r\nHost: x\r\n\r\n',
  'version 1.01': 'GET /a HTTP/1.01\r\nHost: x\r\n\r\n',
  'no version': 'GET /a\r\n\r\n',
  'version without a number': 'GET /a HTTP/\r\nHost: x\r\n\r\n',
  'body of a GET': `GET /a HTTP/1.1\r\nHost: x\r\nContent-Length: ${hidden.length}\r\n\r\n${hidden}`,
  expectation: post('Content-Length: 3\r\nExpect: 100-continue\r\n', 'abc'),
  'expectation unknown': post('Content-Length: 3\r\nExpect: tea\r\n', 'abc'),
  'upgrade not asked for': get('Host: x\r\nConnection: upgrade\r\nUpgrade: websocket\r\n'),
  'connection names the length': post('Connection: content-length\r\nContent-Length: 3\r\n', 'abc'),
  'HTTP/2 preface': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
};

/**
 * Classes of the statuses of each server, in order, where they differ: that of the shape, then that of the plain request after it.
 * nginx (1.22) is left out where it answers as the front does.
 */
export interface Disagreement {
  front: string;
  node: string;
  nginx?: string;
  judgement: string;
}

const CODING = 'codings other than chunked are not implemented: 501, as in nginx; Node refuses the request as malformed';
const HOST = 'the name selects the server, so it must be a valid one; Node does not check it';
const LF = 'a bare LF ends a line, as in nginx; the proxied request is framed again with CRLF, so no back end can read it differently';
const TARGET = 'a path that cannot be resolved is refused; Node passes it to the application';

/** docs/internals/front-compared.md shows this table: run `npm run docs:reference` after a change. */
export const DISAGREEMENTS: Record<string, Disagreement> = {
  'coding unknown': { front: '5', node: '4', judgement: CODING },
  'coding identity': { front: '5', node: '4', judgement: CODING },
  'coding in a list': { front: '5', node: '22', judgement: 'other codings before chunked are not implemented: 501' },
  'chunked is not last': { front: '5', node: '4', judgement: CODING },
  'coding with a tab': {
    front: '5',
    node: '22',
    judgement: 'a tab is not trimmed from the value, so the coding is unknown: 501, and nothing is proxied',
  },
  'coding with a vertical tab': { front: '5', node: '4', judgement: CODING },
  'coding with quotes': { front: '5', node: '4', judgement: CODING },
  'coding with a comma': { front: '5', node: '4', judgement: CODING },
  'coding with an underscore': {
    front: '24',
    node: '4',
    judgement: 'a field with an underscore in its name is dropped; the body is then refused as the next request',
  },
  'host with an at sign': {
    front: '4',
    node: '22',
    nginx: '22',
    judgement: 'a host has the characters of RFC 3986 section 3.2.2, as in nginx 1.31: 1.22 accepted more',
  },
  'coding in HTTP/1.0': { front: '4', node: '2', judgement: 'HTTP/1.0 has no transfer codings: refused' },
  'chunk extension with LF': { front: '22', node: '4', judgement: LF },
  'chunk size with spaces': {
    front: '22',
    node: '4',
    judgement: 'spaces after the size are skipped, as in nginx; proxied chunks are framed again',
  },
  'chunks with bare LF': { front: '22', node: '4', judgement: LF },
  'trailer names a length': {
    front: '22',
    node: '4',
    judgement: 'trailer fields are read and dropped, so they cannot affect framing',
  },
  'bare LF': { front: '22', node: '4', judgement: LF },
  'bare LF after one field': { front: '22', node: '4', judgement: LF },
  'no colon': {
    front: '22',
    node: '4',
    judgement: 'a line without a colon is dropped as an invalid field (ignore_invalid_headers)',
  },
  'control character in a value': {
    front: '42',
    node: '4',
    judgement: 'the value is passed on unchanged; Node behind the front refuses it',
  },
  'eight-bit name': { front: '22', node: '4', judgement: 'dropped as an invalid field' },
  'two hosts': { front: '4', node: '22', judgement: 'two names are ambiguous: refused' },
  'host empty': { front: '4', node: '22', judgement: HOST },
  'host with a path': { front: '4', node: '22', judgement: HOST },
  'host with a space': { front: '4', node: '22', judgement: HOST },
  'host with a bad port': {
    front: '4',
    nginx: '22',
    node: '22',
    judgement: 'a port is a number: as in nginx since 1.29, which 1.22 does not check',
  },
  'absolute URI with a user': { front: '4', node: '22', judgement: 'user names and passwords are not allowed in a request target' },
  asterisk: { front: '4', node: '22', judgement: TARGET },
  'encoded NUL': { front: '4', node: '22', judgement: TARGET },
  'above the root': { front: '4', node: '22', judgement: TARGET },
  'eight-bit URI': { front: '42', node: '4', judgement: 'the bytes are passed on unchanged; Node behind the front refuses them' },
  'method unknown': { front: '42', node: '4', judgement: 'any method in capital letters is passed on; Node behind the front refuses it' },
  'version 1.2': { front: '22', node: '4', judgement: 'an unknown minor version counts as HTTP/1.1 (RFC 9112, section 2.3)' },
  'version 2.0': { front: '5', node: '4', judgement: '505 is the exact status; Node treats the request as malformed' },
  'version 1.01': { front: '22', node: '4', judgement: 'one or two digits are accepted, as in nginx' },
  'no version': { front: '', node: '4', judgement: 'HTTP/0.9: the body alone, then the connection closes' },
  'expectation unknown': {
    front: '4',
    nginx: '22',
    node: '42',
    judgement: '417 (RFC 9110, section 10.1.1); nginx ignores the expectation',
  },
  'upgrade not asked for': {
    front: '22',
    node: '2',
    judgement: 'the back end did not ask for an upgrade; Node treats everything after the request as the new protocol',
  },
  'HTTP/2 preface': { front: '5', nginx: '4', node: '4', judgement: '505 where HTTP/2 is off' },
};

/** Where the front differs from nginx 1.22 in a class of requests, mostly since it follows a newer one. */
export const NGINX_1_22: { shape: RegExp; judgement: string }[] = [
  { shape: /^PRI /, judgement: '505 where HTTP/2 is off' },
  { shape: /^Expect:(?![ \t]*100-continue[ \t]*\r?\n)/im, judgement: 'an unknown expectation is refused with 417' },
  { shape: /^[A-Z]+ +[A-Za-z][^ /]*:\/\/[^/ ]*[^A-Za-z0-9./ -]/, judgement: 'hosts of absolute URIs are those of RFC 3986 section 3.2.2' },
  {
    shape: /^Host:[^\r\n]*[^\w\-.~!$&'()*+,;=%\r\n]/im,
    judgement: 'Host is a name or an address in brackets, and a port in it is a number',
  },
];
