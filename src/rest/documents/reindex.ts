// `_reindex`.

import { requireNames } from '../../api/core/index-names.ts';
import type { ByQuerySource } from '../../api/documents/by-query-batch.ts';
import { readScript } from '../../api/documents/changed-hit.ts';
import { type ReindexDestination, reindex } from '../../api/documents/reindex.ts';
import { writeIndex } from '../../api/documents/write-target.ts';
import { resolveSearch, type SearchIndices } from '../../api/search/search-call.ts';
import { tokenOf } from '../../common/json/json-value.ts';
import { ApiError } from '../../errors/api-error.ts';
import { illegalArgumentError, validationFailedError } from '../../errors/catalog.ts';
import { defineApi, type RestContext } from '../core/api.ts';
import { objectBody } from '../core/object-body.ts';
import { readSourceFilter } from '../core/params/source-params.ts';
import type { ApiRequest } from '../core/request.ts';
import type { ApiResponse } from '../core/response.ts';
import { checkSlices, DEFAULT_BATCH, DEFAULT_KEEP_ALIVE_MS, pipelineFor, RUN_PARAMS, readMaxDocs, run } from './run-by-query.ts';

export const reindexApi = defineApi({
  name: 'reindex',
  body: 'json!',
  needs: 'indices:data/write/reindex',
  reaches: 'indices:data/read/search',
  params: { ...RUN_PARAMS, require_alias: 'boolean' },
  routes: { 'POST /_reindex': runReindex },
});

const REINDEX_KEYS = ['source', 'dest', 'max_docs', 'size', 'conflicts', 'script'];

const SOURCE_KEYS = ['index', 'query', 'size', 'sort', '_source', 'slice', 'remote'];

const DEST_KEYS = ['index', 'op_type', 'version_type', 'routing', 'pipeline'];

async function runReindex(request: ApiRequest, context: RestContext): Promise<ApiResponse> {
  const { engine } = context;
  const body = objectBody(request);
  checkKeys('reindex', body, REINDEX_KEYS);
  const source = section('source', body.source, SOURCE_KEYS);
  const dest = section('dest', body.dest, DEST_KEYS);
  if (source.remote !== undefined) throw illegalArgumentError(`[${remoteHost(source.remote)}] not allowlisted in reindex.remote.allowlist`);
  const destination = readDestination(dest);
  const expressions = [source.index ?? []].flat().map(String);
  const problems: string[] = [];
  if (expressions.length === 0) problems.push('use _all if you really want to copy from all existing indexes');
  if (destination.index === '') problems.push('index must be specified');
  if (problems.length > 0) throw validationFailedError(problems);
  checkSlices(request);
  const pipeline = pipelineFor(context, dest.pipeline);
  requireNames(pipeline.engine, destination.index);
  const indices: SearchIndices = { expressions };
  for (const { meta } of resolveSearch(engine, indices)) {
    if (meta.name === destination.index || Object.hasOwn(meta.aliases, destination.index))
      throw validationFailedError([`reindex cannot write into an index its reading from [${destination.index}]`]);
  }
  const { query, sort, slice } = source;
  const reading: ByQuerySource = {
    indices,
    body: { ...(query === undefined ? {} : { query }), ...(sort === undefined ? {} : { sort }), ...(slice === undefined ? {} : { slice }) },
    parameters: {},
    batchSize: source.size === undefined ? DEFAULT_BATCH : Number(source.size),
    maxDocs: readMaxDocs(request.int('max_docs') ?? body.max_docs ?? body.size),
    keepAliveMs: request.timeMs('scroll') ?? DEFAULT_KEEP_ALIVE_MS,
  };
  const filter = source._source === undefined ? null : readSourceFilter(source._source);
  const requireAlias = request.boolean('require_alias') ?? false;
  const parts = { filter, script: readScript(engine, body.script), pipeline };
  const description = `reindex from [${expressions.join(', ')}] to [${destination.index}]`;
  return run(request, engine, body, 'reindex', description, () =>
    reindex(reading, destination, parts, () => writeIndex(parts.pipeline.engine, destination.index, requireAlias)),
  );
}

function checkKeys(where: string, body: Record<string, unknown>, known: readonly string[]): void {
  for (const key of Object.keys(body)) {
    if (!known.includes(key)) throw new ApiError('x_content_parse_exception', 400, `[${where}] unknown field [${key}]`);
  }
}

function section(name: string, value: unknown, known: readonly string[]): Record<string, unknown> {
  if (value === undefined) return {};
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new ApiError('x_content_parse_exception', 400, `[reindex] ${name} doesn't support values of type: ${tokenOf(value)}`);
  checkKeys(name, value as Record<string, unknown>, known);
  return value as Record<string, unknown>;
}

function remoteHost(remote: unknown): string {
  const host = String((remote as { host?: unknown } | null)?.host ?? '');
  return /^https?:\/\/([^/]+)/.exec(host)?.[1] ?? host;
}

function readDestination(dest: Record<string, unknown>): ReindexDestination {
  const opType = String(dest.op_type ?? 'index');
  const fail = (field: string, reason: string): ApiError =>
    new ApiError('x_content_parse_exception', 400, '[reindex] failed to parse field [dest]', {
      causedBy: new ApiError('x_content_parse_exception', 400, `[dest] failed to parse field [${field}]`, {
        causedBy: illegalArgumentError(reason),
      }),
    });
  if (opType !== 'index' && opType !== 'create') throw fail('op_type', `opType must be 'create' or 'index', found: [${opType}]`);
  const versionType = String(dest.version_type ?? 'internal');
  if (versionType !== 'internal' && versionType !== 'external' && versionType !== 'external_gte')
    throw fail('version_type', `No version type match [${versionType}]`);
  const routing = dest.routing === undefined || dest.routing === null ? 'keep' : String(dest.routing);
  if (routing !== 'keep' && routing !== 'discard' && !routing.startsWith('='))
    throw illegalArgumentError(`Unsupported routing command: [${routing}]`);
  return { index: String(dest.index ?? ''), opType, versionType, routing };
}
