// `10.0.0.0/8`, `2001:db8::/32`: an address and the bits that count, over the 16 bytes of the v6 form.
import { illegalArgument } from '../errors/catalog.ts';

const V4_MAPPED_BITS = 96;

/** @throws ApiError illegal_argument_exception */
export function parseCidr(text: string): { address: string; bits: number } {
  const parts = text.split('/');
  if (parts.length !== 2) throw illegalArgument(`Expected [ip/prefix] but was [${text}]`);
  const [address, suffix] = parts;
  const limit = address.includes(':') ? 128 : 32;
  if (!/^\d+$/.test(suffix)) throw illegalArgument(`Expected [ip/prefix] but was [${text}]`);
  const bits = Number(suffix);
  if (bits > limit) {
    throw illegalArgument(`Illegal prefix length [${bits}] in [${text}]. Must be 0-32 for IPv4 ranges, 0-128 for IPv6 ranges`);
  }
  return { address, bits: limit === 32 ? bits + V4_MAPPED_BITS : bits };
}
