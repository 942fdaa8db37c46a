// APIs of Elasticsearch that this version does not support. Each is rejected by name, so that the error is not mistaken for a wrong path.
// Remove the lines of an API when it is implemented: Router rejects routes that are declared twice.
import { ApiError } from '../../errors/api-error.ts';
import { type ApiHandler, type ApiSpec, defineApi } from './api.ts';

const ROUTES: Readonly<Record<string, readonly string[]>> = {
  'indices.data_stream': [
    'PUT /_data_stream/{name}',
    'DELETE /_data_stream/{name}',
    'GET /_data_stream',
    'GET /_data_stream/{name}',
    'GET /_data_stream/_stats',
    'GET /_data_stream/{name}/_stats',
  ],
  snapshot: [
    'GET /_snapshot',
    'GET /_snapshot/{repository}',
    'PUT /_snapshot/{repository}',
    'POST /_snapshot/{repository}',
    'DELETE /_snapshot/{repository}',
    'POST /_snapshot/{repository}/_cleanup',
    'POST /_snapshot/{repository}/_verify',
    'GET /_snapshot/{repository}/{snapshot}',
    'PUT /_snapshot/{repository}/{snapshot}',
    'POST /_snapshot/{repository}/{snapshot}',
    'DELETE /_snapshot/{repository}/{snapshot}',
    'POST /_snapshot/{repository}/{snapshot}/_restore',
    'PUT /_snapshot/{repository}/{snapshot}/_clone/{target_snapshot}',
    'GET /_snapshot/_status',
    'GET /_snapshot/{repository}/_status',
    'GET /_snapshot/{repository}/{snapshot}/_status',
    'GET /_cat/snapshots',
    'GET /_cat/snapshots/{repository}',
    'GET /_cat/repositories',
  ],
  cluster: ['POST /_cluster/voting_config_exclusions', 'DELETE /_cluster/voting_config_exclusions'],
  nodes: ['GET /_nodes/usage'],
  dangling: ['POST /_dangling/{index_uuid}', 'DELETE /_dangling/{index_uuid}'],
};

const refuse: ApiHandler = (request) => {
  throw new ApiError(
    'unsupported_operation_exception',
    400,
    `[${request.method} ${request.path}] is not supported by this version of gannet`,
  );
};

/** Bodies and parameters are ignored, since the answer is always the same. */
export const UNSUPPORTED_APIS: readonly ApiSpec[] = Object.entries(ROUTES).map(([name, paths]) =>
  defineApi({
    name: `unsupported ${name}`,
    needs: 'none',
    body: 'ignored',
    params: 'any',
    routes: Object.fromEntries(paths.map((path) => [path, refuse])),
  }),
);
