// Resolves the field names and patterns of multi-field queries to mapped fields with their boosts.
import { ApiError } from '../../../errors/api-error.ts';
import { illegalArgumentError } from '../../../errors/catalog.ts';
import type { WeightedField } from '../../../query/leaf-query.ts';
import type { RewriteContext } from '../../shard/rewrite-context.ts';

/** Field families that patterns skip, because their values cannot be searched as text. */
const UNSEARCHABLE = new Set(['geo_point', 'shape', 'object', 'nested', 'binary', 'histogram']);

/**
 * Names may be unmapped; patterns expand to mapped, searchable fields. The last boost of a repeated name or pattern counts; the boosts of
 * different ones that resolve to the same field are multiplied.
 * @param suffix  appended to names if the result is mapped
 */
export function resolveFields(
  fields: readonly WeightedField[],
  context: RewriteContext,
  suffix: string | null = null,
): Map<string, number> {
  const resolved = new Map<string, number>();
  const weights = new Map(fields.map(({ field, boost }) => [field, boost]));
  for (const [field, boost] of weights) {
    for (const name of field.includes('*') ? expandPattern(field, context) : [field]) {
      const suffixed = suffix !== null && context.mapping.field(name + suffix) ? name + suffix : name;
      const type = context.mapping.field(suffixed);
      const key = type ? type.name : suffixed;
      resolved.set(key, Math.fround((resolved.get(key) ?? 1) * boost));
    }
  }
  if (resolved.size > context.limits.maxClauseCount) {
    throw illegalArgumentError(`field expansion matches too many fields, limit: ${context.limits.maxClauseCount}, got: ${resolved.size}`);
  }
  return resolved;
}

function expandPattern(pattern: string, context: RewriteContext): string[] {
  return context.mapping.matchFields(pattern).filter((name) => {
    const field = context.mapping.field(name);
    if (!field || name.startsWith('_') || UNSEARCHABLE.has(field.family)) return false;
    if (!field.isSearchable) return true;
    try {
      if (field.family === 'text' || field.family === 'keyword') field.termBytes('');
    } catch (error) {
      return error instanceof ApiError && error.type !== 'query_shard_exception';
    }
    return true;
  });
}
