// `_cluster/settings`.
import { clusterSettings, putClusterSettings } from '../../api/cluster/cluster-settings.ts';
import { defineApi, TIMEOUTS } from '../core/api.ts';
import { objectBody } from '../core/object-body.ts';
import { ok } from '../core/response.ts';

export const clusterSettingsApi = defineApi({
  name: 'cluster.settings',
  body: 'json!',
  needs: 'cluster:admin/settings/update',
  params: { ...TIMEOUTS, flat_settings: 'boolean' },
  routes: {
    'PUT /_cluster/settings': async (request, { engine }) => {
      return ok(await putClusterSettings(engine, { body: objectBody(request), flat: request.boolean('flat_settings') ?? false }));
    },
  },
});

export const getClusterSettingsApi = defineApi({
  name: 'cluster.get_settings',
  needs: 'cluster:monitor/settings',
  params: { ...TIMEOUTS, flat_settings: 'boolean', include_defaults: 'boolean' },
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
