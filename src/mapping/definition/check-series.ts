// Validates mappings of time series, which do not allow nested documents, required routing, and routing by fields that are not dimensions.
import { illegalArgumentError, mapperParsingError } from '../../errors/catalog.ts';
import type { FieldNode, MappingNode, RootMapping } from '../core/model.ts';
import { routingPathOf } from '../core/time-series.ts';
import { matchesWildcard } from './dynamic-templates.ts';

const NOT_DIMENSION =
  'All fields that match routing_path must be configured with [time_series_dimension: true] or flattened fields with a list of dimensions in ' +
  '[time_series_dimensions] and without the [script] parameter.';

/** @throws ApiError illegal_argument_exception, mapper_parsing_exception */
export function checkSeries(
  { routing, runtime }: RootMapping,
  nodes: ReadonlyMap<string, MappingNode>,
  settings: Readonly<Record<string, unknown>>,
): void {
  if (routing?.required === true)
    throw illegalArgumentError('routing is forbidden on CRUD operations that target indices in [index.mode=time_series]');
  const patterns = routingPathOf(settings);
  const isRouted = (path: string): boolean => patterns.some((pattern) => matchesWildcard(pattern, path));
  for (const [path, node] of nodes) {
    if (node.kind === 'object' && node.isNested)
      throw illegalArgumentError('cannot have nested fields when index is in [index.mode=time_series]');
    if (node.kind === 'field' && isRouted(path) && !isDimension(node))
      throw illegalArgumentError(`${NOT_DIMENSION} [${path}] was not a dimension.`);
  }
  for (const [name, field] of runtime) {
    const node = nodes.get(name);
    if (field && node?.kind === 'field' && node.given.time_series_dimension === true)
      throw mapperParsingError(`Field [${name}] attempted to shadow a time_series_dimension`);
    if (field && isRouted(name)) throw illegalArgumentError(`runtime fields may not match [routing_path] but [${name}] matched`);
  }
}

function isDimension({ type, given }: FieldNode): boolean {
  if (type === 'flattened') return Array.isArray(given.time_series_dimensions) && given.time_series_dimensions.length > 0;
  return given.time_series_dimension === true;
}
