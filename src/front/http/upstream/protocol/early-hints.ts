// `early_hints`: passes a 103 of the back end on to the client before the response.
import type { HeaderField } from '../../../../http/wire/header.ts';
import { core } from '../../config/core.ts';
import { anySet } from '../../config/value.ts';
import type { Request } from '../../model/types.ts';

const HOP_BY_HOP = new Set(['connection', 'keep-alive', 'transfer-encoding', 'content-length', 'upgrade', 'te', 'trailer']);

/** @param hidden names of fields that are not passed on */
export function passEarlyHints(r: Request, fields: readonly HeaderField[], hidden: ReadonlySet<string>): void {
  const { conn } = r;
  const conditions = core.conf(r.loc).early_hints;
  // output that is still queued belongs to a previous response
  if (!conditions || r.isSub || r.headerSent || r.version < 1001 || conn.output.buffered) return;
  const passed = fields.filter(({ lname }) => !HOP_BY_HOP.has(lname) && !hidden.has(lname));
  if (passed.length === 0 || !anySet(r, conditions)) return;
  if (conn.http2) {
    conn.http2.hints(passed);
    return;
  }
  conn.sendInterim(`HTTP/1.1 103 Early Hints\r\n${passed.map(({ name, value }) => `${name}: ${value}\r\n`).join('')}\r\n`);
}
