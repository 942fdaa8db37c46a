// Writes databases in MaxMind's format (MMDB 2.0) for tests: a binary tree over address bits, then the records, then metadata.
// Source: https://maxmind.github.io/MaxMind-DB/

type Value = string | number | boolean | readonly Value[] | { readonly [key: string]: Value };

const RECORD_BYTES = 4;
const MARKER = Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1');

function control(type: number, size: number): Buffer {
  const head = size < 29 ? [size] : size < 285 ? [29, size - 29] : [30, (size - 285) >> 8, (size - 285) & 255];
  return type < 8 ? Buffer.from([(type << 5) | head[0], ...head.slice(1)]) : Buffer.from([head[0], type - 7, ...head.slice(1)]);
}

function encode(value: Value): Buffer {
  if (typeof value === 'string') return Buffer.concat([control(2, Buffer.byteLength(value)), Buffer.from(value)]);
  if (typeof value === 'boolean') return control(14, value ? 1 : 0);
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0) {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(value);
    return Buffer.concat([control(6, 4), bytes]);
  }
  if (typeof value === 'number') {
    const bytes = Buffer.alloc(8);
    bytes.writeDoubleBE(value);
    return Buffer.concat([control(3, 8), bytes]);
  }
  if (Array.isArray(value)) return Buffer.concat([control(11, value.length), ...value.map(encode)]);
  const entries = Object.entries(value as { readonly [key: string]: Value });
  return Buffer.concat([control(7, entries.length), ...entries.flatMap(([key, item]) => [encode(key), encode(item)])]);
}

/** @param networks  records by IPv4 network: `1.2.0.0/16` */
export function mmdb(type: string, networks: Readonly<Record<string, Value>>): Buffer {
  const nodes: [number, number][] = [[-1, -1]];
  const data: Buffer[] = [];
  const leaves: { node: number; side: 0 | 1; offset: number }[] = [];
  let dataBytes = 0;
  for (const [network, value] of Object.entries(networks)) {
    const [address, length] = network.split('/');
    const bits = address.split('.').flatMap((byte) => Array.from({ length: 8 }, (_, i) => (Number(byte) >> (7 - i)) & 1));
    let node = 0;
    bits.slice(0, Number(length)).forEach((bit, i) => {
      const side = bit as 0 | 1;
      if (i === Number(length) - 1) leaves.push({ node, side, offset: dataBytes });
      else {
        if (nodes[node][side] < 0) nodes[node][side] = nodes.push([-1, -1]) - 1;
        node = nodes[node][side];
      }
    });
    const bytes = encode(value);
    data.push(bytes);
    dataBytes += bytes.length;
  }
  // A record is the number of a node, the number of nodes for "nothing", or beyond that an offset in the data.
  for (const { node, side, offset } of leaves) nodes[node][side] = nodes.length + 16 + offset;
  const tree = Buffer.alloc(nodes.length * 2 * RECORD_BYTES);
  nodes.flat().forEach((record, i) => tree.writeUInt32BE(record < 0 ? nodes.length : record, i * RECORD_BYTES));
  const metadata = encode({
    binary_format_major_version: 2,
    binary_format_minor_version: 0,
    build_epoch: 1_700_000_000,
    database_type: type,
    description: { en: 'test' },
    ip_version: 4,
    languages: ['en'],
    node_count: nodes.length,
    record_size: RECORD_BYTES * 8,
  });
  return Buffer.concat([tree, Buffer.alloc(16), ...data, MARKER, metadata]);
}
