// Run-time parts shared by all upstream modules: variables, cache zones.
import { defineModule } from '../config/module.ts';
import { CacheZone } from './cache/cache-zone.ts';
import { UPSTREAM_FAMILIES, UPSTREAM_VARIABLES } from './variables.ts';

export const upstreamVariablesModule = defineModule(
  'upstream_variables',
  {},
  {
    variables: UPSTREAM_VARIABLES,
    families: UPSTREAM_FAMILIES,
    start(main) {
      for (const zone of main.registry.values()) if (zone instanceof CacheZone) zone.start();
    },
  },
);
