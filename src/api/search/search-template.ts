// Search templates: a mustache template and its parameters are rendered to the body of a search.
import { isObject, type JsonObject, tokenOf } from '../../common/json/json-value.ts';
import { writeJson } from '../../common/json/json-write.ts';
import { ApiError } from '../../errors/api-error.ts';
import { illegalArgumentError, validationFailedError } from '../../errors/catalog.ts';
import { renderTemplate } from '../../scripting/mustache.ts';
import type { EngineContext } from '../core/context.ts';
import { parseJsonText } from '../core/json-text.ts';
import { storedScript } from '../core/stored-script.ts';
import type { MultiSearchItem } from './multi-search.ts';
import { search } from './search.ts';
import type { SearchCall } from './search-call.ts';

const KEYS = new Set(['source', 'id', 'params', 'explain', 'profile', 'inline', 'template', 'file']);

/** Renders a template request to a search body. @param id  the stored template named in the path; null if the body names or contains it. @throws ApiError */
export function renderSearch(ctx: EngineContext, body: unknown, id: string | null): string {
  const given = body === undefined ? {} : body;
  if (!isObject(given)) throw illegalArgumentError('Malformed content, must start with an object');
  for (const key of Object.keys(given))
    if (!KEYS.has(key)) throw new ApiError('x_content_parse_exception', 400, `[search_template] unknown field [${key}]`);
  checkKinds(given);
  const source = given['source'] ?? given['inline'] ?? given['template'];
  const stored = id ?? (given['id'] === undefined ? null : String(given['id']));
  let text: string;
  if (source !== undefined && source !== '' && id === null) text = typeof source === 'string' ? source : writeJson(source);
  else if (stored !== null) {
    const script = storedScript(ctx, stored);
    if (!script) throw new ApiError('resource_not_found_exception', 404, `unable to find script [${stored}] in cluster state`);
    text = script.source;
  } else
    throw validationFailedError(source === '' ? ['template is missing'] : ['template is missing', "template's script type is missing"]);
  const rendered = renderTemplate(text, given['params'] ?? {});
  const extra = Object.fromEntries(['explain', 'profile'].filter((key) => given[key] === true).map((key) => [key, true]));
  if (Object.keys(extra).length === 0) return rendered;
  const search = parseJsonText(rendered) ?? {};
  return writeJson({ ...(search as JsonObject), ...extra });
}

/** @throws ApiError x_content_parse_exception: a source that is neither string nor object, parameters that are no object */
function checkKinds(given: JsonObject): void {
  const refuse = (key: string): never => {
    throw new ApiError('x_content_parse_exception', 400, `[search_template] ${key} doesn't support values of type: ${tokenOf(given[key])}`);
  };
  if (given.source !== undefined && typeof given.source !== 'string' && !isObject(given.source)) refuse('source');
  if (given.params !== undefined && !isObject(given.params)) refuse('params');
}

/** Response of a search, with its status in OpenSearch's dialect. @throws ApiError the errors of a search; JSON errors of the rendered body */
export async function searchByTemplate(ctx: EngineContext, call: Omit<SearchCall, 'body'>, body: unknown): Promise<JsonObject> {
  const text = renderSearch(ctx, body, null);
  const response = await search(ctx, { ...call, body: text });
  return ctx.dialect.namesTemplateStatus ? { ...response, status: 200 } : response;
}

/** Items of a multi search whose bodies are rendered from templates. An item that fails to render becomes a search that fails. */
export function renderItems(ctx: EngineContext, items: readonly MultiSearchItem[]): MultiSearchItem[] {
  return items.map(({ header, body }) => ({
    header,
    body: () => renderSearch(ctx, parseJsonText(typeof body === 'string' ? body : body()), null),
  }));
}
