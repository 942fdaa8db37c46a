// A request of a sheet in other forms: a curl command, code for the official client, code for the library.
import type { Catalog } from '../catalog-types.ts';
import { type Body, compactJson, type SheetRequest } from './sheet.ts';
import { apiOfPath } from './suggestions.ts';

const shellQuoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/**
 * @param url of the service, with `/` at its end. @param authorization `Authorization` header that is needed; the secret itself is not
 * copied
 */
export function asCurl(url: string, { method, path }: SheetRequest, body: Body, authorization: string | null): string {
  const parts = [`curl -X ${method} ${shellQuoted(url + path.slice(1))}`];
  if (method === 'HEAD') parts[0] = `curl -I ${shellQuoted(url + path.slice(1))}`;
  if (authorization?.startsWith('Basic ')) parts.push(`-u "$USER"`);
  else if (authorization !== null) parts.push(`-H "Authorization: ApiKey $API_KEY"`);
  if (body.text !== '') {
    parts.push(`-H 'Content-Type: application/${body.isNdjson ? 'x-ndjson' : 'json'}'`);
    parts.push(body.isNdjson ? `--data-binary ${shellQuoted(body.text)}` : `-d ${shellQuoted(body.text.trim())}`);
  }
  return `${parts.join(' \\\n  ')}\n`;
}

/** Values of the path parameters, and of the query. */
function paramsOf(catalog: Catalog, { method, path }: SheetRequest): { name: string | null; params: Record<string, unknown> } {
  const [bare, query = ''] = path.split('?', 2);
  const api = apiOfPath(catalog, method, path);
  const params: Record<string, unknown> = {};
  const segments = bare.split('/').filter((segment) => segment !== '');
  const route = api?.routes
    .map((text) => text.split(' '))
    .filter(([routeMethod]) => routeMethod === method)
    .map(([, text]) => text.split('/').filter((segment) => segment !== ''))
    .find((parts) => parts.length === segments.length && parts.every((part, i) => part.startsWith('{') || part === segments[i]));
  route?.forEach((part, i) => {
    if (part.startsWith('{')) params[part.slice(1, -1)] = decodeURIComponent(segments[i]);
  });
  for (const [name, value] of new URLSearchParams(query)) {
    const kind = api?.params[name];
    params[name] = kind === 'boolean' ? value !== 'false' : kind === 'int' || kind === 'long' || kind === 'float' ? Number(value) : value;
  }
  return { name: api?.name ?? null, params };
}

/** Names that clients have functions for: `search`, `indices.create`. */
const CLIENT_NAME = /^[a-z_]+(?:\.[a-z_]+)?$/;
const camelCase = (name: string): string => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** APIs whose whole body is one client parameter, instead of one parameter per name. */
const WHOLE_BODIES: Readonly<Record<string, string>> = { index: 'document', create: 'document', bulk: 'operations', msearch: 'searches' };

export function asClientCode(catalog: Catalog, url: string, request: SheetRequest, body: Body): string {
  const head = `import { Client } from '@elastic/elasticsearch';\n\nconst client = new Client({ node: ${JSON.stringify(url.replace(/\/$/, ''))} });\n`;
  const { name, params } = paramsOf(catalog, request);
  if (name === null || !CLIENT_NAME.test(name) || name.startsWith('gannet.')) {
    const [path, querystring] = request.path.split('?', 2);
    const options = {
      method: request.method,
      path,
      ...(querystring ? { querystring } : {}),
      ...(body.text === '' ? {} : { body: bodyValue(body) }),
    };
    return `${head}const response = await client.transport.request(${literal(options)});\nconsole.log(response);\n`;
  }
  return `${head}const response = await client.${camelCase(name)}(${literal({ ...params, ...bodyParams(name, body) })});\nconsole.log(response);\n`;
}

/** Functions of the library's engine by API; other APIs have none. */
const LIBRARY_FUNCTIONS: Readonly<Record<string, string>> = {
  search: 'search',
  count: 'count',
  get: 'get',
  index: 'index',
  update: 'update',
  delete: 'delete',
  bulk: 'bulk',
  'indices.analyze': 'analyze',
  'indices.create': 'indices.create',
  'indices.delete': 'indices.delete',
  'indices.refresh': 'indices.refresh',
};

/** null if the library has no function for the API, or not for its query parameters. */
export function asLibraryCode(catalog: Catalog, request: SheetRequest, body: Body): string | null {
  const { name, params } = paramsOf(catalog, request);
  const called = name === null || request.path.includes('?') ? undefined : LIBRARY_FUNCTIONS[name];
  if (name === null || called === undefined) return null;
  const given = WHOLE_BODIES[name] ? bodyParams(name, body) : body.text === '' ? {} : { body: bodyValue(body) };
  return [
    "import { open } from 'gannet';",
    '',
    "const engine = await open({ path: './data' });",
    `const response = await engine.${called}(${literal({ ...params, ...given })});`,
    'console.log(response);',
    'await engine.close();',
    '',
  ].join('\n');
}

function bodyParams(name: string, body: Body): Record<string, unknown> {
  if (body.text === '') return {};
  const whole = WHOLE_BODIES[name];
  const value = bodyValue(body);
  return whole ? { [whole]: value } : (value as Record<string, unknown>);
}

function bodyValue({ text, isNdjson }: Body): unknown {
  try {
    if (!isNdjson) return JSON.parse(text);
    return text
      .split('\n')
      .filter((line) => line.trim() !== '')
      .map((line) => JSON.parse(line) as unknown);
  } catch {
    return compactJson(text);
  }
}

/** A value as JavaScript: names without quotes where they need none. */
function literal(value: unknown): string {
  return JSON.stringify(value, null, 2).replace(/^(\s*)"([A-Za-z_$][\w$]*)":/gm, '$1$2:');
}
