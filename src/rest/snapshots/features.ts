// `_features`: the features whose states snapshots can contain.
import { FEATURES } from '../../metadata/indices/snapshot-content.ts';
import { defineApi, TIMEOUTS } from '../core/api.ts';
import { ok } from '../core/response.ts';

/** 200 `{ features: [{ name, description }] }`. */
export const featuresApi = defineApi({
  name: 'features.get_features',
  needs: 'cluster:admin/features/get',
  params: TIMEOUTS,
  routes: {
    'GET /_features': () => ok({ features: Object.entries(FEATURES).map(([name, { description }]) => ({ name, description })) }),
  },
});
