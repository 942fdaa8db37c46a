import { describe, expect, it } from 'vitest';
import { crc32, crc32c } from '../../../../src/common/encoding/crc32.ts';
import { Rng } from '../../../support/rng.ts';

/** A bit at a time, from the definition. */
function slowCrc32(bytes: Uint8Array, polynomial = 0xedb88320): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ polynomial : crc >>> 1;
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

  it('equals the definition where node:zlib takes over', () => {
    const rng = new Rng(8);
    for (const length of [511, 512, 513, 700, 5000]) {
      const bytes = Uint8Array.from({ length }, () => rng.u32() & 255);
      expect(crc32(bytes)).toBe(slowCrc32(bytes));
      for (const from of [1, 8, 100]) expect(crc32(bytes, 0, from)).toBe(slowCrc32(bytes.subarray(from)));
      for (const cut of [3, 200, 510]) expect(crc32(bytes, crc32(bytes.subarray(0, cut)), cut)).toBe(slowCrc32(bytes));
    }
  });
});

describe('crc32c', () => {
  it('gives the check value of the standard', () => {
    expect(crc32c(Buffer.from('123456789'))).toBe(0xe3069283);
  });

  it('equals the definition for short inputs and for those read in words, at any alignment', () => {
    const rng = new Rng(9);
    for (const length of [0, 1, 100, 4095, 4096, 4097, 4103, 40_000, 70_003]) {
      const bytes = Uint8Array.from({ length }, () => rng.u32() & 255);
      const expected = slowCrc32(bytes, 0x82f63b78);
      expect(crc32c(bytes)).toBe(expected);
      const shifted = new Uint8Array(length + 3).subarray(3);
      shifted.set(bytes);
      expect(crc32c(shifted)).toBe(expected);
      const cut = rng.int(0, length);
      expect(crc32c(bytes.subarray(cut), crc32c(bytes.subarray(0, cut)))).toBe(expected);
    }
  });
});
