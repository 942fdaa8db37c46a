// `_msearch`: several searches in one request, each with its own header, answer and status.

import { isObject, type JsonObject } from '../../common/json/json-value.ts';
import { parseDurationMs } from '../../common/text/time-unit.ts';
import { type Mobility, STAYS, TooHeavy } from '../../common/turns/turn.ts';
import { ApiError } from '../../errors/api-error.ts';
import { illegalArgumentError, timeValueError, validationFailedError } from '../../errors/catalog.ts';
import { HeldElsewhere } from '../../errors/held-elsewhere.ts';
import { IndicesApart } from '../../errors/indices-apart.ts';
import { describe } from '../../errors/search-errors.ts';
import type { IndicesOptions } from '../../metadata/resolve.ts';
import { pauses } from '../../search/run/steps.ts';
import type { EngineContext } from '../core/context.ts';
import { expandTo, readWildcardStates } from '../core/index-names.ts';
import { parseJsonText } from '../core/json-text.ts';
import type { SearchParameters } from '../core/search-parameters.ts';
import { exactTotals } from './apply-parameters.ts';
import { helpSearch } from './help-search.ts';
import { search } from './search.ts';
import { parseSearchBody } from './search-body.ts';
import { resolveSearch, type SearchIndices } from './search-call.ts';
import type { AskHelpers } from './share-search.ts';

/** One search of a multi search. */
export interface MultiSearchItem {
  readonly header: string;
  /** JSON text, or a function that renders it, whose failure is reported as the result of this search. */
  readonly body: string | (() => string);
}

const MAX_MULTI_SEARCHES = 10_000;
/** More searches run in a lane: their results and what they leave to collect hold a thread, even if each is light. */
const MAX_LIGHT_SEARCHES = 500;

/** More searches are not shared: each helper gets the whole request for every one of them. */
const MAX_SHARED_SEARCHES = 100;

export interface MultiSearchCall {
  /** Where a header names none. */
  readonly indices: SearchIndices;
  readonly items: readonly MultiSearchItem[];
  readonly parameters: SearchParameters;
  readonly mobility?: Mobility;
  /** Runs a part of the request in idle lanes; absent or null if none may help. */
  readonly askHelpers?: ((part: JsonObject) => ReturnType<AskHelpers>) | null;
}

/** Body of `_msearch`: a response or an error with its status for each search. */
export async function multiSearch(ctx: EngineContext, call: MultiSearchCall): Promise<JsonObject> {
  const { indices, items, parameters, mobility = STAYS } = call;
  if (items.length === 0) throw validationFailedError(['no requests added']);
  if (items.length > MAX_MULTI_SEARCHES) throw illegalArgumentError(`more than [${MAX_MULTI_SEARCHES}] searches in one request`);
  if (mobility !== STAYS && items.length > MAX_LIGHT_SEARCHES) throw new TooHeavy();
  const started = performance.now();
  const parsed = items.map(({ header }) => readHeader(header, indices, parameters));
  for (const { body } of items) {
    if (typeof body !== 'string') continue;
    const { request } = parseSearchBody(ctx, body, false);
    if (parameters.totalHitsAsInt) exactTotals(request, parameters);
  }
  const responses: JsonObject[] = [];
  const pause = pauses(mobility);
  // No node has the indices of all searches.
  let areApart = false;
  for (const [item, own] of parsed.entries()) {
    await pause();
    const { askHelpers = null } = call;
    const ask: AskHelpers | null = askHelpers && items.length <= MAX_SHARED_SEARCHES ? (shared) => askHelpers({ item, shared }) : null;
    const run = async (anywhere: boolean) => search(ctx, { ...own, body: bodyOf(items[item]), mobility, askHelpers: ask, anywhere });
    const asResponse = (json: JsonObject): JsonObject => ({ ...json, status: 200 });
    try {
      responses.push(asResponse(await run(areApart)));
    } catch (error) {
      if (error instanceof HeldElsewhere && !areApart) {
        areApart = haveNoNode(ctx, parsed);
        if (areApart) {
          responses.push(await run(true).then(asResponse, asError));
          continue;
        }
      }
      responses.push(asError(error));
    }
  }
  return { took: Math.floor(performance.now() - started), responses };
}

/** What this thread finds in the segments of one of the searches that it claims. @param help  what `multiSearch` asks for */
export function helpMultiSearch(ctx: EngineContext, call: MultiSearchCall, help: JsonObject): Promise<Uint8Array> {
  const { item, shared } = help as { item: number; shared: JsonObject };
  const { header } = call.items[item];
  return helpSearch(ctx, { ...readHeader(header, call.indices, call.parameters), body: bodyOf(call.items[item]) }, shared);
}

function bodyOf({ body }: MultiSearchItem): string {
  return typeof body === 'string' ? body : body();
}

/** The response to a search that failed. @throws HeldElsewhere, and errors that are no ApiErrors */
function asError(error: unknown): JsonObject {
  if (!(error instanceof ApiError) || error instanceof HeldElsewhere) throw error;
  return { error: errorJson(error), status: error.status };
}

/** Whether no node can answer all searches. @throws HeldElsewhere: another one can */
function haveNoNode(ctx: EngineContext, searches: ReadonlyArray<{ readonly indices: SearchIndices }>): boolean {
  const names = new Set(searches.flatMap(({ indices }) => readableNames(ctx, indices)));
  try {
    ctx.requireTogether([...names].flatMap((name) => ctx.index(name) ?? []));
    return false;
  } catch (error) {
    if (error instanceof IndicesApart) return true;
    throw error;
  }
}

/** The indices of a search; none if it fails for another reason. */
function readableNames(ctx: EngineContext, indices: SearchIndices): string[] {
  try {
    return resolveSearch(ctx, indices).map(({ meta }) => meta.name);
  } catch (error) {
    if (error instanceof ApiError) return [];
    throw error;
  }
}

/** An error as part of a response, with its root causes. */
export function errorJson(error: ApiError): JsonObject {
  return { root_cause: (error.rootCauses ?? [error]).map(describeFlat), ...describe(error) };
}

function describeFlat(error: ApiError): JsonObject {
  return { type: error.type, reason: error.reason, ...error.details };
}

/** Reads `search_type`. @returns true if statistics are gathered over all shards first @throws ApiError illegal_argument_exception */
export function readSearchType(name: string): boolean {
  if (name !== 'query_then_fetch' && name !== 'dfs_query_then_fetch') throw illegalArgumentError(`No search type for [${name}]`);
  return name === 'dfs_query_then_fetch';
}

function readFlag(value: unknown): boolean {
  if (value === true || value === 'true') return true;
  if (value === false || value === 'false') return false;
  throw illegalArgumentError(`Failed to parse value [${String(value)}] as only [true] or [false] are allowed.`);
}

function readStates(value: unknown): string[] {
  return [value].flat().flatMap((item) => readWildcardStates(String(item)));
}

/** Indices and parameters of one search: the values of its header line, otherwise those of the request. @throws ApiError illegal_argument_exception */
function readHeader(
  text: string,
  indices: SearchIndices,
  parameters: SearchParameters,
): { indices: SearchIndices; parameters: SearchParameters } {
  const header = parseJsonText(text);
  if (header === undefined) return { indices, parameters };
  if (!isObject(header)) throw illegalArgumentError('Malformed action/metadata line, expected START_OBJECT');
  let expressions = indices.expressions;
  let options: Partial<IndicesOptions> = { ...indices.options };
  const own: { -readonly [K in keyof SearchParameters]: SearchParameters[K] } = { ...parameters };
  for (const [key, value] of Object.entries(header)) {
    switch (key) {
      case 'index':
      case 'indices':
        expressions = [value].flat().map(String);
        break;
      case 'search_type':
      case 'searchType':
        own.isDfs = readSearchType(String(value));
        break;
      case 'routing':
        own.routing = String(value);
        break;
      case 'preference':
        own.preference = String(value);
        break;
      case 'request_cache':
      case 'requestCache':
        own.requestCache = readFlag(value);
        break;
      case 'allow_partial_search_results':
        own.allowPartialResults = readFlag(value);
        break;
      case 'ignore_unavailable':
      case 'ignoreUnavailable':
        options = { ...options, ignoreUnavailable: readFlag(value) };
        break;
      case 'allow_no_indices':
      case 'allowNoIndices':
        options = { ...options, allowNoIndices: readFlag(value) };
        break;
      case 'expand_wildcards':
      case 'expandWildcards':
        options = { ...options, ...expandTo(readStates(value)) };
        break;
      case 'ignore_throttled':
      case 'ignoreThrottled':
      case 'ccs_minimize_roundtrips':
        readFlag(value); // without effect: there is one node and there are no frozen indices
        break;
      case 'cancel_after_time_interval':
        if (parseDurationMs(String(value)) === null) throw timeValueError(key, String(value));
        break;
      default:
        throw illegalArgumentError(`key [${key}] is not supported in the metadata section`);
    }
  }
  return { indices: { expressions, options }, parameters: own };
}
