// Stored scripts and templates: put, get, delete, and `_execute` to try a script.
import { isObject, type JsonObject } from '../../common/json-value.ts';
import { writeJson } from '../../common/json-write.ts';
import { ApiError } from '../../errors/api-error.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';
import { CONTEXTS } from '../../scripting/contexts.ts';
import { compileExpression } from '../../scripting/expression.ts';
import { textOf } from '../../scripting/java/objects.ts';
import { checkTemplate } from '../../scripting/mustache.ts';
import { compileScript } from '../../scripting/painless.ts';
import { parseScript, resolveScript } from '../../scripting/script-spec.ts';
import { Parser } from '../../scripting/syntax/parser.ts';
import { toScript } from '../../scripting/update-script.ts';
import type { EngineContext } from '../core/context.ts';
import { storedScript } from '../core/stored-script.ts';

const OPTIONS = ['content_type'];

/** Stores a script. @throws ApiError parse_exception, illegal_argument_exception, script_exception: it does not compile */
export function putStoredScript(ctx: EngineContext, id: string, body: unknown): Promise<unknown> {
  if (body === undefined) throw parseError('request body is required');
  if (!isObject(body)) throw parseError('unexpected token, expected [{]');
  for (const key of Object.keys(body)) if (key !== 'script') throw parseError(`unexpected field [${key}], expected [script]`);
  const { script } = body;
  if (!isObject(script)) throw parseError('unexpected token, expected [{, <source>]');
  for (const key of Object.keys(script))
    if (key !== 'lang' && key !== 'source' && key !== 'options') throw parseError(`[stored script source] unknown field [${key}]`);
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

/** `{ result }` of a script that runs without a document. @throws ApiError script_exception; illegal_argument_exception: unsupported context */
export function executeScript(ctx: EngineContext, body: unknown): JsonObject {
  if (!isObject(body) || body['script'] === undefined) throw illegalArgumentError('Required [script]');
  const { context = 'painless_test' } = body;
  if (context !== 'painless_test') throw illegalArgumentError(`context [${String(context)}] is not supported: only [painless_test] is`);
  const spec = parseScript(body['script']);
  const { lang, source } = resolveScript(spec, (id) => storedScript(ctx, id));
  if (lang === 'expression') {
    const values = () => {
      throw illegalArgumentError('scripts run by _execute have no document');
    };
    return { result: String(compileExpression(source, spec.params)({ values, score: 0, value: Number.NaN })) };
  }
  if (lang !== 'painless') throw illegalArgumentError(`script_lang not supported [${lang}]`);
  const compiled = compileScript(source, CONTEXTS.painless_test);
  return { result: textOf(compiled.run({ params: toScript(spec.params) })) };
}
