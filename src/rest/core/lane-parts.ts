// Long operations whose parts run in lanes, one after another, while their own thread only coordinates: `_update_by_query` runs each of its
// batches so. A lane receives the same request with a part next to it, and its dispatcher answers with the outcome of the part, or the
// error as data.
//   listener: handler ── request.runPart(part) ──► lane: handler, request.part ──► outcome
import { parseJsonBytes } from '../../common/json/json-parse.ts';
import { isObject, type JsonObject } from '../../common/json/json-value.ts';
import { ApiError, type ApiErrorData } from '../../errors/api-error.ts';
import { COMMON_PARAMS } from './api.ts';
import type { AskHelpers, Helpers, LaneRequest, Lanes, RunPart } from './lane.ts';
import { parseQueryParams } from './query-params.ts';

/** Interval between checks for cancellation. */
const POLL_MS = 100;
/** Time that a cancelled part has to complete its writes. */
const GRACE_MS = 1000;

/** The response of a lane's dispatcher to a part that has failed. */
export function failedPart(error: ApiError): JsonObject {
  return { failure: { ...error.toData() } };
}

/** @param whole  makes the request, with an id and a body of its own */
export function partRunner(lanes: Lanes, whole: () => LaneRequest): RunPart {
  return async (part, isCancelled) => {
    const request = partOf(whole(), part);
    let cancelledMs: number | null = null;
    const poll = setInterval(() => {
      if (!isCancelled()) return;
      cancelledMs ??= performance.now();
      if (performance.now() - cancelledMs > GRACE_MS) lanes.cancel(request.id);
    }, POLL_MS);
    try {
      const { body } = await lanes.run(request);
      const outcome: unknown = parseJsonBytes(body);
      const { failure } = outcome as { failure?: ApiErrorData };
      if (failure !== undefined) throw ApiError.fromData(failure);
      return outcome;
    } catch (error) {
      if (error instanceof ApiError && error.type === 'task_cancelled_exception') return null;
      throw error;
    } finally {
      clearInterval(poll);
    }
  };
}

/** @param whole  as for `partRunner` */
export function helperCaller(helpers: Helpers, whole: () => LaneRequest): AskHelpers {
  return async (part) => {
    const answers = await helpers.help(partOf(whole(), { help: part }));
    return answers.filter(({ status }) => status === 200).map(({ body }) => body);
  };
}

/** What a lane is asked for by the `helperCaller` of another one; null if `part` is the whole request or a part of `partRunner`. */
export function helpOf(part: JsonObject | null): JsonObject | null {
  return part !== null && isObject(part['help']) ? part['help'] : null;
}

/** The request without options for the response of the whole request. Its `timeout` is that of each write. */
function partOf(request: LaneRequest, part: JsonObject): LaneRequest {
  const query = Object.entries(parseQueryParams(request.query)).filter(([name]) => !Object.hasOwn(COMMON_PARAMS, name));
  const { 'accept-encoding': _, ...headers } = request.headers;
  return {
    ...request,
    headers,
    query: query.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join('&'),
    part,
    timeoutMs: null,
  };
}
