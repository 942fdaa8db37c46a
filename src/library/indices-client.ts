// `engine.indices`: operations on indices, aliases and templates.
import type { EngineContext } from '../api/core/context.ts';
import type { IndexTarget } from '../api/core/index-names.ts';
import { deleteAlias, getAliases, putAlias, updateAliases } from '../api/indices/aliases.ts';
import { indexStats } from '../api/indices/index-stats.ts';
import { closeIndex, createIndex, deleteIndex, getIndex, indexExists, openIndex } from '../api/indices/indices.ts';
import { flushIndices, forceMerge, refreshIndices } from '../api/indices/maintenance.ts';
import { getMapping, putMapping } from '../api/indices/mappings.ts';
import { getSettings, putSettings, type SettingsView } from '../api/indices/settings.ts';
import { deleteTemplate, getTemplates, putTemplate, type TemplateKind } from '../api/indices/templates.ts';
import { plain } from './plain.ts';
import type { JsonObject } from './types.ts';

type Target = Partial<IndexTarget>;

/** Operations on indices, aliases and templates. An omitted `index` means all indices. */
export class IndicesClient {
  readonly #ctx: EngineContext;

  constructor(ctx: EngineContext) {
    this.#ctx = ctx;
  }

  async create(request: { readonly index: string; readonly body?: JsonObject }): Promise<JsonObject> {
    return plain(await createIndex(this.#ctx, request));
  }

  async delete(request: Target): Promise<JsonObject> {
    return plain(await deleteIndex(this.#ctx, target(request)));
  }

  async exists(request: Target): Promise<boolean> {
    return indexExists(this.#ctx, target(request));
  }

  async get(request: Target = {}): Promise<JsonObject> {
    return plain(getIndex(this.#ctx, target(request)));
  }

  async getMapping(request: Target = {}): Promise<JsonObject> {
    return plain(getMapping(this.#ctx, target(request)));
  }

  async putMapping(request: Target & { readonly body: JsonObject }): Promise<JsonObject> {
    return plain(await putMapping(this.#ctx, { ...target(request), body: request.body }));
  }

  async getSettings(request: Target & SettingsView = {}): Promise<JsonObject> {
    return plain(getSettings(this.#ctx, { ...request, ...target(request) }));
  }

  async putSettings(request: Target & { readonly body: JsonObject; readonly preserveExisting?: boolean }): Promise<JsonObject> {
    return plain(await putSettings(this.#ctx, { ...request, ...target(request) }));
  }

  async open(request: Target): Promise<JsonObject> {
    return plain(await openIndex(this.#ctx, target(request)));
  }

  async close(request: Target): Promise<JsonObject> {
    return plain(await closeIndex(this.#ctx, target(request)));
  }

  async refresh(request: Target = {}): Promise<JsonObject> {
    return plain(await refreshIndices(this.#ctx, target(request)));
  }

  async flush(request: Target & { readonly force?: boolean } = {}): Promise<JsonObject> {
    return plain(await flushIndices(this.#ctx, { ...target(request), force: request.force }));
  }

  async forceMerge(
    request: Target & { readonly maxNumSegments?: number; readonly onlyExpungeDeletes?: boolean } = {},
  ): Promise<JsonObject> {
    return plain(await forceMerge(this.#ctx, { ...request, ...target(request) }));
  }

  async stats(request: Target & { readonly metrics?: readonly string[] } = {}): Promise<JsonObject> {
    return plain(await indexStats(this.#ctx, { ...target(request), metrics: request.metrics ?? [] }));
  }

  async getAlias(request: Target & { readonly name?: string } = {}): Promise<JsonObject> {
    return plain(getAliases(this.#ctx, target(request), request.name?.split(',') ?? null).body);
  }

  async putAlias(request: { readonly index: string; readonly name: string; readonly body?: JsonObject }): Promise<JsonObject> {
    return plain(await putAlias(this.#ctx, { ...request, body: request.body ?? {} }));
  }

  async deleteAlias(request: { readonly index: string; readonly name: string }): Promise<JsonObject> {
    return plain(await deleteAlias(this.#ctx, { index: request.index, names: request.name.split(',') }));
  }

  async updateAliases(request: { readonly body: JsonObject }): Promise<JsonObject> {
    return plain(await updateAliases(this.#ctx, request));
  }

  async putTemplate(request: { readonly kind?: TemplateKind; readonly name: string; readonly body: JsonObject }): Promise<JsonObject> {
    return plain(
      await putTemplate(this.#ctx, {
        kind: request.kind ?? 'indexTemplates',
        name: request.name,
        body: request.body,
        create: false,
        order: null,
      }),
    );
  }

  async getTemplate(request: { readonly kind?: TemplateKind; readonly name?: string } = {}): Promise<JsonObject> {
    return plain(getTemplates(this.#ctx, request.kind ?? 'indexTemplates', request.name ?? null) ?? {});
  }

  async deleteTemplate(request: { readonly kind?: TemplateKind; readonly name: string }): Promise<JsonObject> {
    return plain(await deleteTemplate(this.#ctx, { kind: request.kind ?? 'indexTemplates', name: request.name }));
  }
}

function target(request: Target): IndexTarget {
  const { index, ignoreUnavailable, allowNoIndices, expandWildcards } = request;
  return { index: index ?? null, ignoreUnavailable, allowNoIndices, expandWildcards };
}
