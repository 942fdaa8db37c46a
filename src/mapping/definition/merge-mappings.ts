// Merges a mappings tree into another: adds fields, changes what may be changed, and refuses conflicts with Elasticsearch's messages.

import { isSame, javaText } from '../../common/text/java-text.ts';
import { ApiError } from '../../errors/api-error.ts';
import { illegalArgumentError, mapperParsingError } from '../../errors/catalog.ts';
import { EMPTY_MAPPING, type FieldNode, type MappingNode, type ObjectNode, type RootMapping } from '../core/model.ts';
import { mapperTypeOf } from '../types/registry.ts';
import { addDotted } from './parse-mappings.ts';
import { mergeRuntime } from './runtime-fields.ts';

/**
 * @param canDisableSource  whether an update may turn `_source` off
 * @throws ApiError illegal_argument_exception, mapper_parsing_exception
 */
export function mergeMappings(before: RootMapping, update: RootMapping, canDisableSource = false): RootMapping {
  const isDisabled = canDisableSource && update.source?.enabled === false;
  if (!isDisabled) checkMetadataField('_source', 'enabled', before.source?.enabled, update.source?.enabled, true);
  if (before.source?.mode === 'synthetic' && update.source !== null)
    checkMetadataField('_source', 'mode', before.source.mode, update.source.mode ?? 'stored', 'stored');
  checkMetadataField('_source', 'includes', before.source?.includes, update.source?.includes, []);
  checkMetadataField('_source', 'excludes', before.source?.excludes, update.source?.excludes, []);
  checkMetadataField('_routing', 'required', before.routing?.required, update.routing?.required, false);
  return {
    object: mergeObjects(before.object, update.object),
    dynamicTemplates: mergeTemplates(before, update),
    dynamicDateFormats: update.dynamicDateFormats ?? before.dynamicDateFormats,
    dateDetection: update.dateDetection ?? before.dateDetection,
    numericDetection: update.numericDetection ?? before.numericDetection,
    meta: update.meta ?? before.meta,
    source: update.source ?? before.source,
    routing: update.routing ?? before.routing,
    otherMeta: { ...before.otherMeta, ...update.otherMeta },
    runtime: mergeRuntime(before.runtime, update.runtime),
  };
}

/** An update without the parameter leaves it unchanged; the first mapping may set it. */
function checkMetadataField(field: string, param: string, before: unknown, update: unknown, fallback: unknown): void {
  if (update === undefined) return;
  const old = before ?? fallback;
  if (isSame(old, update)) return;
  throw illegalArgumentError(
    `Mapper for [${field}] conflicts with existing mapper:\n\tCannot update parameter [${param}] from [${javaText(old)}] to [${javaText(update)}]`,
  );
}

/** Templates of the same name are replaced in place, new ones appended. */
function mergeTemplates(before: RootMapping, update: RootMapping): RootMapping['dynamicTemplates'] {
  if (update.dynamicTemplates === null || before.dynamicTemplates === null) return update.dynamicTemplates ?? before.dynamicTemplates;
  const byName = new Map(before.dynamicTemplates.map((template) => [template.name, template]));
  for (const template of update.dynamicTemplates) byName.set(template.name, template);
  return [...byName.values()];
}

function mergeObjects(before: ObjectNode, update: ObjectNode): ObjectNode {
  if (before.isNested !== update.isNested) {
    const [from, to] = before.isNested ? ['nested', 'non-nested'] : ['non-nested', 'nested'];
    throw illegalArgumentError(`cannot change object mapping from ${from} to ${to}`);
  }
  if (update.enabled !== null && update.enabled !== (before.enabled ?? true) && before.path !== '') {
    throw mapperParsingError(`the [enabled] parameter can't be updated for the object mapping [${before.path}]`);
  }
  if (before.isNested && (before.includeInParent !== update.includeInParent || before.includeInRoot !== update.includeInRoot)) {
    const param = before.includeInParent !== update.includeInParent ? 'include_in_parent' : 'include_in_root';
    throw mapperParsingError(`the [${param}] parameter can't be updated on a nested object mapping`);
  }
  if (update.subobjects !== null && update.subobjects !== (before.subobjects ?? true) && before !== EMPTY_MAPPING.object) {
    const name = before.path === '' ? '_doc' : before.path;
    throw new ApiError('mapper_exception', 500, `the [subobjects] parameter can't be updated for the object mapping [${name}]`);
  }
  const subobjects = update.subobjects ?? before.subobjects;
  let properties = before.properties as Map<string, MappingNode>;
  for (const [name, node] of subobjects === false ? dotted(update) : update.properties) {
    const old = properties.get(name);
    const merged = old === undefined ? node : mergeNodes(old, node);
    if (merged === old) continue;
    if (properties === before.properties) properties = new Map(properties);
    properties.set(name, merged);
  }
  const dynamic = update.dynamic ?? before.dynamic;
  const enabled = update.enabled ?? before.enabled;
  if (properties === before.properties && dynamic === before.dynamic && enabled === before.enabled) return before;
  return { ...before, dynamic, enabled, subobjects, properties };
}

/** The members of an object without objects around them. */
function dotted({ properties, path }: ObjectNode): ReadonlyMap<string, MappingNode> {
  const nodes = new Map<string, MappingNode>();
  for (const node of properties.values()) addDotted(nodes, node, path);
  return nodes;
}

function mergeNodes(before: MappingNode, update: MappingNode): MappingNode {
  if (before.kind === 'object' && update.kind === 'object') return mergeObjects(before, update);
  if (before.kind === 'object') throw illegalArgumentError(`can't merge a non object mapping [${update.path}] with an object mapping`);
  if (update.kind === 'object') throw illegalArgumentError(`can't merge a non object mapping [${update.path}] with an object mapping`);
  if (before.kind === 'alias' && update.kind === 'alias') return update;
  const [from, to] = [before, update].map((node) => (node.kind === 'alias' ? 'alias' : node.type));
  if (from !== to) throw illegalArgumentError(`mapper [${update.path}] cannot be changed from type [${from}] to [${to}]`);
  return mergeFields(before as FieldNode, update as FieldNode);
}

function mergeFields(before: FieldNode, update: FieldNode): FieldNode {
  const { params } = mapperTypeOf(before.type);
  const conflicts: string[] = [];
  for (const [name, param] of Object.entries(params)) {
    if (param.updatable) continue;
    const missing = param.missingText ?? param.fallback;
    const old = before.given[name] ?? missing;
    const now = update.given[name] ?? missing;
    if (!isSame(old, now) && !param.allows?.(old, now))
      conflicts.push(`Cannot update parameter [${name}] from [${javaText(old)}] to [${javaText(now)}]`);
  }
  if (conflicts.length > 0) {
    throw illegalArgumentError(`Mapper for [${before.path}] conflicts with existing mapper:\n\t${conflicts.join('\n\t')}`);
  }
  const fields = new Map(before.fields);
  for (const [name, field] of update.fields) {
    const old = fields.get(name);
    if (old && old.type !== field.type)
      throw illegalArgumentError(`mapper [${field.path}] cannot be changed from type [${old.type}] to [${field.type}]`);
    fields.set(name, old ? mergeFields(old, field) : field);
  }
  return { ...update, fields };
}
