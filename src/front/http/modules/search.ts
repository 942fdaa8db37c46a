/**
 * search_pass: mounts the search engine at a location. The address names a node (`search_pass http://127.0.0.1:9200;`); a program that
 * holds the engine in its own process sets a SearchBackend instead, and then no socket is used.
 */
import { custom, LOCATION, LOCATION_IF } from '../../config/directive.ts';
import { DONE, OK } from '../codes.ts';
import { defineModule, type HttpFrame } from '../module.ts';
import type { Request } from '../request.ts';
import { sendBuffer } from '../send.ts';
import { parsePass, proxyModule } from './proxy.ts';

export interface SearchAnswer {
  status: number;
  headers: [name: string, value: string][];
  body: Buffer;
}

/** The engine as the front sees it. */
export interface SearchBackend {
  /** @param uri path and query as the client sent them */
  handle(method: string, uri: string, headers: [name: string, value: string][], body: Buffer): Promise<SearchAnswer>;
}

let backend: SearchBackend | undefined;

/** Requests of every `search_pass` go to this engine from now on; undefined: to the address again. */
export function setSearchBackend(engine: SearchBackend | undefined): void {
  backend = engine;
}

export const searchModule = defineModule('search', {
  search_pass: custom<boolean>(LOCATION | LOCATION_IF, 1, false, (f: HttpFrame) => {
    const conf = f.scope.loc.confs[proxyModule.index] as { proxy_pass?: unknown };
    if (conf.proxy_pass) f.fail('"search_pass" and "proxy_pass" cannot stand in one location');
    conf.proxy_pass = parsePass(f);
    const proxied = f.scope.loc.handler!;
    f.scope.loc.handler = (r) => (backend ? inProcess(r, backend) : proxied(r));
    return true;
  }),
});

function inProcess(r: Request, engine: SearchBackend): number {
  r.conn.readBody(r, (rc) => {
    if (rc !== OK) {
      r.finalize(rc);
      return;
    }
    const headers = r.headersIn.map((h): [string, string] => [h.name, h.value]);
    const uri = r.validRawUri ? r.rawUri : r.uri + (r.args ? `?${r.args}` : '');
    engine.handle(r.method, uri, headers, r.bodyOwner.body?.read() ?? Buffer.alloc(0)).then(
      (answer) => {
        if (!r.done) r.finalize(send(r, answer));
      },
      (error: Error) => {
        r.log('error', `search backend failed: ${error.message}`);
        if (!r.done) r.finalize(502);
      },
    );
  });
  return DONE;
}

const FRAMING = new Set(['content-length', 'transfer-encoding', 'connection', 'keep-alive', 'date', 'server']);

function send(r: Request, answer: SearchAnswer): number {
  r.out.status = answer.status;
  for (const [name, value] of answer.headers) {
    const lname = name.toLowerCase();
    if (lname === 'content-type') r.out.setContentType(value);
    else if (!FRAMING.has(lname)) r.out.add(name, value);
  }
  return sendBuffer(r, answer.body);
}
