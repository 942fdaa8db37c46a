// Mappings of indices: get, put, and single fields.

import type { JsonObject } from '../../common/json/json-value.ts';
import { setOwn } from '../../common/json/own-property.ts';
import { matchesPattern } from '../../common/text/wildcard.ts';
import type { Dialect } from '../../compat/dialect.ts';
import { ApiError } from '../../errors/api-error.ts';
import { illegalArgumentError, mapperParsingError } from '../../errors/catalog.ts';
import type { IndexMeta } from '../../metadata/cluster-state.ts';
import { checkRuntimeScripts } from '../../search/evaluate/runtime-field.ts';
import type { EngineContext } from '../core/context.ts';
import { type IndexTarget, shownMetas, TARGETS, targetMetas, targetNames } from '../core/index-names.ts';

/** Checks the scripts of runtime fields in a mapping. @throws ApiError mapper_parsing_exception around the error of a script */
export function checkMappedScripts(mappings: JsonObject | undefined, dialect: Dialect): void {
  try {
    checkRuntimeScripts(mappings?.['runtime']);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw mapperParsingError(`${dialect.mappingError}: ${error.reason}`, error);
  }
}

export function getMapping(ctx: EngineContext, request: IndexTarget): Record<string, unknown> {
  return Object.fromEntries(shownMetas(ctx, request, TARGETS.named).map((meta) => [meta.name, { mappings: meta.mappings }]));
}

export async function putMapping(
  ctx: EngineContext,
  request: IndexTarget & { body: JsonObject; writeIndexOnly?: boolean },
): Promise<unknown> {
  checkMappedScripts(request.body, ctx.dialect);
  if (Object.hasOwn(request.body, '_doc')) throw illegalArgumentError('Types cannot be provided in put mapping requests');
  const indices = targetNames(ctx, request, { ...TARGETS.any, allowNoIndices: false });
  return ctx.command('putMapping', { indices, mappings: request.body as JsonObject, writeIndexOnly: request.writeIndexOnly ?? false });
}

/** Metadata fields that `GET _mapping/field` lists. */
function metadataFields({ namesClusterManager: isOpenSearch, hasTypes, hasSourceModes }: Dialect): string[] {
  const names = ['_field_names', '_id', '_ignored', '_index', '_nested_path', '_routing', '_seq_no', '_source', '_version'];
  if (hasTypes) return [...names, '_type'];
  names.push('_data_stream_timestamp', '_doc_count');
  if (isOpenSearch) names.push('_feature');
  if (hasSourceModes) names.push('_ignored_source');
  return names;
}

/** The mapping of a metadata field; most have no parameters. */
function metadataMapping({ mappings }: IndexMeta, name: string): JsonObject {
  const given = mappings[name];
  return given === undefined ? {} : { [name]: given };
}

/** `GET _mapping/field/{fields}`: `{ index: { mappings: { field: { full_name, mapping } } } }`. */
export function getFieldMapping(
  ctx: EngineContext,
  request: IndexTarget & { fields: readonly string[]; includeDefaults?: boolean },
): Record<string, unknown> {
  const body: Record<string, unknown> = {};
  for (const meta of targetMetas(ctx, request, TARGETS.named)) {
    const mapping = ctx.index(meta.name)?.mapping;
    const shown: Record<string, unknown> = {};
    for (const pattern of request.fields) {
      for (const name of metadataFields(ctx.dialect))
        if (matchesPattern(pattern, name)) setOwn(shown, name, { full_name: name, mapping: metadataMapping(meta, name) });
      for (const name of mapping?.matchFields(pattern) ?? []) {
        const field = mapping?.fieldJson(name, request.includeDefaults ?? false);
        if (field) setOwn(shown, name, { full_name: name, mapping: field });
      }
    }
    body[meta.name] = { mappings: shown };
  }
  return body;
}
