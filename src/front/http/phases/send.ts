// Sending a whole small answer.
import type { Request } from '../model/types.ts';
import { OK } from '../request/codes.ts';

/** Status, type and fields are set by the caller; sends `text` (latin1) as the body. */
export function sendText(r: Request, text: string): number {
  return sendBuffer(r, Buffer.from(text, 'latin1'));
}

export function sendBuffer(r: Request, body: Buffer): number {
  if (r.out.contentLength < 0) r.out.contentLength = body.length;
  const rc = r.sendHeader();
  if (rc !== OK || r.headerOnly) return rc;
  return r.output(body.length > 0 ? [body] : [], true);
}
