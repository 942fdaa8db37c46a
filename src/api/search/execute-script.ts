// `_scripts/painless/_execute`: runs a script without a document, or on one that is not indexed, in the contexts of queries, scores and
// fields.
import { jsonDouble } from '../../common/json/json-float.ts';
import { isObject, type JsonObject, type MutableJsonObject } from '../../common/json/json-value.ts';
import { setOwn } from '../../common/json/own-property.ts';
import { ApiError } from '../../errors/api-error.ts';
import { illegalArgumentError, indexNotFoundError, validationFailedError } from '../../errors/catalog.ts';
import { xContentParseError } from '../../errors/search-errors.ts';
import { parseGeoShape } from '../../mapping/values/geo-shape-value.ts';
import { shapeFormat } from '../../mapping/values/shape-format.ts';
import { CONTEXTS } from '../../scripting/contexts.ts';
import { compileDocScript } from '../../scripting/doc-script.ts';
import { textOf } from '../../scripting/java/objects.ts';
import type { Value } from '../../scripting/java/values.ts';
import { doubleOf } from '../../scripting/numeric-value.ts';
import { compileScript } from '../../scripting/painless.ts';
import { parseScript, type ScriptSpec } from '../../scripting/script-spec.ts';
import { fromScript, toScript } from '../../scripting/update-script.ts';
import { emittedValues } from '../../search/evaluate/runtime-field.ts';
import { compileScoreScript } from '../../search/evaluate/score-script.ts';
import { UnindexedDocument } from '../../search/evaluate/script-doc.ts';
import type { EngineContext } from '../core/context.ts';

const KEYS = ['script', 'context', 'context_setup'];
const SETUP_KEYS = ['index', 'document', 'query'];
/** Contexts of runtime fields and the types that they emit. */
const FIELDS: Readonly<Record<string, string>> = {
  boolean_field: 'boolean',
  composite_field: 'composite',
  date_field: 'date',
  double_field: 'double',
  geo_point_field: 'geo_point',
  geometry_field: 'geo_shape',
  ip_field: 'ip',
  keyword_field: 'keyword',
  long_field: 'long',
};

/** `{ result }`. @throws ApiError script_exception, x_content_parse_exception, action_request_validation_exception, index_not_found_exception */
export function executeScript(ctx: EngineContext, body: unknown): JsonObject {
  if (!isObject(body) || body['script'] === undefined) throw illegalArgumentError('Required [script]');
  for (const key of Object.keys(body))
    if (!KEYS.includes(key)) throw xContentParseError(`[painless_execute_request] unknown field [${key}]`);
  const { context = 'painless_test' } = body;
  const name = String(context);
  if (name !== 'painless_test' && name !== 'filter' && name !== 'score' && !Object.hasOwn(FIELDS, name))
    throw xContentParseError(
      'Failed to build [painless_execute_request] after last required field arrived',
      new ApiError('unsupported_operation_exception', 400, `unsupported script context name [${name}]`),
    );
  const spec = parseScript(body['script']);
  if (spec.source === null) throw validationFailedError(['only inline scripts are supported']);
  if (spec.lang !== 'painless') throw illegalArgumentError(`script_lang not supported [${spec.lang}]`);
  if (name === 'painless_test') {
    const compiled = compileScript(spec.source, CONTEXTS.painless_test);
    return { result: textOf(compiled.run({ params: toScript(spec.params) })) };
  }
  return { result: runWithDocument(name, spec, documentOf(ctx, body['context_setup'], name)) };
}

/** @throws ApiError: a setup without an index or document */
function documentOf(ctx: EngineContext, setup: unknown, context: string): UnindexedDocument {
  const given = isObject(setup) ? setup : {};
  for (const key of Object.keys(given))
    if (!SETUP_KEYS.includes(key)) throw xContentParseError(`[execute_script_context] unknown field [${key}]`);
  const { index, document, query } = given;
  const problems: string[] = [];
  if (typeof index !== 'string') problems.push('index is a required parameter for current context');
  if (!isObject(document)) problems.push('document is a required parameter for current context');
  if (problems.length > 0) throw validationFailedError(problems);
  if (query !== undefined && context === 'score' && !(isObject(query) && Object.keys(query).join() === 'match_all'))
    throw illegalArgumentError('[query] of [context_setup] is not supported: scores are those of [match_all]');
  const state = ctx.index(String(index));
  if (!state) throw indexNotFoundError(String(index));
  return new UnindexedDocument(state.mapping, document);
}

const noStoredScripts = (): null => null;

function runWithDocument(context: string, spec: ScriptSpec, document: UnindexedDocument): unknown {
  if (context === 'filter') return compileDocScript(spec, { stored: noStoredScripts, context }).run(document);
  if (context === 'score')
    return jsonDouble(Number(compileScoreScript(spec, { storedScript: noStoredScripts }).run(document, { score: 1 })));
  const typeName = FIELDS[context];
  const values = emittedValues(typeName, { source: spec.source, params: spec.params }, document);
  return typeName === 'composite' ? partsOf(values) : values.map((value) => shown(typeName, value));
}

/** The values that a composite emitted, by name. */
function partsOf(pairs: readonly Value[]): MutableJsonObject {
  const parts: MutableJsonObject = {};
  for (const pair of pairs) {
    const [name, value] = pair as Value[];
    const path = `composite_field.${textOf(name)}`;
    const known = (parts[path] ?? []) as unknown[];
    setOwn(parts, path, known.concat(fromScript(value, jsonDouble)));
  }
  return parts;
}

/** An emitted value as JSON. */
function shown(typeName: string, value: Value): unknown {
  if (typeName === 'geo_point') {
    const [lat, lon] = (value as Value[]).map((part) => jsonDouble(doubleOf(part) ?? 0));
    return { coordinates: [lon, lat], type: 'Point' };
  }
  if (typeName === 'geo_shape') return shapeFormat(null, 'geometry_field')(parseGeoShape(fromScript(value)));
  if (typeName === 'date') return new Date(doubleOf(value) ?? 0).toISOString();
  return fromScript(value, jsonDouble);
}
