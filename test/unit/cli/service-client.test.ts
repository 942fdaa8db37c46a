// Commands show why the service refused a request.
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ServiceClient } from '../../../src/cli/service-client.ts';

let answer = '';
const server = http.createServer((_, response) => response.writeHead(400).end(answer));
let client: ServiceClient;

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  client = new ServiceClient(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, null);
});

afterAll(() => {
  client.close();
  server.close();
});

test.each([
  [{ error: { reason: 'no such index [x]', root_cause: [{ reason: 'no such index [x]' }] } }, 'no such index [x]'],
  [
    {
      error: {
        reason: 'all shards failed',
        root_cause: [{ reason: 'Failed to parse query [a:(]' }],
        caused_by: { reason: 'Failed to parse query [a:(]', caused_by: { reason: 'Encountered "<EOF>"' } },
      },
    },
    'Failed to parse query [a:(]: Encountered "<EOF>"',
  ],
  [{ error: 'Incorrect HTTP method' }, 'Incorrect HTTP method'],
  [{ acknowledged: false }, 'HTTP 400: {"acknowledged":false}'],
  [[], 'HTTP 400: []'],
])('of %j it shows "%s"', async (body, message) => {
  answer = JSON.stringify(body);
  await expect(client.call('GET', '/')).rejects.toThrow(new Error(message));
});

test('a response that is not JSON is shown as it is', async () => {
  answer = '<h1>Bad request</h1>';
  await expect(client.call('GET', '/')).rejects.toThrow('HTTP 400: <h1>Bad request</h1>');
});
