// Runtime fields: `runtime` of a mapping and `runtime_mappings` of a search. Their values are computed by a script, or read from the source, when a
// query, a sort or an aggregation needs them; nothing of them is indexed.

import { isObject, type JsonObject, type MutableJsonObject } from '../../common/json/json-value.ts';
import { setOwn } from '../../common/json/own-property.ts';
import { javaClass, javaText } from '../../common/text/java-text.ts';
import { DEFAULT_DIALECT } from '../../compat/dialect.ts';
import { ApiError } from '../../errors/api-error.ts';
import { illegalArgumentError, mapperParsingError } from '../../errors/catalog.ts';
import type { MappingAnalysis } from '../core/mapping-analysis.ts';
import { METADATA_FIELDS, type RuntimeNode } from '../core/model.ts';
import { parseMeta, shownWithClass } from '../core/params.ts';
import { mapperTypeOf } from '../types/registry.ts';

/** Types whose values are emitted by scripts or read from sources. */
const VALUE_TYPES: ReadonlySet<string> = new Set(['boolean', 'date', 'double', 'geo_point', 'geo_shape', 'ip', 'keyword', 'long']);

/** Whether runtime fields may have the type. */
export function isRuntimeType(type: string): boolean {
  return type === 'composite' || type === 'lookup' || VALUE_TYPES.has(type);
}

/** @throws ApiError mapper_parsing_exception, illegal_argument_exception, parse_exception */
export function parseRuntime(value: unknown, analysis: MappingAnalysis): ReadonlyMap<string, RuntimeNode | null> {
  const nodes = new Map<string, RuntimeNode | null>();
  if (value === undefined) return nodes;
  if (!isObject(value)) throw new ApiError('parse_exception', 400, 'runtime must be a map type');
  for (const [name, body] of Object.entries(value)) {
    if (name === '' || METADATA_FIELDS.has(name)) throw mapperParsingError(`Invalid runtime field name [${name}]`);
    nodes.set(name, body === null ? null : parseRuntimeNode(name, body, analysis));
  }
  return nodes;
}

/** @throws ApiError as parseRuntime */
export function parseRuntimeNode(name: string, body: unknown, analysis: MappingAnalysis): RuntimeNode {
  if (!isObject(body)) throw mapperParsingError(`Expected map for runtime field [${name}] definition but got a ${javaClass(body)}`);
  if (body.type === undefined || body.type === null) throw mapperParsingError(`No type specified for runtime field [${name}]`);
  const type = javaText(body.type);
  if (type === 'composite')
    return parseComposite(new RuntimeParams(name, type, body, ['script', 'fields', 'meta', 'on_script_error']), analysis);
  if (type === 'lookup')
    return parseLookup(new RuntimeParams(name, type, body, ['target_index', 'input_field', 'target_field', 'fetch_fields', 'meta']));
  if (!VALUE_TYPES.has(type)) throw mapperParsingError(`No handler for type [${type}] declared on runtime field [${name}]`);
  const own = type === 'date' ? ['format', 'locale'] : [];
  const params = new RuntimeParams(name, type, body, ['script', 'meta', 'on_script_error', ...own]);
  const given = params.common();
  for (const key of own) {
    if (params.has(key))
      setOwn(given, key, mapperTypeOf(type).params[key].parse(body[key], { name, type, analysis, dialect: DEFAULT_DIALECT }));
  }
  return { type, script: params.script(), given, parts: null };
}

/** The parameters of one definition. */
class RuntimeParams {
  readonly name: string;
  readonly type: string;
  readonly #body: JsonObject;

  /** @throws ApiError mapper_parsing_exception: unknown parameters, null */
  constructor(name: string, type: string, body: JsonObject, known: readonly string[]) {
    this.name = name;
    this.type = type;
    this.#body = body;
    for (const [key, value] of Object.entries(body)) {
      if (key === 'type') continue;
      if (!known.includes(key)) throw mapperParsingError(`unknown parameter [${key}] on runtime field [${name}] of type [${type}]`);
      if (value === null) throw mapperParsingError(`[${key}] on runtime field [${name}] of type [${type}] must not have a [null] value`);
    }
  }

  has(key: string): boolean {
    return this.#body[key] !== undefined;
  }

  get(key: string): unknown {
    return this.#body[key];
  }

  /** @throws ApiError illegal_argument_exception: not specified */
  text(key: string): string {
    if (!this.has(key)) throw illegalArgumentError(`[${key}] parameter must be specified`);
    return javaText(this.#body[key]);
  }

  /** `meta` and `on_script_error`. */
  common(): MutableJsonObject {
    const given: MutableJsonObject = {};
    const { meta, on_script_error } = this.#body;
    if (meta !== undefined) given.meta = parseMeta(meta, this.name, DEFAULT_DIALECT);
    if (on_script_error !== undefined) {
      const choice = javaText(on_script_error);
      if (choice !== 'fail' && choice !== 'continue')
        throw mapperParsingError(`Unknown value [${choice}] for field [on_script_error] - accepted values are [fail, continue]`);
      if (!this.has('script')) throw illegalArgumentError('Field [on_script_error] requires field [script] to be configured');
      given.on_script_error = choice;
    }
    return given;
  }

  /** The script as the API shows it; null if there is none. */
  script(): MutableJsonObject | null {
    const value = this.#body.script;
    if (value === undefined) return null;
    if (typeof value === 'string') return { source: value, lang: 'painless' };
    if (!isObject(value)) throw illegalArgumentError('Script value should be a String or a Map');
    for (const key of Object.keys(value))
      if (!SCRIPT_KEYS.includes(key)) throw new ApiError('parse_exception', 400, `Unsupported field [${key}]`);
    if (value.params !== undefined && !isObject(value.params))
      throw new ApiError('parse_exception', 400, 'Value must be of type Map: [params]');
    if (value.id !== undefined) throw illegalArgumentError(`stored scripts are not supported for runtime field [${this.name}]`);
    if (typeof value.source !== 'string')
      throw new ApiError('parse_exception', 400, 'Expected one of [source] or [id] fields, but found none');
    return { ...value, lang: value.lang ?? 'painless' };
  }
}

const SCRIPT_KEYS = ['source', 'id', 'lang', 'params', 'options'];

function parseComposite(params: RuntimeParams, analysis: MappingAnalysis): RuntimeNode {
  const { name, type } = params;
  const given = params.common();
  const fields = params.get('fields') ?? {};
  if (!isObject(fields)) throw mapperParsingError(`[fields] must be an object, got ${shownWithClass(fields)} for field [${name}]`);
  const script = params.script();
  if (script === null) throw illegalArgumentError(`composite runtime field [${name}] must declare a [script]`);
  if (Object.keys(fields).length === 0) throw illegalArgumentError(`composite runtime field [${name}] must declare its [fields]`);
  const parts = new Map<string, RuntimeNode>();
  for (const [part, body] of Object.entries(fields)) {
    const node = parseRuntimeNode(part, body, analysis);
    if (node.type === 'composite' || node.type === 'lookup')
      throw illegalArgumentError(`sub-field [${part}] of composite runtime field [${name}] must not have type [${node.type}]`);
    if (node.script !== null)
      throw illegalArgumentError(`sub-field [${part}] of composite runtime field [${name}] must not declare a [script]`);
    parts.set(part, node);
  }
  return { type, script, given, parts };
}

function parseLookup(params: RuntimeParams): RuntimeNode {
  const { name, type } = params;
  const targetIndex = params.text('target_index');
  const inputField = params.text('input_field');
  const targetField = params.text('target_field');
  const given = params.common();
  const fields = params.get('fetch_fields') ?? [];
  if (!Array.isArray(fields))
    throw new ApiError('class_cast_exception', 400, `class ${javaClass(fields)} cannot be cast to class java.util.List`);
  if (fields.length === 0) throw mapperParsingError('[fetch_fields] parameter must not be empty');
  if (inputField === name) throw illegalArgumentError(`lookup field [${name}] can't use input from itself`);
  return {
    type,
    script: null,
    given: {
      ...given,
      target_index: targetIndex,
      input_field: inputField,
      target_field: targetField,
      fetch_fields: fields.map(parseFetchField),
    },
    parts: null,
  };
}

/** `"a"` or `{ field, format }`. */
function parseFetchField(value: unknown): MutableJsonObject {
  if (typeof value === 'string') return { field: value };
  if (!isObject(value) || value.field === undefined) throw illegalArgumentError('Required [field]');
  for (const key of Object.keys(value))
    if (key !== 'field' && key !== 'format' && key !== 'include_unmapped')
      throw new ApiError('x_content_parse_exception', 400, `[fetch_fields] unknown field [${key}]`);
  return { ...value, field: javaText(value.field) };
}

/** Renders runtime fields for the API. */
export function runtimeToJson(nodes: ReadonlyMap<string, RuntimeNode | null>): MutableJsonObject {
  const json: MutableJsonObject = {};
  for (const [name, node] of [...nodes].sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (node === null) continue;
    const { type, given, script, parts } = node;
    setOwn(json, name, { type, ...given, ...(script ? { script } : {}), ...(parts ? { fields: runtimeToJson(parts) } : {}) });
  }
  return json;
}

/** Merges `update` into `before`; null removes a field. @returns the same map if nothing changes */
export function mergeRuntime(
  before: ReadonlyMap<string, RuntimeNode | null>,
  update: ReadonlyMap<string, RuntimeNode | null>,
): ReadonlyMap<string, RuntimeNode | null> {
  if (update.size === 0) return before;
  return new Map([...before, ...update].filter(([name]) => (update.has(name) ? update.get(name) : before.get(name)) !== null));
}
