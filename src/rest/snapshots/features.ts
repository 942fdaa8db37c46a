// `_features`: the features whose states snapshots can contain.
import { listFeatures } from '../../api/snapshots/features.ts';
import { defineApi, TIMEOUTS } from '../core/api.ts';
import { ok } from '../core/response.ts';

export const featuresApi = defineApi({
  name: 'features.get_features',
  needs: 'cluster:admin/features/get',
  params: TIMEOUTS,
  routes: { 'GET /_features': () => ok(listFeatures()) },
});
