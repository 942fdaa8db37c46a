// Parameters of statistics that name fields to list one by one.
import type { NamedFields } from '../../../api/cluster/stats-sections.ts';
import type { Params } from '../api.ts';
import type { ApiRequest } from '../request.ts';

/** Parameters that the statistics of nodes and of indices have in common. */
export const STATS_PARAMS = {
  completion_fields: 'list',
  fielddata_fields: 'list',
  fields: 'list',
  groups: 'list',
  level: 'string',
  types: 'list',
  include_segment_file_sizes: 'boolean',
} as const satisfies Params;

/** `fields` applies to both; `fielddata_fields` and `completion_fields` to one each. */
export function namedFields(request: ApiRequest): NamedFields {
  const both = request.list('fields') ?? [];
  return { fielddata: request.list('fielddata_fields') ?? both, completion: request.list('completion_fields') ?? both };
}
