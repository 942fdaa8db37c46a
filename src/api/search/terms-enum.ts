// `_terms_enum`: the first terms of a field that begin with a string, from the term dictionaries of the segments.

import type { JsonObject, MutableJsonObject } from '../../common/json/json-value.ts';
import { writeJson } from '../../common/json/json-write.ts';
import { parseDurationMs } from '../../common/text/time-unit.ts';
import { checkTurn } from '../../common/turns/turn.ts';
import { ApiError } from '../../errors/api-error.ts';
import { illegalArgumentError, validationFailedError } from '../../errors/catalog.ts';
import type { FieldType } from '../../mapping/core/field-type.ts';
import type { SegmentReader } from '../../plan/segment-reader.ts';
import type { EngineContext } from '../core/context.ts';
import { type IndexTarget, TARGETS, targetNames } from '../core/index-names.ts';
import type { IndexState } from '../core/index-state.ts';
import { count } from './count.ts';

const KEYS = ['field', 'string', 'size', 'timeout', 'case_insensitive', 'index_filter', 'search_after'];
const DEFAULT_SIZE = 10;
/** Terms of one response. */
const MAX_SIZE = 10_000;
const MAX_TIMEOUT_MS = 60_000;
const FAMILIES = ['keyword', 'text', 'ip'];

interface TermsRequest {
  readonly field: string;
  /** Lower-cased if case does not matter. */
  readonly prefix: string;
  readonly size: number;
  readonly caseInsensitive: boolean;
  /** Only terms after this one; null for all. */
  readonly after: string | null;
}

/** 200 `{ _shards, terms, complete }`. @throws ApiError action_request_validation_exception, illegal_argument_exception */
export async function termsEnum(ctx: EngineContext, target: IndexTarget, body: JsonObject): Promise<MutableJsonObject> {
  const request = readRequest(body);
  const names = targetNames(ctx, target, TARGETS.open);
  ctx.requireTogether(names.flatMap((name) => ctx.index(name) ?? []));
  const terms = new Set<string>();
  let shards = 0;
  for (const name of names) {
    const index = ctx.index(name);
    if (index === null) continue;
    shards += index.numberOfShards;
    if (body.index_filter !== undefined && !(await matches(ctx, name, body.index_filter))) continue;
    for (const term of termsOf(ctx, index, request)) terms.add(term);
  }
  const sorted = [...terms].map((term) => ({ term, bytes: Buffer.from(term) })).sort((a, b) => Buffer.compare(a.bytes, b.bytes));
  return {
    _shards: { total: shards, successful: shards, failed: 0 },
    terms: sorted.slice(0, request.size).map(({ term }) => term),
    complete: true,
  };
}

function readRequest(body: JsonObject): TermsRequest {
  for (const key of Object.keys(body))
    if (!KEYS.includes(key)) throw new ApiError('x_content_parse_exception', 400, `[terms_enum] unknown field [${key}]`);
  const { field, string: prefix, size = DEFAULT_SIZE, timeout = '1s', case_insensitive: caseInsensitive, search_after: after } = body;
  if (typeof field !== 'string' || field === '') throw validationFailedError(['field cannot be null']);
  const timeoutMs = parseDurationMs(String(timeout));
  if (timeoutMs === null)
    throw illegalArgumentError(
      `failed to parse setting [timeout] with value [${String(timeout)}] as a time value: unit is missing or unrecognized`,
    );
  if (timeoutMs > MAX_TIMEOUT_MS) throw validationFailedError(['Timeout cannot be > 1 minute']);
  if (!Number.isInteger(Number(size)) || Number(size) < 0 || Number(size) > MAX_SIZE)
    throw illegalArgumentError(`[size] must be between 0 and ${MAX_SIZE}, got [${String(size)}]`);
  const given = prefix === undefined || prefix === null ? '' : String(prefix);
  const ignoresCase = String(caseInsensitive ?? false) === 'true';
  return {
    field,
    prefix: ignoresCase ? given.toLowerCase() : given,
    size: Number(size),
    caseInsensitive: ignoresCase,
    after: after === undefined || after === null ? null : String(after),
  };
}

/** True if a document of the index matches `index_filter`. */
async function matches(ctx: EngineContext, index: string, query: unknown): Promise<boolean> {
  const body = writeJson({ query });
  return Number((await count(ctx, { indices: { expressions: [index] }, parameters: { terminateAfter: 1 }, body })).count) > 0;
}

/** @throws ApiError illegal_argument_exception: a field that has no terms */
function termsOf(ctx: EngineContext, index: IndexState, request: TermsRequest): string[] {
  const type = index.mapping.field(request.field);
  if (type === null) return [];
  if (!FAMILIES.includes(type.family))
    throw illegalArgumentError(`Field [${request.field}] of type [${type.typeName}] does not support terms enumeration`);
  const constant = type.typeName === 'constant_keyword' ? (index.mapping.fieldJson(request.field, true) as JsonObject | null)?.value : null;
  if (typeof constant === 'string') return isWanted(constant, request) ? [constant] : [];
  const found: string[] = [];
  for (let shard = 0; shard < index.numberOfShards; shard++) {
    const snapshot = ctx.acquire(index, shard);
    try {
      for (const segment of snapshot.segments) found.push(...segmentTerms(segment, type, request, index.hidden !== undefined));
    } finally {
      snapshot.release();
    }
  }
  return found;
}

function segmentTerms(segment: SegmentReader, type: FieldType, request: TermsRequest, isLimited: boolean): string[] {
  const field = type.spec.name;
  if (segment.postings(field) === null) return [];
  const format = type.family === 'ip' ? type.format(null, null) : null;
  const start = type.keyPrefix ?? new Uint8Array(0);
  const textOf = (bytes: Uint8Array): string =>
    format === null ? Buffer.from(bytes.subarray(start.length)).toString() : String(format.formatBytes(bytes));
  // Addresses and other cases may be anywhere in the dictionary.
  const from = Buffer.concat([start, format === null && !request.caseInsensitive ? Buffer.from(request.prefix) : Buffer.alloc(0)]);
  let seen = 0;
  const filter = (bytes: Uint8Array): boolean => {
    if ((seen++ & 1023) === 0) checkTurn();
    if (start.length > 0 && Buffer.compare(bytes.subarray(0, start.length), start) !== 0) return false;
    return isWanted(textOf(bytes), request) && (!isLimited || segment.docFreqOf(field, bytes) > 0);
  };
  return segment.walkTerms(field, { from, to: endOf(from) }, request.size, filter).map(({ bytes }) => textOf(bytes));
}

/** The lowest bytes above all strings with a prefix; null if there are none. */
function endOf(prefix: Uint8Array): Uint8Array | null {
  const end = Buffer.from(prefix);
  for (let i = end.length - 1; i >= 0; i--) {
    if (end[i] === 255) continue;
    end[i]++;
    return end.subarray(0, i + 1);
  }
  return null;
}

function isWanted(term: string, { prefix, caseInsensitive, after }: TermsRequest): boolean {
  if (after !== null && Buffer.compare(Buffer.from(term), Buffer.from(after)) <= 0) return false;
  return caseInsensitive ? term.toLowerCase().startsWith(prefix) : term.startsWith(prefix);
}
