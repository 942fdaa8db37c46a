// A whole node in this process behind its REST API, without a socket: for tests that send requests like clients.
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { EngineContext } from '../../src/api/core/context.ts';
import { Logger } from '../../src/common/log/logger.ts';
import { loadSettings } from '../../src/config/load-settings.ts';
import { openNode } from '../../src/node/open-node.ts';
import { Dispatcher } from '../../src/rest/dispatch.ts';
import { type FakeAnswer, fakeRequest } from './fake-http.ts';

export interface RestNode {
  /** `path.data`. */
  readonly folder: string;
  /** The engine behind the API. */
  readonly engine: EngineContext;
  /** Status and body of `METHOD /path`; lines of a list are sent as NDJSON. */
  send(line: string, body?: unknown, headers?: Record<string, string>): Promise<{ status: number; json: any; text: string }>;
  /** The whole answer to `METHOD /path?query`. */
  exchange(line: string, options: { headers?: Record<string, string>; body?: string | Buffer }): Promise<FakeAnswer>;
  /** The body of an answer that must be a success. @throws Error with the body of any other */
  ok(line: string, body?: unknown): Promise<any>;
  /** Closes the node and opens it again over the same data. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

/** @param folder  data directory, removed by `close`; a new one by default */
export async function openRestNode(
  flags: Record<string, unknown> = {},
  folder = mkdtempSync(path.join(os.tmpdir(), 'gannet-node-')),
): Promise<RestNode> {
  const settings = loadSettings({ flags: { threads: 1, 'memory.limit': '512mb', ...flags, 'path.data': folder }, file: null });
  const open = async () => {
    const node = await openNode(settings);
    return { node, dispatcher: new Dispatcher(settings, node.context, new Logger('error')) };
  };
  let { node, dispatcher } = await open();
  const send: RestNode['send'] = async (line, body, headers) => {
    const text = body === undefined ? '' : typeof body === 'string' ? body : Array.isArray(body) ? ndjson(body) : JSON.stringify(body);
    const answer = await fakeRequest(dispatcher.handle, line, { body: text, headers });
    const isJson = String(answer.headers['content-type']).includes('json');
    return {
      status: answer.status,
      text: answer.text,
      get json() {
        return isJson && answer.text !== '' ? answer.json : null;
      },
    };
  };
  return {
    folder,
    get engine() {
      return node.context;
    },
    send,
    exchange: (line, options) => fakeRequest(dispatcher.handle, line, options),
    async ok(line, body) {
      const { status, json, text } = await send(line, body);
      if (status >= 300) throw new Error(`${line}: ${status} ${text}`);
      return json ?? text;
    },
    async restart() {
      await node.close();
      ({ node, dispatcher } = await open());
    },
    async close() {
      await node.close();
      rmSync(folder, { recursive: true });
    },
  };
}

function ndjson(lines: readonly unknown[]): string {
  return `${lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n')}\n`;
}
