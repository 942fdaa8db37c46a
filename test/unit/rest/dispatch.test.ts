import { mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { pack, unpack } from 'msgpackr';
import { afterAll, describe, expect, test } from 'vitest';
import type { EngineContext } from '../../../src/api/core/context.ts';
import { Logger } from '../../../src/common/log/logger.ts';
import { DEFAULT_DIALECT } from '../../../src/compat/dialect.ts';
import { loadSettings } from '../../../src/config/load-settings.ts';
import { Dispatcher } from '../../../src/rest/dispatch.ts';
import { hashPassword } from '../../../src/security/password-hash.ts';
import { type FakeAnswer, fakeRequest } from '../../support/fake-http.ts';
import { fakeSecurity } from '../../support/fake-security.ts';

const folder = mkdtempSync(path.join(os.tmpdir(), 'gannet-rest-'));
afterAll(() => rmSync(folder, { recursive: true }));

const ENGINE = {
  clusterName: 'gannet',
  nodeName: 'n1',
  nodeId: 'id',
  publishAddress: '127.0.0.1:9200',
  cluster: { version: 1, clusterUuid: 'uuid', indices: {}, templates: {}, indexTemplates: {}, componentTemplates: {} },
  catchUp: () => null,
  index: () => null,
  security: fakeSecurity(),
  dialect: DEFAULT_DIALECT,
} as unknown as EngineContext;

function send(line: string, options: Parameters<typeof fakeRequest>[2] = {}, flags: Record<string, unknown> = {}): Promise<FakeAnswer> {
  const dispatcher = new Dispatcher(loadSettings({ flags }), ENGINE, new Logger('error'));
  return fakeRequest(dispatcher.handle, line, options);
}

describe('methods and paths', () => {
  test('root', async () => {
    const { status, headers, json } = await send('GET /');
    expect(status).toBe(200);
    expect(headers).toMatchObject({ 'content-type': 'application/json', 'x-elastic-product': 'Elasticsearch' });
    expect(json).toMatchObject({
      version: { number: '8.15.0', build_flavor: 'default', distribution: 'gannet' },
      tagline: 'You Know, for Search',
    });
  });

  test.each([
    ['DELETE /_bulk', 405, ['POST', 'PUT']],
    ['PATCH /a/_doc/1', 405, ['DELETE', 'GET', 'HEAD', 'POST', 'PUT']],
    ['GET /a/_update/1', 405, ['POST']],
    ['TRACE /', 405, ['GET', 'HEAD']],
    ['CONNECT /', 405, ['GET', 'HEAD']],
    ['purge /', 405, ['GET', 'HEAD']],
    ['OPTIONS /_bulk', 200, ['POST', 'PUT']],
  ])('%s', async (line, status, allow) => {
    const found = await send(line);
    expect(found.status).toBe(status);
    const allowed = String(found.headers.allow).split(',').sort();
    if (line.endsWith(' /')) expect(allowed).toEqual(expect.arrayContaining(allow));
    else expect(allowed).toEqual(allow);
    if (status === 405) expect(found.json).toEqual({ error: expect.stringContaining('allowed: ['), status: 405 });
  });

  test('a path without a route', async () => {
    expect((await send('POST /a/b/_search?x=1')).json).toEqual({ error: 'no handler found for uri [/a/b/_search?x=1] and method [POST]' });
    expect((await send('GET /a/_doc/%zz')).status).toBe(400);
  });
});

describe('parameters', () => {
  test.each([
    ['PUT /a/_doc/1?nothing=1', 'request [/a/_doc/1] contains unrecognized parameter: [nothing] -> did you mean [routing]?'],
    ['GET /?aaaaa=1&bbbbb=2', 'request [/] contains unrecognized parameters: [aaaaa], [bbbbb]'],
    ['GET /?pretty=maybe', 'Failed to parse value [maybe] as only [true] or [false] are allowed.'],
    ['GET /?human=maybe', 'Failed to parse value [maybe] as only [true] or [false] are allowed.'],
    ['PUT /a/_doc/1?timeout=abc', 'failed to parse setting [timeout] with value [abc] as a time value: unit is missing or unrecognized'],
    ['PUT /a/_doc/1?timeout=1.5s', 'failed to parse [1.5s], fractional time values are not supported'],
    ['PUT /a/_doc/1?timeout=xs', 'failed to parse [xs]'],
    [
      'PUT /a/_doc/1?timeout=-5s',
      'failed to parse setting [timeout] with value [-5s] as a time value: negative durations are not supported',
    ],
    ['PUT /a/_doc/1?wait_for_active_shards=-1', 'shard count cannot be a negative value'],
    ['GET /a/_search?allow_no_indices=maybe', 'Could not convert [allow_no_indices] to boolean'],
    ['GET /a/_search?track_total_hits=x', 'Failed to parse int parameter [track_total_hits] with value [x]'],
    ['GET /_cluster/health?wait_for_status=x', 'No enum constant org.elasticsearch.cluster.health.ClusterHealthStatus.X'],
    ['PUT /a/_doc/1?wait_for_active_shards=many', 'cannot parse ActiveShardCount[many]'],
    ['POST /a/_update/1?retry_on_conflict=x', 'Failed to parse int parameter [retry_on_conflict] with value [x]'],
    ['PUT /a/_doc/1?refresh=perhaps', 'Unknown value for refresh: [perhaps].'],
    ['PUT /a/_doc/1?op_type=update', "opType must be 'create' or 'index', found: [update]"],
  ])('%s', async (line, reason) => {
    const { status, json } = await send(line, line.startsWith('GET') ? {} : { body: '{}' });
    expect(status).toBe(400);
    expect(json).toMatchObject({ status: 400, error: { type: 'illegal_argument_exception', reason, root_cause: [{ reason }] } });
  });

  test('pretty, filter_path, error_trace', async () => {
    expect((await send('GET /?pretty&filter_path=version.number')).text).toBe('{\n  "version" : {\n    "number" : "8.15.0"\n  }\n}\n');
    expect((await send('GET /_ilm/policy/x?error_trace=true')).json.error.stack_trace).toContain('Lifecycle policy');
    expect((await send('GET /_ilm/policy/x?pretty')).text).toContain('\n  "status" : 404\n');
  });
});

describe('bodies', () => {
  test.each([
    ['text/plain', 406, 'Content-Type header [text/plain] is not supported'],
    ['-', 406, 'Content-Type header [] is not supported'],
    ['application/xml', 406, 'Content-Type header [application/xml] is not supported'],
  ])('content type %s', async (type, status, error) => {
    expect((await send('POST /_mget', { body: '{}', headers: { 'content-type': type } })).json).toEqual({ error, status });
  });

  test('missing, unexpected and malformed bodies', async () => {
    expect((await send('POST /_mget')).json.error).toMatchObject({ type: 'parse_exception', reason: 'request body is required' });
    expect((await send('GET /', { body: '{}' })).json.error.reason).toBe('request [GET /] does not support having a body');
    const { json } = await send('POST /_mget', { body: '{"docs":[}' });
    expect(json.error).toMatchObject({ type: 'x_content_parse_exception', caused_by: { type: 'json_parse_exception' } });
    expect((await send('GET /_mget?source=%7B%7D')).json.error.reason).toBe('source and source_content_type parameters are required');
    expect((await send('GET /_mget?source=%7B%7D&source_content_type=text/x')).json.error.reason).toContain('Unknown value');
    expect((await send('GET /_mget?source=%7B%7D&source_content_type=application/json')).json.error.reason).toContain(
      'no documents to get',
    );
  });

  test.each([
    ['application/json', Buffer.from('{"docs":[{"_index":"a"}]}')],
    ['application/yaml', Buffer.from('docs:\n  - _index: a\n')],
    ['application/msgpack', pack({ docs: [{ _index: 'a' }] })],
    ['application/vnd.elasticsearch+json;compatible-with=9', Buffer.from('{"docs":[{"_index":"a"}]}')],
    ['gzip', gzipSync('{"docs":[{"_index":"a"}]}')],
  ])('%s is read', async (type, body) => {
    const headers: Record<string, string> =
      type === 'gzip' ? { 'content-type': 'application/json', 'content-encoding': 'gzip' } : { 'content-type': type };
    const found = await send('POST /_mget', { body, headers: { ...headers, accept: 'application/json' } });
    expect(found.json.error.reason).toBe('Validation Failed: 1: id is missing for doc 0;');
  });

  test('corrupt gzip and unknown codings are rejected', async () => {
    const broken = await send('POST /_mget', { body: Buffer.from('no gzip'), headers: { 'content-encoding': 'gzip' } });
    expect([broken.status, broken.json.error.reason]).toEqual([400, expect.stringContaining('not valid gzip')]);
    expect((await send('POST /_mget', { body: '{}', headers: { 'content-encoding': 'br' } })).status).toBe(415);
  });
});

describe('answers', () => {
  test.each([
    ['/?format=yaml', {}, 'application/yaml', /^---\nname: "n1"\n/],
    ['/', { accept: 'application/yaml' }, 'application/yaml', /^---\n/],
    [
      '/',
      { accept: 'application/vnd.elasticsearch+json; compatible-with=8' },
      'application/vnd.elasticsearch+json;compatible-with=8',
      /^\{"name"/,
    ],
    ['/', { accept: '*/*' }, 'application/json', /^\{"name"/],
  ])('GET %s %j', async (target, headers, type, text) => {
    const found = await send(`GET ${target}`, { headers: headers as Record<string, string> });
    expect(found.headers['content-type']).toBe(type);
    expect(found.text).toMatch(text);
  });

  test('msgpack, gzip, 406, X-Opaque-Id, product header off', async () => {
    expect(unpack((await send('GET /', { headers: { accept: 'application/msgpack' } })).bytes)).toMatchObject({ name: 'n1' });
    const zipped = await send('GET /', { headers: { 'accept-encoding': 'br, gzip' } }, { 'http.compression_min_size': '10b' });
    expect(zipped.headers['content-encoding']).toBe('gzip');
    expect(JSON.parse(gunzipSync(zipped.bytes).toString()).name).toBe('n1');
    expect(
      (await send('GET /', { headers: { 'accept-encoding': 'gzip;q=0' } }, { 'http.compression_min_size': '10b' })).headers,
    ).not.toHaveProperty('content-encoding');
    expect((await send('GET /', { headers: { accept: 'image/png' } })).status).toBe(406);
    const found = await send('GET /', { headers: { 'x-opaque-id': 'abc' } }, { 'compat.product_header': 'false' });
    expect(found.headers['x-opaque-id']).toBe('abc');
    expect(found.headers).not.toHaveProperty('x-elastic-product');
  });
});

describe('CORS', () => {
  const flags = { 'http.cors.enabled': true, 'http.cors.allow-origin': 'http://a.example,/https:\\/\\/[a-z]+\\.b\\.example/' };
  test('preflight, simple, forbidden, same-origin and disabled', async () => {
    const preflight = await send(
      'OPTIONS /_bulk',
      { headers: { origin: 'http://a.example', 'access-control-request-method': 'POST' } },
      flags,
    );
    expect(preflight.status).toBe(200);
    expect(preflight.headers).toMatchObject({
      'access-control-allow-origin': 'http://a.example',
      'access-control-max-age': '1728000',
      vary: 'Origin',
    });
    expect((await send('GET /', { headers: { origin: 'https://x.b.example' } }, flags)).headers['access-control-allow-origin']).toBe(
      'https://x.b.example',
    );
    expect((await send('GET /', { headers: { origin: 'https://x.b.example.evil' } }, flags)).status).toBe(403);
    expect((await send('GET /', { headers: { origin: 'http://localhost' } }, flags)).status).toBe(200);
    expect((await send('GET /', { headers: { origin: 'http://any' } })).headers).not.toHaveProperty('access-control-allow-origin');
    expect(
      (await send('GET /', { headers: { origin: 'http://any' } }, { ...flags, 'http.cors.allow-origin': '*' })).headers[
        'access-control-allow-origin'
      ],
    ).toBe('*');
  });
});

test('authentication: challenge, wrong password, correct password, missing privilege', async () => {
  const settings = loadSettings({
    flags: {
      'security.users': { ann: { password_hash: await hashPassword('s3:cret'), roles: ['reader'] } },
      'security.roles': { reader: { cluster: ['monitor'], indices: [{ names: ['logs-*'], privileges: ['read'] }] } },
    },
  });
  const dispatcher = new Dispatcher(settings, ENGINE, new Logger('error'));
  const as = (line: string, credentials: string | null, body?: string): Promise<FakeAnswer> =>
    fakeRequest(dispatcher.handle, line, {
      body,
      headers: credentials === null ? {} : { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` },
    });
  const refused = await as('GET /', null);
  expect([refused.status, refused.headers['www-authenticate']]).toEqual([401, ['Basic realm="security", charset="UTF-8"', 'ApiKey']]);
  expect((await as('GET /', 'ann:wrong')).status).toBe(401);
  expect((await as('GET /', 'bob:s3:cret')).status).toBe(401);
  for (let i = 0; i < 2; i++) expect((await as('GET /', 'ann:s3:cret')).status).toBe(200);
  const denied = await as('PUT /logs-1/_doc/1', 'ann:s3:cret', '{}');
  expect([denied.status, denied.json.error.type]).toEqual([403, 'security_exception']);
  expect((await as('GET /other/_doc/1', 'ann:s3:cret')).status).toBe(403);
  expect((await as('POST /logs-1/_mget', 'ann:s3:cret', '{"docs":[{"_index":"other","_id":"1"}]}')).json.docs[0].error.type).toBe(
    'security_exception',
  );
  expect((await as('GET /logs-1/_doc/1', 'ann:s3:cret')).status).not.toBe(403);
  expect(
    () => new Dispatcher(loadSettings({ flags: { 'security.users': { a: { password_hash: 'x', roles: [] } } } }), ENGINE, new Logger()),
  ).toThrow(/security\.users: a: password_hash/);
});

test('access log: combined and JSON lines, forged fields escaped, reopened', async () => {
  const flags = { 'path.logs': folder, 'log.access': 'combined', 'log.slow.threshold': '0' };
  const dispatcher = new Dispatcher(loadSettings({ flags }), ENGINE, new Logger('error'));
  await fakeRequest(dispatcher.handle, 'GET /?pretty', { headers: { 'user-agent': 'a"b\n', referer: 'http://r/' } });
  await fakeRequest(dispatcher.handle, 'POST /_mget', { body: '{"docs":[]}' });
  const log = path.join(folder, 'access.log');
  await expect.poll(() => readFileSync(log, 'utf8').split('\n').length).toBe(3);
  expect(readFileSync(log, 'utf8')).toMatch(
    /^127\.0\.0\.1 - - \[\d\d\/\w{3}\/\d{4}:\d\d:\d\d:\d\d \+0000\] "GET \/\?pretty HTTP\/1\.1" 200 \d+ "http:\/\/r\/" "a\\x22b\\x0A"\n/,
  );
  renameSync(log, `${log}.1`);
  dispatcher.reopenLogs();
  await expect
    .poll(() => {
      try {
        return readFileSync(log, 'utf8');
      } catch {
        return null;
      }
    })
    .toBe('');
  await fakeRequest(dispatcher.handle, 'GET /');
  await expect.poll(() => readFileSync(log, 'utf8').split('\n').length).toBe(2);
  await fakeRequest(dispatcher.handle, 'GET /');
  dispatcher.closeLogs();
  expect(readFileSync(log, 'utf8').split('\n')).toHaveLength(3);
  expect(readFileSync(path.join(folder, 'slow.log'), 'utf8')).toContain('"body":"{\\"docs\\":[]}"');
});
