// Checks responses of the service against the types that the official client declares for each API.
import { Client } from 'elasticsearch-8';
import { ClientTypes } from './client-types.ts';

interface Route {
  readonly method: string;
  readonly path: RegExp;
  /** Number of parts of the path that are fixed; of two routes that match, the one with more is used. */
  readonly fixed: number;
  /** Name of the API in the client, such as `indices.create`. */
  readonly api: string;
  /** Name of the response's type. */
  readonly type: string;
}

/** Differences that the servers show as well, each with its reason. */
const EXEMPT: ReadonlyArray<readonly [problem: RegExp, reason: string]> = [
  [/^cluster\.health.*unassigned_primary_shards: missing$/, 'since 8.16'],
  [/^cluster\.stats\.(repositories|snapshots|ccs|indices\.mappings\.source_modes|indices\.search\.retrievers): missing$/, 'since 8.16'],
  [/^indices\.getSettings\./, 'servers show settings and their defaults as text'],
  [/^indices\.getFieldMapping\./, 'servers show null for parameters without a default'],
  [/^cat\.\w+\[\d+\]\..*: null instead of/, 'cells without a value are null'],
  [/^cat\.recovery\[\d+\]\..*_millis: "/, 'cells are text'],
  [/^(cluster\.allocationExplain|\w+Rethrottle)\..*attributes: missing$/, 'left out by nodes without attributes'],
];

const PLACEHOLDER = 'zzpartzz';
let routes: Promise<readonly Route[]> | null = null;
let types: ClientTypes | null = null;

function declaredTypes(): ClientTypes {
  types ??= new ClientTypes('elasticsearch-8');
  return types;
}

/** Every method and path that the client sends, with the API's name. */
export function clientRoutes(): Promise<readonly Route[]> {
  routes ??= readRoutes();
  return routes;
}

/**
 * Differences between the response and the type that clients expect; empty if there are none, or if no API of the client has this path.
 * @param target  path with query, as sent
 * @param body    parsed JSON
 */
export async function checkResponse(method: string, target: string, status: number, body: unknown): Promise<string[]> {
  const { pathname, searchParams } = new URL(target, 'http://localhost');
  if (searchParams.has('filter_path') || method === 'HEAD') return [];
  if (status >= 400) return isErrorOf(body) ? declaredTypes().check('ErrorResponseBase', body) : [];
  const matching = (await clientRoutes()).filter((route) => route.method === method && route.path.test(pathname));
  const route = matching.sort((a, b) => b.fixed - a.fixed)[0];
  if (route === undefined || !declaredTypes().has(route.type)) return [];
  return declaredTypes()
    .check(route.type, body)
    .map((problem) => `${route.api}${problem}`)
    .filter((problem) => !EXEMPT.some(([pattern]) => pattern.test(problem)));
}

/** Errors of routing are plain strings, and missing documents have no error. */
function isErrorOf(body: unknown): boolean {
  return typeof body === 'object' && body !== null && 'error' in body && typeof body.error === 'object';
}

/** Calls every function of a client that sends nothing, with each set of path parameters. */
async function readRoutes(): Promise<Route[]> {
  const client = new Client({ node: 'http://127.0.0.1:9' });
  const found = new Map<string, Route>();
  let api = '';
  const record = async ({ method, path }: { method: string; path: string }): Promise<object> => {
    const parts = path.split('/');
    const pattern = parts.map((part) => (part === PLACEHOLDER ? '[^/]+' : part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))).join('/');
    found.set(`${method} ${pattern}`, {
      method,
      path: new RegExp(`^${pattern}/?$`),
      fixed: parts.filter((part) => part !== PLACEHOLDER).length,
      api,
      type: typeNameOf(api),
    });
    return {};
  };
  Object.defineProperty(client.transport, 'request', { value: record });
  for (const [name, owner, call] of functionsOf(client)) {
    api = name;
    const parts = /acceptedPath = \[(.*?)\]/.exec(call.toString())?.[1].match(/\w+/g) ?? [];
    for (let set = 0; set < 1 << parts.length; set++) {
      const params = Object.fromEntries(parts.filter((_, i) => set & (1 << i)).map((part) => [part, PLACEHOLDER]));
      for (const body of [undefined, {}]) {
        try {
          await call.call(owner, { ...params, ...(body ? { body } : {}) });
        } catch {
          // A path parameter that this API needs is missing.
        }
      }
    }
  }
  await client.close();
  return [...found.values()];
}

type ApiCall = (params: object) => Promise<unknown>;

function isCall(value: unknown): value is ApiCall {
  return typeof value === 'function';
}

function* functionsOf(client: Client): Generator<[name: string, owner: object, call: ApiCall]> {
  const prototype = Object.getPrototypeOf(Object.getPrototypeOf(client));
  for (const name of Object.getOwnPropertyNames(prototype)) {
    if (/^_|[A-Z]$|^(?:constructor|helpers|transport|child|close|diagnostic)$/.test(name)) continue;
    const member: unknown = Reflect.get(client, name);
    if (isCall(member)) yield [name, client, member];
    else if (typeof member === 'object' && member !== null)
      for (const inner of Object.getOwnPropertyNames(Object.getPrototypeOf(member))) {
        const call: unknown = Reflect.get(member, inner);
        if (inner !== 'constructor' && isCall(call)) yield [`${name}.${inner}`, member, call];
      }
  }
}

/** `indices.putMapping` -> `IndicesPutMappingResponse` */
function typeNameOf(api: string): string {
  const words = api.split('.').map((word) => word[0].toUpperCase() + word.slice(1));
  return `${words.join('')}Response`;
}
