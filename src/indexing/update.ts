// The body of an update request, and merging a partial document. Works on parsed JSON; the writer turns the result into an index operation.

import { JsonFloat } from '../common/json/json-float.ts';
import { isObject, type JsonObject } from '../common/json/json-value.ts';
import { setOwn } from '../common/json/own-property.ts';
import { isJsonObject } from '../common/json/source-numbers.ts';
import { didYouMean } from '../common/text/nearest-name.ts';
import { ApiError } from '../errors/api-error.ts';
import type { StoredScript } from '../scripting/script-spec.ts';
import { parseUpdateScript, type UpdateScript } from '../scripting/update-script.ts';

export interface UpdateBody {
  readonly doc: JsonObject | null;
  /** Alternative to `doc`. */
  readonly script: UpdateScript | null;
  /** Run the script on `upsert` if the document does not exist. */
  readonly scriptedUpsert: boolean;
  readonly upsert: JsonObject | null;
  readonly docAsUpsert: boolean;
  readonly detectNoop: boolean;
}

const KEYS = [
  'doc',
  'upsert',
  'doc_as_upsert',
  'detect_noop',
  'script',
  'scripted_upsert',
  '_source',
  'if_seq_no',
  'if_primary_term',
  'lang',
  'params',
];

/** @throws ApiError: unknown keys, wrong types, a script that does not compile, neither script nor doc */
export function parseUpdateBody(body: unknown, docAsUpsertParam: boolean, stored: (id: string) => StoredScript | null): UpdateBody {
  if (!isObject(body)) throw new ApiError('parsing_exception', 400, 'Malformed update request, expected an object');
  for (const key of Object.keys(body)) {
    if (!KEYS.includes(key))
      throw new ApiError('x_content_parse_exception', 400, `[UpdateRequest] unknown field [${key}]${didYouMean(key, KEYS)}`);
  }
  const script = body.script === undefined || body.script === null ? null : parseUpdateScript(body.script, stored);
  if (script !== null && body.doc !== undefined) throw updateValidationError("can't provide both script and doc");
  if (script === null && body.doc === undefined && body.upsert === undefined) {
    throw updateValidationError('script or doc is missing');
  }
  const update = {
    doc: objectOrNull(body.doc, 'doc'),
    script,
    scriptedUpsert: body.scripted_upsert === true || body.scripted_upsert === 'true',
    upsert: objectOrNull(body.upsert, 'upsert'),
    docAsUpsert: body.doc_as_upsert === true || body.doc_as_upsert === 'true' || docAsUpsertParam,
    detectNoop: body.detect_noop !== false && body.detect_noop !== 'false',
  };
  if (update.doc === null && update.docAsUpsert) throw updateValidationError('doc must be specified if doc_as_upsert is enabled');
  if (update.doc === null && script === null) throw updateValidationError('script or doc is missing');
  return update;
}

/** Merges `changes` into `target` in place: objects by key, all other values are replaced. @returns true if anything changed */
export function mergeDocument(target: JsonObject, changes: JsonObject, detectNoop: boolean): boolean {
  let changed = false;
  for (const [key, value] of Object.entries(changes)) {
    const old = Object.hasOwn(target, key) ? target[key] : undefined;
    if (isJsonObject(old) && isJsonObject(value)) {
      if (mergeDocument(old, value, detectNoop)) changed = true;
      continue;
    }
    if (!Object.hasOwn(target, key) || !detectNoop || !deepEqual(old, value)) changed = true;
    setOwn(target, key, value);
  }
  return changed;
}

function deepEqual(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (a instanceof JsonFloat && b instanceof JsonFloat) return a.text === b.text;
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((item, i) => deepEqual(item, b[i]));
  if (!isObject(a) || !isObject(b)) return false;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && deepEqual(a[key], b[key]));
}

function objectOrNull(value: unknown, name: string): JsonObject | null {
  if (value === undefined || value === null) return null;
  if (!isObject(value)) throw new ApiError('x_content_parse_exception', 400, `[UpdateRequest] failed to parse field [${name}]`);
  return value;
}

function updateValidationError(text: string): ApiError {
  return new ApiError('action_request_validation_exception', 400, `Validation Failed: 1: ${text};`);
}
