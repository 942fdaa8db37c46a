// Maps paths to APIs. A literal segment takes precedence over a parameter; if the literal branch does not match the rest of the path, the parameter
// branch is tried. The first node found decides which methods are allowed: `DELETE /_bulk` is a 405, not the deletion of an index `_bulk`.
import type { ApiHandler, ApiSpec, Params } from './api.ts';
import { COMMON_PARAMS, SOURCE_PARAMS } from './api.ts';

export interface Route {
  readonly api: ApiSpec;
  /** The path as declared: `/{index}/_search`. */
  readonly path: string;
  readonly handler: ApiHandler;
  /** Names of the path parameters in order. */
  readonly pathParams: readonly string[];
  /** Allowed query parameters, including the path parameters of all routes of the API, which may also be query parameters; null for any. */
  readonly params: Params | null;
}

class ApiRoute implements Route {
  readonly api: ApiSpec;
  readonly path: string;
  readonly handler: ApiHandler;
  readonly pathParams: readonly string[];
  #params: Params | null | undefined;

  constructor(api: ApiSpec, path: string, handler: ApiHandler, pathParams: readonly string[]) {
    this.api = api;
    this.path = path;
    this.handler = handler;
    this.pathParams = pathParams;
  }

  /** Built with the first request, since a start creates hundreds of routes. */
  get params(): Params | null {
    if (this.#params === undefined)
      this.#params = this.api.params === 'any' ? null : routeParams(this.api, this.api.params, this.pathParams);
    return this.#params;
  }
}

const PATH_PARAM = /\{([^}]+)\}/g;

function routeParams(api: ApiSpec, declared: Params | undefined, pathParams: readonly string[]): Params {
  const hasBody = api.body !== undefined && api.body !== 'none';
  const params: Record<string, Params[string]> = { ...COMMON_PARAMS, ...(hasBody ? SOURCE_PARAMS : {}), ...declared };
  for (const name of pathParams) params[name] ??= 'string';
  for (const route of Object.keys(api.routes)) for (const [, name] of route.matchAll(PATH_PARAM)) params[name] ??= 'string';
  return params;
}

interface RouteNode {
  literals: Map<string, RouteNode> | null;
  parameter: RouteNode | null;
  methods: Map<string, Route> | null;
}

export interface RouteMatch {
  readonly methods: ReadonlyMap<string, Route>;
  /** Decoded values of the path parameters in order. */
  readonly values: readonly string[];
}

export class Router {
  readonly #root: RouteNode = newNode();

  constructor(apis: readonly ApiSpec[]) {
    for (const api of apis) {
      for (const [pattern, handler] of Object.entries(api.routes)) this.#add(api, pattern, handler);
    }
  }

  #add(api: ApiSpec, pattern: string, handler: ApiHandler): void {
    const space = pattern.indexOf(' ');
    const method = pattern.slice(0, space);
    const path = pattern.slice(space).trimStart();
    const pathParams: string[] = [];
    let node = this.#root;
    for (const segment of path.split('/')) {
      if (segment === '') continue;
      if (segment.startsWith('{')) {
        pathParams.push(segment.slice(1, -1));
        node.parameter ??= newNode();
        node = node.parameter;
      } else {
        node.literals ??= new Map();
        let next = node.literals.get(segment);
        if (!next) node.literals.set(segment, (next = newNode()));
        node = next;
      }
    }
    node.methods ??= new Map();
    const earlier = node.methods.get(method);
    if (earlier) throw new Error(`${method} ${path}: routes of ${earlier.api.name} and ${api.name}`);
    node.methods.set(method, new ApiRoute(api, path, handler, pathParams));
  }

  /** @param path  not decoded. @returns null if no route has this path. @throws URIError a segment is not percent-encoded UTF-8 */
  match(path: string): RouteMatch | null {
    const segments: string[] = [];
    for (const part of path.split('/')) if (part !== '') segments.push(part.includes('%') ? decodeURIComponent(part) : part);
    const values: string[] = [];
    const methods = find(this.#root, segments, 0, values);
    return methods ? { methods, values } : null;
  }

  /** Every route, for the list of APIs and for tests. */
  *all(): Generator<{ method: string; path: string; route: Route }> {
    yield* walk(this.#root, '');
  }
}

function newNode(): RouteNode {
  return { literals: null, parameter: null, methods: null };
}

function find(node: RouteNode, segments: readonly string[], at: number, values: string[]): Map<string, Route> | null {
  if (at === segments.length) return node.methods;
  const literal = node.literals?.get(segments[at]);
  if (literal) {
    const found = find(literal, segments, at + 1, values);
    if (found) return found;
  }
  if (!node.parameter) return null;
  values.push(segments[at]);
  const found = find(node.parameter, segments, at + 1, values);
  if (!found) values.pop();
  return found;
}

function* walk(node: RouteNode, path: string): Generator<{ method: string; path: string; route: Route }> {
  for (const [method, route] of node.methods ?? []) yield { method, path: path || '/', route };
  for (const [name, child] of node.literals ?? []) yield* walk(child, `${path}/${name}`);
  if (node.parameter) yield* walk(node.parameter, `${path}/*`);
}
