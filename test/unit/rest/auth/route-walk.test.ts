// Walks over every route as users with different privileges, with names of indices that are not theirs in every place that accepts one. Whatever the
// request, no byte of a foreign index may be in the answer, nothing of it may change, and the answer may not reveal whether it exists.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ALL_APIS } from '../../../../src/rest/all-apis.ts';
import type { ApiSpec } from '../../../../src/rest/core/api.ts';
import { CANARY, ForeignData, USER_NAMES, type User } from './foreign-data.ts';
import { ROWS, type Row, VALUES } from './route-rows.ts';

/** Names that requests use: of a foreign index and of an alias, and `zzmissing` for comparison. */
const FOREIGN = ['zzsecret', 'zzalias', '<zzsecret>', 'own-1,zzsecret'];
const PATTERNS = ['zz*', '*', '_all', '*,-own-*', 'z*t,own-1'];

let data: ForeignData;
beforeAll(async () => {
  data = await ForeignData.open();
});
afterAll(() => data.close());

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
      const own =
        place === 'index' ? 'own-1' : place === 'target' || place === 'new_index' ? 'own-2' : (row.values?.[place] ?? VALUES[place]);
      const value = foreign.includes(place) ? name : own;
      if (value === undefined) throw new Error(`no value for {${place}} of ${route}`);
      return encodeURIComponent(data.ids[value] ?? value);
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

/** Sends a request as a user, and checks that it shows and changes nothing foreign. */
async function check(user: User, api: ApiSpec, row: Row, { line, body }: Sent): Promise<Awaited<ReturnType<ForeignData['as']>>> {
  await data.restoreOwn();
  const before = await data.state();
  const answer = await data.as(user, line, data.withIds(body));
  const where = `${user}: ${api.name}: ${line} ${JSON.stringify(body)}`;
  const asked = `${decodeURIComponent(line)} ${JSON.stringify(body)}`;
  if (!row.showsNamesTo?.includes(user)) {
    expect(answer.text, where).not.toMatch(CANARY);
    if (!/zz(secret|alias)/.test(asked)) expect(answer.text, where).not.toMatch(/zzsecret|zzalias/);
  }
  expect(answer.text, where).not.toContain('internal_error');
  expect(await data.state(), where).toBe(before);
  return answer;
}

/** An answer without values that differ from call to call. */
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

test.each(USER_NAMES.filter((user) => user !== 'owner'))(
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
