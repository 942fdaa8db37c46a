/** flv, dav, referer, secure_link. */
import { createHash, randomBytes } from 'node:crypto';
import { chmodSync, copyFileSync, cpSync, mkdirSync, rmSync, statSync, unlinkSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { ANY_COUNT, again, custom, flag, HSL, LOCATION, num, SERVER } from '../../config/directive.ts';
import { systemError } from '../../log/system-error.ts';
import { DECLINED, DONE, OK } from '../codes.ts';
import { core } from '../core.ts';
import { parseHttpDate } from '../header-writer.ts';
import { defineModule, type HttpFrame } from '../module.ts';
import { closeFile, fileEtag, type OpenedFile, openError, openFile } from '../open-files.ts';
import { findArg, normalisePath, unescapeUri } from '../parse.ts';
import { fsPath, mapUri } from '../paths.ts';
import type { Regex } from '../regex.ts';
import type { Request } from '../request.ts';
import { parseAccess } from '../upstream/conf.ts';
import { moveFile } from '../upstream/store.ts';
import type { Value } from '../value.ts';
import { compileRegex } from './rewrite.ts';

// ---------------------------------------------------------------- flv

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
  r.conn.discardBody(r);
  const name = mapUri(r);
  let file: OpenedFile;
  try {
    file = openFile(r, name);
  } catch (error) {
    return openError(r, name, error);
  }
  if (!file.stat.isFile()) return DECLINED;
  const { stat } = file;
  let start = Number(findArg(r.args, 'start') ?? '');
  if (!Number.isInteger(start) || start < 0 || start >= stat.size) start = 0;
  r.out.status = 200;
  r.out.contentLength = stat.size - start + (start ? FLV_HEAD.length : 0);
  r.out.lastModified = Math.floor(stat.mtimeMs / 1000);
  if (core.conf(r.loc).etag) r.out.set('ETag', fileEtag(stat));
  r.setContentType();
  const { fd } = file;
  if (fd !== undefined) r.cleanups.push(() => closeFile(file));
  r.allowRanges = true;
  const rc = r.sendHeader();
  if (rc !== OK || r.headerOnly) return rc;
  const body = file.body ? file.body.subarray(start) : { fd: fd!, start, end: stat.size };
  return r.output(start ? [FLV_HEAD, body] : [body], true);
}

// ---------------------------------------------------------------- dav

const DAV = ['put', 'delete', 'mkcol', 'copy', 'move'];

export const davModule = defineModule(
  'dav',
  {
    dav_methods: custom<Set<string>>(HSL, [1, ANY_COUNT], new Set(), (f: HttpFrame) => {
      if (f.args[0] === 'off') return new Set();
      return new Set(f.args.map((word) => (DAV.includes(word.toLowerCase()) ? word.toUpperCase() : f.invalid(word))));
    }),
    create_full_put_path: flag(HSL, false),
    min_delete_depth: num(HSL, 0),
    dav_access: custom<number>(HSL, [1, 3], 0o600, parseAccess),
  },
  {
    init(main) {
      main.phases.content.unshift(dav);
    },
  },
);

function dav(r: Request): number {
  const c = davModule.conf(r.loc);
  if (!c.dav_methods.has(r.method)) return DECLINED;
  switch (r.method) {
    case 'PUT':
      return put(r);
    case 'DELETE':
      return remove(r);
    case 'MKCOL':
      return makeCollection(r);
    default:
      return copyOrMove(r);
  }
}

function fileError(r: Request, name: string, error: unknown, missing = 404): number {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ENAMETOOLONG') return missing;
  if (code === 'EACCES' || code === 'EPERM') return 403;
  if (code === 'EEXIST') return 405;
  if (code === 'ENOSPC') return 507;
  r.log('crit', `"${name}" failed (${systemError(error)})`);
  return 500;
}

function put(r: Request): number {
  if (r.uri.endsWith('/')) {
    r.log('error', 'cannot PUT to a collection');
    return 409;
  }
  if (r.headerIn('content-range') !== undefined) {
    r.log('error', 'PUT with range is unsupported');
    return 501;
  }
  r.conn.readBody(r, (rc) => {
    if (rc !== OK) {
      r.finalize(rc);
      return;
    }
    const c = davModule.conf(r.loc);
    const name = mapUri(r);
    let existed = false;
    try {
      existed = !statSync(fsPath(name)).isDirectory();
      if (!existed) {
        r.finalize(409);
        return;
      }
    } catch {
      // a new file
    }
    let temp: string | Buffer | undefined;
    try {
      if (c.create_full_put_path) mkdirSync(fsPath(path.dirname(name)), { recursive: true, mode: c.dav_access | 0o700 });
      temp = bodyFile(r, name);
      chmodSync(temp, c.dav_access);
      const date = parseHttpDate(r.headerIn('date') ?? '');
      if (date >= 0) utimesSync(temp, date, date);
      moveFile(temp, name);
    } catch (error) {
      if (temp) rmSync(temp, { force: true });
      r.finalize(fileError(r, name, error, 409));
      return;
    }
    if (existed) {
      r.finalize(204);
      return;
    }
    r.out.status = 201;
    r.out.location = r.uri;
    r.finalize(201);
  });
  return DONE;
}

/** The request's body as a file that may be moved to `name`: the one it was spooled to, or one beside `name`. */
function bodyFile(r: Request, name: string): string | Buffer {
  const { body } = r.main;
  if (body?.file) return body.file.path;
  const temp = fsPath(`${name}.${randomBytes(6).toString('hex')}.tmp`);
  writeFileSync(temp, body ? body.read() : '');
  return temp;
}

/** 0, 1, Infinity, or undefined for a bad value. */
function depthOf(r: Request, fallback: number): number | undefined {
  const text = r.headerIn('depth');
  if (text === undefined) return fallback;
  return text === '0' ? 0 : text === '1' ? 1 : text === 'infinity' ? Infinity : undefined;
}

function remove(r: Request): number {
  if (r.contentLength > 0 || r.chunkedIn) {
    r.log('error', 'DELETE with body is unsupported');
    return 415;
  }
  r.conn.discardBody(r);
  const c = davModule.conf(r.loc);
  const depth = r.uri.split('/').filter(Boolean).length;
  if (c.min_delete_depth > 0 && depth < c.min_delete_depth) {
    r.log('error', `insufficient URI depth:${depth} to DELETE`);
    return 409;
  }
  const name = mapUri(r);
  try {
    const dir = statSync(fsPath(name)).isDirectory();
    if (dir && !r.uri.endsWith('/')) return 409;
    if (!dir && r.uri.endsWith('/')) return 409;
    const wanted = depthOf(r, dir ? Infinity : 0);
    if (wanted === undefined || (dir && wanted !== Infinity)) return 400;
    if (dir) rmSync(fsPath(name.replace(/\/$/, '')), { recursive: true });
    else unlinkSync(fsPath(name));
    return 204;
  } catch (error) {
    return fileError(r, name, error);
  }
}

function makeCollection(r: Request): number {
  if (r.contentLength > 0 || r.chunkedIn) return 415;
  r.conn.discardBody(r);
  if (!r.uri.endsWith('/')) return 409;
  const name = mapUri(r).replace(/\/$/, '');
  try {
    mkdirSync(fsPath(name), { mode: davModule.conf(r.loc).dav_access | 0o700 });
    r.out.location = r.uri;
    return 201;
  } catch (error) {
    return fileError(r, name, error, 409);
  }
}

function copyOrMove(r: Request): number {
  if (r.contentLength > 0 || r.chunkedIn) return 415;
  r.conn.discardBody(r);
  const target = r.headerIn('destination');
  if (target === undefined) {
    r.log('error', 'client sent no "Destination" header');
    return 400;
  }
  const m = /^(?:https?:\/\/([^/]+))?(\/.*)$/i.exec(target);
  if (!m || (m[1] !== undefined && m[1].toLowerCase() !== (r.headerIn('host') ?? '').toLowerCase())) return 400;
  const uri = normalisePath(m[2].split('?')[0], true);
  if (uri === undefined || uri.endsWith('/') !== r.uri.endsWith('/')) return 409;
  const overwrite = r.headerIn('overwrite');
  if (overwrite !== undefined && overwrite !== 'T' && overwrite !== 'F') return 400;
  const depth = depthOf(r, Infinity);
  if (depth === undefined || depth === 1 || (depth === 0 && r.method === 'MOVE')) return 400;
  const from = mapUri(r).replace(/\/$/, '');
  const to = mapUri(r, unescapeUri(uri)).replace(/\/$/, '');
  try {
    const dir = statSync(fsPath(from)).isDirectory();
    if (dir !== r.uri.endsWith('/')) return 409;
    let exists = false;
    try {
      exists = statSync(fsPath(to)) !== undefined;
    } catch {
      // free
    }
    if (exists && overwrite === 'F') return 412;
    if (r.method === 'MOVE') {
      if (exists) rmSync(fsPath(to), { recursive: true });
      moveFile(fsPath(from), to);
      if (dir) return 201;
    } else if (dir) {
      if (exists) rmSync(fsPath(to), { recursive: true });
      if (depth === 0) mkdirSync(fsPath(to));
      else cpSync(from, to, { recursive: true });
      return 201;
    } else copyFileSync(fsPath(from), fsPath(to));
    return 204;
  } catch (error) {
    return fileError(r, from, error);
  }
}

// ---------------------------------------------------------------- referer

interface Referers {
  none: boolean;
  blocked: boolean;
  serverNames: boolean;
  hosts: { head?: string; tail?: string; exact?: string; uri: string }[];
  /** as written, to find repeats */
  names: Set<string>;
  regexes: Regex[];
}

export const refererModule = defineModule(
  'referer',
  {
    valid_referers: custom<Referers | undefined>(
      SERVER | LOCATION,
      [1, ANY_COUNT],
      undefined,
      (f: HttpFrame, previous) => {
        const out: Referers = previous ?? { none: false, blocked: false, serverNames: false, hosts: [], names: new Set(), regexes: [] };
        for (const word of f.args) {
          if (word === 'none') out.none = true;
          else if (word === 'blocked') out.blocked = true;
          else if (word === 'server_names') out.serverNames = true;
          else if (word.startsWith('~')) out.regexes.push(compileRegex(f, word.slice(1), true));
          else {
            const slash = word.indexOf('/');
            if (word === '') f.fail('invalid referer ""');
            const host = (slash < 0 ? word : word.slice(0, slash)).toLowerCase();
            const uri = slash < 0 ? '' : word.slice(slash);
            if (/\.\.|\*.*\*/.test(host) || host.replace(/^\*\.(?=.)|(?<=.)\.\*$/, '').includes('*'))
              f.fail(`invalid hostname or wildcard "${host}"`);
            if (out.names.has(host)) f.fail(`conflicting parameter "${host}"`);
            out.names.add(host);
            if (host.startsWith('.')) out.hosts.push({ exact: host.slice(1), uri }, { tail: host, uri });
            else if (host.startsWith('*.')) out.hosts.push({ tail: host.slice(1), uri });
            else if (host.endsWith('.*')) out.hosts.push({ head: host.slice(0, -1), uri });
            else out.hosts.push({ exact: host, uri });
          }
        }
        return out;
      },
      { repeats: true },
    ),
    referer_hash_bucket_size: num(SERVER | LOCATION, 64),
    referer_hash_max_size: num(SERVER | LOCATION, 2048),
  },
  { variables: [{ name: 'invalid_referer', volatile: true, get: (r): string => (validReferer(r) ? '' : '1') }] },
);

function validReferer(r: Request): boolean {
  const c = refererModule.conf(r.loc).valid_referers;
  if (!c) return true;
  const text = r.headerIn('referer');
  if (text === undefined || text === '') return c.none;
  const m = /^https?:\/\/([^/:?]*)(?::\d+)?(.*)$/i.exec(text);
  if (!m) return c.blocked;
  const host = m[1].toLowerCase();
  if (
    c.serverNames &&
    r.server.names.some((n) =>
      n.regex ? n.regex.test(host) : n.text === host || (n.text.startsWith('*.') && host.endsWith(n.text.slice(1))),
    )
  )
    return true;
  for (const h of c.hosts) {
    const matches = h.exact !== undefined ? host === h.exact : h.tail !== undefined ? host.endsWith(h.tail) : host.startsWith(h.head!);
    if (matches && m[2].startsWith(h.uri)) return true;
  }
  return c.regexes.some((regex) => regex.test(text.replace(/^https?:\/\//i, '')));
}

// ---------------------------------------------------------------- secure_link

export const secureLinkModule = defineModule(
  'secure_link',
  {
    secure_link: custom<Value | undefined>(HSL, 1, undefined, (f: HttpFrame) => f.scope.value(f.args[0])),
    secure_link_md5: custom<Value | undefined>(HSL, 1, undefined, (f: HttpFrame) => f.scope.value(f.args[0])),
    secure_link_secret: custom<string | undefined>(LOCATION, 1, undefined, (f: HttpFrame) => f.args[0]),
  },
  {
    variables: [
      { name: 'secure_link', volatile: true, get: (r): string | null => secureLink(r)?.value ?? null },
      // on its own, since secure_link_md5 usually names it
      { name: 'secure_link_expires', volatile: true, get: (r): string | null => linkAndEnd(r)?.expires ?? null },
    ],
  },
);

/** The two halves of `secure_link`: the hash, and the seconds until which it holds. */
function linkAndEnd(r: Request): { hash: string; expires: string | null } | undefined {
  const text = secureLinkModule.conf(r.loc).secure_link?.eval(r);
  if (text === undefined) return undefined;
  const comma = text.indexOf(',');
  return comma < 0 ? { hash: text, expires: null } : { hash: text.slice(0, comma), expires: text.slice(comma + 1) };
}

function secureLink(r: Request): { value: string; expires: string | null } | undefined {
  const c = secureLinkModule.conf(r.loc);
  if (c.secure_link_secret !== undefined) {
    const m =
      /^\/[^/]*\/([0-9a-f]{32})\/(.+)$/.exec(r.uri) ?? /^\/([0-9a-f]{32})\/(.+)$/.exec(r.uri.slice(r.loc.name.replace(/\/$/, '').length));
    if (!m) return { value: '', expires: null };
    const digest = createHash('md5')
      .update(m[2] + c.secure_link_secret, 'latin1')
      .digest('hex');
    return { value: digest === m[1] ? m[2] : '', expires: null };
  }
  const link = linkAndEnd(r);
  if (!link || !c.secure_link_md5) return undefined;
  const { hash, expires } = link;
  if (hash.length > 24 || hash === '') return { value: '', expires };
  const digest = createHash('md5').update(c.secure_link_md5.eval(r), 'latin1').digest();
  if (!Buffer.from(hash, 'base64url').equals(digest)) return { value: '', expires };
  if (expires !== null && (!/^\d+$/.test(expires) || Number(expires) < Date.now() / 1000))
    return { value: expires === '' ? '' : '0', expires };
  return { value: '1', expires };
}
