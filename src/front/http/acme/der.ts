// Certificate signing requests (PKCS #10, RFC 2986) with the names of a certificate as subject alternative names, encoded in DER.
import { createPublicKey, type KeyObject, sign } from 'node:crypto';
import { isIP } from 'node:net';
import { binaryAddress } from '../request/address.ts';

const SEQUENCE = 0x30;
const SET = 0x31;
const OID = 0x06;
const UTF8 = 0x0c;
const OCTETS = 0x04;
const BITS = 0x03;
const NULL = Buffer.from([0x05, 0x00]);
const VERSION_0 = Buffer.from([0x02, 0x01, 0x00]);
/** tags of GeneralName: dNSName, iPAddress */
const DNS_NAME = 0x82;
const IP_ADDRESS = 0x87;
/** attributes of the request, and the one that lists extensions */
const ATTRIBUTES = 0xa0;

function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  if (length < 0x80) return Buffer.concat([Buffer.from([tag, length]), content]);
  const bytes = length < 0x100 ? [length] : [length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, 0x80 | bytes.length, ...bytes]), content]);
}

/** @param text  numbers separated by dots */
function oid(text: string): Buffer {
  const [first, second, ...rest] = text.split('.').map(Number);
  const bytes = [first * 40 + second];
  for (const number of rest) {
    const groups = [number & 0x7f];
    for (let left = number >>> 7; left > 0; left >>>= 7) groups.unshift((left & 0x7f) | 0x80);
    bytes.push(...groups);
  }
  return der(OID, Buffer.from(bytes));
}

const COMMON_NAME = oid('2.5.4.3');
const EXTENSION_REQUEST = oid('1.2.840.113549.1.9.14');
const SUBJECT_ALT_NAME = oid('2.5.29.17');
const RSA_SHA256 = der(SEQUENCE, oid('1.2.840.113549.1.1.11'), NULL);
const ECDSA_SHA: Readonly<Record<string, readonly [hash: string, algorithm: Buffer]>> = {
  prime256v1: ['sha256', der(SEQUENCE, oid('1.2.840.10045.4.3.2'))],
  secp384r1: ['sha384', der(SEQUENCE, oid('1.2.840.10045.4.3.3'))],
  secp521r1: ['sha512', der(SEQUENCE, oid('1.2.840.10045.4.3.4'))],
};

function generalName(identifier: string): Buffer {
  return isIP(identifier) === 0
    ? der(DNS_NAME, Buffer.from(identifier, 'latin1'))
    : der(IP_ADDRESS, Buffer.from(binaryAddress(identifier), 'latin1'));
}

/**
 * @param key private key, RSA or on a NIST curve @param commonName whether the first name is also the subject's common name @returns DER
 */
export function signingRequest(identifiers: readonly string[], key: KeyObject, commonName: boolean): Buffer {
  const subject = commonName
    ? der(SEQUENCE, der(SET, der(SEQUENCE, COMMON_NAME, der(UTF8, Buffer.from(identifiers[0], 'latin1')))))
    : der(SEQUENCE);
  const names = der(SEQUENCE, ...identifiers.map(generalName));
  const extensions = der(SEQUENCE, der(SEQUENCE, SUBJECT_ALT_NAME, der(OCTETS, names)));
  const publicKey = createPublicKey(key).export({ type: 'spki', format: 'der' });
  const info = der(SEQUENCE, VERSION_0, subject, publicKey, der(ATTRIBUTES, der(SEQUENCE, EXTENSION_REQUEST, der(SET, extensions))));
  const [hash, algorithm] = ECDSA_SHA[key.asymmetricKeyDetails?.namedCurve ?? ''] ?? ['sha256', RSA_SHA256];
  return der(SEQUENCE, info, algorithm, der(BITS, Buffer.from([0]), sign(hash, info, key)));
}
