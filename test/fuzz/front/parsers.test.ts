/** Mutated bytes for every parser of external input: no crash, no endless loop, memory bounded by the input. */
import { describe, expect, test } from 'vitest';
import { parseProxyHeader } from '../../../src/front/http/connection/proxy-protocol.ts';
import { FastCgiParser } from '../../../src/front/http/modules/backends/fastcgi.ts';
import { MemcachedParser } from '../../../src/front/http/modules/backends/memcached.ts';
import { cutMoov } from '../../../src/front/http/modules/content/mp4-cut.ts';
import { parseUri } from '../../../src/front/http/request/parse.ts';
import { parseClientHello } from '../../../src/front/http/tls/client-hello.ts';
import { CgiParser } from '../../../src/front/http/upstream/protocol/cgi.ts';
import { HttpResponseParser } from '../../../src/front/http/upstream/protocol/http-response.ts';
import { InvalidResponse, type ParserSink, type ResponseParser } from '../../../src/front/http/upstream/protocol/protocol.ts';
import { parseConnect, writeConnect } from '../../../src/front/stream/modules/mqtt-connect.ts';
import { BodyDecoder } from '../../../src/http/wire/body-decoder.ts';
import { parseHeaderLine } from '../../../src/http/wire/header.ts';
import { parseRequestLine } from '../../../src/http/wire/request-line.ts';
import { makeMovie } from '../../support/movie.ts';
import { random } from './random.ts';

function mutate(text: string, rng: (below: number) => number): Buffer {
  const bytes = Buffer.from(text, 'latin1');
  let out = Buffer.from(bytes);
  for (let n = rng(6); n >= 0 && out.length > 0; n--) {
    const at = rng(out.length);
    const kind = rng(4);
    if (kind === 0) out[at] = rng(256);
    else if (kind === 1) out = Buffer.concat([out.subarray(0, at), out.subarray(at + 1 + rng(8))]);
    else if (kind === 2) out = Buffer.concat([out.subarray(0, at), Buffer.from([[13, 10, 0, 58, 32][rng(5)]]), out.subarray(at)]);
    else out = Buffer.concat([out, out.subarray(at)]);
  }
  return out;
}

function feedInPieces(parser: ResponseParser, data: Buffer, rng: (below: number) => number): void {
  try {
    for (let pos = 0; pos < data.length; ) {
      const end = Math.min(data.length, pos + 1 + rng(40));
      parser.feed(data.subarray(pos, end));
      pos = end;
    }
    parser.end();
  } catch (error) {
    if (!(error instanceof InvalidResponse)) throw error;
  }
}

/** Counts what a parser reports, and that nothing follows the end. */
function sink(): ParserSink & { heads: number; bytes: number; ends: number } {
  const seen = { heads: 0, bytes: 0, ends: 0 };
  return Object.assign(seen, {
    head: () => void seen.heads++,
    body: (data: Buffer) => void (seen.bytes += data.length),
    trailers: () => {},
    complete: () => void seen.ends++,
  }) as never;
}

const ROUNDS = 3000;
const each = (name: string, run: (rng: (below: number) => number, seed: number) => void) =>
  test(name, () => {
    for (let seed = 1; seed <= ROUNDS; seed++) {
      try {
        run(random(seed), seed);
      } catch (error) {
        throw new Error(`seed ${seed}: ${(error as Error).stack}`);
      }
    }
  });

describe('fuzz: front parsers', () => {
  each('request lines, URIs and header lines', (rng) => {
    const line = mutate('GET http://host:80/a/../b/%41?x=1&y=2 HTTP/1.1', rng).toString('latin1');
    const parsed = parseRequestLine(line);
    if (typeof parsed !== 'string') {
      expect(parsed.method).toMatch(/^[A-Z_-]+$/);
      expect(parsed.rawUri).not.toMatch(/[\0-\x20\x7f]/);
      const uri = parseUri(parsed.rawUri, true);
      if (uri && parsed.rawUri.startsWith('/')) expect(uri.path).not.toMatch(/\/\.\.(\/|$)/);
    }
    const field = parseHeaderLine(mutate('X-Name: value', rng).toString('latin1'), true, rng(2) === 0);
    if (typeof field !== 'string') expect(field.name + field.value).not.toMatch(/[\0\r]/);
  });

  each('chunked bodies', (rng) => {
    const data = mutate('5\r\nhello\r\n3;a=b\r\nabc\r\n0\r\nT: x\r\n\r\nGET / HTTP/1.1\r\n', rng);
    const decoder = new BodyDecoder(undefined);
    let got = 0;
    for (let pos = 0; pos < data.length && !decoder.done; ) {
      const end = Math.min(data.length, pos + 1 + rng(20));
      const used = decoder.feed(data.subarray(pos, end), (piece) => (got += piece.length));
      if (used < 0) break;
      pos += used;
      if (used === 0 && end === data.length) break;
    }
    expect(got).toBeLessThanOrEqual(data.length);
  });

  each('HTTP responses', (rng) => {
    const seen = sink();
    const text =
      rng(2) === 0
        ? 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX: y\r\n\r\nhello'
        : 'HTTP/1.1 100 C\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n';
    const data = mutate(text, rng);
    feedInPieces(new HttpResponseParser(seen, false, 4096), data, rng);
    expect(seen.heads).toBeLessThanOrEqual(1);
    expect(seen.ends).toBeLessThanOrEqual(1);
    expect(seen.bytes).toBeLessThanOrEqual(data.length);
  });

  each('FastCGI and memcached replies', (rng) => {
    const body = 'Status: 200 OK\r\nContent-Type: a/b\r\n\r\nhello';
    const record = (type: number, content: string) =>
      `\x01${String.fromCharCode(type)}\0\x01${String.fromCharCode(content.length >> 8, content.length & 255)}\0\0${content}`;
    const fcgi = sink();
    const data = mutate(record(6, body) + record(7, 'oops') + record(6, '') + record(3, '\0\0\0\0\0\0\0\0'), rng);
    feedInPieces(new FastCgiParser(fcgi, { maxHeader: 4096, bodyless: false }, () => {}, true), data, rng);
    expect(fcgi.ends).toBeLessThanOrEqual(1);
    expect(fcgi.bytes).toBeLessThanOrEqual(data.length);
    const memcached = sink();
    feedInPieces(new MemcachedParser(memcached, 'key', 0, () => {}), mutate('VALUE key 0 5\r\nhello\r\nEND\r\n', rng), rng);
    expect(memcached.heads).toBeLessThanOrEqual(1);
  });

  each('SCGI and uwsgi replies', (rng) => {
    const seen = sink();
    const data = mutate('Status: 404 Gone Fishing\r\nContent-Type: a/b\r\nContent-Length: 5\r\nX: y\r\n\r\nhello', rng);
    feedInPieces(new CgiParser(seen, { maxHeader: 256, bodyless: false }), data, rng);
    expect(seen.heads).toBeLessThanOrEqual(1);
    expect(seen.ends).toBeLessThanOrEqual(1);
    expect(seen.bytes).toBeLessThanOrEqual(data.length);
  });

  each('PROXY headers and ClientHellos', (rng) => {
    parseProxyHeader(mutate('PROXY TCP4 1.2.3.4 5.6.7.8 1000 80\r\nGET', rng));
    parseProxyHeader(mutate('\r\n\r\n\0\r\nQUIT\n\x21\x11\0\x0c\x01\x02\x03\x04\x05\x06\x07\x08\x03\xe8\0P', rng));
    parseClientHello(
      mutate(
        `\x16\x03\x01\0\x40\x01\0\0\x3c\x03\x03${'r'.repeat(32)}\0\0\x04\x13\x01\x13\x02\x01\0\0\x0f\0\0\0\x0b\0\x09\0\0\x06server`,
        rng,
      ),
    );
  });

  each('MQTT CONNECT packets', (rng) => {
    const body = '\0\x04MQTT\x05\xc6\0<\x05\x11\0\0\0\x0a\0\x02c1\0\0\x05topic\0\x04gone\0\x04user\0\x02pw';
    const data = mutate(`\x10${String.fromCharCode(body.length)}${body}\xc0\0`, rng);
    const packet = parseConnect(data);
    if (!packet || packet === 'more') return;
    expect(packet.size).toBeLessThanOrEqual(data.length);
    expect(parseConnect(writeConnect(packet))).toEqual({ ...packet, size: expect.any(Number) });
  });

  each('mp4 files', (rng) => {
    const data = mutate(makeMovie({ samples: 20, sizeOf: () => 4 }).latin1Slice(), rng);
    const source = { size: data.length, read: (at: number, count: number) => data.subarray(at, at + count) };
    const options = { startMs: rng(2000), lengthMs: rng(2) ? rng(2000) : null, keyFrame: rng(2) === 1, maxMoov: 1 << 20 };
    try {
      const cut = cutMoov(source, options);
      if (!cut) return;
      const { head, dataStart, dataEnd } = cut;
      expect(dataStart).toBeLessThan(dataEnd);
      expect(Buffer.concat(head).length).toBeLessThanOrEqual(2 * data.length + 100);
    } catch (error) {
      expect(error).toBeInstanceOf(Error);
    }
  });
});
