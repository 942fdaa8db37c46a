// `_cluster/settings`.
import { clusterSettings, putClusterSettings } from '../../api/cluster/cluster-settings.ts';
import { JsonFloat } from '../../common/json/json-float.ts';
import { isObject, type JsonObject } from '../../common/json/json-value.ts';
import { defineApi, MANAGER_TIMEOUTS, TIMEOUTS } from '../core/api.ts';
import { parseBodyToWrite } from '../core/body.ts';
import type { ApiRequest } from '../core/request.ts';
import { ok } from '../core/response.ts';

export const clusterSettingsApi = defineApi({
  name: 'cluster.settings',
  body: 'bytes!',
  needs: 'cluster:admin/settings/update',
  params: { ...TIMEOUTS, flat_settings: 'boolean' },
  routes: {
    'PUT /_cluster/settings': async (request, { engine }) => {
      return ok(await putClusterSettings(engine, { body: settingsIn(request), flat: request.boolean('flat_settings') ?? false }));
    },
  },
});

export const getClusterSettingsApi = defineApi({
  name: 'cluster.get_settings',
  needs: 'cluster:monitor/settings',
  params: { local: 'boolean', ...MANAGER_TIMEOUTS, flat_settings: 'boolean', include_defaults: 'boolean' },
  routes: {
    'GET /_cluster/settings': (request, { engine }) =>
      ok(
        clusterSettings(engine, {
          flat: request.boolean('flat_settings') ?? false,
          includeDefaults: request.boolean('include_defaults') ?? false,
        }),
      ),
  },
});

/** The settings of a body, with floating-point numbers as Java prints them: `3.0` stays `3.0`. @throws ApiError json_parse_exception */
function settingsIn(request: ApiRequest): JsonObject {
  const body = withTexts(parseBodyToWrite(request.bytes) ?? {});
  // Lists and plain values contain no settings.
  return isObject(body) ? body : {};
}

function withTexts(value: unknown): unknown {
  if (value instanceof JsonFloat) return value.text;
  if (Array.isArray(value)) return value.map(withTexts);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, withTexts(member)]));
}
