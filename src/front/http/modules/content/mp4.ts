// mp4: plays an MP4 file from `start` to `end` seconds by rewriting its moov atom.
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { again, custom, flag, HSL, LOCATION, msec, size } from '../../../config/directive.ts';
import { fsPath } from '../../../fs-path.ts';
import { core } from '../../config/core.ts';
import { defineModule, type HttpFrame } from '../../config/module.ts';
import { fileEtag, openError } from '../../files/open-files.ts';
import { mapUri } from '../../files/paths.ts';
import { checkSymlinks } from '../../files/symlinks.ts';
import type { Request } from '../../model/types.ts';
import { DECLINED, OK } from '../../request/codes.ts';
import { findArg } from '../../request/parse.ts';
import type { Piece } from '../../request/pieces.ts';
import { bytesPerSecond, cutMoov } from './mp4-cut.ts';

const DEFAULT_FACTOR = 1.1;

export const mp4Module = defineModule('mp4', {
  mp4: again(
    custom(LOCATION, 0, false, (f: HttpFrame) => {
      f.scope.loc.handler = mp4;
      return true;
    }),
  ),
  mp4_buffer_size: size(HSL, '512k'),
  mp4_max_buffer_size: size(HSL, '10m'),
  mp4_start_key_frame: flag(HSL, false),
  /** Multiple of the film's average rate, 0 for no limit. */
  mp4_limit_rate: custom<number>(
    HSL,
    1,
    0,
    (f: HttpFrame) => {
      const [word] = f.args;
      if (word === 'on') return DEFAULT_FACTOR;
      if (word === 'off') return 0;
      const factor = /^\d{1,6}(\.\d{1,3})?$/.test(word) ? Number(word) : 0;
      return factor > 0 ? factor : f.refuse('invalid value');
    },
    { defaultText: 'off' },
  ),
  mp4_limit_rate_after: msec(HSL, '60s'),
});

/** `12.345` in milliseconds, null if malformed. */
function argMs(r: Request, name: string): number | null {
  const text = findArg(r.args, name);
  if (text === null || !/^(?=.)\d{0,9}(?:\.\d*)?$/.test(text)) return null;
  const [whole, part = ''] = text.split('.');
  return Number(whole) * 1000 + Number(part.slice(0, 3).padEnd(3, '0') || 0);
}

function mp4(r: Request): number {
  if (r.method !== 'GET' && r.method !== 'HEAD') return 405;
  if (r.uri.endsWith('/')) return DECLINED;
  const discarded = r.conn.discardBody(r);
  if (discarded !== OK) return discarded;
  const name = mapUri(r);
  let fd: number;
  try {
    checkSymlinks(r, name);
    fd = openSync(fsPath(name), constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    return openError(r, name, error);
  }
  const stat = fstatSync(fd);
  if (!stat.isFile()) {
    closeSync(fd);
    return DECLINED;
  }
  r.whenSent(() => closeSync(fd));
  const c = mp4Module.conf(r.loc);
  const source = { size: stat.size, read: (at: number, count: number) => readAt(fd, at, count) };
  if (c.mp4_limit_rate > 0 && r.limitRate === null) {
    try {
      const rate = bytesPerSecond(source, c.mp4_max_buffer_size);
      if (rate !== null) {
        r.limitRate = Math.ceil(rate * c.mp4_limit_rate);
        r.limitRateAfter = Math.ceil((rate * c.mp4_limit_rate_after) / 1000);
      }
    } catch (error) {
      r.log('error', `"${name}": ${(error as Error).message}`);
      return 500;
    }
  }
  const start = argMs(r, 'start');
  let end = argMs(r, 'end');
  if (end !== null && end <= (start ?? 0)) end = null;
  const length = end === null ? null : end - (start ?? 0);
  r.out.status = 200;
  let pieces: Piece[] = [{ fd, start: 0, end: stat.size }];
  let total = stat.size;
  r.allowRanges = true;
  if (start !== null || length !== null) {
    r.ranges = 'one';
    try {
      const cut = cutMoov(source, {
        startMs: start ?? 0,
        lengthMs: length,
        keyFrame: c.mp4_start_key_frame,
        maxMoov: c.mp4_max_buffer_size,
      });
      if (cut) {
        pieces = [...cut.head, { fd, start: cut.dataStart, end: cut.dataEnd }];
        total = cut.head.reduce((sum, b) => sum + b.length, 0) + cut.dataEnd - cut.dataStart;
      }
    } catch (error) {
      r.log('error', `"${name}": ${(error as Error).message}`);
      return 500;
    }
  }
  r.out.contentLength = total;
  r.out.lastModified = Math.floor(stat.mtimeMs / 1000);
  if (core.conf(r.loc).etag) r.out.set('ETag', fileEtag(stat, r.out.contentLength));
  r.setContentType();
  const rc = r.sendHeader();
  if (rc !== OK || r.headerOnly) return rc;
  return r.output(pieces, true);
}

function readAt(fd: number, at: number, count: number): Buffer {
  const out = Buffer.allocUnsafe(count);
  let done = 0;
  while (done < count) {
    const n = readSync(fd, out, done, count - done, at + done);
    if (n === 0) break;
    done += n;
  }
  return out.subarray(0, done);
}
