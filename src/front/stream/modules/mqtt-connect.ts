// CONNECT packets of MQTT 3.1.1 and 5.0 (OASIS standards, section 3.1 of each): read, changed and written again.
//   0x10 ┬ remaining length, 1..4 bytes ┬ "\0\x04MQTT" ┬ level 4 or 5 ┬ flags ┬ keep alive u16 ┬ [5.0: properties] ┤
//   client id ┬ [will: [5.0: properties] ┬ topic ┬ payload] ┬ [user name] ┬ [password]       strings: length u16, bytes

const CONNECT = 0x10;
const PROTOCOL = Buffer.from('\0\x04MQTT', 'latin1');
const [WILL, PASSWORD, USERNAME] = [0x04, 0x40, 0x80];
const RESERVED = 0x01;
const MAX_STRING = 65_535;
const MAX_REMAINING = 268_435_455;

export interface Connect {
  /** bytes of the packet */
  size: number;
  /** 4 for 3.1.1, 5 for 5.0 */
  level: number;
  flags: number;
  keepAlive: number;
  /** with their length; empty before 5.0 */
  properties: Buffer;
  clientId: Buffer;
  /** the unparsed will, empty if there is none */
  will: Buffer;
  username: Buffer | null;
  password: Buffer | null;
}

class Truncated extends Error {}

/** Reads fields one after the other. @throws Truncated */
class Reader {
  readonly #data: Buffer;
  at = 0;

  constructor(data: Buffer) {
    this.#data = data;
  }

  take(bytes: number): Buffer {
    if (this.at + bytes > this.#data.length) throw new Truncated();
    this.at += bytes;
    return this.#data.subarray(this.at - bytes, this.at);
  }

  /** A number of 7 bits a byte. @returns undefined if it has more than four bytes */
  variable(): number | null {
    let value = 0;
    for (let shift = 0; shift < 28; shift += 7) {
      const [byte] = this.take(1);
      value |= (byte & 0x7f) << shift;
      if ((byte & 0x80) === 0) return value;
    }
    return null;
  }

  string(): Buffer {
    return this.take(this.take(2).readUInt16BE(0));
  }

  /** Properties of 5.0 with their length. */
  properties(): Buffer {
    const start = this.at;
    this.take(this.variable() ?? MAX_REMAINING);
    return this.#data.subarray(start, this.at);
  }
}

/** @returns the packet at the start of the data, 'more' if it is incomplete, null if it is not a CONNECT of these versions */
export function parseConnect(data: Buffer): Connect | 'more' | null {
  if (data.length === 0) return 'more';
  if (data[0] !== CONNECT) return null;
  const outer = new Reader(data.subarray(1, 5));
  let remaining: number | null;
  try {
    remaining = outer.variable();
  } catch {
    return 'more';
  }
  if (remaining === null) return null;
  const start = 1 + outer.at;
  const known = Math.min(PROTOCOL.length, data.length - start);
  if (!data.subarray(start, start + known).equals(PROTOCOL.subarray(0, known))) return null;
  if (data.length < start + remaining) return 'more';
  try {
    return readFields(new Reader(data.subarray(start, start + remaining)), start + remaining, remaining);
  } catch (error) {
    if (error instanceof Truncated) return null;
    throw error;
  }
}

function readFields(r: Reader, size: number, remaining: number): Connect | null {
  r.take(PROTOCOL.length);
  const [level, flags] = r.take(2);
  if ((level !== 4 && level !== 5) || flags & RESERVED) return null;
  const keepAlive = r.take(2).readUInt16BE(0);
  const properties = level === 5 ? r.properties() : Buffer.alloc(0);
  const clientId = r.string();
  const parts: Buffer[] = [];
  if (flags & WILL) {
    if (level === 5) parts.push(r.properties());
    for (let n = 0; n < 2; n++) parts.push(written(r.string()));
  }
  const username = flags & USERNAME ? r.string() : null;
  const password = flags & PASSWORD ? r.string() : null;
  if (r.at !== remaining) return null;
  return { size, level, flags, keepAlive, properties, clientId, will: Buffer.concat(parts), username, password };
}

function written(text: Buffer): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(text.length);
  return Buffer.concat([length, text]);
}

/** @throws RangeError a string is too long */
export function writeConnect(packet: Connect): Buffer {
  const { level, keepAlive, properties, clientId, will, username, password } = packet;
  for (const text of [clientId, username, password]) {
    if (text && text.length > MAX_STRING) throw new RangeError('a string of MQTT has at most 65535 bytes');
  }
  const flags = (packet.flags & ~(USERNAME | PASSWORD)) | (username ? USERNAME : 0) | (password ? PASSWORD : 0);
  const fixed = Buffer.from([...PROTOCOL, level, flags, keepAlive >> 8, keepAlive & 0xff]);
  const strings = [username, password].flatMap((text) => (text ? [written(text)] : []));
  const body = Buffer.concat([fixed, properties, written(clientId), will, ...strings]);
  const head = [CONNECT];
  for (let left = body.length; ; ) {
    const low = left & 0x7f;
    left >>= 7;
    head.push(left > 0 ? low | 0x80 : low);
    if (left === 0) break;
  }
  return Buffer.concat([Buffer.from(head), body]);
}
