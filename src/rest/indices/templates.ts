// Templates of the three kinds, with the same routes under different paths.
import {
  deleteTemplate,
  findTemplates,
  getTemplates,
  putTemplate,
  simulateIndex,
  simulateTemplate,
  type TemplateKind,
} from '../../api/indices/templates.ts';
import { type ApiSpec, defineApi, type Params, TIMEOUTS } from '../core/api.ts';
import { objectBody } from '../core/object-body.ts';
import type { ApiRequest } from '../core/request.ts';
import { answer, exists, ok } from '../core/response.ts';

const READ_PARAMS: Params = { flat_settings: 'boolean', local: 'boolean', master_timeout: 'time', cluster_manager_timeout: 'time' };

const ACTIONS = {
  templates: 'indices:admin/template',
  indexTemplates: 'indices:admin/index_template',
  componentTemplates: 'cluster:admin/component_template',
} as const satisfies Record<TemplateKind, string>;

function templateApis(kind: TemplateKind, folder: string): ApiSpec[] {
  const one = `${folder}/{name}`;
  const put: ApiSpec['routes'][string] = async (request, { engine }) =>
    ok(
      await putTemplate(engine, {
        kind,
        name: request.params.name,
        body: objectBody(request),
        create: request.boolean('create') ?? false,
        order: request.int('order') ?? null,
      }),
    );
  const get: ApiSpec['routes'][string] = (request, { engine }) => {
    const body = getTemplates(engine, kind, request.string('name') ?? null, request.boolean('flat_settings') ?? false);
    if (body === null) return answer(404, {});
    // A pattern that matches nothing is a 404 with an empty list.
    const name = request.string('name') ?? '*';
    const isMissing = name !== '*' && findTemplates(engine.cluster, kind, name).length === 0;
    return isMissing ? answer(404, body) : ok(body);
  };
  return [
    defineApi({
      name: `put ${folder}`,
      body: 'json!',
      needs: `${ACTIONS[kind]}/put`,
      params: { ...TIMEOUTS, create: 'boolean', cause: 'string', order: 'int' },
      routes: { [`PUT ${one}`]: put, [`POST ${one}`]: put },
    }),
    defineApi({
      name: `delete ${folder}`,
      needs: `${ACTIONS[kind]}/delete`,
      params: TIMEOUTS,
      routes: { [`DELETE ${one}`]: async (request, { engine }) => ok(await deleteTemplate(engine, { kind, name: request.params.name })) },
    }),
    defineApi({
      name: `get ${folder}`,
      needs: `${ACTIONS[kind]}/get`,
      params: READ_PARAMS,
      routes: {
        [`GET ${folder}`]: get,
        [`GET ${one}`]: get,
        [`HEAD ${one}`]: (request, { engine }) => exists(findTemplates(engine.cluster, kind, request.params.name).length > 0),
      },
    }),
  ];
}

export const TEMPLATE_APIS: readonly ApiSpec[] = [
  ...templateApis('templates', '/_template'),
  ...templateApis('indexTemplates', '/_index_template'),
  ...templateApis('componentTemplates', '/_component_template'),
  defineApi({
    name: 'indices.simulate',
    body: 'json',
    needs: 'indices:admin/index_template/simulate_index',
    params: { ...TIMEOUTS, cause: 'string', create: 'boolean' },
    routes: {
      'POST /_index_template/_simulate_index/{name}': (request, { engine }) =>
        ok(simulateIndex(engine, { index: request.params.name, body: bodyOrNull(request) })),
      'POST /_index_template/_simulate/{name}': (request, { engine }) =>
        ok(simulateTemplate(engine, { name: request.params.name, body: bodyOrNull(request) })),
      'POST /_index_template/_simulate': (request, { engine }) => ok(simulateTemplate(engine, { name: null, body: bodyOrNull(request) })),
    },
  }),
];

function bodyOrNull(request: ApiRequest): Record<string, unknown> | null {
  return request.body === undefined ? null : objectBody(request);
}
