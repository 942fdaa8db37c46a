// The first message of a TLS client: server name, protocols, ciphers and groups, read before the handshake begins.
const CURVES: Record<number, string> = {
  23: 'prime256v1',
  24: 'secp384r1',
  25: 'secp521r1',
  29: 'X25519',
  30: 'X448',
  4588: 'X25519MLKEM768',
};
const CIPHERS: Record<number, string> = {
  4865: 'TLS_AES_128_GCM_SHA256',
  4866: 'TLS_AES_256_GCM_SHA384',
  4867: 'TLS_CHACHA20_POLY1305_SHA256',
  49195: 'ECDHE-ECDSA-AES128-GCM-SHA256',
  49196: 'ECDHE-ECDSA-AES256-GCM-SHA384',
  49199: 'ECDHE-RSA-AES128-GCM-SHA256',
  49200: 'ECDHE-RSA-AES256-GCM-SHA384',
  52392: 'ECDHE-RSA-CHACHA20-POLY1305',
  52393: 'ECDHE-ECDSA-CHACHA20-POLY1305',
  52244: 'ECDHE-ECDSA-CHACHA20-POLY1305',
  49171: 'ECDHE-RSA-AES128-SHA',
  49172: 'ECDHE-RSA-AES256-SHA',
  49161: 'ECDHE-ECDSA-AES128-SHA',
  49162: 'ECDHE-ECDSA-AES256-SHA',
  49187: 'ECDHE-ECDSA-AES128-SHA256',
  49188: 'ECDHE-ECDSA-AES256-SHA384',
  49191: 'ECDHE-RSA-AES128-SHA256',
  49192: 'ECDHE-RSA-AES256-SHA384',
  156: 'AES128-GCM-SHA256',
  157: 'AES256-GCM-SHA384',
  47: 'AES128-SHA',
  53: 'AES256-SHA',
  60: 'AES128-SHA256',
  61: 'AES256-SHA256',
};
const VERSIONS: Record<number, string> = { 768: 'SSLv3', 769: 'TLSv1', 770: 'TLSv1.1', 771: 'TLSv1.2', 772: 'TLSv1.3' };
export const MAX_HELLO = 18_000;

export class ClientHello {
  serverName = '';
  /** the same, in the case in which the client sent it */
  sentName = '';
  alpn: string[] = [];
  ciphers: number[] = [];
  curves: number[] = [];
  /** signature schemes in the client's order */
  signatures: number[] = [];
  offersTls13 = false;
  /** the newest version that it offers, such as 0x0304 */
  version = 0;
  /** asks for a stapled OCSP response */
  wantsStatus = false;

  /** Types of keys that can sign for this client, in its order, without duplicates. @param modern TLS 1.3, which has no PKCS #1 signatures */
  signatureKeyTypes(modern: boolean): string[] {
    const types = this.signatures.map((scheme) => {
      if (scheme === 0x0807) return 'ed25519';
      if (scheme === 0x0808) return 'ed448';
      if (scheme >= 0x0804 && scheme <= 0x0806) return 'rsa';
      if ((scheme & 255) === 3) return 'ec';
      return (scheme & 255) === 1 && !modern ? 'rsa' : '';
    });
    return [...new Set(types.filter((type) => type !== ''))];
  }

  /** Name such as `TLSv1.3`, '' for an unnamed version */
  get protocol(): string {
    return VERSIONS[this.version] ?? '';
  }

  cipherNames(): string {
    return this.ciphers
      .filter((c) => !isGrease(c) && c !== 0xff)
      .map((c) => CIPHERS[c] ?? `0x${c.toString(16).padStart(4, '0')}`)
      .join(':');
  }
  curveNames(): string {
    return this.curves
      .filter((c) => !isGrease(c))
      .map((c) => CURVES[c] ?? `0x${c.toString(16).padStart(4, '0')}`)
      .join(':');
  }
  /** The common group: the client's first among those of the server (`auto`: OpenSSL's own list). */
  groupOf(serverCurves: string): string {
    const own =
      serverCurves === 'auto'
        ? ['X25519', 'prime256v1', 'X448', 'secp521r1', 'secp384r1']
        : serverCurves.split(':').map((c) => (c === 'P-256' ? 'prime256v1' : c === 'P-384' ? 'secp384r1' : c));
    const common = this.curves.find((c) => CURVES[c] !== undefined && own.includes(CURVES[c]));
    return common === undefined ? '' : CURVES[common];
  }
}

const isGrease = (c: number): boolean => (c & 0x0f0f) === 0x0a0a && c >> 8 === (c & 255);

/** @returns 'more' if bytes are missing, null if this is not a ClientHello */
export function parseClientHello(data: Buffer): ClientHello | 'more' | null {
  if (data.length < 1) return 'more';
  if (data[0] !== 22) return null;
  // join the handshake bytes of the records
  const parts: Buffer[] = [];
  let total = 0;
  let wanted = Infinity;
  for (let pos = 0; total < wanted; ) {
    if (pos + 5 > data.length) return data.length > MAX_HELLO ? null : 'more';
    if (data[pos] !== 22) return null;
    const length = data.readUInt16BE(pos + 3);
    const piece = data.subarray(pos + 5, pos + 5 + length);
    parts.push(piece);
    total += piece.length;
    if (wanted === Infinity && total >= 4) {
      const head = Buffer.concat(parts);
      if (head[0] !== 1) return null;
      wanted = 4 + head.readUIntBE(1, 3);
      if (wanted > MAX_HELLO) return null;
    }
    if (piece.length < length)
      return total >= wanted ? read(Buffer.concat(parts).subarray(0, wanted)) : data.length > MAX_HELLO ? null : 'more';
    pos += 5 + length;
  }
  return read(Buffer.concat(parts).subarray(0, wanted));
}

function read(body: Buffer): ClientHello | null {
  const hello = new ClientHello();
  try {
    hello.version = body.readUInt16BE(4);
    let pos = 4 + 2 + 32;
    pos += 1 + body[pos];
    const ciphers = body.readUInt16BE(pos);
    for (let at = pos + 2; at < pos + 2 + ciphers; at += 2) hello.ciphers.push(body.readUInt16BE(at));
    pos += 2 + ciphers;
    pos += 1 + body[pos];
    if (pos + 2 > body.length) return hello;
    const end = Math.min(body.length, pos + 2 + body.readUInt16BE(pos));
    for (pos += 2; pos + 4 <= end; ) {
      const type = body.readUInt16BE(pos);
      const length = body.readUInt16BE(pos + 2);
      // ignores a truncated extension
      if (pos + 4 + length > body.length) break;
      readExtension(hello, type, body.subarray(pos + 4, pos + 4 + length));
      pos += 4 + length;
    }
    return hello;
  } catch {
    return null;
  }
}

function readExtension(hello: ClientHello, type: number, data: Buffer): void {
  if (type === 0 && data.length > 5 && data[2] === 0) {
    hello.sentName = data.subarray(5, 5 + data.readUInt16BE(3)).latin1Slice();
    hello.serverName = hello.sentName.toLowerCase();
  } else if (type === 10) for (let at = 2; at + 2 <= data.length; at += 2) hello.curves.push(data.readUInt16BE(at));
  else if (type === 5) hello.wantsStatus = data[0] === 1;
  else if (type === 13) for (let at = 2; at + 2 <= data.length; at += 2) hello.signatures.push(data.readUInt16BE(at));
  else if (type === 43) {
    for (let at = 1; at + 2 <= data.length; at += 2) {
      const version = data.readUInt16BE(at);
      if (version === 0x0304) hello.offersTls13 = true;
      if (VERSIONS[version] !== undefined && version > hello.version) hello.version = version;
    }
  } else if (type === 16)
    for (let at = 2; at < data.length; at += 1 + data[at]) hello.alpn.push(data.subarray(at + 1, at + 1 + data[at]).latin1Slice());
}
