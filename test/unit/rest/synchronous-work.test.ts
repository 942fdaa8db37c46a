// Synchronous handlers, without steps: long work is abandoned and repeated in a lane, before anything was written.
import { expect, test } from 'vitest';
import type { EngineContext } from '../../../src/api/core/context.ts';
import { Logger } from '../../../src/common/log/logger.ts';
import { DEFAULT_DIALECT } from '../../../src/compat/dialect.ts';
import { loadSettings } from '../../../src/config/load-settings.ts';
import type { LaneRequest } from '../../../src/rest/core/lane.ts';
import { Dispatcher } from '../../../src/rest/dispatch.ts';
import { fakeRequest } from '../../support/fake-http.ts';
import { fakeSecurity } from '../../support/fake-security.ts';

const ENGINE = {
  clusterName: 'gannet',
  cluster: { version: 1, clusterUuid: 'uuid', indices: {}, templates: {}, indexTemplates: {}, componentTemplates: {}, pipelines: {} },
  catchUp: () => null,
  index: () => null,
  security: fakeSecurity(),
  dialect: DEFAULT_DIALECT,
} as unknown as EngineContext;

/** Sends a request to a dispatcher with lanes. @returns what the lanes received as well */
async function send(line: string, body: unknown) {
  const moved: LaneRequest[] = [];
  const lanes = {
    run: async (request: LaneRequest) => {
      moved.push(request);
      return { status: 200, headers: { 'content-type': 'application/json' }, body: Buffer.from('{"from":"lane"}'), ranMs: 1000 };
    },
    areBusy: () => false,
    cancel: () => undefined,
  };
  const dispatcher = new Dispatcher(loadSettings({ flags: {} }), ENGINE, new Logger('error'), lanes);
  const text = JSON.stringify(body);
  const answer = await fakeRequest(dispatcher.handle, line, { body: text, headers: { 'content-type': 'application/json' } });
  return { answer, moved, text };
}

const simulate = (patterns: string[], text: string) => ({
  // An error of a processor is part of the answer, and ignored here: neither may conceal that the work was abandoned.
  pipeline: { processors: [{ grok: { field: 'm', patterns, ignore_failure: true } }] },
  docs: [{ _source: { m: text } }],
});

test('a pipeline whose patterns take long is simulated in a lane', async () => {
  // Billions of steps without a limit; half a second with that of pipelines.
  const { answer, moved, text } = await send(
    'POST /_ingest/pipeline/_simulate',
    simulate(['(a|aa|[a-z]{0,60}){0,60}%{NUMBER:n}'], 'a'.repeat(40_000)),
  );
  expect(answer.json).toEqual({ from: 'lane' });
  expect(moved.map(({ method, path }) => `${method} ${path}`)).toEqual(['POST /_ingest/pipeline/_simulate']);
  expect(Buffer.from(moved[0].body ?? []).toString()).toBe(text);
});

test('an error of a definition is found without a lane', async () => {
  const { answer, moved } = await send('POST /_ingest/pipeline/_simulate', simulate(['%{NOTHING:n}'], 'a'));
  expect([answer.status, answer.json.error.reason]).toEqual([400, expect.stringContaining('NOTHING')]);
  expect(moved).toEqual([]);
});
