// Queries and responses of DNS (RFC 1035), written and read by dns-packet. What the package does not check is checked here: lengths of labels in a
// query; in a response the number of records (names that jump through long chains of pointers cost time) and reads past its end.
import { createRequire } from 'node:module';
import { isIPv4 } from 'node:net';
import type { Answer as DnsRecord } from 'dns-packet';

export const TYPE_A = 1;
export const TYPE_PTR = 12;
export const TYPE_AAAA = 28;
export const TYPE_SRV = 33;

const TYPE_NAMES = { [TYPE_A]: 'A', [TYPE_PTR]: 'PTR', [TYPE_AAAA]: 'AAAA', [TYPE_SRV]: 'SRV' } as const;
export type QueryType = keyof typeof TYPE_NAMES;

type Codec = typeof import('dns-packet');
const require = createRequire(import.meta.url);
let loaded: Codec | null = null;
/** Loaded with the first message: most configurations have no resolver. */
function codec(): Codec {
  loaded ??= require('dns-packet') as Codec;
  return loaded;
}

const HEADER_BYTES = 12;
const MAX_NAME_BYTES = 253;
const MAX_LABEL_BYTES = 63;
/** Together they limit the steps through names to 8 million, some 200 ms. */
const MAX_RESPONSE_BYTES = 32_768;
const MAX_ANSWERS = 1024;
const NO_TTL = 0x7fffffff;

export interface SrvRecord {
  priority: number;
  weight: number;
  port: number;
  target: string;
}

export interface DnsResponse {
  /** of the question, without a final dot */
  name: string;
  /** RCODE, 0 to 15 */
  code: number;
  truncated: boolean;
  /** of the requested type; IPv6 in canonical form */
  addresses: string[];
  srv: SrvRecord[];
  /** of an address, from PTR records */
  names: string[];
  /** target of the last alias, '' if there is none */
  cname: string;
  /** smallest TTL in seconds of the records used */
  ttl: number;
}

/** The name for reverse lookups of an address. @param address  IPv4 or IPv6, without a zone */
export function reverseName(address: string): string {
  if (isIPv4(address)) return `${address.split('.').reverse().join('.')}.in-addr.arpa`;
  const [head, tail = ''] = new URL(`http://[${address}]/`).hostname.slice(1, -1).split('::');
  const groups = (text: string): string[] => (text === '' ? [] : text.split(':'));
  const first = groups(head);
  const last = groups(tail);
  const all = [...first, ...Array.from({ length: 8 - first.length - last.length }, () => '0'), ...last];
  const digits = all.map((group) => group.padStart(4, '0')).join('');
  return `${[...digits].reverse().join('.')}.ip6.arpa`;
}

const withoutDot = (name: string): string => name.replace(/\.$/, '');

/** False if no query can contain the name: a label is empty or too long. */
export function isDnsName(name: string): boolean {
  const whole = withoutDot(name);
  if (Buffer.byteLength(whole) > MAX_NAME_BYTES) return false;
  return whole.split('.').every((label) => label !== '' && Buffer.byteLength(label) <= MAX_LABEL_BYTES);
}

/** A recursive query. @param name  a name that isDnsName() accepts */
export function encodeQuery(id: number, name: string, type: QueryType): Buffer {
  const { encode, RECURSION_DESIRED } = codec();
  return encode({ type: 'query', id, flags: RECURSION_DESIRED, questions: [{ name: withoutDot(name), type: TYPE_NAMES[type] }] });
}

/** True for a response with a header: its id is in the first two bytes. */
export const isResponse = (packet: Buffer): boolean => packet.length >= HEADER_BYTES && (packet[2] & 0x80) !== 0;

/** Reads a response to a query of one type. @returns null if it is malformed, too large, or answers another type */
export function decodeResponse(packet: Buffer, type: QueryType): DnsResponse | null {
  if (!isResponse(packet) || packet.length > MAX_RESPONSE_BYTES) return null;
  if (packet.readUInt16BE(4) !== 1 || packet.readUInt16BE(6) > MAX_ANSWERS) return null;
  // Authority and additional records are not needed; removing them prevents unusual ones from making a response unreadable.
  const needed = Buffer.from(packet).fill(0, 8, HEADER_BYTES);
  const { decode } = codec();
  try {
    const { questions = [], answers = [], flag_tc: truncated } = decode(needed);
    // Addresses past the end are read as zeros.
    if (decode.bytes > packet.length || questions[0].type !== TYPE_NAMES[type]) return null;
    const name = questions[0].name === '.' ? '' : questions[0].name;
    const response: DnsResponse = { name, code: packet[3] & 15, truncated, addresses: [], srv: [], names: [], cname: '', ttl: NO_TTL };
    for (const record of answers) if (!addRecord(response, record, type)) return null;
    return response;
  } catch {
    // dns-packet throws Error and RangeError.
    return null;
  }
}

/** @returns false if the record is malformed, or among names of an address is one of another type, as in nginx */
function addRecord(out: DnsResponse, record: DnsRecord, type: QueryType): boolean {
  if (record.type !== 'CNAME' && record.type !== TYPE_NAMES[type]) return type !== TYPE_PTR;
  switch (record.type) {
    case 'A':
      if (!isIPv4(record.data)) return false;
      out.addresses.push(record.data);
      break;
    case 'AAAA':
      out.addresses.push(new URL(`http://[${record.data}]/`).hostname.slice(1, -1));
      break;
    case 'SRV': {
      const { priority = 0, weight = 0, port, target } = record.data;
      out.srv.push({ priority, weight, port, target: target === '.' ? '' : target });
      break;
    }
    case 'PTR':
      out.names.push(withoutDot(record.data));
      break;
    case 'CNAME':
      out.cname = record.data === '.' ? '' : record.data;
      break;
  }
  out.ttl = Math.min(out.ttl, record.ttl ?? NO_TTL);
  return true;
}
