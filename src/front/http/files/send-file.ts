// Sends files and regions of files as response bodies.
import { readSync } from 'node:fs';
import { core } from '../config/core.ts';
import type { Request } from '../model/types.ts';
import { DONE, ERROR } from '../request/codes.ts';
import { fileEtag, type OpenedFile } from './open-files.ts';

/** Sends an opened file as the response. @param coding  its Content-Encoding, '' for none */
export function sendFile(r: Request, file: OpenedFile, coding = ''): number {
  const { stat, fd } = file;
  r.out.status = 200;
  r.out.contentLength = stat.size;
  r.out.lastModified = Math.floor(stat.mtimeMs / 1000);
  if (core.conf(r.loc).etag) r.out.set('ETag', fileEtag(stat));
  if (coding !== '') r.out.add('Content-Encoding', coding);
  r.setContentType();
  r.allowRanges = true;
  const rc = r.sendHeader();
  if (rc !== 0 || r.headerOnly) return rc;
  if (file.body) return r.output(file.body.length > 0 ? [file.body] : [], true);
  if (fd === undefined) return ERROR;
  return r.needInMemory ? pumpFile(r, fd, 0, stat.size) : r.output([{ fd, start: 0, end: stat.size }], true);
}

/** Reads a region of a file. */
export function readSpan({ fd, start, end }: { fd: number; start: number; end: number }): Buffer {
  const out = Buffer.allocUnsafe(end - start);
  let at = 0;
  while (at < out.length) {
    const count = readSync(fd, out, at, out.length - at, start + at);
    if (count === 0) break;
    at += count;
  }
  return out.subarray(0, at);
}

const PUMP_BYTES = 32 * 1024;

/** Reads a file into the filters piece by piece, waiting whenever the client is slower. */
export function pumpFile(r: Request, fd: number, start: number, end: number): number {
  let pos = start;
  for (;;) {
    const want = Math.min(PUMP_BYTES, end - pos);
    const buffer = Buffer.allocUnsafe(want);
    const count = want > 0 ? readSync(fd, buffer, 0, want, pos) : 0;
    if (count < want) {
      r.log('alert', `read only ${count} of ${want} from a file`);
      return ERROR;
    }
    pos += count;
    const last = pos >= end;
    const rc = r.output(count > 0 ? [buffer] : [], last);
    if (rc === ERROR || last) return rc;
    if (r.blocked) {
      r.conn.output.whenWritable(() => {
        if (!r.done) r.finalize(pumpFile(r, fd, pos, end));
      });
      return DONE;
    }
  }
}
