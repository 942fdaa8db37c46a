// Addresses of ip_range: their 16 bytes, the range of a mask, and their string form.
import { illegalArgumentError, parameterError } from '../errors.ts';

/** The 16 bytes of an address, IPv4 as mapped IPv6; null if it is not one. */
export function ipBytes(text: string): Uint8Array | null {
  const v4 = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text);
  const bytes = new Uint8Array(16);
  if (v4) {
    const parts = v4.slice(1).map(Number);
    if (parts.some((part) => part > 255)) return null;
    bytes.set([255, 255, ...parts], 10);
    return bytes;
  }
  const halves = text.split('::');
  if (!text.includes(':') || halves.length > 2) return null;
  const groups = halves.map((half) => (half === '' ? [] : half.split(':')));
  const count = groups.reduce((sum, half) => sum + half.length, 0);
  if (halves.length === 1 ? count !== 8 : count > 7) return null;
  const all = halves.length === 1 ? groups[0] : [...groups[0], ...Array.from({ length: 8 - count }, () => '0'), ...groups[1]];
  for (const [i, group] of all.entries()) {
    if (!/^[0-9a-fA-F]{1,4}$/.test(group)) return null;
    const value = Number.parseInt(group, 16);
    bytes[2 * i] = value >> 8;
    bytes[2 * i + 1] = value & 255;
  }
  return bytes;
}

/** The addresses of `ADDRESS/PREFIX`, the end excluded; `to` is null if they reach to the last one. @throws ApiError illegal_argument_exception */
export function maskRange(typeName: string, mask: string): { from: Uint8Array; to: Uint8Array | null } {
  const [address, length] = mask.split('/');
  const from = ipBytes(address);
  const bits = address.includes(':') ? 128 : 32;
  if (!from || length === undefined || !/^\d+$/.test(length))
    throw parameterError(typeName, 'ranges', `Expected [ip/prefix] but was [${mask}]`);
  if (Number(length) > bits) {
    throw illegalArgumentError(`Illegal prefix length [${length}] in [${mask}]. Must be 0-32 for IPv4 ranges, 0-128 for IPv6 ranges`);
  }
  const prefix = Number(length) + 128 - bits;
  let value = toBigInt(from);
  const size = 1n << BigInt(128 - prefix);
  value -= value % size;
  const end = value + size;
  return { from: fromBigInt(value), to: end >= 1n << 128n ? null : fromBigInt(end) };
}

export function toBigInt(bytes: Uint8Array): bigint {
  return bytes.reduce((value, byte) => (value << 8n) | BigInt(byte), 0n);
}

function fromBigInt(value: bigint): Uint8Array {
  return Uint8Array.from({ length: 16 }, (_, i) => Number((value >> BigInt(8 * (15 - i))) & 255n));
}

/** String form of a 16-byte address: dotted for mapped IPv4, else as in RFC 5952. */
export function ipText(bytes: Uint8Array): string {
  if (bytes.subarray(0, 10).every((b) => b === 0) && bytes[10] === 255 && bytes[11] === 255) return bytes.subarray(12).join('.');
  const groups = Array.from({ length: 8 }, (_, i) => ((bytes[2 * i] << 8) | bytes[2 * i + 1]).toString(16));
  let best = { at: -1, length: 1 };
  for (let i = 0; i < 8; i++) {
    let j = i;
    while (j < 8 && groups[j] === '0') j++;
    if (j - i > best.length) best = { at: i, length: j - i };
    if (j > i) i = j;
  }
  if (best.at < 0) return groups.join(':');
  return `${groups.slice(0, best.at).join(':')}::${groups.slice(best.at + best.length).join(':')}`;
}
