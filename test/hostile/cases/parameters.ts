// Every parameter of every API with extreme values, and every route with extreme bodies, by the route table.
import { ALL_APIS } from '../../../src/rest/all-apis.ts';
import { COMMON_PARAMS } from '../../../src/rest/core/api.ts';
import type { HostileCase } from '../hostile-case.ts';

/** Longer request lines are refused by the listener. */
const LONG = 7000;

const VALUES: Readonly<Record<string, readonly string[]>> = {
  int: ['2147483647', '-2147483648'],
  long: ['9223372036854775807', '-1'],
  float: ['1e308', '-1e308'],
  time: ['9223372036854775807ms', '106751d'],
  boolean: ['true'],
  list: ['*,'.repeat(LONG / 2), 'a*'.repeat(LONG / 2)],
  string: ['*'.repeat(LONG), '(a|[a-z]{0,60}){0,300}', `${'('.repeat(LONG / 2)}`, '2147483647'],
  activeShards: ['2147483647'],
  expandWildcards: ['all,none,open'],
  refresh: ['true'],
};

/** Values of placeholders in paths. Routes that end or delete something get names that nothing depends on. */
const PLACES: Readonly<Record<string, string>> = { index: 'hostile', id: '1', name: 'x', target: 'y', new_index: 'z' };
/** Routes that would remove what other cases need, or wait by design. */
const LEFT_OUT = /^(DELETE|PUT \/_cluster\/settings|PUT \/_settings|POST \/_close|POST \/\{index\}\/_close|PUT \/\{index\}\/_block)/;
const WRITES = /_bulk|_doc|_create|_update|_delete_by_query|_forcemerge|_clone|_shrink|_split|_rollover|_aliases|_alias|_mapping|_settings/;

const DEEP = `${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`;
const BODIES: Readonly<Record<string, () => string>> = {
  'deep object': () => DEEP,
  'many keys': () => `{${Array.from({ length: 200_000 }, (_, i) => `"k${i}":1`).join()}}`,
  'many lines': () => '{"a":1}\n'.repeat(100_000),
  'query of many': () => `{"query":{"bool":{"should":[${Array(50_000).fill('{"term":{"tag":"a"}}').join()}]}}}`,
  'docs of many': () => `{"docs":[${Array(100_000).fill('{"_index":"hostile","_id":"1"}').join()}]}`,
};

export function* parameterCases(): Generator<HostileCase> {
  for (const api of ALL_APIS) {
    if (api.name.startsWith('unsupported')) continue;
    const routes = Object.keys(api.routes).map((route) => route.replace(/\s+/, ' '));
    const kept = routes.filter((route) => !LEFT_OUT.test(route));
    if (kept.length === 0) continue;
    const line = lineOf(kept[kept.length - 1]);
    const params = api.params === 'any' ? COMMON_PARAMS : { ...COMMON_PARAMS, ...api.params };
    // Some parameters make a request wait.
    const patience = 'timeout' in params ? '&timeout=1s' : '';
    for (const [name, kind] of Object.entries(params)) {
      for (const value of VALUES[kind] ?? []) {
        yield {
          family: 'parameter',
          name: `${api.name} ${name}=${value.slice(0, 20)}`,
          line: `${line}?${name}=${encodeURIComponent(value).slice(0, LONG)}${name === 'timeout' ? '' : patience}`,
        };
      }
    }
    for (const place of new Set(kept.flatMap((route) => route.match(/\{\w+\}/g) ?? []))) {
      const route = kept.find((given) => given.includes(place)) ?? '';
      const long = lineOf(route.replace(place, encodeURIComponent('a*,'.repeat(LONG / 8)).slice(0, LONG)));
      yield { family: 'parameter', name: `${api.name} long ${place}`, line: long };
    }
    if (api.body === undefined || api.body === 'none' || api.body === 'ignored') continue;
    for (const [name, body] of Object.entries(BODIES)) yield { family: 'route body', name: `${api.name} ${name}`, line, body };
  }
}

function lineOf(route: string): string {
  const writes = WRITES.test(route);
  return route.replace(/\{(\w+)\}/g, (_, place: string) => (writes && place === 'index' ? 'scratch' : (PLACES[place] ?? 'x')));
}
