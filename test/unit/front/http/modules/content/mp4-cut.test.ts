/** Headers of a cut movie, compared with those that nginx 1.22 writes for a file of the same shape; its tables still lead to the samples. */
import { describe, expect, test } from 'vitest';
import { present } from '../../../../../../src/common/present.ts';
import { cutMoov } from '../../../../../../src/front/http/modules/content/mp4-cut.ts';
import { makeMovie, SAMPLE_TIME, TRACK_SCALE } from '../../../../../support/movie.ts';

const movie = makeMovie({ samples: 150, sizeOf: (n) => 20 + n });

function cut(startMs: number, lengthMs: number | null = null, keyFrame = false) {
  const source = { size: movie.length, read: (at: number, count: number) => movie.subarray(at, at + count) };
  const { head, dataStart, dataEnd } = present(cutMoov(source, { startMs, lengthMs, keyFrame, maxMoov: 1 << 20 }));
  const file = Buffer.concat([...head, movie.subarray(dataStart, dataEnd)]);
  const find = (name: string) => file.indexOf(name, 0, 'latin1') + 4;
  const u32 = (name: string, offset: number) => file.readUInt32BE(find(name) + offset);
  const samples = u32('stsz', 8);
  const offsets = Array.from({ length: samples }, (_, n) => u32('stco', 8 + n * 4));
  return {
    file,
    samples,
    /** each sample is filled with its number */
    numbers: offsets.map((at) => file[at]),
    keys: Array.from({ length: u32('stss', 4) }, (_, n) => u32('stss', 8 + n * 4)),
    movieMs: u32('mvhd', 16),
    trackMs: u32('tkhd', 20),
    mediaTime: u32('mdhd', 16),
    composition: u32('ctts', 4),
    edit: file.includes('elst', 0, 'latin1') ? [u32('elst', 12), u32('elst', 20)] : undefined,
    leftOut: ['udta', 'sgpd'].filter((name) => !file.includes(name, 0, 'latin1')),
  };
}

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => from + n);

describe('cutMoov', () => {
  test('durations follow the requested times, not the samples that contain them', () => {
    const part = cut(2100, 1900);
    expect(part.numbers).toEqual(range(31, 59));
    expect([part.movieMs, part.trackMs, part.mediaTime]).toEqual([1900, 1900, (1900 * TRACK_SCALE) / 1000]);
    expect(part.composition).toBe(29);
    expect(part.edit).toBeUndefined();
    expect(part.leftOut).toEqual(['udta', 'sgpd']);
  });

  test('the cut begins at a key frame, whose frames before the start are hidden by an edit list', () => {
    const part = cut(2100, 1900, true);
    expect(part.numbers).toEqual(range(30, 59));
    expect(part.keys).toEqual([1, 16]);
    expect(part.edit).toEqual([1900, SAMPLE_TIME]);
    expect([part.movieMs, part.mediaTime]).toEqual([1900, (1900 * TRACK_SCALE) / 1000 + SAMPLE_TIME]);
  });

  test('the end may be that of the film, or beyond', () => {
    const part = cut(9950);
    expect(part.numbers).toEqual([149]);
    expect([part.movieMs, part.mediaTime]).toEqual([50, 768]);
    expect(cut(0, 99_000).numbers).toEqual(range(0, 150));
    expect(() => cut(10_000)).toThrow('duration is less than start time');
  });

  test('a whole film that can be played from its start is unchanged', () => {
    const first = makeMovie({ samples: 9, sizeOf: () => 4 });
    const [moov, mdat] = ['moov', 'mdat'].map((name) => first.indexOf(name, 0, 'latin1'));
    const source = { size: first.length, read: (at: number, count: number) => first.subarray(at, at + count) };
    const whole = cutMoov(source, { startMs: 0, lengthMs: null, keyFrame: false, maxMoov: 1 << 20 });
    expect(whole === undefined).toBe(moov < mdat);
    expect(cutMoov(source, { startMs: 0, lengthMs: 1, keyFrame: false, maxMoov: 1 << 20 })).toBeDefined();
  });

  describe('tables that claim more samples than the file has', () => {
    const ALL = 0xffffffff;

    /** Cuts a film of 20 samples after changing numbers in its tables. */
    function cutChanged(lengthMs: number | null, changes: [table: string, offset: number, value: number][]) {
      const film = makeMovie({ samples: 20, sizeOf: () => 4 });
      for (const [name, offset, value] of changes) film.writeUInt32BE(value, film.indexOf(name, 0, 'latin1') + 4 + offset);
      const source = { size: film.length, read: (at: number, count: number) => film.subarray(at, at + count) };
      return cutMoov(source, { startMs: 100, lengthMs, keyFrame: false, maxMoov: 1 << 20 });
    }

    test('an end among them is refused', () => {
      expect(() => cutChanged(1e6, [['stts', 8, ALL]])).toThrow('end time is out mp4 stsz samples');
    });

    test('a start among them is refused', () => {
      expect(() =>
        cutChanged(null, [
          ['stts', 12, 1],
          ['stts', 8, ALL],
        ]),
      ).toThrow('start time is out mp4 stsz samples');
    });

    test('without an end the cut has the samples whose sizes are known', () => {
      const { head } = present(cutChanged(null, [['stts', 8, ALL]]));
      const moov = Buffer.concat(head);
      const stsz = moov.indexOf('stsz', 0, 'latin1') + 4;
      expect([moov.readUInt32BE(stsz + 8), moov.readUInt32BE(stsz - 8)]).toEqual([19, 20 + 19 * 4]);
    });

    test('samples of one size end with the data', () => {
      const film = makeMovie({ samples: 20, sizeOf: () => 4 });
      const { dataStart, dataEnd } = present(
        cutChanged(1e9, [
          ['stts', 8, ALL],
          ['stsc', 12, ALL],
          ['stsz', 4, 4],
          ['stsz', 8, ALL],
        ]),
      );
      expect([film.length - dataStart, dataEnd]).toEqual([19 * 4, film.length]);
    });
  });

  test('a film of many chunks is cut', () => {
    const film = makeMovie({ samples: 200_000, sizeOf: () => 1 });
    const source = { size: film.length, read: (at: number, count: number) => film.subarray(at, at + count) };
    const { dataStart, dataEnd } = present(cutMoov(source, { startMs: 1000, lengthMs: null, keyFrame: false, maxMoov: 10 << 20 }));
    expect(dataEnd - dataStart).toBe(200_000 - 15);
  });

  test('a file of countless small atoms is refused', () => {
    const atom = Buffer.from('\0\0\0\x08free', 'latin1');
    const source = { size: 1e9, read: () => atom };
    expect(() => cutMoov(source, { startMs: 1, lengthMs: null, keyFrame: false, maxMoov: 1 })).toThrow('more than 262144 atoms');
  });
});
