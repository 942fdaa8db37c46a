// IP addresses as bytes.

/** Address as network bytes, latin1; the address of a unix socket is returned unchanged. */
export function binaryAddress(address: string): string {
  if (address.startsWith('unix:')) return address;
  if (!address.includes(':')) return String.fromCharCode(...address.split('.').map(Number));
  return String.fromCharCode(...ipv6Bytes(address));
}

/** The 16 bytes of an IPv6 address. */
export function ipv6Bytes(address: string): number[] {
  let text = address;
  const v4 = /^(.*:)(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(text);
  if (v4) text = `${v4[1]}${((Number(v4[2]) << 8) | Number(v4[3])).toString(16)}:${((Number(v4[4]) << 8) | Number(v4[5])).toString(16)}`;
  const [left, right] = text.split('::');
  const groups = (part: string | null) => (part ? part.split(':').map((g) => Number.parseInt(g, 16)) : []);
  const [a, b] = [groups(left ?? null), groups(right ?? null)];
  const words = right === undefined ? a : [...a, ...new Array<number>(8 - a.length - b.length).fill(0), ...b];
  return words.flatMap((w) => [w >> 8, w & 255]);
}
