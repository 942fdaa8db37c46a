// `_synonyms`: sets of rules for the filters synonym and synonym_graph. A change reloads the search analyzers that use the set.
import { AnalysisRegistry } from '../../analysis/analysis-registry.ts';
import { isObject, type JsonObject, tokenOf } from '../../common/json/json-value.ts';
import { writeJson } from '../../common/json/json-write.ts';
import { ApiError } from '../../errors/api-error.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';
import type { SynonymRule } from '../../metadata/cluster-state.ts';
import { reloadableFilters, ruleNotFoundError, rulesOf, setNotFoundError } from '../../metadata/definitions/synonym-sets.ts';
import type { EngineContext } from '../core/context.ts';
import { generateId } from '../documents/document-id.ts';

/** Largest page. */
const MAX_RESULTS = 10_000;

export interface Page {
  readonly from: number;
  readonly size: number;
}

/** `{ count, results: [{ synonyms_set, count }] }`, ordered by name. @throws ApiError action_request_validation_exception */
export function listSynonymSets({ cluster }: EngineContext, page: Page): JsonObject {
  checkPage(page);
  const names = Object.keys(cluster.synonymSets ?? {}).sort();
  const shown = names.slice(page.from, page.from + page.size);
  return { count: names.length, results: shown.map((name) => ({ synonyms_set: name, count: rulesOf(cluster, name)?.length ?? 0 })) };
}

/** `{ count, synonyms_set: [{ id, synonyms }] }`. @throws ApiError resource_not_found_exception, action_request_validation_exception */
export function getSynonymSet({ cluster }: EngineContext, set: string, page: Page): JsonObject {
  checkPage(page);
  const rules = rulesOf(cluster, set);
  if (rules === null) throw setNotFoundError(set);
  return { count: rules.length, synonyms_set: rules.slice(page.from, page.from + page.size) };
}

/** `{ id, synonyms }`. @throws ApiError resource_not_found_exception */
export function getSynonymRule({ cluster }: EngineContext, set: string, rule: string): JsonObject {
  const rules = rulesOf(cluster, set);
  if (rules === null) throw setNotFoundError(set);
  const found = rules.find(({ id }) => id === rule);
  if (!found) throw ruleNotFoundError(set, rule);
  return { ...found };
}

/** `{ result, reload_analyzers_details }`. @throws ApiError illegal_argument_exception, action_request_validation_exception */
export async function putSynonymSet(ctx: EngineContext, set: string, body: unknown): Promise<{ created: boolean; body: JsonObject }> {
  const rules = new Map(rulesIn(body).map((rule) => [rule.id, rule]));
  const { created } = await ctx.command('putSynonymSet', { set, rules: [...rules.values()] });
  return { created, body: { result: created ? 'created' : 'updated', ...reloaded(ctx, set) } };
}

/** `{ result, reload_analyzers_details }`. @throws ApiError resource_not_found_exception and those of `putSynonymSet` */
export async function putSynonymRule(
  ctx: EngineContext,
  set: string,
  id: string,
  body: unknown,
): Promise<{ created: boolean; body: JsonObject }> {
  const { synonyms, ...others } = isObject(body) ? body : {};
  if (Object.keys(others).length > 0) throw parseError(body, xContentError(`[synonyms] unknown field [${Object.keys(others)[0]}]`));
  if (typeof synonyms !== 'string') throw parseError(body, illegalArgumentError('Required [synonyms]'));
  const problem = ruleProblem(synonyms);
  if (problem !== null) throw validationError([problem]);
  const { created } = await ctx.command('putSynonymRule', { set, rule: { id, synonyms } });
  return { created, body: { result: created ? 'created' : 'updated', ...reloaded(ctx, set) } };
}

/** `{ acknowledged }`. @throws ApiError resource_not_found_exception, illegal_argument_exception: in use */
export function deleteSynonymSet(ctx: EngineContext, set: string): Promise<unknown> {
  return ctx.command('deleteSynonymSet', { set });
}

/** `{ result, reload_analyzers_details }`. @throws ApiError resource_not_found_exception */
export async function deleteSynonymRule(ctx: EngineContext, set: string, rule: string): Promise<JsonObject> {
  await ctx.command('deleteSynonymRule', { set, rule });
  return { result: 'deleted', ...reloaded(ctx, set) };
}

/** The open indices whose analyzers use the set. */
function reloaded(ctx: EngineContext, set: string): JsonObject {
  const open = Object.values(ctx.cluster.indices).filter(({ state }) => state === 'open');
  const details = open.flatMap((meta) => {
    const filters = new Set(reloadableFilters(meta, set));
    const analysis = filters.size === 0 ? null : ctx.index(meta.name)?.analysis;
    if (!(analysis instanceof AnalysisRegistry)) return [];
    const analyzers = analysis
      .updateableAnalyzers()
      .filter((name) => analysis.updateableFilters(name).some((filter) => filters.has(filter)));
    return analyzers.length === 0 ? [] : [{ index: meta.name, reloaded_analyzers: analyzers, reloaded_node_ids: [ctx.nodeId] }];
  });
  const shards = open.reduce((sum, meta) => sum + Number(meta.settings['index.number_of_shards'] ?? 1), 0);
  return { reload_analyzers_details: { _shards: { total: shards, successful: shards, failed: 0 }, reload_details: details } };
}

function rulesIn(body: unknown): SynonymRule[] {
  const { synonyms_set: given, ...others } = isObject(body) ? body : {};
  if (Object.keys(others).length > 0) throw parseError(body, xContentError(`[synonyms_set] unknown field [${Object.keys(others)[0]}]`));
  if (given === undefined) throw parseError(body, illegalArgumentError('Required [synonyms_set]'));
  const problems: string[] = [];
  const rules = (Array.isArray(given) ? given : [given]).map((rule: unknown): SynonymRule => {
    const inside = (cause: ApiError) => parseError(body, xContentError('[synonyms_set] failed to parse field [synonyms_set]', cause));
    if (!isObject(rule))
      throw parseError(body, xContentError(`[synonyms_set] synonyms_set doesn't support values of type: ${tokenOf(rule)}`));
    const { id, synonyms, ...rest } = rule;
    if (Object.keys(rest).length > 0) throw inside(xContentError(`[synonym_rule] unknown field [${Object.keys(rest)[0]}]`));
    if (typeof synonyms !== 'string') throw inside(illegalArgumentError('Required [synonyms]'));
    if (id !== undefined && typeof id !== 'string')
      throw inside(xContentError(`[synonym_rule] id doesn't support values of type: ${tokenOf(id)}`));
    const problem = ruleProblem(synonyms);
    if (problem !== null) problems.push(problem);
    return { id: id ?? generateId(), synonyms };
  });
  if (problems.length > 0) throw validationError(problems);
  return rules;
}

function ruleProblem(synonyms: string): string | null {
  if (synonyms === '') return "[synonyms] field can't be empty";
  return synonyms.split('=>').length > 2 ? `More than one explicit mapping specified in the same synonyms rule: [${synonyms}]` : null;
}

function checkPage({ from, size }: Page): void {
  const problems = [
    from < 0 ? '[from] must be a positive integer' : null,
    size < 0 ? '[size] must be a positive integer' : null,
    size > MAX_RESULTS ? `[size] must be less than or equal to ${MAX_RESULTS}` : null,
    from >= 0 && size >= 0 && from + size > MAX_RESULTS
      ? `Too many results to retrieve. [from] + [size] must be less than or equal to ${MAX_RESULTS}`
      : null,
  ].filter((problem) => problem !== null);
  if (problems.length > 0) throw validationError(problems);
}

function validationError(problems: readonly string[]): ApiError {
  const list = problems.map((problem, i) => `${i + 1}: ${problem};`).join('');
  return new ApiError('action_request_validation_exception', 400, `Validation Failed: ${list}`);
}

function xContentError(reason: string, causedBy: ApiError | null = null): ApiError {
  return new ApiError('x_content_parse_exception', 400, reason, { causedBy });
}

const SHOWN_CHARACTERS = 1000;

function parseError(body: unknown, causedBy: ApiError): ApiError {
  const text = body === undefined ? '' : writeJson(body).slice(0, SHOWN_CHARACTERS);
  return new ApiError('illegal_argument_exception', 400, `Failed to parse: ${text}`, { causedBy });
}
