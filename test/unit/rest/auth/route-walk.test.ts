// Walks over every route as users with different privileges, with names of indices that are not theirs in every place that accepts one. Whatever the
// request, no byte of a foreign index may be in the answer, nothing of it may change, and the answer may not tell whether it exists.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ALL_APIS } from '../../../../src/rest/all-apis.ts';
import type { ApiSpec } from '../../../../src/rest/core/api.ts';
import { hashPassword } from '../../../../src/security/password-hash.ts';
import { openRestNode, type RestNode } from '../../../support/rest-node.ts';
import { ROWS, type Row, VALUES } from './route-rows.ts';

const on = (privileges: string[], cluster: string[] = []) => ({ cluster, indices: [{ names: ['own-*'], privileges }] });
const ROLES = {
  owner: on(['all'], ['all']),
  operator: { cluster: ['all'] },
  reader: on(['read', 'view_index_metadata'], ['monitor']),
  writer: on(['write', 'create_index', 'maintenance']),
  manager: on(['manage'], ['manage_index_templates', 'monitor']),
  nobody: {},
};
type User = keyof typeof ROLES;

/** Only in foreign indices: contents, fields, aliases, settings. `zzhidden` and `zzveil` are never named by a request. */
const CANARY = /canaryword|canaryfield|canarykey|zzhidden|zzveil|canaryid/;
/** Names that requests use: of a foreign index and of an alias, and `zzmissing` for comparison. */
const FOREIGN = ['zzsecret', 'zzalias', '<zzsecret>', 'own-1,zzsecret'];
const PATTERNS = ['zz*', '*', '_all', '*,-own-*', 'z*t,own-1'];

let node: RestNode;
const root: Record<string, string> = {};
const as = (user: string, line: string, body?: unknown): ReturnType<RestNode['send']> =>
  node.send(line, body, { authorization: `Basic ${Buffer.from(`${user}:pw`).toString('base64')}` });

const FIELDS = {
  k: { type: 'keyword' },
  text: { type: 'text' },
  place: { type: 'geo_shape' },
  canaryfield: { type: 'text', fielddata: true },
};

beforeAll(async () => {
  const hash = await hashPassword('pw');
  const users = Object.fromEntries(Object.keys(ROLES).map((name) => [name, { password_hash: hash, roles: [name] }]));
  node = await openRestNode({
    'security.users': { ...users, root: { password_hash: hash, roles: ['superuser'] } },
    'security.roles': ROLES,
  });
  for (const [index, alias] of [
    ['zzsecret', 'zzalias'],
    ['zzhidden', 'zzveil'],
  ]) {
    const settings = { 'index.analysis.analyzer.canaryanalyzer.type': 'standard' };
    await as('root', `PUT /${index}`, {
      settings,
      mappings: { properties: FIELDS },
      aliases: { [alias]: { filter: { term: { k: 'canarykey' } } } },
    });
    const source = { k: 'canarykey', text: 'canaryword', canaryfield: 'canaryword', place: 'POINT (1 1)' };
    for (const id of ['1', 'canaryid']) await as('root', `PUT /${index}/_doc/${id}?refresh=true`, source);
  }
  for (const name of ['zzsecret', 'zzalias', 'zzmissing'])
    await as('root', `PUT /_ingest/pipeline/to-${name}`, { processors: [{ set: { field: '_index', value: name } }] });
  root.ROOT_SCROLL = (await as('root', 'POST /zzsecret,zzhidden/_search?scroll=5m&size=1')).json._scroll_id;
  root.ROOT_PIT = (await as('root', 'POST /zzsecret,zzhidden/_pit?keep_alive=5m')).json.id;
  root.ROOT_TASK = (
    await as('root', 'POST /_reindex?wait_for_completion=false', { source: { index: 'zzhidden' }, dest: { index: 'zzsecret-copy' } })
  ).json.task;
  await as('root', `GET /_tasks/${root.ROOT_TASK}?wait_for_completion=true`);
}, 30_000);
afterAll(() => node.close());

/** The state of everything that is not the users'. */
async function foreignState(): Promise<string> {
  const { cluster } = node.engine;
  const own = ['own-1', 'own-2'];
  const metas = Object.entries(cluster.indices).filter(
    ([name, { aliases }]) => !own.includes(name) && /^zz/.test(`${name} ${Object.keys(aliases)}`),
  );
  const stray = Object.entries(cluster.indices).filter(
    ([name, { aliases }]) => own.includes(name) && Object.keys(aliases).some((alias) => /^zz/.test(alias)),
  );
  const stats = await Promise.all(
    metas.map(async ([name]) => {
      const index = node.engine.index(name);
      return index && (await node.engine.shardStats(index)).map(({ maxSeqNo, docs, deleted }) => [maxSeqNo, docs, deleted]);
    }),
  );
  return JSON.stringify([metas, stray.map(([name]) => name), stats]);
}

let ownMeta: unknown = null;

/** Own indices as they were before the last request. */
async function restoreOwn(): Promise<void> {
  const { indices } = node.engine.cluster;
  const names = Object.keys(indices).filter((name) => name.startsWith('own-'));
  if (names.length === 1 && indices['own-1'] !== undefined && indices['own-1'] === ownMeta) {
    // What a request wrote is visible to the next one, whenever the index is refreshed by itself.
    await as('root', 'POST /own-1/_refresh');
    return;
  }
  if (names.length > 0) await as('root', `DELETE /${names.join(',')}`);
  await as('root', 'PUT /own-1', {
    mappings: {
      properties: {
        k: FIELDS.k,
        text: FIELDS.text,
        place: FIELDS.place,
        kids: { type: 'nested' },
        stored: { type: 'percolator' },
        vector: { type: 'dense_vector', dims: 2, similarity: 'l2_norm' },
      },
    },
  });
  const stored = { prefix: { text: 'canar' } };
  await as('root', 'PUT /own-1/_doc/1?refresh=true', { k: 'own', text: 'mine', stored, vector: [1, 0] });
  ownMeta = node.engine.cluster.indices['own-1'];
}

interface Sent {
  readonly line: string;
  readonly body: unknown;
  /** The request names a foreign index in its path, and that alone. */
  readonly isNamedInPath: boolean;
}

/** Requests of one route with `name` in each place. */
function requestsOf(api: ApiSpec, route: string, row: Row, name: string): Sent[] {
  const [method, path] = route.split(/ +/);
  const places = [...path.matchAll(/\{(\w+)\}/g)].map(([, place]) => place);
  const ofIndices = places.filter((place) => ['index', 'target', 'new_index', ...(row.names ?? [])].includes(place));
  const fill = (foreign: readonly string[]): string =>
    path.replaceAll(/\{(\w+)\}/g, (_, place: string) => {
      const own = place === 'index' ? 'own-1' : place === 'target' || place === 'new_index' ? 'own-2' : VALUES[place];
      const value = foreign.includes(place) ? name : own;
      if (value === undefined) throw new Error(`no value for {${place}} of ${route}`);
      return encodeURIComponent(root[value] ?? value);
    });
  const bodies = row.bodies?.(name) ?? [undefined];
  const ownBody = row.bodies?.('own-1')[0];
  const sent: Sent[] = [];
  // What is part of the path in another route of the API may be a query parameter.
  const inQuery = !places.includes('index') && Object.keys(api.routes).some((other) => other.includes('{index}'));
  const named = inQuery ? [`index=${encodeURIComponent(name)}`] : [];
  for (const query of ['', ...named, ...(row.queries?.(name) ?? [])]) {
    const all = [row.query ?? '', query].filter((part) => part !== '').join('&');
    const at = (filled: string) => `${method} ${filled}${all === '' ? '' : `?${all}`}`;
    if (ofIndices.length > 1) sent.push({ line: at(fill(ofIndices)), body: ownBody, isNamedInPath: query === '' });
    for (const place of ofIndices) sent.push({ line: at(fill([place])), body: ownBody, isNamedInPath: query === '' });
    sent.push({ line: at(fill([])), body: bodies[0], isNamedInPath: false });
  }
  const always = row.query === undefined ? '' : `?${row.query}`;
  for (const body of bodies.slice(1)) sent.push({ line: `${method} ${fill([])}${always}`, body, isNamedInPath: false });
  return sent;
}

const filled = (body: unknown): unknown => {
  if (body === undefined || typeof body === 'string') return body;
  return JSON.parse(JSON.stringify(body).replaceAll(/ROOT_\w+/g, (key) => root[key]));
};

/** Sends a request as a user, and checks that it shows and changes nothing foreign. */
async function check(user: User, api: ApiSpec, row: Row, { line, body }: Sent): Promise<Awaited<ReturnType<typeof as>>> {
  await restoreOwn();
  const before = await foreignState();
  const answer = await as(user, line, filled(body));
  const where = `${user}: ${api.name}: ${line} ${JSON.stringify(body)}`;
  const asked = `${decodeURIComponent(line)} ${JSON.stringify(body)}`;
  if (!row.showsNamesTo?.includes(user)) {
    expect(answer.text, where).not.toMatch(CANARY);
    if (!/zz(secret|alias)/.test(asked)) expect(answer.text, where).not.toMatch(/zzsecret|zzalias/);
  }
  expect(answer.text, where).not.toContain('internal_error');
  expect(await foreignState(), where).toBe(before);
  return answer;
}

/** An answer without what differs from call to call. */
const normal = ({ status, text }: { status: number; text: string }): string =>
  `${status} ${text}`
    .replaceAll(/zz(secret|alias|missing)/g, 'NAME')
    .replaceAll(/"_?(scroll_|pit_)?(id|index_uuid|uuid|node)":\s*"[^"]*"/g, 'ID')
    .replaceAll(/"result":"\w+"/g, 'RESULT')
    .replaceAll(/\d+(\.\d+)?/g, '0');

/** Routes of an API, of several methods with the same path and handler the first. */
function routesOf(api: ApiSpec): string[] {
  const seen = new Set<string>();
  return Object.entries(api.routes).flatMap(([route, handler]) => {
    const path = route.split(/ +/)[1];
    const key = `${path} ${String(handler)}`;
    if (seen.has(key) && !route.startsWith('DELETE')) return [];
    seen.add(key);
    return [route];
  });
}

const walked = ALL_APIS.filter(({ name }) => !name.startsWith('unsupported'));

test('every API has a row, and every row an API', () => {
  expect(Object.keys(ROWS).sort()).toEqual(walked.map(({ name }) => name).sort());
});

test('every action has the form that privileges match', () => {
  for (const { name, needs, reaches } of ALL_APIS)
    for (const action of [needs, reaches ?? 'none'])
      expect(action, name).toMatch(/^(none|cluster:(monitor|admin)\/\S+|indices:(data|admin|monitor)\/\S+)$/);
});

const inParts = (count: number): ApiSpec[][] => Array.from({ length: count }, (_, part) => walked.filter((_api, i) => i % count === part));

test.each(inParts(4).map((apis, part) => [part, apis] as const))(
  'the owner of other indices learns and changes nothing, part %i',
  async (_part, apis) => {
    for (const api of apis) {
      const row = ROWS[api.name];
      for (const route of routesOf(api)) {
        for (const name of [...FOREIGN, ...PATTERNS]) {
          const missing = name.replaceAll(/zzsecret|zzalias/g, 'zzmissing');
          const others = requestsOf(api, route, row, missing);
          for (const [i, sent] of requestsOf(api, route, row, name).entries()) {
            const isSame = JSON.stringify(sent) === JSON.stringify(others[i]);
            // Requests that do not depend on the name are sent once.
            if (isSame && name !== FOREIGN[0] && name !== PATTERNS[0]) continue;
            const answer = await check('owner', api, row, sent);
            if (isSame || row.isVolatile) continue;
            const where = `${api.name}: ${sent.line} ${JSON.stringify(sent.body)}`;
            // Refused as a whole or, in requests of several parts, in part.
            const isRefused = answer.status >= 400 || answer.text.includes(name.includes(',') ? '"error":' : '"security_exception"');
            const mustRefuse = sent.isNamedInPath && api.needs.startsWith('indices:') && FOREIGN.includes(name);
            if (mustRefuse) expect(isRefused, `${where} ${answer.text}`).toBe(true);
            expect(normal(answer), where).toBe(normal(await check('owner', api, row, others[i])));
          }
        }
      }
    }
  },
  60_000,
);

test.each((Object.keys(ROLES) as User[]).filter((user) => user !== 'owner'))(
  'a user with the role [%s] learns and changes nothing',
  async (user) => {
    for (const api of walked) {
      const row = ROWS[api.name];
      for (const route of routesOf(api)) {
        for (const name of ['zzsecret', '*']) for (const sent of requestsOf(api, route, row, name)) await check(user, api, row, sent);
      }
    }
  },
  60_000,
);
