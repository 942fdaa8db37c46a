// The commands of server side includes: include, echo, set, if/elif/else/endif, block/endblock, config.

import { present } from '../../../../common/present.ts';
import { type Captures, capture, Regex } from '../../../config/regex.ts';
import type { Request } from '../../model/types.ts';
import type { PerlSsi } from '../../perl/ssi.ts';
import { startSubrequest } from '../../phases/subrequest.ts';
import { ERROR, OK } from '../../request/codes.ts';
import { escapeHtml, escapeUri, parseUnsafeUri } from '../../request/parse.ts';
import type { BodyFlags } from '../../request/pieces.ts';

/** State shared by a page and its subrequests. */
export interface SsiShared {
  variables: Map<string, string>;
  blocks: Map<string, { text: string }>;
  /** Captures of the last regular expression that matched. */
  captures: Captures | null;
}

/** State of one filtered response. */
export interface Ssi {
  shared: SsiShared;
  /** Start of an incomplete command. */
  held: string;
  /** Text to process after waiting. */
  queue: string;
  output: boolean;
  /** A branch of the current `if` was taken. */
  outputChosen: boolean;
  /** Conditions cannot be nested. */
  conditional: 'no' | 'if' | 'else';
  block: { text: string } | null;
  timeFormat: string;
  encoding: 'none' | 'url' | 'entity';
  errorMessage: string;
  /** Maximum length of a parameter's value. */
  valueLength: number;
  /** The subrequest to wait for. */
  waiting: Request | null;
  flags: BodyFlags;
  lastSeen: boolean;
  /** The end of the response was passed on. */
  ended: boolean;
}

/** `error` prints an error message into the page, `wait` waits for a subrequest. */
type CommandResult = 'done' | 'error' | 'wait' | { text: string };

type Params = Map<string, string>;

interface Command {
  run: (r: Request, ctx: Ssi, params: Params, list: readonly [string, string][]) => CommandResult;
  params: readonly string[];
  mandatory?: readonly string[];
  /** A parameter that may be given several times. */
  repeatable?: string;
  /** Required preceding command: an `if`, or either half of one. */
  needs?: 'if' | 'else';
  /** Runs inside blocks and in skipped branches, too. */
  always?: true;
}

const COMMANDS: Readonly<Record<string, Command>> = {
  include: { run: include, params: ['virtual', 'file', 'wait', 'set', 'stub'] },
  echo: { run: echo, params: ['var', 'default', 'encoding'], mandatory: ['var'] },
  config: { run: config, params: ['errmsg', 'timefmt'] },
  set: { run: set, params: ['var', 'value'], mandatory: ['var', 'value'] },
  if: { run: ifCommand, params: ['expr'], mandatory: ['expr'] },
  elif: { run: branch, params: ['expr'], mandatory: ['expr'], needs: 'if' },
  else: { run: otherwise, params: [], needs: 'if' },
  endif: { run: endIf, params: [], needs: 'else' },
  block: { run: block, params: ['name'], mandatory: ['name'] },
  endblock: { run: endBlock, params: [], always: true },
  perl: { run: perl, params: ['sub', 'arg'], mandatory: ['sub'], repeatable: 'arg' },
};

/** Runs a command of a page. @param body  text between the delimiters */
export function runCommand(r: Request, ctx: Ssi, body: string): CommandResult {
  const fail = (message: string): CommandResult => {
    r.log('error', message);
    return 'error';
  };
  const parsed = parseCommand(body, ctx.valueLength);
  if (typeof parsed === 'string') return fail(parsed);
  const { name, params: list } = parsed;
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : null;
  if (!command) return ctx.output ? fail(`invalid SSI command: "${name}"`) : 'done';
  if (!ctx.output && !command.always) {
    if (ctx.block) {
      ctx.block.text += `<!--#${name}${list.map(([key, value]) => ` ${key}="${value}"`).join('')} -->`;
      return 'done';
    }
    if (!command.needs) return 'done';
  }
  if (command.needs && (ctx.conditional === 'no' || (ctx.conditional === 'else' && command.needs === 'if'))) {
    return fail(`invalid context of SSI command: "${name}"`);
  }
  const params: Params = new Map();
  for (const [key, value] of list) {
    if (!command.params.includes(key)) return fail(`invalid parameter name: "${key}" in "${name}" SSI command`);
    if (params.has(key) && key !== command.repeatable) return fail(`duplicate "${key}" parameter in "${name}" SSI command`);
    params.set(key, value);
  }
  const absent = command.mandatory?.find((key) => !params.has(key));
  if (absent) return fail(`mandatory "${absent}" parameter is absent in "${name}" SSI command`);
  return command.run(r, ctx, params, list);
}

/** @returns name and unexpanded parameters, or the reason why the text is malformed */
function parseCommand(body: string, valueLength: number): { name: string; params: [string, string][] } | string {
  const head = present(/^\s*([A-Za-z0-9_]*)(\s*)/.exec(body));
  const name = head[1].toLowerCase();
  const params: [string, string][] = [];
  let at = head[0].length;
  if (name === '' || (head[2] === '' && at < body.length)) return `unexpected "${body[at]}" symbol in "${name}" SSI command`;
  while (at < body.length) {
    const key = /^[A-Za-z_]+/.exec(body.slice(at))?.[0].toLowerCase() ?? '';
    if (key === '') return `unexpected "${body[at]}" symbol in "${name}" SSI command`;
    at += key.length;
    const equals = /^\s*=\s*/.exec(body.slice(at));
    if (!equals) return `unexpected "${body[at] ?? '-'}" symbol after "${key}" parameter in "${name}" SSI command`;
    at += equals[0].length;
    const quoted = /^(?:"((?:\\.|[^"\\])*)"|'((?:\\.|[^'\\])*)')/s.exec(body.slice(at));
    if (!quoted) return `unexpected "${body[at] ?? '-'}" symbol before value of "${key}" parameter in "${name}" SSI command`;
    const value = quoted[1] ?? quoted[2];
    if (value.length > valueLength) {
      return `too long "${value.slice(0, valueLength + 1)}..." value of "${key}" parameter in "${name}" SSI command`;
    }
    params.push([key, value]);
    at += quoted[0].length;
    const gap = present(/^\s*/.exec(body.slice(at)))[0].length;
    if (gap === 0 && at < body.length) {
      return `unexpected "${body[at]}" symbol after "${value}" value of "${key}" parameter in "${name}" SSI command`;
    }
    at += gap;
  }
  return { name, params };
}

// ---------------------------------------------------------------- values

/** A variable of the page, of a regular expression, or of the configuration; null if unknown. */
function variable(r: Request, ctx: Ssi, name: string): string | null {
  const { shared } = ctx;
  if (/^\d$/.test(name) && shared.captures && Number(name) * 2 < shared.captures.offsets.length) {
    return capture(shared.captures, Number(name)) ?? '';
  }
  const own = shared.variables.get(name.toLowerCase());
  if (own !== undefined) return own;
  if (name.toLowerCase() === 'date_local') return formatTime(ctx.timeFormat, false);
  if (name.toLowerCase() === 'date_gmt') return formatTime(ctx.timeFormat, true);
  const def = r.http.variables.find(name);
  return def ? r.variable(def) : null;
}

/** Expands the variables of a string; a backslash escapes quotes, dollars and itself. @returns null for a malformed name, which is logged */
function evaluate(r: Request, ctx: Ssi, text: string): string | null {
  let out = '';
  for (let at = 0; at < text.length; ) {
    if (text[at] === '$') {
      const name = present(/^\$(?:\{(\w*)(\}?)|(\w*))/.exec(text.slice(at)));
      if (name[1] !== undefined && name[2] === '') {
        r.log('error', `the closing bracket in "${name[1]}" variable is missing`);
        return null;
      }
      const word = name[1] ?? name[3];
      if (word === '') {
        r.log('error', `invalid variable name in "${text}"`);
        return null;
      }
      out += variable(r, ctx, word) ?? '';
      at += name[0].length;
    } else if (text[at] === '\\' && at + 1 < text.length) {
      const next = text[at + 1];
      out += /[\\'"$]/.test(next) ? next : `\\${next}`;
      at += 2;
    } else out += text[at++];
  }
  return out;
}

function echo(r: Request, ctx: Ssi, params: Params): CommandResult {
  const text = variable(r, ctx, present(params.get('var'))) ?? params.get('default') ?? '(none)';
  if (text === '') return 'done';
  const encoding = params.get('encoding');
  if (encoding === 'none' || encoding === 'url' || encoding === 'entity') ctx.encoding = encoding;
  else if (encoding !== undefined) r.log('error', `unknown encoding "${encoding}" in the "echo" command`);
  if (ctx.encoding === 'none') return { text };
  return { text: ctx.encoding === 'url' ? escapeUri(text, 'html') : escapeHtml(text) };
}

function set(r: Request, ctx: Ssi, params: Params): CommandResult {
  const value = evaluate(r, ctx, present(params.get('value')));
  if (value === null) return 'error';
  ctx.shared.variables.set(present(params.get('var')).toLowerCase(), value);
  return 'done';
}

function config(_r: Request, ctx: Ssi, params: Params): CommandResult {
  ctx.timeFormat = params.get('timefmt') ?? ctx.timeFormat;
  ctx.errorMessage = params.get('errmsg') ?? ctx.errorMessage;
  return 'done';
}

// ---------------------------------------------------------------- conditions and blocks

function ifCommand(r: Request, ctx: Ssi, params: Params): CommandResult {
  if (ctx.conditional === 'no') return branch(r, ctx, params);
  r.log('error', 'the "if" command inside the "if" command');
  return 'error';
}

function branch(r: Request, ctx: Ssi, params: Params): CommandResult {
  if (ctx.outputChosen) {
    ctx.output = false;
    return 'done';
  }
  const holds = test(r, ctx, present(params.get('expr')));
  if (holds === null) return 'error';
  ctx.output = holds;
  ctx.outputChosen = holds;
  ctx.conditional = 'if';
  return 'done';
}

function otherwise(_r: Request, ctx: Ssi): CommandResult {
  ctx.output = !ctx.outputChosen;
  ctx.conditional = 'else';
  return 'done';
}

function endIf(_r: Request, ctx: Ssi): CommandResult {
  ctx.output = true;
  ctx.outputChosen = false;
  ctx.conditional = 'no';
  return 'done';
}

/** Evaluates `$name`, `$name = text`, `$name = /regex/` and the same with `!=`. @returns null if malformed, which is logged */
function test(r: Request, ctx: Ssi, expression: string): boolean | null {
  const m = /^([A-Za-z0-9${}_"']*) *(?:(!?=) *(.*))?$/s.exec(expression);
  const left = m ? evaluate(r, ctx, m[1].toLowerCase()) : '';
  if (left === null) return null;
  if (m && m[2] === undefined) return left !== '';
  const operand = m?.[3] ?? '';
  const isRegex = operand.length > 1 && operand.startsWith('/');
  if (!m || (isRegex && !operand.endsWith('/'))) {
    r.log('error', `invalid expression in "${expression}"`);
    return null;
  }
  const right = evaluate(r, ctx, isRegex ? operand.slice(1, -1) : operand.replace(/^\\\/(?=.)/s, '/'));
  if (right === null) return null;
  const equal = isRegex ? matches(r, ctx, right, left) : left === right;
  return equal === null ? null : equal === (m[2] === '=');
}

function matches(r: Request, ctx: Ssi, pattern: string, subject: string): boolean | null {
  try {
    const regex = new Regex(pattern);
    const captures = regex.exec(subject);
    if (!captures) return false;
    ctx.shared.captures = captures;
    for (const [name, index] of regex.names) ctx.shared.variables.set(name.toLowerCase(), capture(captures, index) ?? '');
    return true;
  } catch (error) {
    r.log('error', typeof error === 'string' ? error : (error as Error).message);
    return null;
  }
}

function block(_r: Request, ctx: Ssi, params: Params): CommandResult {
  ctx.block = { text: '' };
  const { blocks } = ctx.shared;
  // The first block of a name takes precedence.
  if (!blocks.has(present(params.get('name')))) blocks.set(present(params.get('name')), ctx.block);
  ctx.output = false;
  return 'done';
}

function endBlock(_r: Request, ctx: Ssi): CommandResult {
  ctx.output = true;
  ctx.block = null;
  return 'done';
}

// ---------------------------------------------------------------- include

function include(r: Request, ctx: Ssi, params: Params): CommandResult {
  const fail = (message: string): CommandResult => {
    r.log('error', message);
    return 'error';
  };
  const [virtual, file, stub, name] = ['virtual', 'file', 'stub', 'set'].map((key) => params.get(key));
  if (virtual !== undefined && file !== undefined) return fail(`inclusion may be either virtual="${virtual}" or file="${file}"`);
  const target = virtual ?? file;
  if (target === undefined) return fail('no parameter in "include" SSI command');
  if (name !== undefined && stub !== undefined) return fail('"set" and "stub" cannot be used together in "include" SSI command');
  const waitText = params.get('wait');
  if (waitText !== undefined) {
    if (virtual === undefined) return fail(`"wait" cannot be used with file="${file}"`);
    if (!/^(?:no|yes)$/i.test(waitText)) return fail(`invalid value "${waitText}" in the "wait" parameter`);
  }
  const wait = virtual === undefined || /^yes$/i.test(waitText ?? '') || name !== undefined;
  const evaluated = evaluate(r, ctx, target);
  if (evaluated === null) return 'error';
  const text = evaluated.startsWith('/') ? evaluated : r.uri.slice(0, r.uri.lastIndexOf('/') + 1) + evaluated;
  const uri = parseUnsafeUri(text);
  if (!uri) return fail(`unsafe URI "${text}" was detected`);
  const fallback = stub === undefined ? null : ctx.shared.blocks.get(stub);
  if (stub !== undefined && !fallback) return fail(`"stub"="${stub}" for "include" not found`);
  if (name !== undefined && !ctx.shared.variables.has(name.toLowerCase())) ctx.shared.variables.set(name.toLowerCase(), '');
  const sub = startSubrequest(r, uri.path, uri.args, {
    inMemory: name !== undefined,
    done: (request, rc) => {
      if (name !== undefined) ctx.shared.variables.set(name.toLowerCase(), Buffer.concat(request.captured).latin1Slice());
      const nothingCame = rc === ERROR || rc >= 300 || request.out.status >= 300 || request.bodyless;
      if (fallback && nothingCame && !request.headerSent) {
        request.emitText(fallback.text);
        return OK;
      }
      return rc;
    },
  });
  if (!sub) return 'error';
  if (!wait) return 'done';
  ctx.waiting = sub;
  return 'wait';
}

/** Runs a sub of the Perl module (modules/perl.ts) and inserts its output. */
function perl(r: Request, ctx: Ssi, params: Params, list: readonly [string, string][]): CommandResult {
  const runSub = r.http.registry.get('perl:ssi') as PerlSsi | undefined;
  if (!runSub) {
    r.log('error', 'invalid SSI command: "perl"');
    return 'error';
  }
  const values = list.filter(([key]) => key === 'arg').map(([, value]) => evaluate(r, ctx, value));
  if (values.includes(null)) return 'error';
  const sub = runSub(
    r,
    present(params.get('sub')),
    values.map((value) => value ?? ''),
  );
  if (!sub) return 'error';
  ctx.waiting = sub;
  return 'wait';
}

// ---------------------------------------------------------------- times

export const DEFAULT_TIME = '%A, %d-%b-%Y %H:%M:%S %Z';

export function formatTime(format = DEFAULT_TIME, gmt: boolean): string {
  const d = new Date();
  const zone = gmt ? 'UTC' : null;
  const part = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat('en-US', { ...options, timeZone: zone ?? undefined }).format(d);
  const two = (n: number) => String(n).padStart(2, '0');
  const get = (local: number, utc: number) => (gmt ? utc : local);
  return format.replace(/%([A-Za-z%])/g, (whole, c: string) => {
    switch (c) {
      case 's':
        return String(Math.floor(d.getTime() / 1000));
      case 'A':
        return part({ weekday: 'long' });
      case 'a':
        return part({ weekday: 'short' });
      case 'b':
        return part({ month: 'short' });
      case 'B':
        return part({ month: 'long' });
      case 'd':
        return two(get(d.getDate(), d.getUTCDate()));
      case 'm':
        return two(get(d.getMonth(), d.getUTCMonth()) + 1);
      case 'Y':
        return String(get(d.getFullYear(), d.getUTCFullYear()));
      case 'y':
        return two(get(d.getFullYear(), d.getUTCFullYear()) % 100);
      case 'H':
        return two(get(d.getHours(), d.getUTCHours()));
      case 'M':
        return two(get(d.getMinutes(), d.getUTCMinutes()));
      case 'S':
        return two(get(d.getSeconds(), d.getUTCSeconds()));
      case 'Z':
        return gmt ? 'GMT' : present(part({ timeZoneName: 'short' }).split(' ').pop());
      case '%':
        return '%';
      default:
        return whole;
    }
  });
}
