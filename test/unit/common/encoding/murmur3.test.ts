import { expect, test } from 'vitest';
import { murmur3 } from '../../../../src/common/encoding/murmur3.ts';

/** First 64 bits of published test vectors of MurmurHash3_x64_128 with seed 0. */
test.each([
  ['', 0n],
  ['hello', 0xcbd8a7b341bd9b02n],
  ['hello, world', 0x342fac623a5ebc8en],
  ['19 Jan 2038 at 3:14:07 AM', 0xb89e5988b737affcn],
  ['The quick brown fox jumps over the lazy dog.', 0xcd99481f9ee902c9n],
])('%j', (text, hash) => {
  expect(murmur3(Buffer.from(text))).toBe(BigInt.asIntN(64, hash));
});
