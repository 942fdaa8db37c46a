// Templates: legacy (`_template`), composable (`_index_template`) and components, and which of them apply to a new index.

import { isObject, type MutableJsonObject } from '../../common/json/json-value.ts';
import { setOwn } from '../../common/json/own-property.ts';
import { matchesPattern } from '../../common/text/wildcard.ts';
import { ApiError } from '../../errors/api-error.ts';
import { illegalArgumentError, validationFailedError } from '../../errors/catalog.ts';
import { checkTimeSeriesSettings } from '../../mapping/core/time-bounds.ts';
import type { AliasMeta, ClusterState, DataLifecycle } from '../cluster-state.ts';
import { mergeObjects, objectAt } from '../json-object.ts';
import { FORBIDDEN_TEXT, patternsOverlap, templateNameProblems } from '../names.ts';
import { ACKNOWLEDGED, type Reducer } from '../reducer.ts';
import { checkSettings, type FlatSettings, flattenSettings, nestSettings } from '../settings/index-settings.ts';
import { parseAlias } from './aliases.ts';
import { parseLifecycle, showLifecycle } from './data-streams.ts';

/** Settings, mappings and aliases that templates contribute to a new index. */
export interface TemplateParts {
  readonly settings: Record<string, string | readonly string[]>;
  /** In rising order of precedence: each is merged over the ones before it. */
  readonly mappings: readonly MutableJsonObject[];
  readonly aliases: Record<string, AliasMeta>;
  /** Of data streams; null for none. */
  readonly lifecycle: DataLifecycle | null;
}

const INDEX_TEMPLATE_KEYS = [
  'index_patterns',
  'template',
  'composed_of',
  'priority',
  'version',
  '_meta',
  'data_stream',
  'allow_auto_create',
  'context',
  'ignore_missing_component_templates',
  'deprecated',
];
const COMPONENT_KEYS = ['template', 'version', '_meta', 'allow_auto_create', 'deprecated'];
const BODY_KEYS = ['settings', 'mappings', 'aliases', 'lifecycle'];
const LEGACY_KEYS = ['index_patterns', 'template', 'order', 'version', 'settings', 'mappings', 'aliases'];

type PutArgs = { readonly name: string; readonly body: MutableJsonObject; readonly create: boolean };

export const putIndexTemplate: Reducer<PutArgs> = (state, { name, body, create }, env) => {
  checkKeys(body, INDEX_TEMPLATE_KEYS, 'index_template');
  checkObjects(body, 'index_template', ['template', 'data_stream']);
  if (body.priority !== undefined && body.priority !== null && !Number.isInteger(Number(body.priority)))
    throw new ApiError('x_content_parse_exception', 400, '[index_template] failed to parse field [priority]', {
      causedBy: illegalArgumentError(`For input string: "${String(body.priority)}"`),
    });
  const exists = Object.hasOwn(state.indexTemplates, name);
  if (create && exists) throw illegalArgumentError(`index template [${name}] already exists`);
  if (body.index_patterns === undefined) throw illegalArgumentError('Required [index_patterns]');
  const patterns = patternsOf(body.index_patterns);
  if (patterns.length === 0 && env.dialect.errorForms === '8') throw illegalArgumentError('There must be at least one pattern, zero given');
  if (typeof body.priority === 'number' && body.priority < 0) throw validationFailedError(['index template priority must be >= 0']);
  checkTemplateName(name, patterns);
  const composedOf = textList(body.composed_of);
  const ignorable = textList(body.ignore_missing_component_templates);
  const missing = composedOf.filter((component) => !Object.hasOwn(state.componentTemplates, component) && !ignorable.includes(component));
  if (missing.length > 0)
    throw invalidTemplateError(name, `index template [${name}] specifies component templates [${missing.join(', ')}] that do not exist`);
  const priority = Number(body.priority ?? 0);
  for (const [other, existing] of Object.entries(state.indexTemplates)) {
    const otherPatterns = patternsOf(existing.index_patterns);
    if (other === name || Number(existing.priority ?? 0) !== priority) continue;
    if (!patterns.some((pattern) => otherPatterns.some((otherPattern) => patternsOverlap(pattern, otherPattern)))) continue;
    throw illegalArgumentError(
      `index template [${name}] has index patterns [${patterns.join(', ')}] matching patterns from existing templates [${other}] with patterns (${other} => [${otherPatterns.join(', ')}]) that have the same priority [${priority}], multiple index templates may not match during index creation, please use a different priority`,
    );
  }
  const template = normalizeBody(isObject(body.template) ? body.template : {});
  const stored: MutableJsonObject = {
    index_patterns: patterns,
    ...(body.template === undefined ? {} : { template }),
    composed_of: composedOf,
    ...Object.fromEntries(
      ['priority', 'version', '_meta', 'allow_auto_create', 'ignore_missing_component_templates'].flatMap((key) =>
        body[key] === undefined ? [] : [[key, body[key]]],
      ),
    ),
    ...(isObject(body.data_stream) ? { data_stream: normalizeStream(body.data_stream, env.dialect.showsStreamManagement) } : {}),
  };
  checkStreamTemplate(state, name, stored);
  const next = { ...state, version: state.version + 1, indexTemplates: { ...state.indexTemplates, [name]: stored } };
  const parts = composableParts(next, name);
  try {
    checkTimeSeriesSettings(parts.settings, stored.data_stream === undefined);
  } catch (error) {
    throw error instanceof ApiError ? invalidTemplateError(name, validationFailedError([String(error.reason)]).reason as string) : error;
  }
  try {
    buildTemplate(parts, env.buildMapping);
  } catch (error) {
    if (error instanceof ApiError)
      throw illegalArgumentError(
        `composable template [${name}] template after composition is invalid`,
        compositeMappingsError(name, error),
      );
    throw error;
  }
  return { state: next, response: ACKNOWLEDGED };
};

export const putComponentTemplate: Reducer<PutArgs> = (state, { name, body, create }, env) => {
  checkKeys(body, COMPONENT_KEYS, 'component_template');
  checkObjects(body, 'component_template', ['template']);
  if (create && Object.hasOwn(state.componentTemplates, name)) throw illegalArgumentError(`component template [${name}] already exists`);
  if (!isObject(body.template)) throw illegalArgumentError('Required [template]');
  checkTemplateName(name, []);
  const template = normalizeBody(body.template);
  checkTimeSeriesSettings(partsOf([template]).settings, true);
  buildTemplate(partsOf([template]), env.buildMapping);
  const stored: MutableJsonObject = {
    template,
    ...(body.version === undefined ? {} : { version: body.version }),
    ...(body._meta === undefined ? {} : { _meta: body._meta }),
  };
  return {
    state: { ...state, version: state.version + 1, componentTemplates: { ...state.componentTemplates, [name]: stored } },
    response: ACKNOWLEDGED,
  };
};

export const putLegacyTemplate: Reducer<PutArgs & { readonly order: number | null }> = (state, { name, body, create, order }, env) => {
  checkKeys(body, LEGACY_KEYS, 'template');
  if (create && Object.hasOwn(state.templates, name)) throw illegalArgumentError(`index_template [${name}] already exists`);
  checkLegacyValues(body);
  const patterns = patternsOf(body.index_patterns ?? body.template);
  if (patterns.length === 0) throw validationFailedError(['index patterns are missing']);
  checkTemplateName(name, patterns);
  if (env.dialect.refusesHiddenTemplates) refuseHiddenTemplate(state, name, patterns);
  const template = normalizeBody(Object.fromEntries(BODY_KEYS.flatMap((key) => (body[key] === undefined ? [] : [[key, body[key]]]))));
  buildTemplate(partsOf([template]), env.buildMapping);
  const stored: MutableJsonObject = {
    order: order ?? Number(body.order ?? 0),
    ...(body.version === undefined ? {} : { version: body.version }),
    index_patterns: patterns,
    settings: template.settings ?? {},
    mappings: template.mappings ?? {},
    aliases: template.aliases ?? {},
  };
  return { state: { ...state, version: state.version + 1, templates: { ...state.templates, [name]: stored } }, response: ACKNOWLEDGED };
};

/** Templates of one kind with patterns that may match the same names, in the words of errors and warnings; null if there are none. */
export function overlapText(templates: ClusterState['templates'], patterns: readonly string[]): string | null {
  const found = Object.entries(templates)
    .map(([name, body]) => ({ name, own: patternsOf(body.index_patterns) }))
    .filter(({ own }) => own.some((pattern) => patterns.some((other) => patternsOverlap(pattern, other))))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  if (found.length === 0) return null;
  const patternsByName = found.map(({ name, own }) => `${name} => [${own.join(', ')}]`).join(',');
  return `[${found.map(({ name }) => name).join(',')}] with patterns (${patternsByName})`;
}

/** Indices would never use a new legacy template that composable ones hide. @throws ApiError illegal_argument_exception */
function refuseHiddenTemplate(state: ClusterState, name: string, patterns: readonly string[]): void {
  const before = Object.hasOwn(state.templates, name) ? patternsOf(state.templates[name].index_patterns) : [];
  if (patterns.includes('*') || (before.length > 0 && before.join() === patterns.join())) return;
  const overlap = overlapText(state.indexTemplates, patterns);
  if (overlap !== null)
    throw illegalArgumentError(
      `legacy template [${name}] has index patterns [${patterns.join(', ')}] matching patterns from existing composable templates ${overlap}, use composable templates (/_index_template) instead`,
    );
}

/** @throws ApiError invalid_index_template_exception */
function checkTemplateName(name: string, patterns: readonly string[]): void {
  const problems = [...templateNameProblems(name), ...patterns.flatMap((pattern) => patternProblems(pattern))];
  if (problems.length > 0) throw invalidTemplateError(name, validationFailedError(problems).reason as string);
}

/** @throws ApiError illegal_argument_exception, number_format_exception: a value of the wrong type */
function checkLegacyValues({ index_patterns: patterns, settings, order }: MutableJsonObject): void {
  const isText = (value: unknown): boolean => typeof value === 'string';
  if (patterns !== undefined && !isText(patterns) && !(Array.isArray(patterns) && patterns.every(isText)))
    throw illegalArgumentError('Malformed [index_patterns] value, should be a string or a list of strings');
  if (settings !== undefined && settings !== null && !isObject(settings))
    throw illegalArgumentError('Malformed [settings] section, should include an inner object');
  if (order !== undefined && order !== null && !Number.isInteger(Number(order)))
    throw new ApiError('number_format_exception', 400, `For input string: "${String(order)}"`);
}

/** JSON tokens by the names of Elasticsearch's parser. */
function tokenOf(value: unknown): string {
  if (Array.isArray(value)) return 'START_ARRAY';
  if (typeof value === 'string') return 'VALUE_STRING';
  if (typeof value === 'boolean') return 'VALUE_BOOLEAN';
  return value === null ? 'VALUE_NULL' : 'VALUE_NUMBER';
}

/** @throws ApiError x_content_parse_exception: a part of a template that is not an object */
function checkObjects(body: MutableJsonObject, what: string, keys: readonly string[]): void {
  for (const key of keys) {
    const value = body[key];
    if (value !== undefined && !isObject(value))
      throw new ApiError('x_content_parse_exception', 400, `[${what}] ${key} doesn't support values of type: ${tokenOf(value)}`);
  }
}

/** The `data_stream` of a template with its defaults. @throws ApiError x_content_parse_exception */
function normalizeStream(options: MutableJsonObject, showsDefaults: boolean): MutableJsonObject {
  for (const [key, value] of Object.entries(options)) {
    if (key === 'timestamp_field' && !showsDefaults) continue;
    if (key !== 'hidden' && key !== 'allow_custom_routing')
      throw new ApiError('x_content_parse_exception', 400, `[data_stream_template] unknown field [${key}]`);
    if (typeof value !== 'boolean')
      throw new ApiError('x_content_parse_exception', 400, `[data_stream_template] ${key} doesn't support values of type: ${typeof value}`);
  }
  if (!showsDefaults) return { timestamp_field: options.timestamp_field ?? { name: '@timestamp' } };
  return { hidden: options.hidden ?? false, allow_custom_routing: options.allow_custom_routing ?? false };
}

/** Streams must keep a template. @throws ApiError illegal_argument_exception */
function checkStreamTemplate(state: ClusterState, name: string, body: MutableJsonObject): void {
  if (body.data_stream !== undefined) return;
  const next = { ...state, indexTemplates: { ...state.indexTemplates, [name]: body } };
  const orphans = Object.keys(state.dataStreams ?? {}).filter((stream) => composableTemplate(next, stream) === name);
  if (orphans.length > 0 && Object.hasOwn(state.indexTemplates, name))
    throw illegalArgumentError(
      `composable template [${name}] with index patterns [${patternsOf(body.index_patterns).join(', ')}], priority [${String(body.priority ?? 0)}] and no data stream configuration would cause data streams [${orphans.join(', ')}] to no longer match a data stream template`,
    );
}

type TemplateKind = 'templates' | 'indexTemplates' | 'componentTemplates';

/** @throws ApiError index_template_missing_exception (404); illegal_argument_exception for components in use */
export const deleteTemplate: Reducer<{ readonly kind: TemplateKind; readonly name: string }> = (state, { kind, name }, env) => {
  const names = Object.keys(state[kind]).filter((candidate) => name.split(',').some((pattern) => matchesPattern(pattern, candidate)));
  if (names.length === 0) {
    if (name === '*') return { state, response: ACKNOWLEDGED };
    const type = kind === 'componentTemplates' ? env.dialect.missingComponentError : 'index_template_missing_exception';
    throw new ApiError(type, 404, type === 'resource_not_found_exception' ? name : `index_template [${name}] missing`);
  }
  if (kind === 'componentTemplates') {
    const users = Object.entries(state.indexTemplates).filter(([, body]) =>
      textList(body.composed_of).some((component) => names.includes(component)),
    );
    if (users.length > 0) {
      throw illegalArgumentError(
        `component templates [${names.join(', ')}] cannot be removed as they are still in use by index templates [${users.map(([user]) => user).join(', ')}]`,
      );
    }
  }
  if (kind === 'indexTemplates') {
    const streams = Object.keys(state.dataStreams ?? {}).filter((stream) => names.includes(composableTemplate(state, stream) ?? ''));
    if (streams.length > 0)
      throw illegalArgumentError(
        `unable to remove composable templates [${names.join(', ')}] as they are in use by a data streams [${streams.join(', ')}]`,
      );
  }
  const kept = Object.fromEntries(Object.entries(state[kind]).filter(([candidate]) => !names.includes(candidate)));
  return { state: { ...state, version: state.version + 1, [kind]: kept }, response: ACKNOWLEDGED };
};

/** The templates for a new index: the composable one with the highest priority, otherwise all legacy ones by `order`. */
export function templatesFor(state: ClusterState, index: string): { composable: string | null; parts: TemplateParts } {
  const composable = composableTemplate(state, index);
  if (composable !== null) return { composable, parts: composableParts(state, composable) };
  const legacy = Object.values(state.templates)
    .filter((body) => patternsOf(body.index_patterns).some((pattern) => matchesPattern(pattern, index)))
    .sort((a, b) => Number(a.order ?? 0) - Number(b.order ?? 0));
  return { composable: null, parts: partsOf(legacy) };
}

/** Name of the composable template with the highest priority for a name, or null. */
export function composableTemplate(state: ClusterState, name: string): string | null {
  let best: string | null = null;
  for (const [template, { index_patterns, priority }] of Object.entries(state.indexTemplates)) {
    if (!patternsOf(index_patterns).some((pattern) => matchesPattern(pattern, name))) continue;
    if (best === null || Number(priority ?? 0) > Number(state.indexTemplates[best].priority ?? 0)) best = template;
  }
  return best;
}

/** The lifecycle that a composable template gives to its data streams. */
export function templateLifecycle(state: ClusterState, template: string): DataLifecycle | null {
  return composableParts(state, template).lifecycle;
}

/** The parts of a composable template: its components in order, then its own. */
export function composableParts(state: ClusterState, name: string): TemplateParts {
  const body = state.indexTemplates[name];
  const components = textList(body.composed_of).flatMap((component) =>
    Object.hasOwn(state.componentTemplates, component) ? [state.componentTemplates[component]] : [],
  );
  return partsOf([...components.map((component) => objectAt(component, 'template')), objectAt(body, 'template')]);
}

function partsOf(bodies: readonly MutableJsonObject[]): TemplateParts {
  const settings: Record<string, string | readonly string[]> = {};
  const mappings: MutableJsonObject[] = [];
  const aliases: Record<string, AliasMeta> = {};
  const lifecycles: DataLifecycle[] = [];
  for (const body of bodies) {
    if (isObject(body.lifecycle)) lifecycles.push(parseLifecycle(body.lifecycle));
    else if (body.lifecycle === null) lifecycles.length = 0;
    for (const [key, value] of Object.entries(flattenSettings(objectAt(body, 'settings'))))
      if (value !== null) setOwn(settings, key, value);
    if (Object.keys(objectAt(body, 'mappings')).length > 0) mappings.push(objectAt(body, 'mappings'));
    for (const [alias, value] of Object.entries(objectAt(body, 'aliases')))
      setOwn(aliases, alias, parseAlias(isObject(value) ? value : {}));
  }
  return { settings, mappings, aliases, lifecycle: lifecycles.at(-1) ?? null };
}

function buildTemplate(
  { settings, mappings }: TemplateParts,
  build: (mappings: MutableJsonObject, settings: FlatSettings) => { merge: (mappings: MutableJsonObject, reason: 'create') => unknown },
): void {
  checkSettings(settings);
  let merged: MutableJsonObject = {};
  for (const part of mappings) merged = mergeObjects(merged, part);
  build(merged, settings);
}

/** A template body in its stored form: settings nested under `index` with values as strings, aliases with all properties. */
function normalizeBody(body: MutableJsonObject): MutableJsonObject {
  for (const key of Object.keys(body)) {
    if (!BODY_KEYS.includes(key)) throw new ApiError('x_content_parse_exception', 400, `[template] unknown field [${key}]`);
  }
  const normalized: MutableJsonObject = {};
  if (body.settings !== undefined) {
    const flat = flattenSettings(objectAt(body, 'settings'));
    normalized.settings = nestSettings(
      Object.fromEntries(Object.entries(flat).flatMap(([key, value]) => (value === null ? [] : [[key, value]]))),
    );
  }
  if (body.lifecycle !== undefined) normalized.lifecycle = isObject(body.lifecycle) ? showLifecycle(parseLifecycle(body.lifecycle)) : null;
  if (body.mappings !== undefined) normalized.mappings = objectAt(body, 'mappings');
  if (body.aliases !== undefined) {
    normalized.aliases = Object.fromEntries(
      Object.entries(objectAt(body, 'aliases')).map(([alias, value]) => [alias, parseAlias(isObject(value) ? value : {})]),
    );
  }
  return normalized;
}

function checkKeys(body: MutableJsonObject, keys: readonly string[], what: string): void {
  for (const key of Object.keys(body)) {
    if (!keys.includes(key)) throw new ApiError('x_content_parse_exception', 400, `[${what}] unknown field [${key}]`);
  }
}

function patternsOf(value: unknown): string[] {
  return textList(value);
}

function textList(value: unknown): string[] {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? value.map(String) : [String(value)];
}

function patternProblems(pattern: string): string[] {
  const problems: string[] = [];
  if (pattern.includes(' ')) problems.push(`index_patterns [${pattern}] must not contain a space`);
  if (pattern.includes(',')) problems.push(`index_pattern [${pattern}] must not contain a ','`);
  if (pattern.includes('#')) problems.push(`index_pattern [${pattern}] must not contain a '#'`);
  if (pattern.includes(':')) problems.push(`index_pattern [${pattern}] must not contain a ':'`);
  if (pattern.startsWith('_')) problems.push(`index_pattern [${pattern}] must not start with '_'`);
  if (/[ "\\<|,>/?]/.test(pattern)) problems.push(`index_pattern [${pattern}] ${FORBIDDEN_TEXT}`);
  return problems;
}

function invalidTemplateError(name: string, cause: string): ApiError {
  return new ApiError('invalid_index_template_exception', 400, `index_template [${name}] invalid, cause [${cause}]`);
}

function compositeMappingsError(name: string, error: ApiError): ApiError {
  return illegalArgumentError(`invalid composite mappings for [${name}]`, error);
}
