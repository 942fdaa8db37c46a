// The official JavaScript clients connect as their users configure them: with Basic authentication or an API key, compressed bodies, sniffing,
// cookies of a proxy, and connections that are kept alive.
import http from 'node:http';
import { Client as OpenSearch } from '@opensearch-project/opensearch';
import { Client as Elasticsearch7 } from 'elasticsearch-7';
import { Client as Elasticsearch8, HttpConnection } from 'elasticsearch-8';
import { Client as Elasticsearch9 } from 'elasticsearch-9';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startService, type TestService } from '../support/service.ts';

const credentials = { username: 'admin', password: 'a long password' };
let service: TestService;
let apiKey: { id: string; api_key: string };

beforeAll(async () => {
  service = await startService();
  const created = await service.request('PUT', '/_security/user/admin', { password: credentials.password, roles: ['superuser'] });
  expect(created.status).toBe(200);
  const authorization = `Basic ${Buffer.from(`${credentials.username}:${credentials.password}`).toString('base64')}`;
  const { status, body } = await service.request('POST', '/_security/api_key', { name: 'client' }, { authorization });
  expect(status).toBe(200);
  apiKey = { id: body.id, api_key: body.api_key };
});
afterAll(() => service.stop());

/** Methods of a client of any version that the tests call. */
interface AnyClient {
  index(params: object): Promise<unknown>;
  search(params: object): Promise<{ body?: any; hits?: any }>;
  info(): Promise<unknown>;
  close(): unknown;
}

const text = 'herring '.repeat(1000);

/** Writes and reads a document that is long enough to be compressed. */
async function writeAndRead(client: AnyClient, index: string): Promise<void> {
  await client.index({ index, id: '1', body: { text }, refresh: true });
  const found = await client.search({ index, body: { query: { match: { text: 'herring' } } } });
  expect((found.body ?? found).hits.hits[0]._source.text).toBe(text);
  await client.close();
}

const makers = [
  ['@elastic/elasticsearch 7', 'js-7', (options: object) => new Elasticsearch7({ node: service.url, ...options }) as unknown],
  ['@elastic/elasticsearch 8', 'js-8', (options: object) => new Elasticsearch8({ node: service.url, ...options }) as unknown],
  ['@elastic/elasticsearch 9', 'js-9', (options: object) => new Elasticsearch9({ node: service.url, ...options }) as unknown],
  ['@opensearch-project/opensearch', 'js-os', (options: object) => new OpenSearch({ node: service.url, ...options }) as unknown],
] as const;

describe.each(makers)('%s', (name, index, makeClient) => {
  const make = (options: object) => makeClient(options) as AnyClient;
  const compressing = index === 'js-7' || index === 'js-os' ? { compression: 'gzip', suggestCompression: true } : { compression: true };

  test('authenticates with a name and a password', async () => {
    await writeAndRead(make({ auth: credentials }), index);
  });

  test('authenticates with an API key', async () => {
    const encoded = Buffer.from(`${apiKey.id}:${apiKey.api_key}`).toString('base64');
    const options = index === 'js-os' ? { headers: { authorization: `ApiKey ${encoded}` } } : { auth: { apiKey } };
    await writeAndRead(make(options), index);
  });

  test('compresses requests and accepts compressed responses', async () => {
    await writeAndRead(make({ auth: credentials, ...compressing }), index);
  });

  test('sniffs and continues with the node that it found', async () => {
    await writeAndRead(make({ auth: credentials, sniffOnStart: true, sniffOnConnectionFault: true }), index);
  });

  test('is refused without credentials with the status 401', async () => {
    const client = make({});
    await expect(client.info(), name).rejects.toMatchObject({ meta: { statusCode: 401 } });
    await client.close();
  });
});

test('a client with node:http connections, which are kept alive, authenticates', async () => {
  await writeAndRead(new Elasticsearch8({ node: service.url, auth: credentials, Connection: HttpConnection }), 'js-8');
});

test('a connection serves one request after the other, with cookies or without', async () => {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  const get = (headers: Record<string, string>) =>
    new Promise<{ status: number | undefined; reused: boolean; cookies: string[] | undefined }>((resolve, reject) => {
      const request = http.get(
        `${service.url}/_cluster/health`,
        { agent, headers, auth: Object.values(credentials).join(':') },
        (response) => {
          response.resume();
          response.once('end', () =>
            resolve({ status: response.statusCode, reused: request.reusedSocket, cookies: response.headers['set-cookie'] }),
          );
        },
      );
      request.once('error', reject);
    });
  expect(await get({})).toEqual({ status: 200, reused: false, cookies: undefined });
  expect(await get({ cookie: 'session=1; AWSALB=a"b' })).toEqual({ status: 200, reused: true, cookies: undefined });
  expect(await get({ cookie: '=;;' })).toEqual({ status: 200, reused: true, cookies: undefined });
  agent.destroy();
});
