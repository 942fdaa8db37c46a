// A real engine in this process, spoken to as by HTTP; one per test file.
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { Logger } from '../../src/common/logger.ts';
import { loadSettings } from '../../src/config/load-settings.ts';
import { type OpenNode, openNode } from '../../src/node/open-node.ts';
import { Dispatcher } from '../../src/rest/dispatch.ts';
import { type FakeAnswer, fakeRequest } from './fake-http.ts';

/** `send('POST /index/_search', body)`; a body that is text goes as it is. */
export type Send = (line: string, body?: unknown) => Promise<FakeAnswer>;

/** Starts the engine before the tests of the file and removes it behind them. */
export function restEngine(name: string): Send {
  const folder = mkdtempSync(path.join(os.tmpdir(), `gannet-${name}-`));
  let node: OpenNode;
  let dispatcher: Dispatcher;
  beforeAll(async () => {
    const settings = loadSettings({ flags: { 'path.data': folder, threads: 1, 'memory.limit': '512mb' }, file: null });
    node = await openNode(settings);
    dispatcher = new Dispatcher(settings, node.context, new Logger('error'));
  });
  afterAll(async () => {
    await node.close();
    rmSync(folder, { recursive: true });
  });
  return (line, body) => {
    const text = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body);
    return fakeRequest(dispatcher.handle, line, { body: text });
  };
}
