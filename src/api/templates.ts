// Templates: composable (`_index_template`), their components (`_component_template`), and legacy ones (`_template`).
import { ApiError } from '../errors/api-error.ts';
import type { ClusterState } from '../metadata/cluster-state.ts';
import { nestSettings } from '../metadata/index-settings.ts';
import { matchesPattern } from '../metadata/names.ts';
import { composableParts, templatesFor } from '../metadata/templates.ts';
import type { EngineContext } from './context.ts';

type Body = Readonly<Record<string, unknown>>;
export type TemplateKind = 'templates' | 'indexTemplates' | 'componentTemplates';

const COMMANDS: Readonly<Record<TemplateKind, string>> = {
  templates: 'putLegacyTemplate',
  indexTemplates: 'putIndexTemplate',
  componentTemplates: 'putComponentTemplate',
};

export interface PutTemplateRequest {
  readonly kind: TemplateKind;
  readonly name: string;
  readonly body: Body;
  /** Refuse to replace one of the same name. */
  readonly create: boolean;
  /** Legacy ones only. */
  readonly order: number | null;
}

export async function putTemplate(ctx: EngineContext, { kind, ...args }: PutTemplateRequest): Promise<unknown> {
  return ctx.command({ name: COMMANDS[kind], args });
}

export async function deleteTemplate(ctx: EngineContext, request: { kind: TemplateKind; name: string }): Promise<unknown> {
  return ctx.command({ name: 'deleteTemplate', args: request });
}

/** Bodies by name, in name order. `name` null: all; it may be a list of patterns. */
export function findTemplates(state: ClusterState, kind: TemplateKind, name: string | null): Array<[string, Body]> {
  const patterns = name?.split(',') ?? ['*'];
  return Object.entries(state[kind])
    .filter(([candidate]) => patterns.some((pattern) => matchesPattern(pattern, candidate)))
    .sort(([a], [b]) => (a < b ? -1 : 1));
}

/** The answer of GET in the shape of its kind. @throws ApiError resource_not_found_exception (404); a legacy one missing gives null */
export function getTemplates(ctx: EngineContext, kind: TemplateKind, name: string | null): Record<string, unknown> | null {
  const found = findTemplates(ctx.cluster, kind, name);
  if (kind === 'templates') return found.length === 0 && name !== null && !name.includes('*') ? null : Object.fromEntries(found);
  if (found.length === 0 && name !== null && !name.includes('*')) {
    const what = kind === 'indexTemplates' ? 'index template' : 'component template';
    throw new ApiError('resource_not_found_exception', 404, `${what} matching [${name}] not found`);
  }
  return kind === 'indexTemplates'
    ? { index_templates: found.map(([own, body]) => ({ name: own, index_template: body })) }
    : { component_templates: found.map(([own, body]) => ({ name: own, component_template: body })) };
}

/** `_simulate_index/{index}`: what an index of this name would be created with. */
export function simulateIndex(ctx: EngineContext, request: { index: string }): Record<string, unknown> {
  const { composable, parts } = templatesFor(ctx.cluster, request.index);
  if (composable === null) return {};
  return { template: renderParts(parts), overlapping: overlappingTemplates(ctx.cluster, request.index, composable) };
}

/** `_simulate/{name}`: a template with its components put together. */
export function simulateTemplate(ctx: EngineContext, request: { name: string }): Record<string, unknown> {
  if (!Object.hasOwn(ctx.cluster.indexTemplates, request.name))
    throw new ApiError('illegal_argument_exception', 400, `unable to simulate template [${request.name}] that does not exist`);
  return { template: renderParts(composableParts(ctx.cluster, request.name)), overlapping: [] };
}

function renderParts(parts: ReturnType<typeof composableParts>): Record<string, unknown> {
  let mappings: Record<string, unknown> = {};
  for (const part of parts.mappings) mappings = mergeMappings(mappings, part);
  return { settings: nestSettings(parts.settings), mappings, aliases: parts.aliases };
}

function mergeMappings(base: Record<string, unknown>, over: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const properties = { ...(base.properties as object | undefined), ...(over.properties as object | undefined) };
  const merged: Record<string, unknown> = { ...base, ...over };
  if (Object.keys(properties).length > 0) merged.properties = properties;
  return merged;
}

function overlappingTemplates(state: ClusterState, index: string, chosen: string): unknown[] {
  const overlapping: unknown[] = [];
  for (const [name, body] of [...Object.entries(state.indexTemplates), ...Object.entries(state.templates)]) {
    const patterns = [body.index_patterns].flat().map(String);
    if (name !== chosen && patterns.some((pattern) => matchesPattern(pattern, index))) overlapping.push({ name, index_patterns: patterns });
  }
  return overlapping;
}
