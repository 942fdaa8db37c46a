// DNS messages: queries and responses of every type used, and bytes that no server should send.
import { isIP } from 'node:net';
import { type Answer, encode, type Question } from 'dns-packet';
import { describe, expect, test } from 'vitest';
import {
  type DnsResponse,
  decodeResponse,
  encodeQuery,
  isDnsName,
  type QueryType,
  TYPE_A,
  TYPE_AAAA,
  TYPE_PTR,
  TYPE_SRV,
} from '../../../src/front/http/upstream/peers/dns-message.ts';
import { forSeeds } from '../../support/rng.ts';

const TYPES: readonly QueryType[] = [TYPE_A, TYPE_AAAA, TYPE_SRV, TYPE_PTR];
const RESPONSE = 1 << 15;

const respond = (questions: Question[], answers: Answer[], flags = 0, more: { additionals?: Answer[] } = {}): Buffer =>
  encode({ type: 'response', id: 7, flags: flags | RESPONSE, questions, answers, ...more });

const question = (type: 'A' | 'AAAA' | 'SRV' | 'PTR'): Question[] => [{ name: 'www.example.com', type }];
const CNAME: Answer = { name: 'www.example.com', type: 'CNAME', ttl: 30, data: 'other.example.com' };
const A: Answer = { name: 'other.example.com', type: 'A', ttl: 60, data: '192.0.2.1' };
const AAAA: Answer = { name: 'other.example.com', type: 'AAAA', ttl: 60, data: '2001:db8:0:0:1:0:0:1' };
const SRV: Answer = { name: '_http._tcp.x', type: 'SRV', ttl: 9, data: { priority: 1, weight: 2, port: 80, target: 'a.x' } };
const PTR: Answer = { name: '1.2.0.192.in-addr.arpa', type: 'PTR', ttl: 9, data: 'host.example.com' };
const SAMPLES = [
  respond(question('A'), [CNAME, A]),
  respond(question('AAAA'), [CNAME, AAAA]),
  respond(question('SRV'), [SRV]),
  respond(question('PTR'), [PTR]),
];

describe('DNS messages', () => {
  test('encodes a query', () => {
    expect(encodeQuery(0x1234, 'www.x.', TYPE_SRV).toString('hex')).toBe('1234010000010000000000000377777701780000210001');
  });

  test('returns records of the requested type, follows aliases, uses the smallest TTL', () => {
    const common: DnsResponse = {
      name: 'www.example.com',
      code: 0,
      truncated: false,
      addresses: [],
      srv: [],
      names: [],
      cname: '',
      ttl: 30,
    };
    const cname = 'other.example.com';
    expect(decodeResponse(SAMPLES[0], TYPE_A)).toEqual({ ...common, addresses: ['192.0.2.1'], cname });
    expect(decodeResponse(SAMPLES[1], TYPE_AAAA)).toEqual({ ...common, addresses: ['2001:db8::1:0:0:1'], cname });
    const srv = [{ priority: 1, weight: 2, port: 80, target: 'a.x' }];
    expect(decodeResponse(SAMPLES[2], TYPE_SRV)).toEqual({ ...common, srv, ttl: 9 });
    expect(decodeResponse(SAMPLES[3], TYPE_PTR)).toEqual({ ...common, names: ['host.example.com'], ttl: 9 });
    expect(decodeResponse(SAMPLES[0], TYPE_AAAA)).toBe(null);
    expect(decodeResponse(respond(question('A'), [], 3), TYPE_A)).toMatchObject({ code: 3, addresses: [], ttl: 0x7fffffff });
    expect(decodeResponse(respond(question('A'), [], 1 << 9), TYPE_A)).toMatchObject({ truncated: true });
    const target: Answer = { ...SRV, data: { port: 0, target: '.' } };
    expect(decodeResponse(respond(question('SRV'), [target]), TYPE_SRV)?.srv).toEqual([{ priority: 0, weight: 0, port: 0, target: '' }]);
  });

  test('ignores additional records', () => {
    const whole = respond(question('A'), [A], 0, { additionals: [A] });
    expect(decodeResponse(whole.subarray(0, -3), TYPE_A)?.addresses).toEqual(['192.0.2.1']);
  });

  test('names with empty or too long labels are refused', () => {
    for (const name of ['x', 'x.', 'a.b.c', 'x'.repeat(63), `${'x'.repeat(49)}.`.repeat(5)]) expect(isDnsName(name), name).toBe(true);
    for (const name of ['', '.', '..', 'a..b', '.a', 'a..', 'x'.repeat(64), 'ü'.repeat(32), 'x.'.repeat(128)])
      expect(isDnsName(name), name).toBe(false);
  });

  test('truncated responses, loops of pointers and wrong counts are malformed', () => {
    SAMPLES.forEach((sample, n) => {
      for (let length = 0; length < sample.length; length++) expect(decodeResponse(sample.subarray(0, length), TYPES[n])).toBe(null);
    });
    const header = '000781800001000100000000';
    // A question that points to itself, and two that point to each other.
    for (const name of ['c00c', 'c00ec00c']) expect(decodeResponse(Buffer.from(`${header}${name}00010001`, 'hex'), TYPE_A)).toBe(null);
    const counts = Buffer.from(SAMPLES[0]);
    counts.writeUInt16BE(0xffff, 6);
    expect(decodeResponse(counts, TYPE_A)).toBe(null);
    expect(decodeResponse(Buffer.concat([SAMPLES[0], Buffer.alloc(40_000)]), TYPE_A)).toBe(null);
  });

  test('the most expensive response is read in bounded time', () => {
    // A chain of pointers inside a record of unknown type, and records whose names jump to its end.
    const chain = 16_000;
    const packet = Buffer.alloc(32_768);
    Buffer.from('000781800001040000000000000001000100ff000001000000003e80', 'hex').copy(packet);
    let at = 28;
    packet.writeUInt16BE(0xc00c, at);
    for (at += 2; at < 28 + chain; at += 2) packet.writeUInt16BE(0xc000 | (at - 2), at);
    for (const last = at - 2; at + 16 <= packet.length; at += 16) {
      packet.writeUInt16BE(0xc000 | last, at);
      packet.set([0, 1, 0, 1, 0, 0, 0, 9, 0, 4, 1, 2, 3, 4], at + 2);
    }
    // Time of this process alone, which a busy machine does not lengthen. Following the chain once for each record would take minutes.
    const before = process.cpuUsage();
    expect(decodeResponse(packet, TYPE_A)?.addresses).toHaveLength(1023);
    expect(process.cpuUsage(before).user).toBeLessThan(20_000_000);
  });

  test('random and damaged responses are read or refused without exceptions', () => {
    forSeeds(3000, (rng) => {
      const n = rng.int(0, 2);
      let packet = Buffer.from(SAMPLES[n]);
      if (rng.bool()) for (let k = rng.int(1, 6); k > 0; k--) packet[rng.int(0, packet.length - 1)] = rng.int(0, 255);
      else packet = Buffer.concat([packet.subarray(0, rng.int(0, 12)), rng.bytes(rng.int(0, 80))]);
      const response = decodeResponse(packet, TYPES[n]);
      for (const address of response?.addresses ?? []) expect(isIP(address)).toBe(n === 0 ? 4 : 6);
    });
  });
});
