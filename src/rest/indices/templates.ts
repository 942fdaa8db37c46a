// Templates of the three kinds, with the same routes under different paths.
import {
  deleteTemplate,
  findTemplates,
  getTemplates,
  putTemplate,
  simulateIndex,
  simulateTemplate,
  type TemplateKind,
  templateWarnings,
} from '../../api/indices/templates.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';
import { type ApiSpec, defineApi, MANAGER_TIMEOUTS, type Params, type RestContext, TIMEOUTS } from '../core/api.ts';
import { objectBody } from '../core/object-body.ts';
import { parsedBody } from '../core/object-fields.ts';
import type { ApiRequest } from '../core/request.ts';
import { type ApiResponse, answer, exists, ok } from '../core/response.ts';

const READ_PARAMS: Params = { flat_settings: 'boolean', local: 'boolean', ...MANAGER_TIMEOUTS };

const ACTIONS = {
  templates: 'indices:admin/template',
  indexTemplates: 'indices:admin/index_template',
  componentTemplates: 'cluster:admin/component_template',
} as const satisfies Record<TemplateKind, string>;

const PARSERS = { indexTemplates: 'index_template', componentTemplates: 'component_template' } as const;

function templateApis(kind: TemplateKind, folder: string): ApiSpec[] {
  const one = `${folder}/{name}`;
  const put: ApiSpec['routes'][string] = async (request, { engine }) => {
    const { name } = request.params;
    const body = kind === 'templates' ? objectBody(request) : parsedBody(request, PARSERS[kind]);
    const create = request.boolean('create') ?? false;
    const response = ok(await putTemplate(engine, { kind, name, body, create, order: request.int('order') ?? null }));
    return { ...response, warnings: templateWarnings(engine, kind, name, body) };
  };
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
      params: MANAGER_TIMEOUTS,
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
    name: 'indices.simulate_index_template',
    body: 'json',
    needs: 'indices:admin/index_template/simulate_index',
    params: { ...MANAGER_TIMEOUTS, include_defaults: 'boolean' },
    routes: {
      'POST /_index_template/_simulate_index/{name}': (request, { engine }) =>
        ok(simulateIndex(engine, { index: request.params.name, body: bodyOrNull(request) })),
    },
  }),
  defineApi({
    name: 'indices.simulate_template',
    body: 'json',
    needs: 'indices:admin/index_template/simulate',
    params: { ...MANAGER_TIMEOUTS, cause: 'string', create: 'boolean', include_defaults: 'boolean' },
    routes: { 'POST /_index_template/_simulate/{name}': simulate, 'POST /_index_template/_simulate': simulate },
  }),
];

/** 200 with the template. @throws ApiError illegal_argument_exception: `create` for a template that exists */
function simulate(request: ApiRequest, { engine }: RestContext): ApiResponse {
  const name = request.string('name') ?? null;
  const body = bodyOrNull(request);
  if (name !== null && body !== null && request.boolean('create') && Object.hasOwn(engine.cluster.indexTemplates, name))
    throw illegalArgumentError(`index template [${name}] already exists`);
  const response = ok(simulateTemplate(engine, { name, body }));
  return name === null || body === null ? response : { ...response, warnings: templateWarnings(engine, 'indexTemplates', name, body) };
}

function bodyOrNull(request: ApiRequest): Record<string, unknown> | null {
  return request.body === undefined ? null : objectBody(request);
}
