// Server side includes: finds the commands of a page and replaces them by their output (ssi-commands.ts).
import { flag, HSL, HSLI, size } from '../../../config/directive.ts';
import { mediaTypes, typeMatches } from '../../config/mime-types.ts';
import { defineModule } from '../../config/module.ts';
import { readSpan } from '../../files/send-file.ts';
import type { Request } from '../../model/types.ts';
import { ERROR, OK } from '../../request/codes.ts';
import { type BodyFlags, isFileSpan, type Piece } from '../../request/pieces.ts';
import { clearModified, weakenEtag } from './changed-body.ts';
import { DEFAULT_TIME, formatTime, runCommand, type Ssi, type SsiShared } from './ssi-commands.ts';

const MAX_COMMAND = 64 * 1024;
const WAIT_BIT = 1;

export const ssiModule = defineModule(
  'ssi',
  {
    ssi: flag(HSLI, false),
    ssi_silent_errors: flag(HSL, false),
    ssi_last_modified: flag(HSL, false),
    ssi_ignore_recycled_buffers: flag(HSL, false),
    ssi_min_file_chunk: size(HSL, '1k'),
    ssi_value_length: size(HSL, '256'),
    ssi_types: mediaTypes(),
  },
  {
    init(main) {
      main.addHeaderFilter('ssi', ssiHeader);
    },
    variables: [
      { name: 'date_local', volatile: true, get: (r): string => formatTime(ssiOf(r)?.timeFormat, false) },
      { name: 'date_gmt', volatile: true, get: (r): string => formatTime(ssiOf(r)?.timeFormat, true) },
    ],
  },
);

const ssiOf = (r: Request): Ssi | null => r.getCtx<Ssi>(ssiModule);

function ssiHeader(r: Request): number {
  const c = ssiModule.conf(r.loc);
  const { out } = r;
  if (!c.ssi || out.contentLength === 0 || !typeMatches(c.ssi_types, out.contentType)) return OK;
  let shared = r.getMainCtx<SsiShared>(ssiModule);
  if (!shared) r.setMainCtx(ssiModule, (shared = { variables: new Map(), blocks: new Map(), captures: null }));
  const ctx: Ssi = {
    ...{ shared, held: '', queue: '', output: true, outputChosen: false, conditional: 'no', block: null },
    ...{ timeFormat: DEFAULT_TIME, encoding: 'entity', valueLength: c.ssi_value_length },
    ...{ errorMessage: '[an error occurred while processing the directive]', waiting: null },
    ...{ flags: { last: false, flush: false }, lastSeen: false, ended: false },
  };
  r.setCtx(ssiModule, ctx);
  r.needInMemory = true;
  if (!r.isSub) {
    out.contentLength = -1;
    r.allowRanges = false;
    out.set('Accept-Ranges', null);
    if (c.ssi_last_modified) weakenEtag(r);
    else clearModified(r);
  }
  r.addBodyFilter('ssi', (req, pieces, flags, position) => filter(req, ctx, pieces, flags, position));
  return OK;
}

function filter(r: Request, ctx: Ssi, pieces: Piece[], flags: BodyFlags, position: number): number {
  for (const piece of pieces) ctx.queue += (isFileSpan(piece) ? readSpan(piece) : piece).latin1Slice();
  if (ctx.ended) return r.nextBody([], flags, position);
  if (flags.last) ctx.lastSeen = true;
  if (flags.flush) ctx.flags.flush = true;
  if (ctx.waiting) {
    // Preceding output may have to be sent first.
    if (!ctx.waiting.done) return r.conn.active === r ? r.nextBody([], { last: false, flush: false }, position) : OK;
    ctx.waiting = null;
    r.buffered &= ~WAIT_BIT;
  }
  const text = ctx.held + ctx.queue;
  ctx.held = '';
  ctx.queue = '';
  let out = '';
  let pos = 0;
  const emit = (s: string) => {
    if (s === '') return;
    if (ctx.output) out += s;
    else if (ctx.block) ctx.block.text += s;
  };
  while (pos < text.length) {
    const start = text.indexOf('<!--#', pos);
    if (start < 0) {
      const keep = ctx.lastSeen ? 0 : partial(text, pos);
      emit(text.slice(pos, text.length - keep));
      ctx.held = keep ? text.slice(text.length - keep) : '';
      break;
    }
    emit(text.slice(pos, start));
    const end = commandEnd(text, start + 5);
    if (end < 0) {
      if (!ctx.lastSeen && text.length - start < MAX_COMMAND) ctx.held = text.slice(start);
      else if (ctx.lastSeen) emit(text.slice(start));
      break;
    }
    pos = end + 3;
    const body = text.slice(start + 5, end);
    if (out !== '' && /^\s*(?:include|perl)\b/.test(body)) {
      const rc = r.nextBody([Buffer.from(out, 'latin1')], { last: false, flush: false }, position);
      out = '';
      if (rc === ERROR) return rc;
    }
    const result = runCommand(r, ctx, body);
    if (result === 'wait') {
      // The remaining text must see the result of the subrequest.
      ctx.queue = text.slice(pos) + ctx.queue;
      if (out !== '') r.nextBody([Buffer.from(out, 'latin1')], { last: false, flush: false }, position);
      r.buffered |= WAIT_BIT;
      return OK;
    }
    if (result === 'error') {
      // Reported even in a skipped branch.
      if (!ssiModule.conf(r.loc).ssi_silent_errors) out += ctx.errorMessage;
    } else if (result !== 'done') out += result.text;
  }
  const last = ctx.lastSeen;
  const flush = ctx.flags.flush;
  ctx.flags.flush = false;
  ctx.ended = last;
  if (out === '' && pieces.length > 0 && !last && !flush) return OK;
  return r.nextBody(out === '' ? [] : [Buffer.from(out, 'latin1')], { last, flush }, position);
}

function partial(text: string, from: number): number {
  for (let length = Math.min(4, text.length - from); length > 0; length--)
    if ('<!--#'.startsWith(text.slice(text.length - length))) return length;
  return 0;
}

/** Index of `-->` outside quotes. */
function commandEnd(text: string, from: number): number {
  let quote = '';
  for (let n = from; n < text.length; n++) {
    const c = text[n];
    if (quote) {
      if (c === '\\') n++;
      else if (c === quote) quote = '';
    } else if (c === '"' || c === "'") quote = c;
    else if (c === '-' && text.startsWith('-->', n)) return n;
  }
  return -1;
}
