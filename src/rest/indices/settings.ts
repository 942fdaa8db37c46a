// Settings of indices.
import { getSettings, putSettings, type SettingsView } from '../../api/indices/settings.ts';
import { defineApi, INDICES_OPTIONS, MANAGER_TIMEOUTS, type RestContext, TIMEOUTS } from '../core/api.ts';
import { objectBody } from '../core/object-body.ts';
import { readTarget } from '../core/params/index-expression.ts';
import type { ApiRequest } from '../core/request.ts';
import { type ApiResponse, ok } from '../core/response.ts';

export const SETTINGS_VIEW = { flat_settings: 'boolean', include_defaults: 'boolean' } as const;

export function readSettingsView(request: ApiRequest): SettingsView {
  return {
    flat: request.boolean('flat_settings'),
    includeDefaults: request.boolean('include_defaults'),
    human: request.boolean('human'),
    names: request.list('name') ?? null,
  };
}

export const getSettingsApi = defineApi({
  name: 'indices.get_settings',
  needs: 'indices:monitor/settings/get',
  params: { ...INDICES_OPTIONS, ...SETTINGS_VIEW, local: 'boolean', ...MANAGER_TIMEOUTS },
  routes: {
    'GET /_settings': settings,
    'GET /{index}/_settings': settings,
    'GET /{index}/_settings/{name}': settings,
    'GET /_settings/{name}': settings,
    'GET /{index}/_setting/{name}': settings,
  },
});

function settings(request: ApiRequest, { engine }: RestContext): ApiResponse {
  return ok(getSettings(engine, { ...readTarget(request), ...readSettingsView(request) }));
}

export const putSettingsApi = defineApi({
  name: 'indices.put_settings',
  body: 'json!',
  needs: 'indices:admin/settings/update',
  params: { ...INDICES_OPTIONS, ...TIMEOUTS, preserve_existing: 'boolean', flat_settings: 'boolean' },
  routes: { 'PUT /_settings': changeSettings, 'PUT /{index}/_settings': changeSettings },
});

async function changeSettings(request: ApiRequest, { engine }: RestContext): Promise<ApiResponse> {
  const preserveExisting = request.boolean('preserve_existing');
  return ok(await putSettings(engine, { ...readTarget(request), body: objectBody(request), preserveExisting }));
}
