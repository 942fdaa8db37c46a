// The sample data of the tour: the largest cities, shipped with the service. They are indexed separately, so that one click removes them.
import { call, RequestError, send } from '../service.ts';

export const SAMPLE_INDEX = 'sample-cities';

const INDEX_BODY = {
  settings: { number_of_shards: 1, number_of_replicas: 0 },
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

/** Creates and fills the index. @returns the number of its documents. @throws RequestError */
export async function loadSample(): Promise<number> {
  const sample = await send('GET', '/_console/sample.ndjson');
  if (sample.status >= 400) throw new RequestError(sample);
  const lines = sample.text.trimEnd().split('\n');
  await call('PUT', `/${SAMPLE_INDEX}`, INDEX_BODY);
  const body = lines.map((line, i) => `{"index":{"_id":"${i + 1}"}}\n${line}\n`).join('');
  const answer = await send('POST', `/${SAMPLE_INDEX}/_bulk?refresh=true&filter_path=errors`, body, {
    contentType: 'application/x-ndjson',
  });
  if (answer.status >= 400) throw new RequestError(answer);
  return lines.length;
}

export const removeSample = (): Promise<unknown> => call('DELETE', `/${SAMPLE_INDEX}`);

/** Whether the index exists; uses a request that does not fail if it is missing. */
export async function hasSample(): Promise<boolean> {
  const { indices } = await call<{ indices: readonly { readonly name: string }[] }>('GET', `/_resolve/index/${SAMPLE_INDEX}*`);
  return indices.some(({ name }) => name === SAMPLE_INDEX);
}
