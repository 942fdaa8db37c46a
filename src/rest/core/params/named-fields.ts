// Parameters of statistics that name fields to list one by one.
import type { NamedFields } from '../../../api/cluster/stats-sections.ts';
import type { ApiRequest } from '../request.ts';

/** `fields` applies to both; `fielddata_fields` and `completion_fields` to one each. */
export function namedFields(request: ApiRequest): NamedFields {
  const both = request.list('fields') ?? [];
  return { fielddata: request.list('fielddata_fields') ?? both, completion: request.list('completion_fields') ?? both };
}
