// Chooses the location for a URI: exact name, then longest prefix (with nested locations), then expressions in order.
import { nowMs } from '../../../http/wire/clock.ts';
import { core } from '../config/core.ts';
import type { Loc, Request } from '../model/types.ts';

type Found = 'exact' | 'inclusive' | 'regex' | 'redirect' | 'none' | 'error';

/** The parts of a request that the search reads and changes. */
type Located = Pick<Request, 'uri' | 'loc' | 'setNamed'>;

/** Sets `r.loc` to the innermost location of the URI, starting from its current level. */
export function findLocation(r: Located): Found {
  const level = r.loc;
  let noRegex = false;
  let found = findStatic(r, level);
  if (found === 'inclusive') {
    noRegex = r.loc.kind === 'noregex';
    const nested = findLocation(r);
    found = nested === 'none' ? 'inclusive' : nested;
  }
  if (found === 'exact' || found === 'redirect' || found === 'regex' || found === 'error') return found;
  if (!noRegex) {
    for (const loc of level.regexes) {
      const { regex } = loc;
      const captures = regex?.exec(r.uri);
      if (!regex || !captures) continue;
      r.setNamed(regex, captures);
      r.loc = loc;
      const nested = findLocation(r);
      return nested === 'none' || nested === 'inclusive' ? 'regex' : nested;
    }
  }
  return found;
}

function findStatic(r: Located, level: Loc): Found {
  // CONNECT has no URI
  const uri = r.uri || '/';
  // Most levels have neither; then the URI, a new string in each request, is not hashed.
  const exact = level.exacts.size > 0 ? level.exacts.get(uri) : null;
  if (exact) {
    r.loc = exact;
    return 'exact';
  }
  let best: Loc | null = null;
  for (const loc of level.prefixes) {
    if (uri.startsWith(loc.name)) {
      best = loc;
      break;
    }
  }
  const redirect = level.redirects.size > 0 && best?.name !== uri ? level.redirects.get(uri) : null;
  if (redirect) {
    r.loc = redirect;
    return 'redirect';
  }
  if (!best) return 'none';
  r.loc = best;
  return 'inclusive';
}

/** Applies what the location determines, right after it was chosen. */
export function updateLocation(r: Request): void {
  const { exceptMethods, exceptLoc } = r.loc;
  if (exceptMethods && exceptLoc && !exceptMethods.has(r.method)) r.loc = exceptLoc;
  if (!r.isSub && r.keepalive) r.keepalive = mayKeepAlive(r);
  if (r.loc.handler) r.contentHandler = r.loc.handler;
}

/** Whether the location lets a connection persist that the client wants to keep. */
function mayKeepAlive(r: Request): boolean {
  const c = core.conf(r.loc);
  if (c.keepalive_timeout.timeoutMs === 0 || r.conn.requests >= c.keepalive_requests) return false;
  if (nowMs() - r.conn.startMs > c.keepalive_time) return false;
  if (c.keepalive_disable.has('none')) return true;
  const checksExplorer = r.method === 'POST' && c.keepalive_disable.has('msie6');
  const checksSafari = c.keepalive_disable.has('safari');
  const agent = checksExplorer || checksSafari ? r.headerIn('user-agent') : null;
  if (agent === null) return true;
  if (checksExplorer && /MSIE [4-6]\./.test(agent)) return false;
  return !(checksSafari && /Mac OS X/.test(agent) && /Safari\//.test(agent) && !/Chrome\//.test(agent));
}

/** Sorts the children of a level into the lookup structures. */
export function indexLocations(level: Loc): void {
  for (const loc of level.children) {
    if (loc.kind === 'exact') level.exacts.set(loc.name, loc);
    else if (loc.kind === 'prefix' || loc.kind === 'noregex') level.prefixes.push(loc);
    else if (loc.kind === 'regex') level.regexes.push(loc);
    indexLocations(loc);
  }
  level.prefixes.sort((a, b) => b.name.length - a.name.length);
  // The first location of a name is used, an exact one before a prefix.
  const named = new Map<string, Loc>();
  for (const loc of [...level.exacts.values(), ...level.prefixes]) if (!named.has(loc.name)) named.set(loc.name, loc);
  for (const [name, loc] of named) if (loc.autoRedirect) level.redirects.set(name.slice(0, -1), loc);
}
