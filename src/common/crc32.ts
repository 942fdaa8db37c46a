/** CRC-32 (IEEE) of a latin1 text, unsigned. */
const TABLE = Uint32Array.from({ length: 256 }, (_, n) => {
  let c = n;
  for (let k = 0; k < 8; k++) c = c & 1 ? (c >>> 1) ^ 0xedb88320 : c >>> 1;
  return c;
});

export function crc32(text: string): number {
  let c = 0xffffffff;
  for (let n = 0; n < text.length; n++) c = TABLE[(c ^ text.charCodeAt(n)) & 255] ^ (c >>> 8);
  return (c ^ 0xffffffff) >>> 0;
}
