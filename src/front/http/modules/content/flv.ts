// flv: plays an FLV file from the byte offset `start`, after an FLV header.
import { present } from '../../../../common/present.ts';
import { again, custom, LOCATION } from '../../../config/directive.ts';
import { core } from '../../config/core.ts';
import { defineModule, type HttpFrame } from '../../config/module.ts';
import { fileEtag, openOrStatus } from '../../files/open-files.ts';
import { mapUri } from '../../files/paths.ts';
import type { Request } from '../../model/types.ts';
import { DECLINED, OK } from '../../request/codes.ts';
import { findArg } from '../../request/parse.ts';

export const flvModule = defineModule('flv', {
  flv: again(
    custom(LOCATION, 0, false, (f: HttpFrame) => {
      f.scope.loc.handler = flv;
      return true;
    }),
  ),
});

const FLV_HEAD = Buffer.from([70, 76, 86, 1, 5, 0, 0, 0, 9, 0, 0, 0, 0]);

function flv(r: Request): number {
  if (r.method !== 'GET' && r.method !== 'HEAD') return 405;
  if (r.uri.endsWith('/')) return DECLINED;
  const discarded = r.conn.discardBody(r);
  if (discarded !== OK) return discarded;
  const file = openOrStatus(r, mapUri(r));
  if (typeof file === 'number') return file;
  if (!file.stat.isFile()) return DECLINED;
  const { stat, fd } = file;
  let start = Number(findArg(r.args, 'start') ?? '');
  if (!Number.isInteger(start) || start < 0 || start >= stat.size) start = 0;
  r.out.status = 200;
  r.out.contentLength = stat.size - start + (start ? FLV_HEAD.length : 0);
  r.out.lastModified = Math.floor(stat.mtimeMs / 1000);
  if (core.conf(r.loc).etag) r.out.set('ETag', fileEtag(stat, r.out.contentLength));
  r.setContentType();
  r.allowRanges = true;
  const rc = r.sendHeader();
  if (rc !== OK || r.headerOnly) return rc;
  const body = file.body ? file.body.subarray(start) : { fd: present(fd), start, end: stat.size };
  return r.output(start ? [FLV_HEAD, body] : [body], true);
}
