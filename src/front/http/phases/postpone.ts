// Keeps the output of parallel subrequests in the order of their creation: a request whose turn has not come holds its pieces back.
import { core } from '../config/core.ts';
import type { Request } from '../model/types.ts';
import { ERROR, OK } from '../request/codes.ts';
import { type BodyFlags, FILTER_ORDER, type Piece } from '../request/pieces.ts';

/** Position of this step among the body filters: later filters see the output of all requests as one. */
export const POSTPONE = FILTER_ORDER.indexOf('postpone');

/** Passes pieces on if it is the request's turn, else holds them. */
export function postpone(r: Request, pieces: Piece[], flags: BodyFlags): number {
  if (r.background || r.headerOnly) return OK;
  if (r.inMemory) return capture(r, pieces);
  const last = flags.last && !r.isSub;
  if (r !== r.conn.active) {
    if (pieces.length > 0 || last) r.postponed.push({ pieces, last });
    return OK;
  }
  if (r.postponed.length === 0) {
    return pieces.length > 0 || last || flags.flush ? r.main.nextBody(pieces, { last, flush: flags.flush }, POSTPONE) : OK;
  }
  if (pieces.length > 0 || last) r.postponed.push({ pieces, last });
  return flushPostponed(r);
}

/** Collects the output of a subrequest that is kept in memory. */
function capture(r: Request, pieces: Piece[]): number {
  for (const piece of pieces) if (Buffer.isBuffer(piece)) r.captured.push(piece);
  const bytes = r.captured.reduce((sum, piece) => sum + piece.length, 0);
  if (bytes <= core.conf(r.loc).subrequest_output_buffer_size) return OK;
  r.log('error', `too big subrequest response: ${bytes}`);
  return ERROR;
}

/** Sends held output up to a subrequest that is not done, which then continues. */
export function flushPostponed(r: Request): number {
  while (r.postponed.length > 0) {
    const item = r.postponed[0];
    // a running subrequest stays in the list, so that its parent does not count as finished
    if (item.request && !(item.request.done && item.request.postponed.length === 0)) {
      r.conn.active = item.request;
      r.conn.post(item.request);
      return OK;
    }
    r.postponed.shift();
    if (item.request) continue;
    const rc = r.main.nextBody(item.pieces, { last: item.last, flush: false }, POSTPONE);
    if (rc === ERROR) return rc;
  }
  return OK;
}
