// Messages between an event loop and its Perl interpreter: lists of byte strings, as one string of latin1 characters.
//   frame = item*      item = length:u32 big-endian, bytes      a length of 0xffffffff stands for undef
// nginx-package.ts reads and writes the same layout in Perl.

/** Strings of latin1 characters, one for each byte; null stands for undef. */
export type Items = readonly (string | null)[];

const UNDEF = '\xff\xff\xff\xff';

export function encodeFrame(items: Items): string {
  let frame = '';
  for (const item of items) {
    if (item === null) frame += UNDEF;
    else {
      const { length } = item;
      frame += String.fromCharCode((length >>> 24) & 255, (length >>> 16) & 255, (length >>> 8) & 255, length & 255) + item;
    }
  }
  return frame;
}

/** @throws Error the frame is cut off */
export function decodeFrame(frame: string): (string | null)[] {
  const items: (string | null)[] = [];
  for (let at = 0; at < frame.length; ) {
    if (at + 4 > frame.length) throw new Error('perl: incomplete frame');
    const length =
      ((frame.charCodeAt(at) << 24) | (frame.charCodeAt(at + 1) << 16) | (frame.charCodeAt(at + 2) << 8) | frame.charCodeAt(at + 3)) >>> 0;
    at += 4;
    if (length === 0xffffffff) {
      items.push(null);
      continue;
    }
    if (at + length > frame.length) throw new Error('perl: incomplete frame');
    items.push(frame.slice(at, at + length));
    at += length;
  }
  return items;
}
