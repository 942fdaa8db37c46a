// Chooses the location for a URI: exact name, then longest prefix (with nested locations), then expressions in order.
import { nowMs } from '../../../http/wire/clock.ts';
import { core } from '../config/core.ts';
import type { Loc, Request } from '../model/types.ts';

type Found = 'exact' | 'inclusive' | 'regex' | 'redirect' | 'none' | 'error';

export function findLocation(r: Request): Found {
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

function findStatic(r: Request, level: Loc): Found {
  // CONNECT has no URI
  const uri = r.uri || '/';
  const exact = level.exacts.get(uri);
  if (exact) {
    r.loc = exact;
    return 'exact';
  }
  let best: Loc | undefined;
  for (const loc of level.prefixes) {
    if (uri.startsWith(loc.name)) {
      best = loc;
      break;
    }
  }
  // `/name` if only `/name/` exists and it proxies
  if (best?.name !== uri) {
    const withSlash = `${uri}/`;
    const redirect = level.exacts.get(withSlash) ?? level.prefixes.find((loc) => loc.name === withSlash);
    if (redirect?.autoRedirect) {
      r.loc = redirect;
      return 'redirect';
    }
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
  const agent = r.headerIn('user-agent');
  if (agent === undefined) return true;
  if (c.keepalive_disable.has('msie6') && r.method === 'POST' && /MSIE [4-6]\./.test(agent)) return false;
  return !(c.keepalive_disable.has('safari') && /Mac OS X/.test(agent) && /Safari\//.test(agent) && !/Chrome\//.test(agent));
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
}
