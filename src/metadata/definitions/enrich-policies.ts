// Enrich policies in the metadata: which fields of which indices the processor `enrich` adds to documents.
import { isObject } from '../../common/json/json-value.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { ClusterState, EnrichPolicy } from '../cluster-state.ts';
import { ACKNOWLEDGED, type Reducer } from '../reducer.ts';

/** @param policy  validated by the caller. @throws ApiError resource_already_exists_exception */
export const putEnrichPolicy: Reducer<{ readonly name: string; readonly policy: EnrichPolicy }> = (state, { name, policy }) => {
  if (enrichPolicyOf(state, name) !== null) throw new ApiError('resource_already_exists_exception', 400, `policy [${name}] already exists`);
  const enrichPolicies = { ...state.enrichPolicies, [name]: policy };
  return { state: { ...state, version: state.version + 1, enrichPolicies }, response: ACKNOWLEDGED };
};

/** @throws ApiError resource_not_found_exception (404) */
export const deleteEnrichPolicy: Reducer<{ readonly name: string }> = (state, { name }) => {
  if (enrichPolicyOf(state, name) === null) throw policyNotFoundError(name);
  const { [name]: _gone, ...enrichPolicies } = state.enrichPolicies ?? {};
  return { state: { ...state, version: state.version + 1, enrichPolicies }, response: ACKNOWLEDGED };
};

/** null if there is no such policy. */
export function enrichPolicyOf({ enrichPolicies }: Pick<ClusterState, 'enrichPolicies'>, name: string): EnrichPolicy | null {
  return enrichPolicies !== undefined && Object.hasOwn(enrichPolicies, name) ? enrichPolicies[name] : null;
}

export function policyNotFoundError(name: string): ApiError {
  return new ApiError('resource_not_found_exception', 404, `policy [${name}] not found`);
}

/** Alias of the index that the last execution of a policy made. */
export function enrichAlias(policy: string): string {
  return `.enrich-${policy}`;
}

/** Names of the policies that the processors of a pipeline use. */
export function enrichPoliciesIn(value: unknown, found = new Set<string>()): Set<string> {
  if (Array.isArray(value)) for (const item of value) enrichPoliciesIn(item, found);
  else if (isObject(value)) {
    if (isObject(value.enrich)) found.add(String(value.enrich.policy_name));
    for (const item of Object.values(value)) enrichPoliciesIn(item, found);
  }
  return found;
}
