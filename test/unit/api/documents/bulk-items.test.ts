// Lines of a bulk body, whatever its chunks and however many lines are read at once.
import { expect, test } from 'vitest';
import { LineReader } from '../../../../src/api/documents/bulk-items.ts';

const TEXT = 'one\r\n\ntwo three\n\r\nfour\nrest';

/** Reads `text` in chunks of `chunk` bytes, `most` lines at once. */
function read(text: string, chunk: number, most: number): { lines: string[]; hasRest: boolean; number: number } {
  const reader = new LineReader();
  const lines: string[] = [];
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += chunk) {
    // The listener reuses its memory: lines must not depend on it once the next chunk has arrived.
    const shared = Buffer.from(bytes.subarray(at, at + chunk));
    reader.push(shared);
    for (let taken = most; taken === most; ) {
      const some = reader.take(most);
      taken = some.length;
      for (const line of some) lines.push(Buffer.from(line).toString());
    }
    shared.fill(0);
  }
  return { lines, hasRest: reader.hasRest, number: reader.lineNumber };
}

test('lines do not depend on chunks', () => {
  for (let chunk = 1; chunk <= TEXT.length; chunk++) {
    for (const most of [1, 2, 100]) {
      expect(read(TEXT, chunk, most)).toEqual({ lines: ['one', '', 'two three', '', 'four'], hasRest: true, number: 5 });
    }
  }
});

test('a body that ends with a line break leaves no rest', () => {
  expect(read('{}\n{}\n', 2, 1)).toEqual({ lines: ['{}', '{}'], hasRest: false, number: 2 });
});
