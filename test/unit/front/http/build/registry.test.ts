// A module is loaded when the configuration names one of the directives that its lines in the registry list.
import { expect, test } from 'vitest';
import { UPSTREAM } from '../../../../../src/front/config/directive.ts';
import { REGISTRY } from '../../../../../src/front/http/build/registry.ts';

/** Directives inside `upstream { }` need no pattern: the block itself loads their module. */
const LOADING = ~UPSTREAM;

test('every directive of a module loads it', async () => {
  const entries = await Promise.all(
    REGISTRY.map(async ({ load, directives }) => ({ modules: await load(), directives: directives.split(/\s+/) })),
  );
  const loads = (pattern: string, name: string): boolean =>
    pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
  const missing: string[] = [];
  for (const module of new Set(entries.flatMap(({ modules }) => modules))) {
    const patterns = entries.flatMap(({ modules, directives }) => (modules.includes(module) ? directives : []));
    for (const [name, { contexts }] of Object.entries(module.table)) {
      if ((contexts & LOADING) !== 0 && !patterns.some((pattern) => loads(pattern, name))) missing.push(`${module.name}: ${name}`);
    }
  }
  expect(missing).toEqual([]);
});
