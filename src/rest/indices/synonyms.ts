// `_synonyms`: sets of synonym rules.
import {
  deleteSynonymRule,
  deleteSynonymSet,
  getSynonymRule,
  getSynonymSet,
  listSynonymSets,
  type Page,
  putSynonymRule,
  putSynonymSet,
} from '../../api/indices/synonyms.ts';
import { type ApiSpec, defineApi } from '../core/api.ts';
import type { ApiRequest } from '../core/request.ts';
import { answer, ok } from '../core/response.ts';

const PAGE = { from: 'int', size: 'int' } as const;

function pageOf(request: ApiRequest): Page {
  return { from: request.int('from') ?? 0, size: request.int('size') ?? 10 };
}

/** 201 for what is new, else 200. */
function saved({ created, body }: Awaited<ReturnType<typeof putSynonymSet>>) {
  return answer(created ? 201 : 200, body);
}

export const SYNONYM_APIS: readonly ApiSpec[] = [
  defineApi({
    name: 'synonyms.get_synonyms_sets',
    needs: 'cluster:admin/synonyms_sets/get',
    params: PAGE,
    routes: { 'GET /_synonyms': (request, { engine }) => ok(listSynonymSets(engine, pageOf(request))) },
  }),
  defineApi({
    name: 'synonyms.get_synonym',
    needs: 'cluster:admin/synonyms/get',
    params: PAGE,
    routes: {
      'GET /_synonyms/{synonymsSet}': (request, { engine }) => ok(getSynonymSet(engine, request.params.synonymsSet, pageOf(request))),
    },
  }),
  defineApi({
    name: 'synonyms.put_synonym',
    body: 'json',
    needs: 'cluster:admin/synonyms/put',
    routes: {
      'PUT /_synonyms/{synonymsSet}': async (request, { engine }) =>
        saved(await putSynonymSet(engine, request.params.synonymsSet, request.body)),
    },
  }),
  defineApi({
    name: 'synonyms.delete_synonym',
    needs: 'cluster:admin/synonyms/delete',
    routes: {
      'DELETE /_synonyms/{synonymsSet}': async (request, { engine }) => ok(await deleteSynonymSet(engine, request.params.synonymsSet)),
    },
  }),
  defineApi({
    name: 'synonyms.get_synonym_rule',
    needs: 'cluster:admin/synonym_rules/get',
    routes: {
      'GET /_synonyms/{synonymsSet}/{synonymRuleId}': ({ params }, { engine }) =>
        ok(getSynonymRule(engine, params.synonymsSet, params.synonymRuleId)),
    },
  }),
  defineApi({
    name: 'synonyms.put_synonym_rule',
    body: 'json',
    needs: 'cluster:admin/synonym_rules/put',
    routes: {
      'PUT /_synonyms/{synonymsSet}/{synonymRuleId}': async ({ params, body }, { engine }) =>
        saved(await putSynonymRule(engine, params.synonymsSet, params.synonymRuleId, body)),
    },
  }),
  defineApi({
    name: 'synonyms.delete_synonym_rule',
    needs: 'cluster:admin/synonym_rules/delete',
    routes: {
      'DELETE /_synonyms/{synonymsSet}/{synonymRuleId}': async ({ params }, { engine }) =>
        ok(await deleteSynonymRule(engine, params.synonymsSet, params.synonymRuleId)),
    },
  }),
];
