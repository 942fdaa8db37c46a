/** flv, referer, secure_link. */
import { createHash } from 'node:crypto';
import { ANY_COUNT, again, custom, HSL, LOCATION, num, SERVER } from '../../config/directive.ts';
import { DECLINED, OK } from '../codes.ts';
import { core } from '../core.ts';
import { defineModule, type HttpFrame } from '../module.ts';
import { closeFile, fileEtag, type OpenedFile, openError, openFile } from '../open-files.ts';
import { findArg } from '../parse.ts';
import { mapUri } from '../paths.ts';
import type { Regex } from '../regex.ts';
import type { Request } from '../request.ts';
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

/** nginx refuses a list that names no host, as it would let nobody in. */
function checkReferers(c: Referers | undefined): void {
  if (c && (c.none || c.blocked) && !c.serverNames && c.hosts.length + c.regexes.length === 0)
    throw 'the "none" or "blocked" referers are specified in the "valid_referers" directive without any valid referer';
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
  {
    finish: (conf) => checkReferers(conf.valid_referers),
    variables: [{ name: 'invalid_referer', volatile: true, get: (r): string => (validReferer(r) ? '' : '1') }],
  },
);

/** shortest referer that can name a host: `http://i.ru` */
const SHORTEST_REFERER = 11;

function validReferer(r: Request): boolean {
  const c = refererModule.conf(r.loc).valid_referers;
  if (!c) return true;
  const text = r.headerIn('referer');
  if (text === undefined) return c.none;
  const scheme = text.length < SHORTEST_REFERER ? null : /^https?:\/\//i.exec(text);
  if (!scheme) return c.blocked;
  const rest = text.slice(scheme[0].length);
  const host = /^[^/:]*/.exec(rest)![0].toLowerCase();
  if (host.length > 256) return false;
  const { names } = r.server;
  if (c.serverNames && names.some((n) => !n.regex && matchesName(host, n.text))) return true;
  const slash = rest.indexOf('/');
  const uri = slash < 0 ? '' : rest.slice(slash);
  for (const h of c.hosts) {
    const matches = h.exact !== undefined ? host === h.exact : h.tail !== undefined ? host.endsWith(h.tail) : host.startsWith(h.head!);
    // the first name that fits decides
    if (matches) return uri.startsWith(h.uri);
  }
  return (c.serverNames && names.some((n) => n.regex?.test(host))) || c.regexes.some((regex) => regex.test(rest));
}

function matchesName(host: string, name: string): boolean {
  if (name.startsWith('*.')) return host.endsWith(name.slice(1));
  if (name.endsWith('.*')) return host.startsWith(name.slice(0, -1));
  return name.startsWith('.') ? host === name.slice(1) || host.endsWith(name) : host === name;
}

// ---------------------------------------------------------------- secure_link

export const secureLinkModule = defineModule(
  'secure_link',
  {
    secure_link: custom<Value | undefined>(HSL, 1, undefined, (f: HttpFrame) => f.scope.value(f.args[0])),
    secure_link_md5: custom<Value | undefined>(HSL, 1, undefined, (f: HttpFrame) => f.scope.value(f.args[0])),
    secure_link_secret: custom<string | undefined>(HSL, 1, undefined, (f: HttpFrame) => f.args[0]),
  },
  {
    variables: [
      { name: 'secure_link', volatile: true, get: secureLink },
      // on its own, since secure_link_md5 usually names it
      { name: 'secure_link_expires', volatile: true, get: (r): string | null => linkAndEnd(r)?.expires ?? null },
    ],
  },
);

/** The hash of `secure_link`, and the seconds until which it holds; undefined where they are not seconds. */
function linkAndEnd(r: Request): { hash: string; expires: string | null } | undefined {
  const text = secureLinkModule.conf(r.loc).secure_link?.eval(r);
  if (text === undefined) return undefined;
  const comma = text.indexOf(',');
  if (comma < 0) return { hash: text, expires: null };
  const expires = text.slice(comma + 1);
  return /^\d{1,18}$/.test(expires) && Number(expires) > 0 ? { hash: text.slice(0, comma), expires } : undefined;
}

/** `$secure_link`: '1' for a link that holds, '0' for one that held, null for any other; the link itself under `secure_link_secret`. */
function secureLink(r: Request): string | null {
  const c = secureLinkModule.conf(r.loc);
  if (c.secure_link_secret !== undefined) {
    const m = /^\/[^/]*\/([0-9a-fA-F]{32})\/(.+)$/.exec(r.main.rawUri);
    if (!m) return null;
    const digest = createHash('md5')
      .update(m[2] + c.secure_link_secret, 'latin1')
      .digest('hex');
    return digest === m[1].toLowerCase() ? m[2] : null;
  }
  const link = c.secure_link_md5 && linkAndEnd(r);
  if (!link || link.hash.length > 24) return null;
  const digest = createHash('md5').update(c.secure_link_md5!.eval(r), 'latin1').digest();
  if (!/^[A-Za-z0-9_-]{22}(?:==?)?$/.test(link.hash) || !Buffer.from(link.hash, 'base64url').equals(digest)) return null;
  return link.expires !== null && Number(link.expires) < Date.now() / 1000 ? '0' : '1';
}
