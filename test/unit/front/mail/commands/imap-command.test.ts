/** Commands of IMAP that are refused: the reply names their own tag, however the bytes arrive. */
import { describe, expect, test } from 'vitest';
import { ImapParser } from '../../../../../src/front/mail/commands/imap-command.ts';

const LIMIT = 64;

/** Parses a valid command and then `text`, whose bytes arrive in pieces of that size. */
function refused(text: string, pieceBytes: number): { kind: string; tag: string } {
  const parser = new ImapParser(LIMIT);
  expect(parser.parse(Buffer.from('first NOOP\r\n')).kind).toBe('command');
  const data = Buffer.from(text, 'latin1');
  for (let end = pieceBytes; ; end += pieceBytes) {
    const { kind } = parser.parse(data.subarray(0, end));
    if (kind !== 'more') return { kind, tag: parser.tag };
  }
}

describe.each([1, 7, 1000])('in pieces of %i bytes', (pieceBytes) => {
  test.each([
    ['a line that is too long', `b ${'x'.repeat(LIMIT)}\r\n`, 'too long', 'b '],
    ['a line that is too long, without a tag', `${'x'.repeat(LIMIT)}\r\n`, 'too long', ''],
    ['a literal that is too long', `c LOGIN {${LIMIT}}\r\n`, 'too long', 'c '],
    ['a carriage return inside', 'd NO\rOP\r\n', 'invalid', 'd '],
    ['an unknown name', 'e NOPE\r\n', 'invalid', 'e '],
    ['no tag', '=\r\n', 'invalid', ''],
  ])('%s', (_, text, kind, tag) => expect(refused(text, pieceBytes)).toEqual({ kind, tag }));
});
