/**
 * js_import, js_content, js_set: request handlers written as ES modules, loaded by path when a worker starts.
 *   js_import shop from handlers/shop.js;   js_content shop.list;   js_set $tier shop.tier;
 * A handler is `(r) => void | Promise<void>` and ends with `r.return(status, body)` or `r.internalRedirect(uri)`; a variable is
 * `(r) => string`. `r` is JsRequest.
 */

import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { ANY_COUNT, custom, HSL, LIMIT_EXCEPT, LOCATION, LOCATION_IF } from '../../config/directive.ts';
import { DONE, OK } from '../codes.ts';
import type { HttpMain } from '../conf.ts';
import { defineModule, type HttpFrame } from '../module.ts';
import { internalRedirect, redirectToNamed } from '../redirect.ts';
import type { Request } from '../request.ts';
import { sendBuffer } from '../send.ts';

/** What a handler sees of a request. Texts are latin1 unless said otherwise. */
export class JsRequest {
  readonly headersOut: Record<string, string> = {};
  private ended = false;

  constructor(private readonly r: Request) {}

  get method(): string {
    return this.r.method;
  }
  get uri(): string {
    return this.r.uri;
  }
  get rawArgs(): string {
    return this.r.args;
  }
  /** arguments of the query, decoded */
  get args(): Record<string, string> {
    return Object.fromEntries(new URLSearchParams(this.r.args));
  }
  get remoteAddress(): string {
    return this.r.conn.remoteAddr;
  }
  /** by lower-case name */
  get headersIn(): Record<string, string> {
    return Object.fromEntries(this.r.headersIn.map((h) => [h.lname, h.value]));
  }
  /** the request body as UTF-8 */
  get requestText(): string {
    return this.r.main.body?.read().toString('utf8') ?? '';
  }
  get requestBuffer(): Buffer {
    return this.r.main.body?.read() ?? Buffer.alloc(0);
  }
  /** a variable of the configuration */
  variable(name: string): string | undefined {
    const def = this.r.http.variables.find(name);
    return def ? (this.r.variable(def) ?? undefined) : undefined;
  }
  log(message: string): void {
    this.r.log('info', `js: ${message}`);
  }
  error(message: string): void {
    this.r.log('error', `js: ${message}`);
  }
  /** Ends the request with an answer. */
  return(status: number, body: string | Uint8Array = ''): void {
    if (this.ended || this.r.done) return;
    this.ended = true;
    const { r } = this;
    for (const [name, value] of Object.entries(this.headersOut)) {
      if (name.toLowerCase() === 'content-type') r.out.contentType = value;
      else r.out.set(name, value);
    }
    const bytes = typeof body === 'string' ? Buffer.from(body, 'utf8') : Buffer.from(body);
    if (bytes.length === 0 && status >= 300) {
      r.finalize(status);
      return;
    }
    r.out.status = status;
    r.setContentType();
    r.finalize(sendBuffer(r, bytes));
  }
  /** Goes on at another URI of this server. */
  internalRedirect(uri: string): void {
    if (this.ended || this.r.done) return;
    this.ended = true;
    if (uri.startsWith('@')) redirectToNamed(this.r, uri);
    else {
      const query = uri.indexOf('?');
      internalRedirect(this.r, query < 0 ? uri : uri.slice(0, query), query < 0 ? '' : uri.slice(query + 1));
    }
  }
  get finished(): boolean {
    return this.ended;
  }
}

type Handler = (r: JsRequest) => unknown;
interface Wanted {
  name: string;
  at: string;
  fn?: Handler;
}

const importsOf = (main: HttpMain): Map<string, string> => keep(main, 'js:imports', () => new Map<string, string>());
const wantedOf = (main: HttpMain): Wanted[] => keep(main, 'js:wanted', () => [] as Wanted[]);

function keep<T>(main: HttpMain, key: string, make: () => T): T {
  let value = main.registry.get(key) as T | undefined;
  if (!value) main.registry.set(key, (value = make()));
  return value;
}

function want(f: HttpFrame, name: string): Wanted {
  if (!/^[\w$]+\.[\w$]+$/.test(name)) f.fail(`"${name}" is not of the form module.function`);
  const wanted: Wanted = { name, at: `${f.node.file}:${f.node.line}` };
  wantedOf(f.scope.main).push(wanted);
  return wanted;
}

export const jsModule = defineModule(
  'js',
  {
    js_path: custom<string | undefined>(HSL, 1, undefined, (f: HttpFrame) => f.scope.path(f.args[0], 'conf')),
    js_import: custom<undefined>(
      HSL,
      [1, 3],
      undefined,
      (f: HttpFrame) => {
        const file = f.args.length === 1 ? f.args[0] : f.args[2];
        if (f.args.length === 2 || (f.args.length === 3 && f.args[1] !== 'from')) f.fail('js_import wants "name from file" or "file"');
        const name = f.args.length === 1 ? path.basename(file).replace(/\.\w+$/, '') : f.args[0];
        importsOf(f.scope.main).set(name, f.scope.path(file, 'conf'));
        return undefined;
      },
      { repeats: true },
    ),
    js_content: custom<Wanted | undefined>(LOCATION | LOCATION_IF | LIMIT_EXCEPT, 1, undefined, (f: HttpFrame) => {
      const wanted = want(f, f.args[0]);
      f.scope.loc.handler = (r) => content(r, wanted);
      return wanted;
    }),
    js_set: custom<undefined>(
      HSL,
      [2, ANY_COUNT],
      undefined,
      (f: HttpFrame) => {
        const wanted = want(f, f.args[1]);
        if (!/^\$\w+$/.test(f.args[0])) f.fail(`invalid variable name "${f.args[0]}"`);
        f.scope.main.variables.define(f.args[0].slice(1), { get: (r) => evaluate(r, wanted), volatile: f.args[2] === 'nocache' });
        return undefined;
      },
      { repeats: true },
    ),
  },
  {
    async start(main) {
      const modules = new Map<string, Record<string, unknown>>();
      for (const [name, file] of importsOf(main)) {
        const loaded = (await import(pathToFileURL(file).href)) as { default?: Record<string, unknown> };
        modules.set(name, { ...loaded, ...loaded.default });
      }
      for (const wanted of wantedOf(main)) {
        const [module, fn] = wanted.name.split('.');
        const found = modules.get(module)?.[fn];
        if (typeof found !== 'function') throw new Error(`js function "${wanted.name}" was not found in ${wanted.at}`);
        wanted.fn = found as Handler;
      }
    },
  },
);

function content(r: Request, wanted: Wanted): number {
  r.conn.readBody(r, (rc) => {
    if (rc !== OK) {
      r.finalize(rc);
      return;
    }
    const js = new JsRequest(r);
    const failed = (error: unknown) => {
      r.log('error', `js exception: ${(error as Error)?.stack ?? error}`.replace(/\n\s*/g, ' | '));
      if (!r.done && !js.finished) r.finalize(500);
    };
    try {
      Promise.resolve(wanted.fn!(js)).then(() => {
        if (!js.finished && !r.done) failed(new Error(`${wanted.name} ended without an answer`));
      }, failed);
    } catch (error) {
      failed(error);
    }
  });
  return DONE;
}

function evaluate(r: Request, wanted: Wanted): string | null {
  try {
    const value = wanted.fn?.(new JsRequest(r));
    return value === undefined || value === null ? null : String(value);
  } catch (error) {
    r.log('error', `js exception: ${(error as Error).message}`);
    return null;
  }
}
