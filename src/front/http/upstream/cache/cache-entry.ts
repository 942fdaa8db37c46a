// A cached response as a file.
//   `GNC1` | u32 length of the head | head as JSON, padded with spaces so that it can be rewritten in place | body
// Name: md5 of the key in hexadecimal, in folders named by its last digits as in `levels`.
import { createHash } from 'node:crypto';
import { readSync } from 'node:fs';
import type { HeaderField } from '../../../../http/wire/header.ts';

const MAGIC = 'GNC1';

/** A cached response except for its body. Times are seconds. */
export interface EntryHead {
  key: string;
  status: number;
  statusLine: string;
  fields: HeaderField[];
  validUntil: number;
  /** seconds after validUntil during which a stale response may be used while updating, or on errors */
  staleUpdating: number;
  staleError: number;
  date: number;
  length: number;
  /** the back end did not send the length, so it is not sent to clients, either */
  unsized?: boolean;
  /** Content-Length of a response to HEAD, whose stored body is empty */
  declared?: number;
  /** Vary of the response and the hash of the request's values */
  vary: string;
  variant: string;
  tags: string[];
}

/** Name of the file of a key. */
export const md5 = (key: string): string => createHash('md5').update(key, 'latin1').digest('hex');

/** Bytes that a file reserves for its head. */
export function readReserved(fd: number): number {
  const start = Buffer.alloc(8);
  readSync(fd, start, 0, 8, 0);
  return start.readUInt32BE(4);
}

/** The head as stored. @param reserved bytes available, null for a new file. @returns null if it does not fit */
export function headBytes(head: EntryHead): Buffer;
export function headBytes(head: EntryHead, reserved: number): Buffer | null;
export function headBytes(head: EntryHead, reserved?: number): Buffer | null {
  const json = JSON.stringify(head);
  const size = reserved ?? Math.ceil((json.length + 128) / 256) * 256;
  if (json.length > size) return null;
  const out = Buffer.alloc(8 + size, 32);
  out.write(MAGIC, 0, 'latin1');
  out.writeUInt32BE(size, 4);
  out.write(json, 8, 'latin1');
  return out;
}

const MAX_HEAD = 1 << 20;

/** Reads the head of a file; `start`: offset of its body. Undefined if the file is not a cache entry or is damaged. */
export function readHead(fd: number): { head: EntryHead; start: number } | null {
  const start = Buffer.alloc(8);
  if (readSync(fd, start, 0, 8, 0) < 8 || start.latin1Slice(0, 4) !== MAGIC) return null;
  const size = start.readUInt32BE(4);
  if (size > MAX_HEAD) return null;
  const text = Buffer.alloc(size);
  if (readSync(fd, text, 0, size, 8) < size) return null;
  try {
    return { head: JSON.parse(text.latin1Slice()) as EntryHead, start: 8 + size };
  } catch {
    return null;
  }
}
