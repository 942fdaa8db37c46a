// Adds to errors of parsers where in the body they were thrown: `[1:13] [bool] failed to parse field [must]`, or the members `line` and `col`.
// Parsers work on values, which know no positions. The names and tokens in the reason of an error, and in the reasons of the errors around it, say
// which value it is about; the text of the body is read a second time to find that value.
import { type JsonPlace, type JsonToken, readJsonTokens } from '../../common/json/json-tokens.ts';
import { ApiError } from '../../errors/api-error.ts';

/** Longer bodies are not read again, and longer reasons are not looked into. */
const MAX_BYTES = 256 << 10;
const MAX_TOKENS = 5_000;
const MAX_REASON = 4000;
/** Values and ancestors of values that are looked at for one response: a body can be deep, and its error have many causes. */
const MAX_STEPS = 50_000;

const PREFIXED = new Set(['x_content_parse_exception', 'named_object_not_found_exception', 'document_parsing_exception']);
const PLACED = new Set([...PREFIXED, 'parsing_exception']);
const POSITION = /^\[-?\d+:-?\d+\] /;
const TOKENS = /^(?:START_OBJECT|START_ARRAY|END_OBJECT|END_ARRAY|FIELD_NAME|VALUE_\w+)$/;

/** A value that an error may be about, and where in it the parser was. */
interface Found {
  readonly token: JsonToken;
  /** Where the error was found. */
  readonly place: JsonPlace;
  /** Where the parser was when it found it: what the errors around it report. */
  readonly current: JsonPlace;
}

/** The values of a body, and the steps that may still be spent on finding one. */
class BodyValues {
  readonly tokens: readonly JsonToken[];
  #steps = MAX_STEPS;

  constructor(tokens: readonly JsonToken[]) {
    this.tokens = tokens;
  }

  get isExhausted(): boolean {
    return this.#steps < 0;
  }

  /** A value and those that contain it, from the inside. Ends early when no steps are left. */
  *path(from: JsonToken | null): Generator<JsonToken> {
    for (let at = from; at !== null && this.#steps-- > 0; at = at.parent) yield at;
  }
}

/** @param body  the JSON body of the request. @returns the error itself if its place is not found */
export function withPosition(error: ApiError, body: Uint8Array): ApiError {
  if (!needsPosition(error) || body.length > MAX_BYTES) return error;
  const tokens = readJsonTokens(Buffer.from(body.buffer, body.byteOffset, body.length).toString('utf8'), MAX_TOKENS);
  if (tokens === null || tokens.length === 0) return error;
  const values = new BodyValues(tokens);
  const placed = withTextPlace(located(error, values, null).error, values);
  return values.isExhausted ? error : placed;
}

const NO_TEXT = /^Can't get text on a (START_\w+)$/;

/** The error of a field whose value is an object, where a text was expected, says where the object begins. */
function withTextPlace(error: ApiError, values: BodyValues): ApiError {
  const kind = NO_TEXT.exec(error.causedBy?.reason ?? '')?.[1];
  if (kind === undefined || error.causedBy === null) return error;
  const { type, status, reason } = error.causedBy;
  const token = fieldsNamedIn(error.reason ?? '', values).find((one) => one.kind === kind);
  if (token === undefined) return error;
  const causedBy = new ApiError(type, status, `${reason} at ${token.at.line}:${token.at.col}`);
  return new ApiError(error.type, error.status, error.reason, { details: error.details, causedBy, headers: error.headers });
}

function needsPosition({ type, reason, details, causedBy }: ApiError): boolean {
  if (NO_TEXT.test(causedBy?.reason ?? '')) return true;
  if (reason === null || reason.length > MAX_REASON || POSITION.test(reason)) return false;
  return (
    PREFIXED.has(type) || (type === 'parsing_exception' && details.line === undefined) || (causedBy !== null && needsPosition(causedBy))
  );
}

/** @param within  the values that the errors around this one may be about */
function located(
  error: ApiError,
  values: BodyValues,
  within: ReadonlySet<JsonToken> | null,
): { error: ApiError; current: JsonPlace | null } {
  const reason = error.reason ?? '';
  const candidates = PLACED.has(error.type) ? candidatesFor(error.type, reason, values, within) : [];
  const inner = error.causedBy && located(error.causedBy, values, candidates.length > 0 ? new Set(candidates) : within);
  const found = candidates.length === 0 ? null : placeIn(candidates[0], error, inner?.current ?? null);
  const current = inner?.current ?? found?.current ?? null;
  const isUnknownField = error.type !== 'parsing_exception' && /\] unknown field \[/.test(reason);
  const at = (isUnknownField ? found?.place : inner?.current) ?? found?.place ?? null;
  if (at === null) return { error, current };
  return { error: rewritten(error, at, inner?.error ?? null, values, within), current };
}

function rewritten(
  error: ApiError,
  at: JsonPlace,
  inner: ApiError | null,
  values: BodyValues,
  within: ReadonlySet<JsonToken> | null,
): ApiError {
  const isPrefixed = PREFIXED.has(error.type) && error.reason !== null && !POSITION.test(error.reason);
  const hasMembers = error.type === 'parsing_exception' && error.details.line === undefined;
  // The error of a query repeats that of the parser of its parts.
  const repeats = inner !== null && error.causedBy?.reason === error.reason;
  const reason = repeats ? inner.reason : isPrefixed ? `[${at.line}:${at.col}] ${error.reason}` : error.reason;
  const own = hasMembers ? { ...error.details, line: at.line, col: at.col } : error.details;
  const rootCauses = error.rootCauses?.map((cause) => sameCause(cause, error, at, values) ?? located(cause, values, within).error) ?? null;
  return new ApiError(error.type, error.status, reason, {
    details: own,
    causedBy: inner ?? error.causedBy,
    rootCauses,
    headers: error.headers,
    refusal: error.refusal,
  });
}

/** A root cause that repeats the error has its position. */
function sameCause(cause: ApiError, error: ApiError, at: JsonPlace, values: BodyValues): ApiError | null {
  if (cause.type !== error.type || cause.reason !== error.reason) return null;
  return rewritten(new ApiError(cause.type, cause.status, cause.reason, { details: cause.details }), at, null, values, null);
}

const NOT_A_SORT = /^\[field_sort\] Expected START_OBJECT but was/;

/** Options of sort keys that are neither an object nor an order. */
function wrongSortsIn(tokens: readonly JsonToken[]): JsonToken[] {
  return tokens.filter(({ key, kind, parent }) => {
    const isSort = parent !== null && (parent.key ?? parent.parent?.key) === 'sort';
    return isSort && key !== null && parent.kind === 'START_OBJECT' && kind !== 'START_OBJECT' && kind !== 'VALUE_STRING';
  });
}

function candidatesFor(type: string, reason: string, values: BodyValues, within: ReadonlySet<JsonToken> | null): JsonToken[] {
  if (values.isExhausted) return [];
  if (NOT_A_SORT.test(reason)) return wrongSortsIn(values.tokens);
  return type === 'document_parsing_exception' ? fieldsNamedIn(reason, values) : candidatesOf(reason, values, within);
}

/** The values that a reason may be about, the likeliest first: those with a name and a token of the reason, below the other names of it. */
function candidatesOf(reason: string, values: BodyValues, within: ReadonlySet<JsonToken> | null): JsonToken[] {
  const words = [...reason.matchAll(/\[([^[\]]*)\]/g)].map(([, word]) => word);
  const unbracketed = /\] (\S+) doesn't support values of type: (\w+)/.exec(reason);
  if (unbracketed) words.push(unbracketed[1], unbracketed[2]);
  const kind = /a \[?(VALUE_\w+|START_\w+)\]?(?: in|, expected)/.exec(reason);
  if (kind) words.push(kind[1]);
  const names = new Set(words.filter((word) => !TOKENS.test(word)));
  const kinds = new Set(words.filter((word) => TOKENS.test(word)));
  const about = subjectOf(reason);
  const wantsObject = reason.includes('no start_object');
  let most = 0;
  let best: JsonToken[] = [];
  for (const token of values.tokens) {
    if (about === null ? token.key === null || !names.has(token.key) : token.key !== about) continue;
    if (!isWithin(token, within, values)) continue;
    const score = scoreOf(token, names, kinds, wantsObject, values);
    if (score > most) {
      most = score;
      best = [];
    }
    if (score === most && score > 0) best.push(token);
  }
  return best;
}

/** The values of the field that the error of a document names by its whole path, first those that the reason shows. */
function fieldsNamedIn(reason: string, values: BodyValues): JsonToken[] {
  const path = /\bfield \[(.*?)\]|^object mapping for \[(.*?)\]/.exec(reason);
  const name = path?.[1] ?? path?.[2];
  if (name === undefined) return [];
  const preview = /Preview of field's value: '(.*)'$/s.exec(reason)?.[1];
  const named = values.tokens.filter((token) => token.kind !== 'START_ARRAY' && pathOf(token, values) === name);
  const shown = named.filter(({ text }) => text === preview);
  return shown.length > 0 ? shown : named;
}

/** The whole name of the field that a value belongs to, which arrays pass on. */
function pathOf(token: JsonToken, values: BodyValues): string {
  const names: string[] = [];
  for (const { key } of values.path(token)) if (key !== null) names.push(key);
  return names.reverse().join('.');
}

function isWithin(token: JsonToken, within: ReadonlySet<JsonToken> | null, values: BodyValues): boolean {
  if (within === null) return true;
  for (const at of values.path(token)) if (within.has(at)) return true;
  return false;
}

/** The name of the member that a reason is about; null if it does not say. */
function subjectOf(reason: string): string | null {
  if (reason.startsWith('Expected one of [VALUE_BOOLEAN')) return '_source';
  const forms = [
    /unknown (?:field|query) \[(.*?)\]/,
    /query does not support \[(.*?)\]/,
    /\] (\S+) doesn't support values of type/,
    /failed to parse field \[(.*?)\]/,
    /^Unknown key for an? \w+ in \[[^\]]*\]: \[(.*?)\]/,
    /^Unknown key for an? \w+ in \[(.*?)\]\.$/,
    /^Unknown aggregation type \[(.*?)\]/,
    /^Aggregation definition for \[(.*?) starts with/,
    /doesn't support multiple fields, found \[.*?\] and \[(.*?)\]/,
    /definitions in \[.*?\]: \[.*?\] and \[(.*?)\]/,
    /^\[(.*?)\] (?:query malformed, no start_object|malformed query, expected)/,
  ];
  for (const form of forms) {
    const found = form.exec(reason);
    if (found) return found[1];
  }
  return null;
}

function scoreOf(
  token: JsonToken,
  names: ReadonlySet<string>,
  kinds: ReadonlySet<string>,
  wantsObject: boolean,
  values: BodyValues,
): number {
  let score = 1 + (kinds.has(token.kind) ? 8 : 0);
  // Of what should have been an object, no object is meant.
  if (wantsObject && token.kind !== 'START_OBJECT') score += 8;
  for (const at of values.path(token.parent)) if (at.key !== null && names.has(at.key)) score += at === token.parent ? 4 : 2;
  return score;
}

/** Where in the value an error is reported. */
function placeIn(token: JsonToken, error: ApiError, inner: JsonPlace | null): Found {
  const { causedBy: cause } = error;
  const reason = error.reason ?? '';
  if (error.type !== 'parsing_exception' && /\] unknown field \[/.test(reason)) return { token, place: token.keyAt, current: token.at };
  if (inner !== null) return { token, place: inner, current: inner };
  if (NOT_A_SORT.test(reason) && token.kind === 'START_ARRAY') return { token, place: token.end, current: token.end };
  if (NOT_A_SORT.test(reason) || /malformed query, expected \[END_OBJECT\] but found \[FIELD_NAME\]/.test(reason)) {
    const siblings = token.parent?.children ?? [];
    const next = siblings[siblings.indexOf(token) + 1]?.keyAt ?? token.parent?.end ?? token.end;
    return { token, place: next, current: next };
  }
  // The value of a field was read to its end for the preview.
  const isShown = error.type === 'document_parsing_exception' && reason.includes("Preview of field's value");
  if (isShown && token.kind === 'START_OBJECT') return { token, place: token.end, current: token.end };
  const place = cause === null || error.type === 'document_parsing_exception' ? token.at : placeOfCause(token, cause);
  return { token, place, current: place };
}

/** Where the parser was when something else than a parser failed: at the value that the cause names, otherwise at the end of the whole. */
function placeOfCause(token: JsonToken, { reason }: ApiError): JsonPlace {
  if (token.children.length === 0) return token.end;
  const texts = new Set([...(reason ?? '').matchAll(/\[([^[\]]*)\]|"([^"]*)"/g)].map(([, word, quoted]) => word ?? quoted));
  const find = (at: JsonToken): JsonPlace | null => {
    for (const child of at.children) {
      const found = child.children.length === 0 && texts.has(child.text) ? child.at : find(child);
      if (found !== null) return found;
    }
    return null;
  };
  return find(token) ?? token.end;
}
