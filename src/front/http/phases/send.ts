// Sends small responses as a whole.
import type { Request } from '../model/types.ts';
import { OK } from '../request/codes.ts';

/** Sends `text` (latin1) as the body; the caller has set status, type and fields. */
export function sendText(r: Request, text: string): number {
  return sendBuffer(r, Buffer.from(text, 'latin1'));
}

export function sendBuffer(r: Request, body: Buffer): number {
  if (r.out.contentLength < 0) r.out.contentLength = body.length;
  const rc = r.sendHeader();
  if (rc !== OK || r.headerOnly) return rc;
  return r.output(body.length > 0 ? [body] : [], true);
}
