import { constants, createGunzip, gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { SyncZlib } from '../../../../../src/front/http/files/sync-zlib.ts';

const open = () => SyncZlib.open('gunzip', () => createGunzip());
const expand = (stream: SyncZlib, data: Buffer) => Buffer.concat(stream.run(data, constants.Z_SYNC_FLUSH)).toString();

test('malformed input throws at once and again, and closing is safe', () => {
  const damaged = gzipSync('some text');
  damaged[damaged.length - 6] ^= 1;
  const stream = open();
  expect(() => expand(stream, damaged)).toThrow('incorrect data check');
  expect(() => expand(stream, damaged)).toThrow('incorrect data check');
  stream.close();
  stream.close();
});

test('a stream that was closed after valid input is reused', () => {
  const stream = open();
  expect(expand(stream, gzipSync('one'))).toBe('one');
  stream.close();
  const next = open();
  expect(next).toBe(stream);
  expect(expand(next, gzipSync('two'))).toBe('two');
  next.close();
});
