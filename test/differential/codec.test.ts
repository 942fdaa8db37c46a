import { expect, test } from 'vitest';
import { bitsetCount, bitsetCountAnd, bitsetNext, crc32c } from '../../src/wasm/codec.ts';
import * as reference from '../reference/codec.ts';
import { eachKernelBuild } from '../support/kernels.ts';
import { forSeeds } from '../support/rng.ts';

eachKernelBuild((k, build) => {
  test(`${build}: crc32c equals the bitwise form at any alignment`, () => {
    const check = k.copyIn(new TextEncoder().encode('123456789'));
    expect(crc32c(k, check, 9)).toBe(0xe3069283); // RFC 3720, B.4
    forSeeds(200, (rng) =>
      k.scoped(() => {
        const bytes = rng.bytes(rng.skewed(300));
        const ptr = k.reserve(bytes.length + 8) + rng.int(0, 7);
        k.u8.set(bytes, ptr);
        expect(crc32c(k, ptr, bytes.length)).toBe(reference.crc32c(bytes));
      }),
    );
  });

  test(`${build}: bitsets equal sets`, () =>
    forSeeds(200, (rng) =>
      k.scoped(() => {
        const bits = rng.int(1, 2000);
        const pick = () => Array.from({ length: rng.skewed(bits) }, () => rng.int(0, bits - 1)).sort((a, b) => a - b);
        const [a, b] = [[...new Set(pick())], [...new Set(pick())]];
        const [aPtr, bPtr] = [a, b].map((set) => k.copyIn(reference.bitset(bits, set)));
        expect(bitsetCount(k, aPtr, bits)).toBe(a.length);
        expect(bitsetCountAnd(k, aPtr, bPtr, bits)).toBe(a.filter((bit) => b.includes(bit)).length);
        const from = rng.int(0, bits + 1);
        expect(bitsetNext(k, aPtr, bits, from)).toBe(a.find((bit) => bit >= from) ?? -1);
      }),
    ));

  test(`${build}: sums of vints of one byte and of more equal plain addition`, () =>
    forSeeds(400, (rng) =>
      k.scoped(() => {
        const longer = rng.pick([0, 0.05, 0.3, 0.9]);
        const most = rng.pick([300, 16383, 16384, 2 ** 21, 2 ** 32 - 1]);
        const numbers = Array.from({ length: rng.int(1, 200) }, () => (rng.bool(longer) ? rng.int(0, most) : rng.int(0, 127)));
        const ptr = k.reserve(1100);
        k.u8.fill(rng.int(0, 255), ptr, ptr + 1100);
        k.u8.set(reference.vints(numbers), ptr);
        const out = k.reserve(numbers.length * 4 + 64);
        const bound = k.exports.codecReadVintSums(ptr, out, numbers.length) >>> 0;
        let sum = 0;
        expect([...k.copyOutU32(out, numbers.length)]).toEqual(numbers.map((value) => (sum = (sum + value) >>> 0)));
        expect(bound).toBeGreaterThanOrEqual(Math.max(...numbers));
      }),
    ));
});
