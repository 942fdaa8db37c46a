/** What filters that change a body do to the head of the answer, and how they read what comes. */

import { readSpan } from '../files/send-file.ts';
import type { Request } from '../model/types.ts';
import { isFileSpan, type Piece } from '../request/pieces.ts';

/** Pieces of a body as latin1 text. */
export function textOf(pieces: readonly Piece[]): string {
  let out = '';
  for (const piece of pieces) out += (isFileSpan(piece) ? readSpan(piece) : piece).latin1Slice();
  return out;
}

/** The answer is made anew for each request: nothing tells whether it is the one of before. */
export function clearModified(r: Request): void {
  r.out.lastModified = -1;
  r.out.set('Last-Modified', undefined);
  r.out.set('ETag', undefined);
}

/** The body means the same, with other bytes: its entity tag is a weak one, and none if it was malformed. */
export function weakenEtag(r: Request): void {
  const etag = r.out.get('etag');
  if (!etag || etag.value.startsWith('W/')) return;
  if (etag.value.startsWith('"')) etag.value = `W/${etag.value}`;
  else r.out.set('ETag', undefined);
}
