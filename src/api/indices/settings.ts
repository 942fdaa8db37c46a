// Settings of indices: get and put.
import type { JsonObject } from '../../common/json/json-value.ts';
import { matchesPattern } from '../../common/text/wildcard.ts';
import { validationFailedError } from '../../errors/catalog.ts';
import type { IndexMeta } from '../../metadata/cluster-state.ts';
import { defaultSettings, type FlatSettings, nestSettings } from '../../metadata/settings/index-settings.ts';
import type { EngineContext } from '../core/context.ts';
import { type IndexTarget, shownMetas, TARGETS, targetNames } from '../core/index-names.ts';

/** Options for showing settings. */
export interface SettingsView {
  readonly flat?: boolean;
  readonly includeDefaults?: boolean;
  readonly human?: boolean;
  /** Patterns of setting names; null for all. */
  readonly names?: readonly string[] | null;
}

/** Settings of an index including those that the node sets itself, with values as strings. */
function allSettings(meta: IndexMeta, human: boolean): Record<string, string | readonly string[]> {
  const settings: Record<string, string | readonly string[]> = {
    ...meta.settings,
    'index.provided_name': meta.name,
    'index.creation_date': String(meta.creationDateMs),
    'index.uuid': meta.uuid,
    'index.version.created': INDEX_VERSION,
  };
  if (human) {
    settings['index.creation_date_string'] = new Date(meta.creationDateMs).toISOString();
    settings['index.version.created_string'] = '8.15.0';
  }
  return settings;
}

/** Index format version in Elasticsearch's numbering. */
const INDEX_VERSION = '8512000';

export function viewSettings(settings: FlatSettings, view: SettingsView): unknown {
  const names = view.names;
  const shown = names
    ? Object.fromEntries(
        Object.entries(settings).filter(([name]) => names.some((pattern) => pattern === '_all' || matchesPattern(pattern, name))),
      )
    : settings;
  if (view.flat) return Object.fromEntries(Object.entries(shown).sort(([a], [b]) => (a < b ? -1 : 1)));
  return nestSettings(shown);
}

/** Settings of an index in the form of `GET _settings`. */
export function showSettings(meta: IndexMeta, view: SettingsView = {}): unknown {
  return viewSettings(allSettings(meta, view.human ?? false), view);
}

/** `{ index: { settings, defaults? } }`. An index without settings that match `names` is left out. */
export function getSettings(ctx: EngineContext, request: IndexTarget & SettingsView): Record<string, unknown> {
  const body: Record<string, unknown> = {};
  for (const meta of shownMetas(ctx, request, TARGETS.named)) {
    const settings = showSettings(meta, request) as object;
    if (Object.keys(settings).length === 0 && !request.includeDefaults) continue;
    body[meta.name] = { settings, ...(request.includeDefaults ? { defaults: viewSettings(defaultSettings(meta.settings), request) } : {}) };
  }
  return body;
}

/** @param request.body  nested or dotted names, with or without the prefix `index`, optionally inside `settings` */
export async function putSettings(
  ctx: EngineContext,
  request: IndexTarget & { body: JsonObject; preserveExisting?: boolean },
): Promise<unknown> {
  const inner = request.body.settings;
  const settings = typeof inner === 'object' && inner !== null && Object.keys(request.body).length === 1 ? inner : request.body;
  if (Object.keys(settings).length === 0) throw validationFailedError(['no settings to update']);
  const indices = targetNames(ctx, request, TARGETS.any);
  return ctx.command('putSettings', { indices, settings: settings as JsonObject, preserveExisting: request.preserveExisting ?? false });
}
