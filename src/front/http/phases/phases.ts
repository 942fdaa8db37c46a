// The phase engine: a flat list of steps built once, walked by each request.
import { RegexLimitError } from '../../config/regex.ts';
import { core } from '../config/core.ts';
import { mapUri } from '../files/paths.ts';
import type { Handler, HttpMain, PhaseStep, Request } from '../model/types.ts';
import { AGAIN, DECLINED, DONE, ERROR, OK } from '../request/codes.ts';
import { escapeUri } from '../request/parse.ts';
import { findLocation, updateLocation } from './location.ts';

const decline: Handler = () => DECLINED;
/** The single step of a phase that the engine itself performs. */
const ENGINE = [decline];

export function buildPhases(http: HttpMain): void {
  const steps: PhaseStep[] = [];
  const add = (kind: PhaseStep['kind'], handlers: readonly Handler[]) => {
    const next = steps.length + handlers.length;
    for (const handler of handlers) steps.push({ kind, handler, next });
  };
  const { phases } = http;
  add('generic', phases.postRead);
  http.serverRewriteIndex = steps.length;
  add('rewrite', phases.serverRewrite);
  http.findConfigIndex = steps.length;
  add('findConfig', ENGINE);
  http.rewriteIndex = steps.length;
  add('rewrite', phases.rewrite);
  add('postRewrite', ENGINE);
  add('generic', phases.preaccess);
  // the step after the access handlers is postAccess
  const accessEnd = steps.length + phases.access.length + 1;
  for (const handler of phases.access) steps.push({ kind: 'access', handler, next: accessEnd });
  add('postAccess', ENGINE);
  add('generic', phases.precontent);
  for (const handler of phases.content) steps.push({ kind: 'content', handler, next: 0 });
  if (phases.content.length === 0) steps.push({ kind: 'content', handler: decline, next: 0 });
  http.steps = steps;
}

/** Runs the phases from `r.phaseIndex` on until a handler takes over or the request ends. */
export function runPhases(r: Request): void {
  try {
    walk(r);
  } catch (error) {
    if (error instanceof RegexLimitError) r.log('error', `regular expression failed: ${error.message}`);
    else r.log('error', `internal error: ${(error as Error)?.stack ?? String(error)}`);
    r.finalize(500);
  }
}

function walk(r: Request): void {
  const { steps } = r.http;
  while (!r.done) {
    const step = steps[r.phaseIndex];
    switch (step.kind) {
      case 'generic': {
        const rc = step.handler(r);
        if (rc === OK) r.phaseIndex = step.next;
        else if (rc === DECLINED) r.phaseIndex++;
        else if (rc === AGAIN || rc === DONE) return;
        else return r.finalize(rc);
        break;
      }
      case 'rewrite': {
        const rc = step.handler(r);
        if (rc === DECLINED) r.phaseIndex++;
        else if (rc === DONE) return;
        else return r.finalize(rc);
        break;
      }
      case 'findConfig': {
        if (!findConfig(r)) return;
        break;
      }
      case 'postRewrite': {
        if (!r.uriChanged) {
          r.phaseIndex++;
          break;
        }
        r.uriChanges--;
        if (r.uriChanges === 0) {
          r.log('error', `rewrite or internal redirection cycle while processing "${r.uri}"`);
          return r.finalize(500);
        }
        r.phaseIndex = r.http.findConfigIndex;
        r.loc = r.server.root;
        break;
      }
      case 'access': {
        if (r.isSub) {
          r.phaseIndex = step.next;
          break;
        }
        if (!access(r, step)) return;
        break;
      }
      case 'postAccess': {
        const code = r.accessCode;
        r.accessCode = 0;
        if (code) {
          if (code === 403) r.log('error', 'access forbidden by rule');
          return r.finalize(code);
        }
        r.phaseIndex++;
        break;
      }
      case 'content': {
        if (r.contentHandler) {
          const handler = r.contentHandler;
          r.resume = NOTHING;
          return r.finalize(handler(r));
        }
        const rc = step.handler(r);
        if (rc !== DECLINED) return r.finalize(rc);
        r.phaseIndex++;
        if (steps[r.phaseIndex]?.kind === 'content') break;
        if (r.uri.endsWith('/')) {
          r.log('error', `directory index of "${mapUri(r)}" is forbidden`);
          return r.finalize(403);
        }
        r.log('error', 'no handler found');
        return r.finalize(404);
      }
    }
  }
}

const NOTHING = (): void => {};
function access(r: Request, step: PhaseStep): boolean {
  const rc = step.handler(r);
  if (rc === DECLINED) {
    r.phaseIndex++;
    return true;
  }
  if (rc === AGAIN || rc === DONE) return false;
  const any = core.conf(r.loc).satisfy === 'any';
  if (!any && rc === OK) {
    r.phaseIndex++;
    return true;
  }
  if (any && rc === OK) {
    r.accessCode = 0;
    r.out.set('WWW-Authenticate', null);
    r.phaseIndex = step.next;
    return true;
  }
  if (any && (rc === 403 || rc === 401)) {
    if (r.accessCode !== 401) r.accessCode = rc;
    r.phaseIndex++;
    return true;
  }
  if (rc === ERROR) r.finalize(500);
  else r.finalize(rc);
  return false;
}

/** Chooses the location. Returns false if the request ended. */
function findConfig(r: Request): boolean {
  r.contentHandler = null;
  r.uriChanged = false;
  const found = findLocation(r);
  if (found === 'error') {
    r.finalize(500);
    return false;
  }
  const c = core.conf(r.loc);
  if (!r.internal && c.internal) {
    r.finalize(404);
    return false;
  }
  updateLocation(r);
  if (r.loc.debug) r.log('debug', `using configuration "${r.loc.name}"`);
  if (!r.isSub && !r.body?.started && r.contentLength > 0 && c.client_max_body_size > 0 && r.contentLength > c.client_max_body_size) {
    r.log('error', `client intended to send too large body: ${r.contentLength} bytes`);
    r.expectTested = true;
    r.finalize(413);
    return false;
  }
  if (found === 'redirect') {
    r.out.location = escapeUri(r.loc.name, 'uri');
    if (r.args) r.out.location += `?${r.args}`;
    r.finalize(301);
    return false;
  }
  r.phaseIndex++;
  return true;
}
