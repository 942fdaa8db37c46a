// A script in a request: a string, `{ source, lang, params }`, or `{ id, params }` for a stored one.

import type { JsonObject } from '../common/json/json-value.ts';
import { writeJson } from '../common/json/json-write.ts';
import { present } from '../common/present.ts';
import { ApiError } from '../errors/api-error.ts';
import { illegalArgumentError } from '../errors/catalog.ts';

export interface ScriptSpec {
  readonly lang: string;
  /** null for a stored script, which `id` names. */
  readonly source: string | null;
  readonly id: string | null;
  readonly params: Readonly<JsonObject>;
}

/** A stored script. */
export interface StoredScript {
  readonly lang: string;
  readonly source: string;
}

const FIELDS = ['source', 'inline', 'lang', 'params', 'id', 'stored', 'options'];

/** @throws ApiError x_content_parse_exception; illegal_argument_exception: neither [source] nor [id] */
export function parseScript(value: unknown): ScriptSpec {
  if (typeof value === 'string') return { lang: 'painless', source: value, id: null, params: {} };
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new ApiError('x_content_parse_exception', 400, '[script] must be a string or an object');
  const body = value as JsonObject;
  for (const key of Object.keys(body))
    if (!FIELDS.includes(key)) throw new ApiError('x_content_parse_exception', 400, `[script] unknown field [${key}]`);
  const { params = {}, lang } = body;
  const source = body.source ?? body.inline;
  const id = body.id ?? body.stored;
  if (typeof params !== 'object' || params === null || Array.isArray(params))
    throw new ApiError('x_content_parse_exception', 400, '[script] params must be an object');
  if (id !== undefined && source === undefined) {
    if (lang !== undefined) throw illegalArgumentError('illegally specified <lang> for a stored script');
    return { lang: 'painless', source: null, id: String(id), params: params as JsonObject };
  }
  if (source === undefined) throw illegalArgumentError('must specify either [source] for an inline script or [id] for a stored script');
  const text = typeof source === 'string' ? source : writeJson(source);
  return { lang: lang === undefined ? 'painless' : String(lang), source: text, id: null, params: params as JsonObject };
}

/** @throws ApiError resource_not_found_exception (404) */
export function resolveScript(spec: ScriptSpec, stored: (id: string) => StoredScript | null): StoredScript {
  if (spec.source !== null) return { lang: spec.lang, source: spec.source };
  const script = stored(present(spec.id));
  if (!script) throw new ApiError('resource_not_found_exception', 404, `unable to find script [${spec.id}] in cluster state`);
  return script;
}
