// Subrequests: requests of the server to itself, whose output becomes part of another's, stays in memory, or is dropped.
import { BodyDecoder } from '../../../http/wire/body-decoder.ts';
import { core } from '../config/core.ts';
import type { Request, SubrequestEnd } from '../model/types.ts';
import { RequestBody } from '../request/body.ts';
import { runPhases } from './phases.ts';
import { flushPostponed } from './postpone.ts';
import { redirectToNamed } from './redirect.ts';

/** Maximum number of internal redirects of a request. */
export const MAX_URI_CHANGES = 10;
const MAX_SUBREQUEST_DEPTH = 50;

export interface SubrequestOptions {
  /** collect the output instead of sending it */
  inMemory?: boolean;
  /** output is dropped, and the main request does not wait for it */
  background?: boolean;
  /** no body is produced */
  headerOnly?: boolean;
  /** runs when the subrequest ends; returns the code to continue with */
  done?: SubrequestEnd;
  method?: string;
  /** replaces the body of the main request */
  body?: Buffer;
  /** the body of the main request is not for it */
  withoutBody?: boolean;
}

/**
 * Starts a subrequest of `parent`. Its output goes into the parent's output at this point.
 * @returns null if subrequests are nested too deeply
 */
export function startSubrequest(parent: Request, uri: string, args: string, options: SubrequestOptions = {}): Request | null {
  if (parent.depth >= MAX_SUBREQUEST_DEPTH) {
    parent.log('error', `subrequests cycle while processing "${uri}"`);
    return null;
  }
  const sub = parent.makeSub();
  sub.depth = parent.depth + 1;
  sub.method = options.method ?? 'GET';
  sub.protocol = parent.protocol;
  sub.version = parent.version;
  sub.requestLine = parent.main.requestLine;
  sub.rawUri = parent.rawUri;
  sub.uri = uri;
  sub.args = args;
  sub.headersIn = parent.headersIn;
  sub.host = parent.host;
  sub.hostPort = parent.hostPort;
  sub.contentLength = parent.contentLength;
  sub.body = parent.body;
  if (options.body) giveBody(sub, options.body);
  else if (options.withoutBody) giveBody(sub, null);
  sub.internal = true;
  sub.validRawUri = false;
  sub.expectTested = true;
  sub.captures = null;
  sub.keepalive = parent.keepalive;
  sub.uriChanges = MAX_URI_CHANGES + 1;
  sub.inMemory = options.inMemory ?? false;
  sub.needInMemory = sub.inMemory;
  sub.background = options.background ?? false;
  sub.headerOnly = options.headerOnly ?? false;
  sub.postHandler = options.done ?? null;
  (sub.main.subrequests ??= new Set()).add(sub);
  if (sub.background) parent.main.backgroundCount++;
  else if (!sub.inMemory && !sub.headerOnly) {
    if (parent.conn.active === parent && parent.postponed.length === 0) parent.conn.active = sub;
    parent.postponed.push({ request: sub });
  }
  sub.phaseIndex = parent.http.serverRewriteIndex;
  sub.resume = () => runPhases(sub);
  parent.conn.post(sub);
  return sub;
}

/**
 * Starts a subrequest that does what `parent` does, in its location and without the phases that led there: it has the same method, captures and
 * rewritten URI.
 */
export function startClone(parent: Request, options: SubrequestOptions = {}): Request | null {
  const sub = startSubrequest(parent, parent.uri, parent.args, { ...options, method: parent.method });
  if (!sub) return null;
  sub.validRawUri = parent.validRawUri;
  sub.loc = parent.loc;
  sub.captures = parent.captures;
  const handler = parent.contentHandler ?? parent.loc.handler;
  sub.resume = () => {
    sub.resume = () => {};
    sub.finalize(handler ? handler(sub) : 500);
  };
  return sub;
}

/** @param data  null for a request without a body */
function giveBody(sub: Request, data: Buffer | null): void {
  const limits = { memoryBytes: data?.length ?? 0, maxBytes: 0, tempFolder: { path: '', levels: [] }, inFile: 'off' as const };
  const body = new RequestBody(new BodyDecoder(0), limits);
  body.started = true;
  body.complete = true;
  if (data && data.length > 0) body.take(data);
  sub.body = body;
  sub.bodyOwner = sub;
  sub.chunkedIn = false;
  sub.contentLength = data?.length ?? -1;
  sub.headersIn = sub.headersIn.filter(({ lname }) => lname !== 'content-length' && lname !== 'transfer-encoding');
  if (data) sub.headersIn.push({ name: 'Content-Length', lname: 'content-length', value: String(data.length) });
}

/** `post_action`: a request that runs after the response; its own response is discarded. */
export function startPostAction(r: Request): void {
  const target = core.conf(r.loc).post_action;
  if (target === '') return;
  r.afterwards = true;
  const named = target.startsWith('@');
  const sub = startSubrequest(r, named ? r.uri : target, named ? r.args : '', { background: true, method: r.method });
  if (sub && named) sub.resume = () => redirectToNamed(sub, target);
}

/** Ends a subrequest that has produced everything: logs it and resumes its parent, or waits for its own subrequests and filters. */
export function endSubrequest(sub: Request): void {
  if (sub.background) {
    close(sub);
    sub.main.backgroundEnded();
    return;
  }
  const { conn } = sub;
  if (sub.postponed.length > 0 && !sub.buffered && sub === conn.active) flushPostponed(sub);
  if (sub.buffered || sub.postponed.length > 0) {
    sub.resume = () => sub.write();
    return;
  }
  if (sub === conn.active) conn.active = sub.parent ?? null;
  close(sub);
  if (sub.parent) conn.post(sub.parent);
}

function close(sub: Request): void {
  sub.done = true;
  sub.main.subrequests?.delete(sub);
  sub.runCleanups();
  sub.runLogHandlers(true);
}
