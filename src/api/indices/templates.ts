// Templates: composable (`_index_template`), their components (`_component_template`), and legacy ones (`_template`).
import { isObject, type JsonObject } from '../../common/json/json-value.ts';
import { matchesPattern } from '../../common/text/wildcard.ts';
import { ApiError } from '../../errors/api-error.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';
import type { ClusterState } from '../../metadata/cluster-state.ts';
import { composableParts, overlapText, templatesFor } from '../../metadata/indices/templates.ts';
import { patternsOverlap } from '../../metadata/names.ts';
import { flattenSettings, nestSettings } from '../../metadata/settings/index-settings.ts';
import type { CommandName, EngineContext } from '../core/context.ts';

export type TemplateKind = 'templates' | 'indexTemplates' | 'componentTemplates';

const COMMANDS = {
  templates: 'putLegacyTemplate',
  indexTemplates: 'putIndexTemplate',
  componentTemplates: 'putComponentTemplate',
} as const satisfies Readonly<Record<TemplateKind, CommandName>>;

export interface PutTemplateRequest {
  readonly kind: TemplateKind;
  readonly name: string;
  readonly body: JsonObject;
  /** Fail if there is a template of this name. */
  readonly create: boolean;
  /** Legacy templates only. */
  readonly order: number | null;
}

export async function putTemplate(ctx: EngineContext, { kind, ...args }: PutTemplateRequest): Promise<unknown> {
  return ctx.command(COMMANDS[kind], args);
}

/** Warnings about a template that was put: templates of the other kind that match the same names. */
export function templateWarnings({ cluster, dialect }: EngineContext, kind: TemplateKind, name: string, body: JsonObject): string[] {
  if (kind === 'componentTemplates') return [];
  const patterns = [body.index_patterns ?? body.template ?? []].flat().map(String);
  const isLegacy = kind === 'templates';
  const overlap = overlapText(isLegacy ? cluster.indexTemplates : cluster.templates, patterns);
  const own = `template [${name}] has index patterns [${patterns.join(', ')}] matching patterns from existing`;
  const deprecated = isLegacy && dialect.refusesHiddenTemplates ? [LEGACY_DEPRECATED] : [];
  if (overlap === null) return deprecated;
  return [
    ...deprecated,
    isLegacy
      ? `legacy ${own} composable templates ${overlap}; this template [${name}] may be ignored in favor of a composable template at index creation time`
      : `index ${own} older templates ${overlap}; this template [${name}] will take precedence during new index creation`,
  ];
}

const LEGACY_DEPRECATED = 'Legacy index templates are deprecated in favor of composable templates.';

export async function deleteTemplate(ctx: EngineContext, request: { kind: TemplateKind; name: string }): Promise<unknown> {
  return ctx.command('deleteTemplate', request);
}

/** Names and bodies, sorted by name. @param name  a list of names and patterns; null for all */
export function findTemplates(state: ClusterState, kind: TemplateKind, name: string | null): Array<[string, JsonObject]> {
  const patterns = name?.split(',') ?? ['*'];
  return Object.entries(state[kind])
    .filter(([candidate]) => patterns.some((pattern) => matchesPattern(pattern, candidate)))
    .sort(([a], [b]) => (a < b ? -1 : 1));
}

/** The response of GET in the form of its kind; null for a missing legacy template. @throws ApiError resource_not_found_exception (404) for other kinds */
export function getTemplates(ctx: EngineContext, kind: TemplateKind, name: string | null, isFlat = false): Record<string, unknown> | null {
  const found = findTemplates(ctx.cluster, kind, name).map(([own, body]): [string, JsonObject] => [own, isFlat ? flatBody(body) : body]);
  if (kind === 'templates') return found.length === 0 && name !== null && !name.includes('*') ? null : Object.fromEntries(found);
  if (found.length === 0 && name !== null && !name.includes('*')) {
    const what = kind === 'indexTemplates' ? 'index template' : 'component template';
    throw new ApiError('resource_not_found_exception', 404, `${what} matching [${name}] not found`);
  }
  return kind === 'indexTemplates'
    ? { index_templates: found.map(([own, body]) => ({ name: own, index_template: body })) }
    : { component_templates: found.map(([own, body]) => ({ name: own, component_template: body })) };
}

/** The template with flat settings. */
function flatBody(body: JsonObject): JsonObject {
  const flat: Record<string, unknown> = { ...body };
  if (isObject(body.settings)) flat.settings = flattenSettings(body.settings);
  if (isObject(body.template)) flat.template = flatBody(body.template);
  return flat;
}

/**
 * `_simulate_index/{index}`: the configuration that an index of this name would be created with. A template in the body is added to the
 * stored ones.
 */
export function simulateIndex(ctx: EngineContext, request: { index: string; body: JsonObject | null }): Record<string, unknown> {
  const state = request.body === null ? ctx.cluster : withTemplate(ctx.cluster, SIMULATED, request.body);
  const { composable, parts } = templatesFor(state, request.index);
  if (composable === null) return {};
  const isMatching = (patterns: readonly string[]): boolean => patterns.some((pattern) => matchesPattern(pattern, request.index));
  return { template: renderParts(parts), overlapping: overlappingTemplates(state, isMatching, composable) };
}

/** `_simulate/{name}`: a template merged with its components. A template in the body replaces the stored one of that name. */
export function simulateTemplate(ctx: EngineContext, request: { name: string | null; body: JsonObject | null }): Record<string, unknown> {
  const name = request.name ?? SIMULATED;
  const state = request.body === null ? ctx.cluster : withTemplate(ctx.cluster, name, request.body);
  if (!Object.hasOwn(state.indexTemplates, name)) throw illegalArgumentError(`unable to simulate template [${name}] that does not exist`);
  const own = patternsOf(state.indexTemplates[name]);
  const isMatching = (patterns: readonly string[]): boolean =>
    patterns.some((pattern) => own.some((other) => patternsOverlap(pattern, other)));
  return { template: renderParts(composableParts(state, name)), overlapping: overlappingTemplates(state, isMatching, name) };
}

/** Name of a template without a name. No stored template can have it. */
const SIMULATED = '_simulated';

/** @throws ApiError illegal_argument_exception: a component that does not exist */
function withTemplate(state: ClusterState, name: string, body: JsonObject): ClusterState {
  for (const component of [body.composed_of ?? []].flat().map(String)) {
    if (!Object.hasOwn(state.componentTemplates, component))
      throw illegalArgumentError(`index template [${name}] specifies component templates [${component}] that do not exist`);
  }
  return { ...state, indexTemplates: { ...state.indexTemplates, [name]: body as JsonObject } };
}

function patternsOf(body: JsonObject): string[] {
  return [body.index_patterns ?? []].flat().map(String);
}

function renderParts(parts: ReturnType<typeof composableParts>): Record<string, unknown> {
  let mappings: Record<string, unknown> = {};
  for (const part of parts.mappings) mappings = mergeMappings(mappings, part);
  return { settings: nestSettings(parts.settings), ...(parts.mappings.length === 0 ? {} : { mappings }), aliases: parts.aliases };
}

function mergeMappings(base: Record<string, unknown>, over: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const properties = { ...(base.properties as object | undefined), ...(over.properties as object | undefined) };
  const merged: Record<string, unknown> = { ...base, ...over };
  if (Object.keys(properties).length > 0) merged.properties = properties;
  return merged;
}

/** Other templates that match, legacy ones first. */
function overlappingTemplates(state: ClusterState, isMatching: (patterns: readonly string[]) => boolean, chosen: string): unknown[] {
  const overlapping: unknown[] = [];
  for (const templates of [state.templates, state.indexTemplates]) {
    for (const name of Object.keys(templates).sort()) {
      const patterns = patternsOf(templates[name]);
      if (name !== chosen && isMatching(patterns)) overlapping.push({ name, index_patterns: patterns });
    }
  }
  return overlapping;
}
