import { describe, expect, it } from 'vitest';
import { crc32 } from '../../../src/common/crc32.ts';
import { Rng } from '../../support/rng.ts';

/** A bit at a time, from the definition. */
function slowCrc32(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return (crc ^ 0xffffffff) >>> 0;
}

describe('crc32', () => {
  it('gives the check value of the standard', () => {
    expect(crc32(Buffer.from('123456789'))).toBe(0xcbf43926);
    expect(crc32(new Uint8Array(0))).toBe(0);
  });

  it('equals the definition for every length and at every cut', () => {
    const rng = new Rng(7);
    for (let length = 0; length < 70; length++) {
      const bytes = Uint8Array.from({ length }, () => rng.u32() & 255);
      const expected = slowCrc32(bytes);
      expect(crc32(bytes)).toBe(expected);
      for (let cut = 0; cut <= length; cut += 5) expect(crc32(bytes.subarray(cut), crc32(bytes.subarray(0, cut)))).toBe(expected);
    }
  });
});
