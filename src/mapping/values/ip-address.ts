// IPv4 and IPv6 addresses as the 16 bytes of Lucene's InetAddressPoint (IPv4 mapped to ::ffff:a.b.c.d), and as strings (RFC 5952).
import { illegalArgumentError } from '../../errors/catalog.ts';

const IPV4 = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/;

function parseIpv4(text: string): number[] | null {
  const match = IPV4.exec(text);
  if (!match) return null;
  const bytes = match.slice(1).map(Number);
  return bytes.some((byte, i) => byte > 255 || (match[i + 1].length > 1 && match[i + 1][0] === '0')) ? null : bytes;
}

function parseIpv6(text: string): number[] | null {
  const zone = text.indexOf('%');
  if (zone >= 0) text = text.slice(0, zone);
  const halves = text.split('::');
  if (halves.length > 2 || !text.includes(':')) return null;
  const groups: number[][] = [];
  for (const half of halves) {
    const out: number[] = [];
    const parts = half === '' ? [] : half.split(':');
    for (let i = 0; i < parts.length; i++) {
      const v4 = i === parts.length - 1 ? parseIpv4(parts[i]) : null;
      if (v4) out.push(...v4);
      else if (/^[0-9a-fA-F]{1,4}$/.test(parts[i])) out.push(Number.parseInt(parts[i], 16) >> 8, Number.parseInt(parts[i], 16) & 255);
      else return null;
    }
    groups.push(out);
  }
  const [head, tail = []] = groups;
  const missing = 16 - head.length - tail.length;
  if (halves.length === 1 ? missing !== 0 : missing < 2) return null;
  return [...head, ...new Array<number>(missing).fill(0), ...tail];
}

/** 16 bytes, null if the string is not an address. */
export function tryParseIp(text: string): Uint8Array | null {
  const v4 = parseIpv4(text);
  if (v4) {
    const bytes = new Uint8Array(16);
    bytes[10] = bytes[11] = 255;
    bytes.set(v4, 12);
    return bytes;
  }
  const v6 = parseIpv6(text);
  return v6 ? Uint8Array.from(v6) : null;
}

/** @throws ApiError illegal_argument_exception */
export function parseIp(text: string): Uint8Array {
  const bytes = tryParseIp(text);
  if (!bytes) throw illegalArgumentError(`'${text}' is not an IP string literal.`);
  return bytes;
}

function isV4(bytes: Uint8Array): boolean {
  for (let i = 0; i < 10; i++) if (bytes[i] !== 0) return false;
  return bytes[10] === 255 && bytes[11] === 255;
}

/** First and last address of `10.0.0.0/8` or `2001:db8::/32`. @throws ApiError illegal_argument_exception */
export function parseCidr(text: string): { from: Uint8Array; to: Uint8Array } {
  const slash = text.indexOf('/');
  const suffix = text.slice(slash + 1);
  if (slash < 0 || !/^\d+$/.test(suffix)) throw illegalArgumentError(`Expected [ip/prefix] but was [${text}]`);
  const address = parseIp(text.slice(0, slash));
  const v4 = !text.slice(0, slash).includes(':');
  let prefix = Number(suffix);
  if (prefix > (v4 ? 32 : 128)) {
    throw illegalArgumentError(`Illegal prefix length [${suffix}] in [${text}]. Must be 0-32 for IPv4 ranges, 0-128 for IPv6 ranges`);
  }
  if (v4) prefix += 96;
  const from = address.slice();
  const to = address.slice();
  for (let bit = prefix; bit < 128; bit++) {
    from[bit >> 3] &= ~(0x80 >> (bit & 7));
    to[bit >> 3] |= 0x80 >> (bit & 7);
  }
  return { from, to };
}

/** Canonical string of 16 (or 4) bytes. */
export function formatIp(bytes: Uint8Array): string {
  if (bytes.length === 4) return bytes.join('.');
  if (isV4(bytes)) return bytes.subarray(12).join('.');
  const groups = Array.from({ length: 8 }, (_, i) => (bytes[i * 2] << 8) | bytes[i * 2 + 1]);
  // The longest run of at least two zero groups becomes ::.
  let start = -1;
  let length = 1;
  for (let i = 0; i < 8; i++) {
    let run = 0;
    while (i + run < 8 && groups[i + run] === 0) run++;
    if (run > length) {
      start = i;
      length = run;
    }
    i += Math.max(0, run - 1);
  }
  const hex = groups.map((group) => group.toString(16));
  return start < 0 ? hex.join(':') : `${hex.slice(0, start).join(':')}::${hex.slice(start + length).join(':')}`;
}

/** The next address up (1) or down (-1), null beyond the end. */
export function neighbourIp(bytes: Uint8Array, step: 1 | -1): Uint8Array | null {
  const out = bytes.slice();
  for (let i = out.length - 1; i >= 0; i--) {
    out[i] += step;
    if (out[i] !== (step === 1 ? 0 : 255)) return out;
  }
  return null;
}
