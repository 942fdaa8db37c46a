/** A small MP4 file: one video track, a chunk per sample, 15 samples a second, a key frame each second. */

export interface MovieShape {
  /** length of the track */
  samples: number;
  /** bytes of the sample */
  sizeOf: (sample: number) => number;
}

export const MOVIE_SCALE = 1000;
export const TRACK_SCALE = 15_360;
export const SAMPLE_TIME = 1024;
export const KEY_EVERY = 15;

const u32 = (...lists: (number | number[])[]): Buffer => {
  const values = lists.flat();
  const out = Buffer.alloc(values.length * 4);
  values.forEach((value, n) => out.writeUInt32BE(value, n * 4));
  return out;
};
const atom = (name: string, ...content: Buffer[]): Buffer => {
  const body = Buffer.concat(content);
  return Buffer.concat([u32(body.length + 8), Buffer.from(name, 'latin1'), body]);
};

export function makeMovie({ samples, sizeOf }: MovieShape): Buffer {
  const list = Array.from({ length: samples }, (_, n) => n);
  const trackTime = samples * SAMPLE_TIME;
  const movieTime = Math.floor((trackTime * MOVIE_SCALE) / TRACK_SCALE);
  const moov = (offsets: number[]): Buffer => {
    const keys = list.filter((n) => n % KEY_EVERY === 0).map((n) => n + 1);
    const stbl = atom(
      'stbl',
      atom('stsd', u32(0, 0)),
      atom('stts', u32(0, 1, samples, SAMPLE_TIME)),
      atom('stss', u32(0, keys.length, keys)),
      atom(
        'ctts',
        u32(
          0,
          samples,
          list.flatMap((n) => [1, n]),
        ),
      ),
      atom('stsc', u32(0, 1, 1, 1, 1)),
      atom('stsz', u32(0, 0, samples, list.map(sizeOf))),
      atom('stco', u32(0, samples, offsets)),
      atom('sgpd', u32(0)),
    );
    const mdia = atom('mdia', atom('mdhd', u32(0, 0, 0, TRACK_SCALE, trackTime, 0)), atom('hdlr', u32(0)), atom('minf', stbl));
    const tkhd = atom('tkhd', u32(0, 0, 0, 1, 0, movieTime), Buffer.alloc(60));
    const trak = atom('trak', tkhd, atom('edts', u32(0)), mdia);
    return atom('moov', atom('mvhd', u32(0, 0, 0, MOVIE_SCALE, movieTime), Buffer.alloc(80)), trak, atom('udta', u32(0)));
  };
  const ftyp = atom('ftyp', Buffer.from('isom'));
  let at = ftyp.length + moov(list).length + 8;
  const offsets = list.map((n) => {
    at += sizeOf(n);
    return at - sizeOf(n);
  });
  return Buffer.concat([ftyp, moov(offsets), atom('mdat', Buffer.concat(list.map((n) => Buffer.alloc(sizeOf(n), n & 255))))]);
}
