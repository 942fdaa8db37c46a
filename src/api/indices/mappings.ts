// Mappings of indices: get, put, and single fields.

import type { JsonObject } from '../../common/json/json-value.ts';
import { setOwn } from '../../common/json/own-property.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';
import { checkRuntimeScripts } from '../../search/evaluate/runtime-field.ts';
import type { EngineContext } from '../core/context.ts';
import { type IndexTarget, TARGETS, targetMetas, targetNames } from '../core/index-names.ts';

export function getMapping(ctx: EngineContext, request: IndexTarget): Record<string, unknown> {
  return Object.fromEntries(targetMetas(ctx, request, TARGETS.named).map((meta) => [meta.name, { mappings: meta.mappings }]));
}

export async function putMapping(
  ctx: EngineContext,
  request: IndexTarget & { body: JsonObject; writeIndexOnly?: boolean },
): Promise<unknown> {
  checkRuntimeScripts((request.body as JsonObject)['runtime']);
  if (Object.hasOwn(request.body, '_doc')) throw illegalArgumentError('Types cannot be provided in put mapping requests');
  const indices = targetNames(ctx, request, { ...TARGETS.any, allowNoIndices: false });
  return ctx.command('putMapping', { indices, mappings: request.body as JsonObject, writeIndexOnly: request.writeIndexOnly ?? false });
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
      for (const name of mapping?.matchFields(pattern) ?? []) {
        const field = mapping?.fieldJson(name, request.includeDefaults ?? false);
        if (field) setOwn(shown, name, { full_name: name, mapping: field });
      }
    }
    body[meta.name] = { mappings: shown };
  }
  return body;
}
