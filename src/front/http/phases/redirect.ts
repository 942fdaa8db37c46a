// Internal redirects: the same request goes through the phases again, with another URI or in a named location.
import type { Request } from '../model/types.ts';
import { DONE } from '../request/codes.ts';
import { updateLocation } from './location.ts';
import { runPhases } from './phases.ts';

/** Restarts the phases with the URI and query of `target`. */
export function redirectTo(r: Request, target: string): number {
  const query = target.indexOf('?');
  return internalRedirect(r, query < 0 ? target : target.slice(0, query), query < 0 ? '' : target.slice(query + 1), true);
}

/** Restarts the phases with another URI. */
export function internalRedirect(r: Request, uri: string, args: string, emptyArgs = r.emptyArgs): number {
  r.uriChanges--;
  if (r.uriChanges === 0) return refuse(r, `rewrite or internal redirection cycle while internally redirecting to "${uri}"`);
  r.uri = uri;
  r.args = args;
  r.emptyArgs = emptyArgs;
  r.loc = r.server.root;
  r.contentHandler = null;
  r.validRawUri = false;
  r.validLocation = true;
  r.addUriToAlias = false;
  return restart(r, r.http.serverRewriteIndex);
}

/** Continues in a named location (`@name`). */
export function redirectToNamed(r: Request, name: string): number {
  r.uriChanges--;
  if (r.uriChanges === 0) return refuse(r, `rewrite or internal redirection cycle while redirect to named location "${name}"`);
  const loc = r.server.named.get(name);
  if (!loc) return refuse(r, `could not find named location "${name}"`);
  r.loc = loc;
  r.contentHandler = null;
  updateLocation(r);
  return restart(r, r.http.rewriteIndex);
}

function refuse(r: Request, why: string): number {
  r.log('error', why);
  r.finalize(500);
  return DONE;
}

function restart(r: Request, phaseIndex: number): number {
  r.ctx = [];
  r.logState = '';
  r.resetFilters();
  r.internal = true;
  r.phaseIndex = phaseIndex;
  runPhases(r);
  return DONE;
}
