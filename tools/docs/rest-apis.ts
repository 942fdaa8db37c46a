// The REST reference: every API with its routes, parameters, body and the privilege it needs, from the tables that the router reads.

import { ALL_APIS } from '../../src/rest/all-apis.ts';
import { type ApiSpec, COMMON_PARAMS } from '../../src/rest/core/api.ts';
import { UNSUPPORTED_APIS, UNSUPPORTED_FAMILIES } from '../../src/rest/core/unsupported.ts';
import { code, row, table } from './markdown.ts';

const BODIES: Readonly<Record<string, string>> = {
  none: 'none',
  ignored: 'ignored',
  json: 'JSON, optional',
  'json!': 'JSON',
  bytes: 'JSON, optional',
  'bytes!': 'JSON',
  'ndjson!': 'NDJSON',
  'stream!': 'NDJSON',
};

function section({ name, routes, params, body, needs }: ApiSpec): string {
  const kinds = typeof params === 'object' ? params : {};
  const names = Object.entries(kinds).filter(([param]) => !Object.hasOwn(COMMON_PARAMS, param));
  const lines = Object.keys(routes).map((route) => route.replace(/ +/, ' '));
  return [
    `### ${name}`,
    `\`\`\`\n${lines.join('\n')}\n\`\`\``,
    `- body: ${BODIES[body ?? 'none']}; privilege: ${needs === 'none' ? 'none' : code(needs)}`,
    `- parameters: ${names.length === 0 ? 'none' : names.map(([param, kind]) => `${code(param)} (${kind})`).join(', ')}`,
  ]
    .join('\n\n')
    .replace(/\n\n- parameters/, '\n- parameters');
}

const served = ALL_APIS.filter((api) => !UNSUPPORTED_APIS.includes(api)).sort((a, b) => (a.name < b.name ? -1 : 1));

const DOCUMENT_APIS =
  'index delete update get get_source mget bulk termvectors mtermvectors delete_by_query update_by_query reindex rethrottle'.split(' ');
const SCRIPT_APIS = ['put_script', 'get_script', 'scripts_painless_execute'];

/** The family that a name belongs to: `indices` of `indices.create`; APIs without a prefix are those of documents, scripts or search. */
function familyOf({ name }: ApiSpec): string {
  if (name.includes('.')) return name.slice(0, name.indexOf('.'));
  if (name.includes('_template') && name.includes(' ')) return 'templates';
  if (name === 'info') return 'cluster';
  if (DOCUMENT_APIS.includes(name)) return 'documents';
  return SCRIPT_APIS.includes(name) ? 'scripts' : 'search';
}

export function restApis(): string {
  const families = new Map<string, ApiSpec[]>();
  for (const api of served) families.set(familyOf(api), [...(families.get(familyOf(api)) ?? []), api]);
  return [...families]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([family, apis]) => `## ${family}\n\n${apis.map(section).join('\n\n')}`)
    .join('\n\n');
}

export function commonParams(): string {
  return Object.entries(COMMON_PARAMS)
    .map(([name, kind]) => `${code(name)} (${kind})`)
    .join(', ');
}

const PARTIAL_APIS: Readonly<Record<string, string>> = {
  'cluster.settings': 'known settings are stored; [configuration.md](configuration.md#settings-of-the-cluster) names those that act',
  'cluster.reroute': 'commands are checked and explained; on one node none changes anything',
  'indices.upgrade': 'accepted; there is nothing to upgrade',
  'tasks.list': 'tasks are lost with a restart; the last 1,000 are kept',
  open_point_in_time: 'lost with a restart',
  scroll: 'lost with a restart',
};

/** One line per API; those refused by name come last. */
export function restOverview(): string {
  for (const name of Object.keys(PARTIAL_APIS))
    if (!served.some((api) => api.name === name)) throw new Error(`tools/docs/rest-apis.ts has a note on an unknown API: ${name}`);
  const families = [...served].sort((a, b) => (familyOf(a) < familyOf(b) ? -1 : familyOf(a) > familyOf(b) ? 1 : 0));
  const rows = families.map((api) =>
    row(familyOf(api), code(api.name), PARTIAL_APIS[api.name] ? 'partly' : 'yes', PARTIAL_APIS[api.name] ?? ''),
  );
  for (const { name, routes } of UNSUPPORTED_APIS) {
    const paths = Object.keys(routes).map((route) => code(route.replace(/ +/, ' ')));
    rows.push(row(name.replace(/^unsupported /, ''), paths.join('<br>'), 'no', ''));
  }
  for (const [name, paths] of Object.entries(UNSUPPORTED_FAMILIES))
    rows.push(row(name, `everything else below ${paths.map(code).join(', ')}`, 'no', ''));
  return table(['family', 'API', 'supported', 'limits'], rows);
}
