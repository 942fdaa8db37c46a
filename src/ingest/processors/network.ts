// Processors of network flows: community_id, network_direction.
// Source: https://github.com/corelight/community-id-spec (the algorithm), and Elasticsearch's reference for the parameters.
import { createHash } from 'node:crypto';
import { illegalArgumentError } from '../../errors/catalog.ts';
import { parseCidr, tryParseIp } from '../../mapping/values/ip-address.ts';
import type { IngestDocument } from '../ingest-document.ts';
import type { ProcessorConfig } from '../processor-config.ts';
import type { ProcessorFactory } from './processor.ts';

function valueAt(document: IngestDocument, field: string): unknown {
  return document.has(field) ? document.get(field) : null;
}

function addressAt(document: IngestDocument, field: string): Uint8Array | null {
  const value = valueAt(document, field);
  return typeof value === 'string' ? parseAddress(value) : null;
}

/** @throws ApiError illegal_argument_exception */
function parseAddress(text: string): Uint8Array {
  const bytes = tryParseIp(text);
  if (bytes === null) throw illegalArgumentError(`'${text}' is not an IP string literal.`);
  return bytes;
}

// -------------------------------------------------------------------------------------------------------- community_id

/** IANA numbers of the transports that flows may name. */
const TRANSPORTS: Readonly<Record<string, number>> = {
  icmp: 1,
  igmp: 2,
  tcp: 6,
  udp: 17,
  gre: 47,
  'icmp-ipv6': 58,
  'ipv6-icmp': 58,
  eigrp: 88,
  ospf: 89,
  pim: 103,
  sctp: 132,
};
const WITH_PORTS = [6, 17, 132];
const ICMP = 1;
const ICMP6 = 58;

/** Types of ICMP messages by those that answer them. */
const ICMP_PAIRS: Readonly<Record<number, Readonly<Record<number, number>>>> = {
  [ICMP]: { 8: 0, 0: 8, 13: 14, 14: 13, 15: 16, 16: 15, 17: 18, 18: 17, 10: 9, 9: 10 },
  [ICMP6]: { 128: 129, 129: 128, 133: 134, 134: 133, 135: 136, 136: 135, 130: 131, 131: 130, 139: 140, 140: 139, 144: 145, 145: 144 },
};

interface Flow {
  readonly source: Uint8Array;
  readonly destination: Uint8Array;
  readonly protocol: number;
  readonly sourcePort: number;
  readonly destinationPort: number;
  /** Its ends are not exchanged. */
  readonly isOneWay: boolean;
}

function isV4(bytes: Uint8Array): boolean {
  return bytes.subarray(0, 10).every((byte) => byte === 0) && bytes[10] === 255 && bytes[11] === 255;
}

/** The identifier of a flow, equal for both directions. @param seed  0 to 65535 */
function communityId(flow: Flow, seed: number): string {
  const short = (bytes: Uint8Array): Buffer => Buffer.from(isV4(flow.source) && isV4(flow.destination) ? bytes.subarray(12) : bytes);
  let [source, destination] = [short(flow.source), short(flow.destination)];
  let { sourcePort, destinationPort } = flow;
  const order = Buffer.compare(source, destination);
  if (!flow.isOneWay && (order > 0 || (order === 0 && sourcePort > destinationPort))) {
    [source, destination] = [destination, source];
    [sourcePort, destinationPort] = [destinationPort, sourcePort];
  }
  const head = Buffer.alloc(2);
  head.writeUInt16BE(seed);
  const ports = Buffer.alloc(4);
  ports.writeUInt16BE(sourcePort, 0);
  ports.writeUInt16BE(destinationPort, 2);
  const hasPorts = WITH_PORTS.includes(flow.protocol) || flow.protocol in ICMP_PAIRS;
  const bytes = Buffer.concat([head, source, destination, Buffer.of(flow.protocol, 0), hasPorts ? ports : Buffer.alloc(0)]);
  return `1:${createHash('sha1').update(bytes).digest('base64')}`;
}

function portAt(document: IngestDocument, field: string, what: string): number {
  const value = valueAt(document, field);
  const port = Number(value);
  if (value !== null && !Number.isInteger(port)) throw illegalArgumentError(`unable to parse ${what} port [${String(value)}]`);
  if (value === null || port < 1 || port > 65_535) throw illegalArgumentError(`invalid ${what} port [${String(value)}]`);
  return port;
}

function smallNumber(document: IngestDocument, field: string, fallback: number): number {
  const number = Number(valueAt(document, field) ?? fallback);
  if (!Number.isInteger(number) || number < 0 || number > 255) throw illegalArgumentError(`invalid value [${number}] of field [${field}]`);
  return number;
}

function protocolOf(document: IngestDocument, numberField: string, nameField: string): number | null {
  const number = valueAt(document, numberField);
  if (number !== null) return smallNumber(document, numberField, 0);
  const name = valueAt(document, nameField);
  if (name === null) return null;
  const text = String(name).toLowerCase();
  if (Object.hasOwn(TRANSPORTS, text)) return TRANSPORTS[text];
  if (/^\d+$/.test(text) && Number(text) <= 255) return Number(text);
  throw illegalArgumentError(`could not convert string [${String(name)}] to transport protocol`);
}

const community: ProcessorFactory = (config) => {
  const sourceIp = config.text('source_ip', 'source.ip');
  const sourcePort = config.text('source_port', 'source.port');
  const destinationIp = config.text('destination_ip', 'destination.ip');
  const destinationPort = config.text('destination_port', 'destination.port');
  const ianaNumber = config.text('iana_number', 'network.iana_number');
  const icmpType = config.text('icmp_type', 'icmp.type');
  const icmpCode = config.text('icmp_code', 'icmp.code');
  const transport = config.text('transport', 'network.transport');
  const target = config.text('target_field', 'network.community_id');
  const seed = Number(config.textOrNumber('seed') ?? 0);
  if (!Number.isInteger(seed) || seed < 0 || seed > 65_535) throw config.error('seed', 'must be a value between 0 and 65535');
  const ignoreMissing = config.boolean('ignore_missing', true);
  return (document) => {
    const source = addressAt(document, sourceIp);
    const destination = addressAt(document, destinationIp);
    const protocol = protocolOf(document, ianaNumber, transport);
    if (source === null || destination === null || protocol === null) {
      if (ignoreMissing) return;
      throw illegalArgumentError('unable to construct flow from document');
    }
    const flow = { source, destination, protocol, isOneWay: false, sourcePort: 0, destinationPort: 0 };
    if (WITH_PORTS.includes(protocol)) {
      flow.sourcePort = portAt(document, sourcePort, 'source');
      flow.destinationPort = portAt(document, destinationPort, 'destination');
    } else if (protocol in ICMP_PAIRS) {
      flow.sourcePort = smallNumber(document, icmpType, 0);
      const answer = ICMP_PAIRS[protocol][flow.sourcePort];
      flow.isOneWay = answer === undefined;
      flow.destinationPort = answer ?? smallNumber(document, icmpCode, 0);
    }
    document.set(target, communityId(flow, seed));
  };
};

// --------------------------------------------------------------------------------------------------- network_direction

type Matches = (address: Uint8Array) => boolean;

const within = (...ranges: string[]): Matches => {
  const parsed = ranges.map(parseCidr);
  return (address) => parsed.some(({ from, to }) => Buffer.compare(address, from) >= 0 && Buffer.compare(address, to) <= 0);
};
const not =
  (...tests: Matches[]): Matches =>
  (address) =>
    !tests.some((test) => test(address));

const LOOPBACK = within('127.0.0.0/8', '::1/128');
const MULTICAST = within('224.0.0.0/4', 'ff00::/8');
const LINK_LOCAL = within('169.254.0.0/16', 'fe80::/10');
const PRIVATE = within('10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fd00::/8');
const UNSPECIFIED = within('0.0.0.0/32', '::/128');
const BROADCAST = within('255.255.255.255/32');
const LINK_LOCAL_MULTICAST = within('224.0.0.0/24', 'ff02::/16');
const INTERFACE_LOCAL_MULTICAST = within('ff01::/16');
const UNICAST = not(BROADCAST, UNSPECIFIED, LOOPBACK, MULTICAST, LINK_LOCAL);

const NETWORKS: Readonly<Record<string, Matches>> = {
  loopback: LOOPBACK,
  unicast: UNICAST,
  global_unicast: UNICAST,
  link_local_unicast: LINK_LOCAL,
  interface_local_multicast: INTERFACE_LOCAL_MULTICAST,
  link_local_multicast: LINK_LOCAL_MULTICAST,
  multicast: MULTICAST,
  private: PRIVATE,
  public: not(PRIVATE, LOOPBACK, UNSPECIFIED, BROADCAST, MULTICAST, LINK_LOCAL),
  unspecified: UNSPECIFIED,
};

/** A network by name or as a CIDR range. @throws ApiError illegal_argument_exception */
function network(name: string): Matches {
  if (Object.hasOwn(NETWORKS, name)) return NETWORKS[name];
  if (!name.includes('/'))
    throw illegalArgumentError(
      `'${name}' is not a valid network: expected a range such as 10.0.0.0/8 or one of [${Object.keys(NETWORKS).join(', ')}]`,
    );
  return within(name);
}

function readNetworks(config: ProcessorConfig): { readonly fixed: readonly string[] | null; readonly field: string | null } {
  const list = config.optionalList('internal_networks');
  const field = config.optionalText('internal_networks_field');
  if (list === null && field === null) throw config.error('internal_networks', 'or [internal_networks_field] must be specified');
  if (list !== null && field !== null)
    throw config.error('internal_networks', 'and [internal_networks_field] cannot both be used in the same processor');
  return { fixed: list?.map(String) ?? null, field };
}

const direction: ProcessorFactory = (config) => {
  const sourceIp = config.text('source_ip', 'source.ip');
  const destinationIp = config.text('destination_ip', 'destination.ip');
  const target = config.text('target_field', 'network.direction');
  const { fixed, field } = readNetworks(config);
  const ignoreMissing = config.boolean('ignore_missing', true);
  const compiled = fixed?.some((name) => name.includes('{{')) === false ? fixed.map(network) : null;
  return (document) => {
    const source = addressAt(document, sourceIp);
    const destination = addressAt(document, destinationIp);
    const given = field === null ? fixed?.map((name) => document.render(name)) : valueAt(document, field);
    const networks = compiled ?? (Array.isArray(given) ? given.map((name) => network(String(name))) : null);
    if (source === null || destination === null || networks === null) {
      if (ignoreMissing) return;
      throw illegalArgumentError('unable to calculate network direction from document');
    }
    const isInternal = (address: Uint8Array): boolean => networks.some((matches) => matches(address));
    const [from, to] = [isInternal(source), isInternal(destination)];
    document.set(target, from ? (to ? 'internal' : 'outbound') : to ? 'inbound' : 'external');
  };
};

export const NETWORK_PROCESSORS: Readonly<Record<string, ProcessorFactory>> = { community_id: community, network_direction: direction };
