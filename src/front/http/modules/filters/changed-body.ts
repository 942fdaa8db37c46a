// Header changes of filters that modify a body, and reading the body they modify.

import { readSpan } from '../../files/send-file.ts';
import type { Request } from '../../model/types.ts';
import { isFileSpan, type Piece } from '../../request/pieces.ts';

/** Pieces of a body as a latin1 string. */
export function textOf(pieces: readonly Piece[]): string {
  let out = '';
  for (const piece of pieces) out += (isFileSpan(piece) ? readSpan(piece) : piece).latin1Slice();
  return out;
}

/** The response is generated for each request, so it has no validators. */
export function clearModified(r: Request): void {
  r.out.lastModified = -1;
  r.out.set('Last-Modified', null);
  r.out.set('ETag', null);
}

/** The body has the same meaning but other bytes: its entity tag becomes weak, a malformed one is removed. */
export function weakenEtag(r: Request): void {
  const etag = r.out.get('etag');
  if (!etag || etag.value.startsWith('W/')) return;
  if (etag.value.startsWith('"')) etag.value = `W/${etag.value}`;
  else r.out.set('ETag', null);
}
