// The base-64 of crypt(3): its own alphabet, and the low bits first.
const ALPHABET = './0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/**
 * Encodes the bytes of a digest in the order that a scheme prescribes.
 * @param order  groups of 1 to 3 indexes of bytes, the most significant byte of a group first
 */
export function encodeCrypt(digest: Uint8Array, order: readonly (readonly number[])[]): string {
  let out = '';
  for (const group of order) {
    let value = 0;
    for (const index of group) value = (value << 8) | digest[index];
    for (let n = 0; n <= group.length; n++) {
      out += ALPHABET[value & 63];
      value >>= 6;
    }
  }
  return out;
}
