/** auth_request, mirror, try_files, slice. */
import { statSync } from 'node:fs';
import { custom, flag, HSL, size } from '../../config/directive.ts';
import { AGAIN, DECLINED, ERROR, OK } from '../codes.ts';
import { core } from '../core.ts';
import { defineModule, type HttpFrame, type Piece, pieceLength } from '../module.ts';
import { documentRoot, fsPath } from '../paths.ts';
import { runPhases } from '../phases.ts';
import { redirectTo, redirectToNamed } from '../redirect.ts';
import type { Request } from '../request.ts';
import { startSubrequest } from '../subrequest.ts';
import { checkSymlinks } from '../symlinks.ts';
import type { Value } from '../value.ts';
import type { VariableDef } from '../variables.ts';
import { cutPiece } from './conditional.ts';
import { declareVariable } from './rewrite.ts';

// ---------------------------------------------------------------- auth_request

export const authRequestModule = defineModule(
  'auth_request',
  {
    auth_request: custom<{ uri: Value } | 'off' | undefined>(HSL, 1, undefined, (f: HttpFrame) =>
      f.args[0] === 'off' ? 'off' : { uri: f.scope.value(f.args[0]) },
    ),
    auth_request_set: custom<{ def: VariableDef; value: Value }[] | undefined>(
      HSL,
      2,
      undefined,
      (f: HttpFrame, previous = []) => [...previous, { def: declareVariable(f, f.args[0]), value: f.scope.value(f.args[1]) }],
      { repeats: true },
    ),
  },
  {
    init(main) {
      main.phases.access.push(authRequest);
    },
  },
);

interface AuthState {
  done: boolean;
  status: number;
  sub: Request;
}

function authRequest(r: Request): number {
  const c = authRequestModule.conf(r.loc);
  if (!c.auth_request || c.auth_request === 'off') return DECLINED;
  const state = r.getCtx<AuthState>(authRequestModule);
  if (state) {
    if (!state.done) return AGAIN;
    for (const { def, value } of c.auth_request_set ?? []) {
      const text = value.eval(state.sub);
      if (def.set) def.set(r, text);
      else r.vars[def.index!] = text;
    }
    const { status } = state;
    if (status === 403) return 403;
    if (status === 401) {
      for (const field of state.sub.out.fields) if (field.lname === 'www-authenticate') r.out.add(field.name, field.value);
      return 401;
    }
    if (status >= 200 && status < 300) return OK;
    r.log('error', `auth request unexpected status: ${status}`);
    return 500;
  }
  const fresh: AuthState = { done: false, status: 0, sub: undefined as never };
  r.setCtx(authRequestModule, fresh);
  const text = c.auth_request.uri.eval(r);
  const query = text.indexOf('?');
  const sub = startSubrequest(r, query < 0 ? text : text.slice(0, query), query < 0 ? '' : text.slice(query + 1), {
    headerOnly: true,
    done: (request, rc) => {
      fresh.done = true;
      fresh.status = rc >= 300 ? rc : request.out.status || (rc === OK ? 200 : 500);
      return OK;
    },
  });
  if (!sub) return ERROR;
  fresh.sub = sub;
  r.resume = () => runPhases(r);
  return AGAIN;
}

// ---------------------------------------------------------------- mirror

export const mirrorModule = defineModule(
  'mirror',
  {
    mirror: custom<string[] | 'off' | undefined>(
      HSL,
      1,
      undefined,
      (f: HttpFrame, previous) => {
        if (f.args[0] === 'off') return 'off';
        return [...(previous === 'off' || previous === undefined ? [] : previous), f.args[0]];
      },
      { repeats: true },
    ),
    mirror_request_body: flag(HSL, true),
  },
  {
    init(main) {
      main.phases.precontent.push(mirror);
    },
  },
);

function mirror(r: Request): number {
  const c = mirrorModule.conf(r.loc);
  if (!c.mirror || c.mirror === 'off' || r.isSub || r.getCtx(mirrorModule)) return DECLINED;
  r.setCtx(mirrorModule, true);
  const uris = c.mirror;
  const start = () => {
    for (const uri of uris) {
      const sub = startSubrequest(r, uri, r.args, { background: true, method: r.method });
      if (sub) sub.headerOnly = true;
    }
  };
  if (!c.mirror_request_body || (r.contentLength <= 0 && !r.chunkedIn)) {
    start();
    return DECLINED;
  }
  r.conn.readBody(r, (rc) => {
    if (rc !== OK) {
      r.finalize(rc);
      return;
    }
    start();
    r.phaseIndex++;
    runPhases(r);
  });
  return AGAIN;
}

// ---------------------------------------------------------------- try_files

export const tryFilesModule = defineModule(
  'try_files',
  {},
  {
    init(main) {
      main.phases.precontent.push(tryFiles);
    },
  },
);

function tryFiles(r: Request): number {
  const conf = core.conf(r.loc).try_files;
  if (!conf) return DECLINED;
  const alias = r.loc.docRoot?.alias;
  // in a location with alias, what variables give loses the location's name
  const prefix = alias && alias.nameLength > 0 ? r.uri.slice(0, alias.nameLength) : '';
  const textOf = (value: Value): string => {
    const text = value.eval(r);
    return value.constant === undefined && text.startsWith(prefix) ? text.slice(prefix.length) : text;
  };
  for (const { value, dir } of conf.items) {
    const rest = textOf(value);
    const path = documentRoot(r) + rest;
    let found = false;
    try {
      checkSymlinks(r, path);
      const stat = statSync(fsPath(path));
      found = dir ? stat.isDirectory() : stat.isFile();
    } catch {
      // not there: the next one
    }
    if (!found) continue;
    if (!alias) r.uri = rest;
    else if (alias.nameLength >= 0) r.uri = prefix + rest;
    else if (!dir) {
      r.uri = rest;
      r.addUriToAlias = true;
    }
    r.validRawUri = false;
    return DECLINED;
  }
  if (conf.code) return conf.code;
  const last = textOf(conf.last);
  if (conf.named) return redirectToNamed(r, last);
  return redirectTo(r, last);
}

// ---------------------------------------------------------------- slice

interface Slice {
  /** of the slice being fetched, in bytes of the whole */
  start: number;
  end: number;
  /** value of $slice_range */
  text: string;
  etag: string | undefined;
  /** what the client gets of the whole; known once the header filters ran */
  wanted: { start: number; end: number };
}

export const sliceModule = defineModule(
  'slice',
  { slice: size(HSL, '0') },
  {
    init(main) {
      main.addHeaderFilter('slice', sliceHeader);
    },
    variables: [
      {
        name: 'slice_range',
        volatile: true,
        get: (r): string | null => {
          const unit = sliceModule.conf(r.loc).slice;
          if (unit === 0) return null;
          const state = r.getMainCtx<Slice>(sliceModule) ?? begin(r, unit);
          return state.text;
        },
      },
    ],
  },
);

const rangeText = (start: number, unit: number): string => `bytes=${start}-${start + unit - 1}`;

function begin(r: Request, unit: number): Slice {
  const m = /^bytes=(\d+)-/i.exec(r.main.headerIn('range') ?? '');
  const start = m ? Math.floor(Number(m[1]) / unit) * unit : 0;
  const wanted = { start: 0, end: 0 };
  const state: Slice = { start, end: start + unit, text: rangeText(start, unit), etag: undefined, wanted };
  r.setMainCtx(sliceModule, state);
  return state;
}

/** The first slice becomes the answer to the whole; the others follow as subrequests. */
function sliceHeader(r: Request): number {
  const unit = sliceModule.conf(r.loc).slice;
  const state = r.getMainCtx<Slice>(sliceModule);
  if (unit === 0 || !state) return OK;
  const { out } = r;
  if (out.status !== 206) {
    if (!r.isSub) return OK;
    r.log('error', `unexpected status code ${out.status} in slice response`);
    return ERROR;
  }
  const fail = (why: string): number => {
    r.log('error', why);
    return ERROR;
  };
  const etag = out.get('etag')?.value;
  if (r.isSub && etag !== state.etag) return fail('etag mismatch in slice response');
  const m = /^bytes *(\d+) *- *(\d+) *\/ *(\d+|\*) *$/.exec(out.get('content-range')?.value ?? '');
  if (!m || Number(m[1]) > Number(m[2])) return fail('invalid range in slice response');
  if (m[3] === '*') return fail('no complete length in slice response');
  const [first, end] = [Number(m[1]), Number(m[2]) + 1];
  const expected = Math.min(state.start + unit, Number(m[3]));
  if (first !== state.start || end !== expected) {
    return fail(`unexpected range in slice response: ${first}-${end}, expected: ${state.start}-${expected}`);
  }
  state.end = end;
  if (r.isSub) {
    let offset = state.start;
    r.addBodyFilter('slice', (req, pieces, flags, position) => {
      const kept: Piece[] = [];
      for (const piece of pieces) {
        const cut = cutPiece(piece, state.wanted.start - offset, state.wanted.end - offset);
        if (cut) kept.push(cut);
        offset += pieceLength(piece);
      }
      return req.nextBody(kept, flags, position);
    });
    return OK;
  }
  const size = Number(m[3]);
  state.etag = etag;
  out.status = 200;
  out.statusLine = '';
  out.contentLength = size;
  out.set('Content-Range', undefined);
  r.allowRanges = true;
  r.singleRange = true;
  // ranges count from the start of the whole: what was never fetched is stood in for by its length
  r.rangeSkip = state.start;
  r.addBodyFilter('slice', (req, pieces, flags, position) => {
    const rc = req.nextBody(pieces, { last: false, flush: flags.flush }, position);
    if (rc === ERROR || !flags.last) return rc;
    state.wanted = out.range ?? { start: 0, end: size };
    if (state.end < state.wanted.start) state.end = Math.floor(state.wanted.start / unit) * unit;
    return nextSlice(req, state, unit, position);
  });
  return OK;
}

function nextSlice(r: Request, state: Slice, unit: number, position: number): number {
  if (state.end >= state.wanted.end) return r.nextBody([], { last: true, flush: false }, position);
  state.start = state.end;
  state.text = rangeText(state.start, unit);
  const sub = startSubrequest(r, r.uri, r.args, {
    done: (_, rc) => {
      if (rc !== OK) return rc;
      if (state.end <= state.start) return ERROR;
      nextSlice(r, state, unit, position);
      return rc;
    },
  });
  return sub ? OK : ERROR;
}
