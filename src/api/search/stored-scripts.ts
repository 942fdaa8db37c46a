// Stored scripts and templates: put, get, delete.
import { isObject, type JsonObject } from '../../common/json/json-value.ts';
import { writeJson } from '../../common/json/json-write.ts';
import { ApiError } from '../../errors/api-error.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';
import { checkTemplate } from '../../scripting/mustache.ts';
import { Parser } from '../../scripting/syntax/parser.ts';
import type { EngineContext } from '../core/context.ts';

const OPTIONS = ['content_type'];

/** Stores a script. @throws ApiError parse_exception, illegal_argument_exception, script_exception: it does not compile */
export function putStoredScript(ctx: EngineContext, id: string, body: unknown): Promise<unknown> {
  if (body === undefined) throw parseError('request body is required');
  if (!isObject(body)) throw parseError('unexpected token, expected [{]');
  // The servers do not read on after the script, and some clients send its default parameters there.
  const [first = 'script'] = Object.keys(body);
  if (first !== 'script') throw parseError(`unexpected field [${first}], expected [script]`);
  const { script } = body;
  if (!isObject(script)) throw parseError('unexpected token, expected [{, <source>]');
  // The servers ignore other keys; clients put default parameters here, too.
  const { lang, source, options = {} } = script;
  if (typeof lang !== 'string' || lang === '') throw illegalArgumentError('must specify lang for stored script');
  if (source === undefined || source === '') throw illegalArgumentError('must specify source for stored script');
  for (const key of Object.keys(isObject(options) ? options : {}))
    if (!OPTIONS.includes(key)) throw illegalArgumentError(`illegal compiler options [${writeJson(options)}] specified`);
  const text = typeof source === 'string' ? source : writeJson(source);
  if (lang === 'mustache') checkTemplate(text);
  else if (lang === 'painless') new Parser(text).parseScript();
  else if (lang !== 'expression') throw illegalArgumentError(`unable to put stored script with unsupported lang [${lang}]`);
  const stored = {
    lang,
    source: text,
    ...(typeof source === 'string' ? {} : { options: { content_type: 'application/json; charset=UTF-8' } }),
  };
  return ctx.command('putScript', { id, script: stored });
}

function parseError(reason: string): ApiError {
  return new ApiError('parse_exception', 400, reason);
}

/** Status and body of GET. */
export function getStoredScript(ctx: EngineContext, id: string): { status: number; body: JsonObject } {
  const script = Object.hasOwn(ctx.cluster.scripts, id) ? ctx.cluster.scripts[id] : null;
  return script ? { status: 200, body: { _id: id, found: true, script } } : { status: 404, body: { _id: id, found: false } };
}

export function deleteStoredScript(ctx: EngineContext, id: string): Promise<unknown> {
  return ctx.command('deleteScript', { id });
}
