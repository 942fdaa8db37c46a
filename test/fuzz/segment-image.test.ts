import { expect, test } from 'vitest';
import { openSegment } from '../../src/arena/segment-reader.ts';
import { addBlock, checkSegment, FIELDS, randomBlock } from '../support/check-segment.ts';
import { eachKernelBuild } from '../support/kernels.ts';
import { forSeeds, Rng } from '../support/rng.ts';
import { createOpenBuffer } from '../support/segments.ts';

eachKernelBuild((k, build) => {
  const buffer = createOpenBuffer(build, FIELDS);
  const rng = new Rng(1);
  const documents = Array.from({ length: 200 }, (_, seqNo) => randomBlock(rng, seqNo, true));
  for (const block of documents) addBlock(buffer, block);
  const image = buffer.flush().slice();
  const words = new Uint32Array(image.buffer);
  const ptr = k.reserve(image.length + 64, 64);
  const open = (bytes: Uint8Array, verify = true) => {
    k.u8.set(bytes, ptr);
    return openSegment(k, ptr, bytes.length, { id: 1, file: 's7.seg', verify });
  };

  /** Whether a byte belongs to the header, the table of contents or a section (and not to the padding between). */
  const isCovered = (at: number): boolean => {
    const toc = words[5];
    if (at < 64 || at >= toc) return true;
    for (let entry = toc / 4; entry < words.length; entry += 8) {
      if (at >= words[entry + 2] && at < words[entry + 2] + words[entry + 3]) return true;
    }
    return false;
  };

  test(`${build}: a flipped bit anywhere is found and its file named`, () => {
    checkSegment(open(image), documents.flat());
    forSeeds(600, (rng) => {
      const at = rng.bool(0.2) ? rng.int(0, 63) : rng.int(0, image.length - 1);
      const damaged = image.slice();
      damaged[at] ^= 1 << rng.int(0, 7);
      if (!isCovered(at)) {
        expect(() => open(damaged)).not.toThrow();
        return;
      }
      expect(() => open(damaged)).toThrow(
        expect.objectContaining({ type: 'corrupt_index_exception', reason: expect.stringContaining('(resource=s7.seg)') }),
      );
      // Header and table of contents are checked at every opening.
      if (at < 64 || at >= words[5])
        expect(() => open(damaged, false)).toThrow(expect.objectContaining({ type: 'corrupt_index_exception' }));
    });
  });

  test(`${build}: the damaged section is named`, () => {
    const toc = words[5] / 4;
    const names = ['fields', 'terms', 'postings', 'positions', 'norms', 'column', 'ids', 'nested', 'binary'];
    const seen = new Set<string>();
    for (let entry = toc; entry < words.length; entry += 8) {
      if (words[entry + 3] === 0) continue;
      const damaged = image.slice();
      damaged[words[entry + 2]] ^= 0x10;
      const name = names[words[entry] - 1];
      seen.add(name);
      expect(() => open(damaged)).toThrow(`section ${name} at ${words[entry + 2]}: checksum differs`);
    }
    expect([...seen].sort()).toEqual([...names].sort());
  });

  test(`${build}: files of another length or with junk are rejected as segments`, () => {
    forSeeds(100, (rng) => {
      const bytes = rng.bool() ? image.subarray(0, rng.int(0, image.length - 1)) : rng.bytes(rng.skewed(400));
      expect(() => open(bytes)).toThrow(expect.objectContaining({ type: 'corrupt_index_exception', status: 500 }));
    });
    const longer = new Uint8Array(image.length + 8);
    longer.set(image);
    expect(() => open(longer)).toThrow(expect.objectContaining({ type: 'corrupt_index_exception' }));
  });
});
