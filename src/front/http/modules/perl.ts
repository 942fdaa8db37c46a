// Handlers and variables in Perl, with nginx's request object. The interpreter (perl/interpreter.ts) runs in a thread.
//   perl_modules perl/lib;  perl_require hello.pm;  perl_set $tier 'sub { ... }';  location / { perl hello::handler; }
import { custom, HTTP, LIMIT_EXCEPT, LOCATION, msec, size } from '../../config/directive.ts';
import { logTo } from '../../log/error-log.ts';
import { defineModule, type HttpFrame } from '../config/module.ts';
import type { HttpMain, Request } from '../model/types.ts';
import { type CallResult, Interpreter } from '../perl/interpreter.ts';
import { PerlRequest } from '../perl/perl-request.ts';
import type { PerlSsi } from '../perl/ssi.ts';
import { internalRedirect, redirectToNamed } from '../phases/redirect.ts';
import { startSubrequest } from '../phases/subrequest.ts';
import { DONE, ERROR, OK } from '../request/codes.ts';
import { parseUnsafeUri } from '../request/parse.ts';

/** A handler of the configuration: its source or name, and its place in the interpreter's list. */
interface Handler {
  text: string;
  index: string;
}

interface PerlMain {
  handlers: string[];
  modules: string[];
  requires: string[];
  interpreter: Interpreter | null;
  /** requests that ended before their handler ran, whose state the interpreter may discard */
  dropped: string[];
}

const KEY = 'perl';
function mainOf(main: HttpMain): PerlMain {
  let own = main.registry.get(KEY) as PerlMain | undefined;
  if (!own) {
    own = { handlers: [], modules: [], requires: [], interpreter: null, dropped: [] };
    main.registry.set(KEY, own);
    const ssi: PerlSsi = runForSsi;
    main.registry.set('perl:ssi', ssi);
  }
  return own;
}

function addHandler(f: HttpFrame, text: string): Handler {
  const { handlers } = mainOf(f.scope.main);
  handlers.push(text);
  return { text, index: String(handlers.length - 1) };
}

const listOf = (name: 'modules' | 'requires') =>
  custom<undefined>(
    HTTP,
    1,
    undefined,
    (f: HttpFrame) => {
      const own = mainOf(f.scope.main);
      if (name === 'modules') own.modules.push(f.scope.path(f.args[0]));
      else own.requires.push(f.args[0]);
      return undefined;
    },
    { repeats: true },
  );

export const perlModule = defineModule(
  'perl',
  {
    perl: custom<Handler | null>(LOCATION | LIMIT_EXCEPT, 1, null, (f: HttpFrame) => {
      f.scope.loc.handler = handleRequest;
      return addHandler(f, f.args[0]);
    }),
    perl_set: custom<undefined>(
      HTTP,
      2,
      undefined,
      (f: HttpFrame) => {
        const [name, source] = f.args;
        if (!/^\$\w+$/.test(name)) f.fail(`invalid variable name "${name}"`);
        const handler = addHandler(f, source);
        f.scope.main.variables.define(name.slice(1), { get: (r) => evaluate(r, handler) });
        return undefined;
      },
      { repeats: true },
    ),
    perl_modules: listOf('modules'),
    perl_require: listOf('requires'),
    perl_engine: custom<string>(HTTP, 1, 'wasm', (f: HttpFrame) => (f.args[0] === 'wasm' ? 'wasm' : f.scope.path(f.args[0])), {
      defaultText: 'wasm',
    }),
    perl_memory: size(HTTP, '256m'),
    perl_timeout: msec(HTTP, '10s'),
  },
  { start },
);

async function start(main: HttpMain): Promise<void> {
  const own = mainOf(main);
  const { perl_engine: engine, perl_memory: memoryBytes, perl_timeout: timeoutMs } = perlModule.conf(main.loc);
  const env = Object.fromEntries(Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
  const { handlers, requires } = own;
  const modules = [...own.modules, ...(engine === 'wasm' ? (env.PERL5LIB ?? '').split(':').filter((folder) => folder !== '') : [])];
  const options = { engine, memoryBytes, timeoutMs, env, handlers, modules, requires };
  own.interpreter = new Interpreter(options, (level, text) => logTo(main.loc.errorLogs, level, text));
  await own.interpreter.start();
}

// ---------------------------------------------------------------- calls

function stateOf(r: Request): PerlRequest {
  let state = r.getCtx<PerlRequest>(perlModule);
  if (!state) r.setCtx(perlModule, (state = new PerlRequest(r)));
  return state;
}

let requestCount = 0;
const ids = new WeakMap<PerlRequest, string>();
function idOf(state: PerlRequest): string {
  let id = ids.get(state);
  if (id === undefined) ids.set(state, (id = String(++requestCount)));
  return id;
}

/**
 * Arguments of `run_call` after the id of the call. @param handler index or name of a handler, `next`: the handler given to sleep or
 * has_request_body
 */
function argumentsOf(state: PerlRequest, handler: string, isVariable: boolean, args: readonly string[] = []): string[] {
  const { r } = state;
  const dropped = mainOf(r.http).dropped.splice(0).join(',');
  return [idOf(state), handler, state.flags(isVariable), r.uri, r.args, r.method, r.conn.remoteAddr, dropped, ...args];
}

/** Logs a failed call. @returns whether it succeeded */
function succeeded(state: PerlRequest, text: string, result: CallResult): result is { value: string } {
  if ('value' in result) return !state.hasFailed;
  const { r } = state;
  if ('lost' in result) r.log('error', `perl handler "${text}" failed: ${result.lost}`);
  else if (!state.hasFailed) r.log('error', `call_sv("${text}") failed: "${result.error}"`);
  return false;
}

function run(state: PerlRequest, handler: string, text: string): void {
  const { r } = state;
  const { interpreter } = mainOf(r.http);
  if (!interpreter) {
    r.finalize(500);
    return;
  }
  state.next = null;
  interpreter.call(argumentsOf(state, handler, false), state, (result) => {
    if (r.done) {
      if (state.next) mainOf(r.http).dropped.push(idOf(state));
      return;
    }
    const ended = succeeded(state, text, result);
    if (ended || 'error' in result) finish(state, ended ? Number(result.value) : failure(state));
    else r.finalize(state.headerSent ? ERROR : 500);
  });
}

function failure(state: PerlRequest): number {
  if (state.hasFailed) return state.failedStatus === OK ? ERROR : state.failedStatus;
  state.redirectUri = '';
  return state.headerSent ? ERROR : 500;
}

function handleRequest(r: Request): number {
  const handler = perlModule.conf(r.loc).perl;
  if (!handler) return 500;
  run(stateOf(r), handler.index, handler.text);
  return DONE;
}

/** Continues according to the result of a handler. */
function finish(state: PerlRequest, status: number): void {
  const { r, next, redirectUri } = state;
  state.redirectUri = '';
  if (status === ERROR) {
    r.finalize(ERROR);
    return;
  }
  if (next) {
    if (next.kind === 'sleep') sleep(state, next.ms);
    else
      r.conn.readBody(r, (rc) => {
        if (rc === OK) run(state, 'next', '');
        else r.finalize(rc);
      });
    return;
  }
  if (redirectUri !== '') {
    redirect(r, redirectUri);
    return;
  }
  const code = status > 600 ? OK : status;
  if (code !== OK && code !== 200) {
    r.finalize(code);
    return;
  }
  if (!state.headerSent) {
    r.log('error', 'perl handler returned OK, but has not sent the response header');
    r.finalize(500);
    return;
  }
  r.finalize(r.output([], true));
}

function sleep(state: PerlRequest, ms: number): void {
  const { r } = state;
  const timer = setTimeout(() => {
    if (!r.done) run(state, 'next', '');
  }, ms);
  r.cleanups.push(() => clearTimeout(timer));
  r.cleanups.push(() => {
    if (state.next) mainOf(r.http).dropped.push(idOf(state));
  });
}

function redirect(r: Request, uri: string): void {
  if (uri.startsWith('@')) {
    redirectToNamed(r, uri);
    return;
  }
  const target = parseUnsafeUri(uri);
  if (!target) {
    r.log('error', `unsafe URI "${uri}" was detected`);
    r.finalize(500);
    return;
  }
  internalRedirect(r, target.path, target.args);
}

function evaluate(r: Request, handler: Handler): string | null {
  const { interpreter } = mainOf(r.http);
  if (!interpreter) return null;
  const state = stateOf(r);
  const result = interpreter.callAndWait(argumentsOf(state, handler.index, true), state);
  return succeeded(state, handler.text, result) ? result.value : null;
}

/** A subrequest whose response is the output of a sub on a page. */
function runForSsi(r: Request, name: string, args: readonly string[]): Request | null {
  const { interpreter } = mainOf(r.http);
  const sub = startSubrequest(r, r.uri, r.args);
  if (!sub) return null;
  sub.resume = () => {
    sub.headerSent = true;
    const state = new PerlRequest(r, sub);
    interpreter?.call(argumentsOf(state, name, false, args), state, (result) => {
      if (sub.done) return;
      const ended = succeeded(state, name, result);
      sub.finalize(ended ? sub.output([], true) : OK);
    });
  };
  return sub;
}
