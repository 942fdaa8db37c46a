// Field names and patterns of multi-field queries -> mapped fields with their weights.
import { ApiError } from '../../errors/api-error.ts';
import { illegalArgument } from '../../errors/catalog.ts';
import type { WeightedField } from '../../query/leaf-query.ts';
import type { RewriteContext } from '../shard/rewrite-context.ts';

/** Families that a pattern never expands to: no value of theirs can be searched as text. */
const UNSEARCHABLE = new Set(['geo_point', 'object', 'nested', 'binary', 'range']);

/**
 * Names may be unmapped; patterns expand to mapped fields that can be searched. `suffix` is added where such a field exists. Of a name or pattern that
 * is given twice the last weight counts; weights of different ones that lead to one field are multiplied.
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
    throw illegalArgument(`field expansion matches too many fields, limit: ${context.limits.maxClauseCount}, got: ${resolved.size}`);
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
