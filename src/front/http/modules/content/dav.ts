// WebDAV for files: PUT, DELETE, MKCOL, COPY, MOVE.

import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  lstatSync,
  mkdirSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { present } from '../../../../common/present.ts';
import { ANY_COUNT, custom, flag, HSL, num } from '../../../config/directive.ts';
import { fsPath } from '../../../fs-path.ts';
import { systemError } from '../../../system-error.ts';
import { defineModule, type HttpFrame } from '../../config/module.ts';
import { moveFile } from '../../files/move-file.ts';
import { mapUri } from '../../files/paths.ts';
import type { Request } from '../../model/types.ts';
import { DECLINED, DONE, OK } from '../../request/codes.ts';
import { parseHttpDate } from '../../request/http-date.ts';
import { escapeUri, normalisePath } from '../../request/parse.ts';
import { parseAccess } from '../../upstream/conf.ts';

const METHODS = ['put', 'delete', 'mkcol', 'copy', 'move'];

export const davModule = defineModule(
  'dav',
  {
    dav_methods: custom<Set<string>>(HSL, [1, ANY_COUNT], new Set(), (f: HttpFrame) => {
      if (f.args[0] === 'off') return new Set();
      return new Set(f.args.map((word) => (METHODS.includes(word.toLowerCase()) ? word.toUpperCase() : f.invalid(word))));
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
  if (!davModule.conf(r.loc).dav_methods.has(r.method)) return DECLINED;
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

/** Logs an invalid request. @returns its status */
function refuse(r: Request, status: number, why: string): number {
  r.log('error', why);
  return status;
}

/** Status for a failed system call, logged in nginx's words. @param missing  status if the file does not exist */
function fileError(r: Request, call: string, name: string, error: unknown, missing: number): number {
  const { code } = error as NodeJS.ErrnoException;
  const known: Record<string, number> = {
    ENOENT: missing,
    ENOTDIR: missing,
    ENAMETOOLONG: missing,
    EACCES: 403,
    EPERM: 403,
    EEXIST: 405,
    ENOSPC: 507,
  };
  const status = known[code ?? ''] ?? 500;
  r.log(status === 507 || status === 500 ? 'crit' : 'error', `${call} "${name}" failed (${systemError(error)})`);
  return status;
}

// ---------------------------------------------------------------- PUT

function put(r: Request): number {
  if (r.uri.endsWith('/')) return refuse(r, 409, 'cannot PUT to a collection');
  if (r.headerIn('content-range') !== null) return refuse(r, 501, 'PUT with range is unsupported');
  r.conn.readBody(r, (rc) => r.finalize(rc === OK ? storeBody(r) : rc));
  return DONE;
}

function storeBody(r: Request): number {
  const c = davModule.conf(r.loc);
  const name = mapUri(r);
  let existed = false;
  try {
    existed = true;
    if (statSync(fsPath(name)).isDirectory()) return refuse(r, 409, `"${name}" could not be created (${systemError('EISDIR')})`);
  } catch {
    existed = false;
  }
  let temp: string | Buffer | null = null;
  try {
    if (c.create_full_put_path) mkdirSync(fsPath(path.dirname(name)), { recursive: true, mode: folderMode(c.dav_access) });
    temp = bodyFile(r, name);
    chmodSync(temp, c.dav_access);
    const date = parseHttpDate(r.headerIn('date') ?? '');
    if (date >= 0) utimesSync(temp, date, date);
    moveFile(temp, fsPath(name));
  } catch (error) {
    if (temp) rmSync(temp, { force: true });
    r.log('crit', `rename() to "${name}" failed (${systemError(error)})`);
    return 500;
  }
  r.out.status = existed ? 204 : 201;
  if (!existed) {
    r.out.location = escapeUri(r.uri, 'uri');
    r.out.contentLength = 0;
  }
  r.headerOnly = true;
  return r.sendHeader();
}

/** Read or write permission implies search permission. */
const folderMode = (access: number): number => access | ((access & 0o444) >> 2) | ((access & 0o222) >> 1);

/** The request body as a file that can be moved to `name`: its temporary file, or a new one in the folder of `name`. */
function bodyFile(r: Request, name: string): string | Buffer {
  const { body } = r.main;
  if (body?.file) return body.file.path;
  const temp = fsPath(`${name}.${randomBytes(6).toString('hex')}.tmp`);
  writeFileSync(temp, body ? body.read() : '');
  return temp;
}

// ---------------------------------------------------------------- DELETE, MKCOL

/** 0, 1, Infinity, or null for an invalid value, which is logged. */
function depthOf(r: Request, fallback: number): number | null {
  const text = r.headerIn('depth');
  if (text === null) return fallback;
  if (text === '0' || text === '1') return Number(text);
  if (text === 'infinity') return Infinity;
  r.log('error', `client sent invalid "Depth" header: "${text}"`);
  return null;
}

const hasBody = (r: Request): boolean => r.contentLength > 0 || r.chunkedIn;

/** True if the path has at least `min_delete_depth` names, the last one not empty. */
function isDeepEnough(uri: string, wanted: number): boolean {
  let depth = 0;
  for (let at = uri.indexOf('/'); at >= 0; at = uri.indexOf('/', at + 1)) if (++depth >= wanted && at + 1 < uri.length) return true;
  return false;
}

function remove(r: Request): number {
  if (hasBody(r)) return refuse(r, 415, 'DELETE with body is unsupported');
  const wanted = davModule.conf(r.loc).min_delete_depth;
  if (wanted > 0 && !isDeepEnough(r.uri, wanted)) {
    return refuse(r, 409, `insufficient URI depth:${r.uri.split('/').length - 1} to DELETE`);
  }
  const name = mapUri(r);
  let stat: Stats;
  try {
    stat = lstatSync(fsPath(name));
  } catch (error) {
    return fileError(r, 'lstat()', name, error, (error as NodeJS.ErrnoException).code === 'ENOTDIR' ? 409 : 404);
  }
  if (stat.isDirectory()) {
    if (!r.uri.endsWith('/')) return refuse(r, 409, `DELETE "${name}" failed (${systemError('EISDIR')})`);
    if (depthOf(r, Infinity) !== Infinity) return refuse(r, 400, '"Depth" header must be infinity');
  } else {
    const depth = depthOf(r, 0);
    if (depth !== 0 && depth !== Infinity) return refuse(r, 400, '"Depth" header must be 0 or infinity');
  }
  return removePath(r, name, stat.isDirectory()) || 204;
}

/** @returns 0, or the status of a failure */
function removePath(r: Request, name: string, isFolder: boolean): number {
  try {
    if (isFolder) rmSync(fsPath(name.replace(/\/$/, '')), { recursive: true });
    else unlinkSync(fsPath(name));
    return 0;
  } catch (error) {
    return fileError(r, isFolder ? 'rmdir()' : 'unlink()', name, error, 404);
  }
}

function makeCollection(r: Request): number {
  if (hasBody(r)) return refuse(r, 415, 'MKCOL with body is unsupported');
  if (!r.uri.endsWith('/')) return refuse(r, 409, 'MKCOL can create a collection only');
  const name = mapUri(r).replace(/\/$/, '');
  try {
    mkdirSync(fsPath(name), { mode: folderMode(davModule.conf(r.loc).dav_access) });
  } catch (error) {
    return fileError(r, 'mkdir()', name, error, 409);
  }
  r.out.location = escapeUri(r.uri, 'uri');
  return 201;
}

// ---------------------------------------------------------------- COPY, MOVE

/** Path and query of `Destination`, or a status if it is invalid. */
function destinationOf(r: Request): string | number {
  const text = r.headerIn('destination');
  if (text === null) return refuse(r, 400, 'client sent no "Destination" header');
  const invalid = (): number => refuse(r, 400, `client sent invalid "Destination" header: "${text}"`);
  if (text.startsWith('/')) return text;
  if (r.host === '') return refuse(r, 400, 'client sent no "Host" header');
  const scheme = r.conn.tls ? 'https://' : 'http://';
  if (!text.startsWith(scheme)) return invalid();
  if (!text.startsWith(r.host, scheme.length)) {
    return refuse(r, 400, `"Destination" URI "${text}" is handled by different repository than the source URI`);
  }
  const slash = text.indexOf('/', scheme.length + r.host.length);
  return slash < 0 ? invalid() : text.slice(slash);
}

/** The decoded path of a Destination; null if it leaves the root. */
function decodeDestination(target: string): string | null {
  const path = target.replace(/[?#].*$/s, '');
  const uri = normalisePath(path, true);
  return uri === null || uri.includes('\0') || /(?:^|\/)\.\.(?:\/|$)/.test(path) ? null : uri;
}

function copyOrMove(r: Request): number {
  if (hasBody(r)) return refuse(r, 415, 'COPY and MOVE with body are unsupported');
  const target = destinationOf(r);
  if (typeof target === 'number') return target;
  const named = present(r.headerIn('destination'));
  const uri = decodeDestination(target);
  if (uri === null) return refuse(r, 400, `client sent invalid "Destination" header: "${named}"`);
  if (target.endsWith('/') !== r.uri.endsWith('/')) {
    return refuse(r, 409, `both URI "${r.uri}" and "Destination" URI "${named}" should be either collections or non-collections`);
  }
  const alias = r.loc.docRoot?.alias;
  if (alias && uri.length < alias.nameLength) return refuse(r, 400, `client sent invalid "Destination" header: "${named}"`);
  const depth = depthOf(r, Infinity);
  if (depth !== Infinity && (r.method === 'MOVE' || depth !== 0)) {
    return refuse(r, 400, r.method === 'MOVE' ? '"Depth" header must be infinity' : '"Depth" header must be 0 or infinity');
  }
  const overwrite = r.headerIn('overwrite') ?? 'T';
  if (!/^[TtFf]$/.test(overwrite)) return refuse(r, 400, `client sent invalid "Overwrite" header: "${overwrite}"`);
  const from = mapUri(r).replace(/\/{2,}/g, '/');
  const to = mapUri(r, uri).replace(/\/{2,}/g, '/');
  const why = overlap(r, from, to, named);
  return why === null ? transfer(r, from, to, /[Tt]/.test(overwrite)) : refuse(r, 403, why);
}

/** Why a copy would destroy its own source, or null. */
function overlap(r: Request, from: string, to: string, named: string): string | null {
  const [a, b] = [from, to].map((name) => name.replace(/\/$/, ''));
  if (a === b) return `both URI "${r.uri}" and "Destination" URI "${named}" point to the same location`;
  const nested = r.uri.endsWith('/') && (a.startsWith(`${b}/`) || b.startsWith(`${a}/`));
  return nested ? `"${r.uri}" could not be ${r.method}ed to collection "${named}"` : null;
}

/** @param from, to  paths; those of folders end with a slash */
function transfer(r: Request, from: string, to: string, mayOverwrite: boolean): number {
  const place = to.replace(/\/$/, '');
  let old: Stats | null = null;
  try {
    old = lstatSync(fsPath(place));
    if (old.isDirectory() && !to.endsWith('/')) {
      const past = r.method === 'MOVE' ? 'MOVEed' : 'COPYed';
      return refuse(r, 409, `"${r.uri}" could not be ${past} to collection "${r.headerIn('destination')}"`);
    }
    if (!mayOverwrite) return refuse(r, 412, `"${place}" could not be created (${systemError('EEXIST')})`);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') return fileError(r, 'lstat()', place, error, 404);
  }
  let stat: Stats;
  try {
    stat = lstatSync(fsPath(from));
  } catch (error) {
    return fileError(r, 'lstat()', from, error, 404);
  }
  if (stat.isDirectory()) {
    if (!r.uri.endsWith('/')) return refuse(r, 400, `"${r.uri}" is collection`);
    return transferFolder(r, from.replace(/\/$/, ''), place, old);
  }
  try {
    if (r.method === 'MOVE') {
      mkdirSync(fsPath(path.dirname(place)), { recursive: true, mode: folderMode(davModule.conf(r.loc).dav_access) });
      moveFile(fsPath(from), fsPath(place));
    } else {
      copyFileSync(fsPath(from), fsPath(place));
      utimesSync(fsPath(place), stat.atime, stat.mtime);
    }
    return 204;
  } catch (error) {
    r.log('crit', `${r.method} of "${from}" to "${place}" failed (${(error as Error).message})`);
    return 500;
  }
}

function transferFolder(r: Request, from: string, to: string, old: Stats | null): number {
  if (old) {
    const status = removePath(r, to, old.isDirectory());
    if (status !== 0) return status;
  }
  try {
    if (r.method === 'MOVE') {
      renameSync(fsPath(from), fsPath(to));
      return 201;
    }
  } catch {
    // Another file system: copy.
  }
  try {
    mkdirSync(fsPath(to));
  } catch (error) {
    return fileError(r, 'mkdir()', to, error, 404);
  }
  try {
    cpSync(from, to, { recursive: true, preserveTimestamps: true });
    return r.method === 'MOVE' ? removePath(r, from, true) || 201 : 201;
  } catch (error) {
    r.log('crit', `${r.method} of "${from}" to "${to}" failed (${(error as Error).message})`);
    return 500;
  }
}
