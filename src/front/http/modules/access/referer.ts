// valid_referers: `$invalid_referer` is set if the Referer field is none of those listed.
import { present } from '../../../../common/present.ts';
import { ANY_COUNT, custom, LOCATION, num, SERVER } from '../../../config/directive.ts';
import type { Regex } from '../../../config/regex.ts';
import { compileRegex } from '../../config/compile-regex.ts';
import { defineModule, type HttpFrame } from '../../config/module.ts';
import type { Request } from '../../model/types.ts';

interface Referers {
  none: boolean;
  blocked: boolean;
  serverNames: boolean;
  hosts: { head?: string; tail?: string; exact?: string; uri: string }[];
  /** As written, to find duplicates. */
  names: Set<string>;
  regexes: Regex[];
}

/** nginx refuses a list without host names, which would match nothing. */
function checkReferers(c: Referers | null): void {
  if (c && (c.none || c.blocked) && !c.serverNames && c.hosts.length + c.regexes.length === 0)
    throw 'the "none" or "blocked" referers are specified in the "valid_referers" directive without any valid referer';
}

export const refererModule = defineModule(
  'referer',
  {
    valid_referers: custom<Referers | null>(
      SERVER | LOCATION,
      [1, ANY_COUNT],
      null,
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

/** Length of the shortest referer that can contain a host: `http://i.ru`. */
const SHORTEST_REFERER = 11;

function validReferer(r: Request): boolean {
  const c = refererModule.conf(r.loc).valid_referers;
  if (!c) return true;
  const text = r.headerIn('referer');
  if (text === null) return c.none;
  const scheme = text.length < SHORTEST_REFERER ? null : /^https?:\/\//i.exec(text);
  if (!scheme) return c.blocked;
  const rest = text.slice(scheme[0].length);
  const host = present(/^[^/:]*/.exec(rest))[0].toLowerCase();
  if (host.length > 256) return false;
  const { names } = r.server;
  if (c.serverNames && names.some((n) => !n.regex && matchesName(host, n.text))) return true;
  const slash = rest.indexOf('/');
  const uri = slash < 0 ? '' : rest.slice(slash);
  for (const h of c.hosts) {
    const matches =
      h.exact !== undefined ? host === h.exact : h.tail !== undefined ? host.endsWith(h.tail) : host.startsWith(present(h.head));
    // The first matching name decides.
    if (matches) return uri.startsWith(h.uri);
  }
  return (c.serverNames && names.some((n) => n.regex?.test(host))) || c.regexes.some((regex) => regex.test(rest));
}

function matchesName(host: string, name: string): boolean {
  if (name.startsWith('*.')) return host.endsWith(name.slice(1));
  if (name.endsWith('.*')) return host.startsWith(name.slice(0, -1));
  return name.startsWith('.') ? host === name.slice(1) || host.endsWith(name) : host === name;
}
