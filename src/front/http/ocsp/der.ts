/**
 * DER, as far as certificates and OCSP messages need it (X.690): elements of one-byte tags and definite lengths.
 *   ├ tag 1 ┤ length 1..5 ┤ content ┤      length below 128 in one byte, else 0x80 + count and count bytes, big-endian
 */
export const SEQUENCE = 0x30;
export const INTEGER = 0x02;
export const OCTET_STRING = 0x04;
const NULL = 0x05;
const OID = 0x06;

export class DerError extends Error {}

export interface Der {
  tag: number;
  content: Buffer;
  /** tag and length included */
  bytes: Buffer;
}

/** The elements that fill `data`. @throws DerError bytes are missing or the length has no DER form */
export function readElements(data: Buffer): Der[] {
  const out: Der[] = [];
  for (let at = 0; at < data.length; ) {
    const element = readAt(data, at);
    out.push(element);
    at += element.bytes.length;
  }
  return out;
}

/** The element that fills `data`, of the tag asked for. @throws DerError */
export function readOne(data: Buffer, tag: number): Der {
  const element = readAt(data, 0);
  if (element.bytes.length !== data.length) throw new DerError('bytes after the end of an element');
  return expectTag(element, tag);
}

/** @throws DerError it is missing, or of another tag */
export function expectTag(element: Der | undefined, tag: number): Der {
  if (element?.tag !== tag) throw new DerError(`an element of tag ${tag} is missing`);
  return element;
}

function readAt(data: Buffer, start: number): Der {
  let at = start + 1;
  if (at >= data.length) throw new DerError('truncated');
  let length = data[at++];
  if (length >= 0x80) {
    const count = length - 0x80;
    if (count === 0 || count > 4 || at + count > data.length) throw new DerError('bad length');
    length = data.readUIntBE(at, count);
    at += count;
  }
  if (at + length > data.length) throw new DerError('truncated');
  return { tag: data[start], content: data.subarray(at, at + length), bytes: data.subarray(start, at + length) };
}

/** One element around parts that follow each other. */
export function writeDer(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  if (length < 0x80) return Buffer.concat([Buffer.from([tag, length]), content]);
  const bytes: number[] = [];
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest & 255);
  return Buffer.concat([Buffer.from([tag, 0x80 + bytes.length, ...bytes]), content]);
}

/** AlgorithmIdentifier with NULL for its parameters. */
export function writeAlgorithm(oid: string): Buffer {
  return writeDer(SEQUENCE, writeDer(OID, oidBytes(oid)), writeDer(NULL));
}

/** `1.3.14.3.2.26` of an AlgorithmIdentifier. @throws DerError */
export function algorithmOid(algorithm: Der): string {
  return oidText(expectTag(readElements(expectTag(algorithm, SEQUENCE).content)[0], OID).content);
}

/** Dotted form of an object identifier's content. */
export function oidText(content: Buffer): string {
  const arcs: number[] = [];
  let arc = 0;
  for (const byte of content) {
    arc = arc * 128 + (byte & 0x7f);
    if (byte & 0x80) continue;
    if (arcs.length === 0) arcs.push(Math.min(2, Math.floor(arc / 40)), arc - 40 * Math.min(2, Math.floor(arc / 40)));
    else arcs.push(arc);
    arc = 0;
  }
  return arcs.join('.');
}

function oidBytes(text: string): Buffer {
  const arcs = text.split('.').map(Number);
  const bytes: number[] = [arcs[0] * 40 + arcs[1]];
  for (const arc of arcs.slice(2)) {
    const septets = [arc & 0x7f];
    for (let rest = Math.floor(arc / 128); rest > 0; rest = Math.floor(rest / 128)) septets.unshift((rest & 0x7f) | 0x80);
    bytes.push(...septets);
  }
  return Buffer.from(bytes);
}

/** Milliseconds of a GeneralizedTime in UTC. @throws DerError */
export function timeOf(element: Der | undefined): number {
  const text = expectTag(element, 0x18).content.latin1Slice();
  const m = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/.exec(text);
  if (!m) throw new DerError(`bad time "${text.slice(0, 20)}"`);
  const [year, month, day, hour, minute, second] = m.slice(1).map(Number);
  return Date.UTC(year, month - 1, day, hour, minute, second);
}
