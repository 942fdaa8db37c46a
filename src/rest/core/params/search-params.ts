// Parameters of searches that other operations with a query have, too.

import { expandTo } from '../../../api/core/index-names.ts';
import type { SearchParameters } from '../../../api/core/search-parameters.ts';
import { readSearchType } from '../../../api/search/multi-search.ts';
import type { SearchIndices } from '../../../api/search/search-call.ts';
import { illegalArgumentError } from '../../../errors/catalog.ts';
import type { ApiRequest } from '../request.ts';

export function indicesOf(request: ApiRequest): SearchIndices {
  const index = request.string('index');
  const states = request.wildcardStates();
  const ignoreUnavailable = request.boolean('ignore_unavailable');
  const allowNoIndices = request.boolean('allow_no_indices');
  if (states === undefined && ignoreUnavailable === undefined && allowNoIndices === undefined) {
    return { expressions: index === undefined ? [] : [index] };
  }
  return {
    expressions: index === undefined ? [] : [index],
    options: {
      ...(ignoreUnavailable === undefined ? {} : { ignoreUnavailable }),
      ...(allowNoIndices === undefined ? {} : { allowNoIndices }),
      ...(states === undefined ? {} : expandTo(states)),
    },
  };
}

export function queryParametersOf(request: ApiRequest): SearchParameters['query'] {
  const q = request.string('q');
  if (q === undefined) return undefined;
  return {
    q,
    df: request.string('df'),
    analyzer: request.string('analyzer'),
    analyzeWildcard: request.boolean('analyze_wildcard'),
    defaultOperator: request.string('default_operator'),
    lenient: request.boolean('lenient'),
  };
}

/** `search_type`. @throws ApiError illegal_argument_exception */
export function isDfs(request: ApiRequest): boolean {
  const name = request.string('search_type');
  return name !== undefined && readSearchType(name);
}

/** @throws ApiError illegal_argument_exception */
export function preFilterShardSize(request: ApiRequest): number | undefined {
  const size = request.int('pre_filter_shard_size');
  if (size !== undefined && size < 1) throw illegalArgumentError('preFilterShardSize must be >= 1');
  return size;
}
