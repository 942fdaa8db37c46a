// APIs to put, get and delete pipelines, the same for ingest and search pipelines.

import type { EngineContext } from '../../api/core/context.ts';
import type { JsonObject } from '../../common/json/json-value.ts';
import { type ApiSpec, defineApi, type Params, type RestContext, TIMEOUTS } from '../core/api.ts';
import type { ApiRequest } from '../core/request.ts';
import { type ApiResponse, answer, ok } from '../core/response.ts';

export interface PipelineStore {
  /** Names of the APIs in the REST specification. */
  readonly names: { readonly put: string; readonly delete: string; readonly get: string };
  /** `/_ingest/pipeline` */
  readonly path: string;
  /** Actions begin with it: `cluster:admin/ingest/pipeline` */
  readonly action: `cluster:admin/${string}`;
  /** Parameters of `get` besides the timeouts. */
  readonly getParams?: Params;
  put(engine: EngineContext, id: string, body: unknown): Promise<unknown>;
  delete(engine: EngineContext, id: string): Promise<unknown>;
  /** @param ids  names and patterns; null for all. @returns null if `ids` is given and matches none */
  get(engine: EngineContext, ids: string | null): JsonObject | null;
}

export function storedPipelineApis(store: PipelineStore): ApiSpec[] {
  /** 200 `{ id: body, ... }`, 404 `{}` if a name is given and none is found. */
  const get = (request: ApiRequest, { engine }: RestContext): ApiResponse => {
    const found = store.get(engine, request.string('id') ?? null);
    return found === null ? answer(404, {}) : ok(found);
  };
  const one = `${store.path}/{id}`;
  return [
    defineApi({
      name: store.names.put,
      body: 'json!',
      needs: `${store.action}/put`,
      params: TIMEOUTS,
      routes: { [`PUT ${one}`]: async (request, { engine }) => ok(await store.put(engine, request.params.id, request.body)) },
    }),
    defineApi({
      name: store.names.delete,
      needs: `${store.action}/delete`,
      params: TIMEOUTS,
      routes: { [`DELETE ${one}`]: async (request, { engine }) => ok(await store.delete(engine, request.params.id)) },
    }),
    defineApi({
      name: store.names.get,
      needs: `${store.action}/get`,
      params: { ...TIMEOUTS, ...store.getParams },
      routes: { [`GET ${store.path}`]: get, [`GET ${one}`]: get },
    }),
  ];
}
