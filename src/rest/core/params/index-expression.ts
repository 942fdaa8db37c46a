// The indices part of a request: index expression and options.
import type { IndexTarget } from '../../../api/core/index-names.ts';
import type { ApiRequest } from '../request.ts';

export function readTarget(request: ApiRequest): IndexTarget {
  return {
    index: request.string('index') ?? null,
    ignoreUnavailable: request.boolean('ignore_unavailable'),
    allowNoIndices: request.boolean('allow_no_indices'),
    expandWildcards: request.wildcardStates(),
  };
}
