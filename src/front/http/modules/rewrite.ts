// if, set, return, rewrite, break: small programs of a server or location, run in the two rewrite phases.

import { statSync } from 'node:fs';
import { present } from '../../../common/present.ts';
import { ANY_COUNT, block, custom, flag, HSLI, LOCATION, LOCATION_IF, SERVER, SERVER_IF } from '../../config/directive.ts';
import { fsPath } from '../../fs-path.ts';
import { compileRegex } from '../config/compile-regex.ts';
import { defineModule, type HttpFrame } from '../config/module.ts';
import type { Value } from '../config/value.ts';
import { unset } from '../config/variables.ts';
import { checkSymlinks, SymlinkError } from '../files/symlinks.ts';
import type { Request, VariableDef } from '../model/types.ts';
import { Loc } from '../model/types.ts';
import { updateLocation } from '../phases/location.ts';
import { sendBuffer } from '../phases/send.ts';
import { DECLINED, DONE, HTTP_CLOSE } from '../request/codes.ts';
import { escapeUri } from '../request/parse.ts';

/** A step of a program. null continues with the next step, a code ends the program. */
type Op = (r: Request) => number | null;

const CONTEXTS = SERVER | LOCATION | SERVER_IF | LOCATION_IF;
const BREAK = -100;

function assign(r: Request, def: VariableDef, value: string): void {
  if (def.set) def.set(r, value);
  else r.vars[present(def.index)] = value;
}

/** The variable of `set $name`. */
export function declareVariable(f: HttpFrame, word: string): VariableDef {
  if (!/^\$\w+$/.test(word)) f.fail(`invalid variable name "${word}"`);
  try {
    return f.scope.main.variables.declare(word.slice(1));
  } catch (error) {
    f.fail(String(error));
  }
}

/** A variable of `set` whose `set` has not run: empty, so that a log has no `-` for it. */
function uninitialized(r: Request, name: string): string {
  if (rewriteModule.conf(r.loc).uninitialized_variable_warn) r.log('warn', `using uninitialized "${name}" variable`);
  return '';
}

function parseSet(f: HttpFrame): Op {
  const def = declareVariable(f, f.args[0]);
  if (def.get === unset) def.get = (r) => uninitialized(r, def.name);
  const value = f.scope.value(f.args[1]);
  return (r) => {
    assign(r, def, value.eval(r));
    return null;
  };
}

const REDIRECTS = new Set([301, 302, 303, 307, 308]);

function parseReturn(f: HttpFrame): Op {
  const [first, second] = f.args;
  let status = /^\d{1,3}$/.test(first) ? Number(first) : -1;
  let textValue: Value | null = null;
  if (status < 0) {
    if (f.args.length === 2) f.fail(`invalid return code "${first}"`);
    if (!/^(https?:\/\/|\$scheme)/.test(first)) f.fail(`invalid return code "${first}"`);
    status = 302;
    textValue = f.scope.value(first);
  } else if (status > 999) f.fail(`invalid return code "${first}"`);
  else if (second !== undefined) textValue = f.scope.value(second);
  // for errors, an empty text counts as absent
  if (textValue?.constant === '' && status >= 400) textValue = null;
  const constant = typeof textValue?.constant === 'string' ? Buffer.from(textValue.constant, 'latin1') : null;
  return (r) => {
    if (status === HTTP_CLOSE && !textValue) return HTTP_CLOSE;
    if (!textValue && status >= 400) return status;
    const discarded = r.conn.discardBody(r);
    if (discarded !== 0) return discarded;
    r.out.status = status;
    if (REDIRECTS.has(status)) {
      r.out.location = textValue?.eval(r) ?? '';
      return status;
    }
    return sendReturn(r, constant ?? Buffer.from(textValue?.eval(r) ?? '', 'latin1'));
  };
}

function sendReturn(r: Request, body: Buffer): number {
  r.setContentType();
  const rc = sendBuffer(r, body);
  return rc === 0 ? -3 : rc;
}

/** Expands a replacement; captures after a `?` are escaped again. */
function expand(r: Request, value: Value): string {
  return value.eval(r);
}

function parseRewrite(f: HttpFrame): Op {
  const regex = compileRegex(f, f.args[0]);
  let target = f.args[1];
  if (target === '') f.fail('empty replacement');
  let status = 0;
  let last: 'no' | 'last' | 'break' = 'no';
  if (/^(https?:\/\/|\$scheme)/.test(target)) {
    status = 302;
  }
  switch (f.args[2]) {
    case undefined:
      break;
    case 'last':
      last = 'last';
      break;
    case 'break':
      last = 'break';
      break;
    case 'redirect':
      status = 302;
      break;
    case 'permanent':
      status = 301;
      break;
    default:
      f.fail(`invalid parameter "${f.args[2]}"`);
  }
  let keepArgs = true;
  if (target.endsWith('?')) {
    keepArgs = false;
    target = target.slice(0, -1);
  }
  const query = target.indexOf('?');
  const pathValue = f.scope.value(query < 0 ? target : target.slice(0, query));
  const argsValue = query < 0 ? null : f.scope.value(target.slice(query + 1));
  const log = f.scope.loc;
  return (r) => {
    const captures = regex.exec(r.uri);
    if (!captures) {
      r.captures = null;
      if (rewriteModule.conf(log).rewrite_log) r.log('notice', `"${regex.source}" does not match "${r.uri}"`);
      return null;
    }
    r.setNamed(regex, captures);
    if (rewriteModule.conf(log).rewrite_log) r.log('notice', `"${regex.source}" matches "${r.uri}"`);
    const changesUri = status === 0;
    const newUri = evalPart(r, pathValue, !changesUri ? 'redirect' : 'plain');
    let newArgs: string | null = null;
    if (argsValue) newArgs = evalPart(r, argsValue, 'args');
    if (status) {
      const args = newArgs === null ? (keepArgs ? r.args : '') : keepArgs && r.args ? `${newArgs}&${r.args}` : newArgs;
      r.out.location = unescapeRedirect(newUri) + (args ? `?${args}` : '');
      if (rewriteModule.conf(log).rewrite_log) r.log('notice', `rewritten redirect: "${r.out.location}"`);
      return status;
    }
    // an emptied query is empty in variables, not absent
    if (newArgs !== null || r.args !== '') r.emptyArgs = true;
    if (newArgs !== null) r.args = keepArgs && r.args ? `${newArgs}&${r.args}` : newArgs;
    else if (!keepArgs) r.args = '';
    if (newUri === '') {
      r.log('error', 'the rewritten URI has a zero length');
      return 500;
    }
    r.uri = newUri;
    r.internal = true;
    r.validRawUri = false;
    if (rewriteModule.conf(log).rewrite_log) r.log('notice', `rewritten data: "${r.uri}", args: "${r.args}"`);
    if (last === 'break') {
      r.validLocation = false;
      return BREAK;
    }
    r.uriChanged = true;
    return last === 'last' ? BREAK : null;
  };
}

/** Captures are escaped again in redirects and queries; in a path they stay decoded. */
function evalPart(r: Request, value: Value, place: 'plain' | 'redirect' | 'args'): string {
  if (place === 'plain' || value.constant !== null) return expand(r, value);
  let out = '';
  for (const part of value.parts) {
    if (typeof part === 'string') out += part;
    else if ('variable' in part) out += r.variable(part.variable) ?? '';
    else {
      const offsets = r.captures?.offsets;
      const start = offsets?.[part.capture * 2] ?? -1;
      const text = start < 0 ? '' : present(r.captures).subject.slice(start, present(offsets)[part.capture * 2 + 1]);
      out += needsEscape(r) ? escapeUri(text, 'args') : text;
    }
  }
  return out;
}

const needsEscape = (r: Request): boolean => r.rawUri.includes('%') || r.rawUri.includes('+');

/** Target of a redirect: `%XX` of printable characters above `%` is decoded up to the query. */
function unescapeRedirect(uri: string): string {
  const query = uri.indexOf('?');
  const end = query < 0 ? uri.length : query;
  const path = uri.slice(0, end).replace(/%([0-9A-Fa-f]{2})/g, (whole, hex: string) => {
    const c = Number.parseInt(hex, 16);
    return c > 37 && c < 127 ? String.fromCharCode(c) : whole;
  });
  return path + uri.slice(end);
}

// ---------------------------------------------------------------- if

type Condition = (r: Request) => boolean;

function parseCondition(f: HttpFrame): Condition {
  const words = [...f.args];
  const fail = () => f.fail(`invalid condition "${f.args[0]}"`);
  if (words[0] === '(') words.shift();
  else if (words[0]?.startsWith('(')) words[0] = words[0].slice(1);
  else fail();
  const tail = words.at(-1);
  if (tail === ')') words.pop();
  else if (tail?.endsWith(')')) words[words.length - 1] = tail.slice(0, -1);
  else fail();
  if (words.length === 0) fail();
  const [first, operator, operand] = words;
  if (first.length > 1 && first.startsWith('$')) {
    const def = f.scope.main.variables.lookup(checkName(f, first));
    const read = (r: Request) => r.variable(def) ?? '';
    if (words.length === 1) {
      return (r) => {
        const value = read(r);
        return value !== '' && value !== '0';
      };
    }
    if (words.length !== 3) fail();
    if (operator === '=' || operator === '!=') {
      const value = f.scope.value(operand);
      return (r) => (read(r) === value.eval(r)) === (operator === '=');
    }
    const negative = operator.startsWith('!');
    const op = negative ? operator.slice(1) : operator;
    if (op === '~' || op === '~*') {
      const regex = compileRegex(f, operand, op === '~*');
      return (r) => {
        const captures = regex.exec(read(r));
        r.setNamed(regex, captures);
        return (captures !== null) !== negative;
      };
    }
    return f.fail(`unexpected "${operator}" in condition`);
  }
  const test = /^(!?)-([fdex])$/.exec(first);
  if (!test || words.length !== 2) return f.fail(`invalid condition "${first}"`);
  const value = f.scope.value(words[1]);
  const negative = test[1] === '!';
  return (r) => fileTest(r, value.eval(r), test[2]) !== negative;
}

function checkName(f: HttpFrame, word: string): string {
  const match = /^\$(?:(\w+)|\{(\w+)\})$/.exec(word);
  return match ? (match[1] ?? match[2]) : f.fail(`invalid variable name "${word}"`);
}

/** @throws SymlinkError: disable_symlinks forbids a link in the path */
function fileTest(r: Request, name: string, kind: string): boolean {
  try {
    checkSymlinks(r, name);
    const stat = statSync(fsPath(name));
    if (kind === 'f') return stat.isFile();
    if (kind === 'd') return stat.isDirectory();
    if (kind === 'x') return (stat.mode & 0o111) !== 0;
    return true;
  } catch (error) {
    if (error instanceof SymlinkError) throw error;
    return false;
  }
}

function parseIf(f: HttpFrame): Op {
  const inServer = f.scope.context === SERVER;
  const condition = parseCondition(f);
  const loc = new Loc(f.scope.loc);
  loc.kind = 'if';
  loc.name = f.scope.loc.name;
  f.scope.loc.children.push(loc);
  f.scope.readChildren(f, inServer ? SERVER_IF : LOCATION_IF, loc);
  const ops = ownOps(loc);
  return (r) => {
    try {
      if (!condition(r)) return null;
    } catch (error) {
      if (error instanceof SymlinkError) return 403;
      throw error;
    }
    if (!inServer) {
      r.loc = loc;
      updateLocation(r);
    }
    return runOps(r, ops);
  };
}

/** The directives of the module append their steps to one program, in order of appearance. */
const programs = new WeakMap<Loc, Op[]>();
function ownOps(loc: Loc): Op[] {
  let ops = programs.get(loc);
  if (!ops) programs.set(loc, (ops = []));
  return ops;
}

function runOps(r: Request, ops: readonly Op[]): number | null {
  for (const op of ops) {
    const rc = op(r);
    if (rc !== null) return rc;
  }
  return null;
}

const step = (args: [number, number], parse: (f: HttpFrame) => Op) =>
  custom<undefined>(
    CONTEXTS,
    args,
    undefined,
    (f: HttpFrame) => {
      const ops = ownOps(f.scope.loc);
      ops.push(parse(f));
      return undefined;
    },
    { repeats: true },
  );

export const rewriteModule = defineModule(
  'rewrite',
  {
    rewrite: step([2, 3], parseRewrite),
    return: step([1, 2], parseReturn),
    break: step([0, 0], () => () => BREAK),
    set: step([2, 2], parseSet),
    if: {
      ...block<undefined>(SERVER | LOCATION, [1, ANY_COUNT], undefined, (f: HttpFrame) => {
        const ops = ownOps(f.scope.loc);
        ops.push(parseIf(f));
        return undefined;
      }),
    },
    rewrite_log: flag(HSLI | SERVER_IF, false),
    uninitialized_variable_warn: flag(HSLI | SERVER_IF, true),
  },
  {
    init(main) {
      const run = (r: Request): number => {
        // A location's program runs once per pass, a server's only for the main request and redirects.
        const rc = runOps(r, ownOps(r.loc));
        if (rc === null || rc === BREAK) return DECLINED;
        if (rc === -3) {
          r.finalize(0);
          return DONE;
        }
        return rc;
      };
      main.phases.serverRewrite.push(run);
      main.phases.rewrite.push(run);
    },
  },
);
