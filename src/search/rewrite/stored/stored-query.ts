// Compiles the queries that percolator fields store: checks that they can be percolated, and names the terms that matching documents must have.
import { writeJson } from '../../../common/json/json-write.ts';
import { queryShardError } from '../../../errors/search-errors.ts';
import type { MappingSnapshot } from '../../../mapping/core/mapping-snapshot.ts';
import type { StoredQuery, StoredQueryEnvironment } from '../../../mapping/core/stored-query.ts';
import type { QueryAnalysis } from '../../index-query/query-analysis.ts';
import { DEFAULT_LIMITS, type QueryLimits } from '../../shard/limits.ts';
import { rewriteQuery } from '../rewrite.ts';
import { extractedTerms } from './extracted-terms.ts';
import { parseStoredQuery } from './parse-stored-query.ts';

/** @throws ApiError: the query is not valid for the mapping, or refers to documents outside of the one that is percolated */
export function compileStoredQuery(body: unknown, environment: StoredQueryEnvironment, analysis: QueryAnalysis): StoredQuery {
  const query = parseStoredQuery(body);
  const { mapping, settings } = environment;
  const index = String(settings['index.provided_name'] ?? '');
  const unmappedAsText = String(settings['index.percolator.map_unmapped_fields_as_text'] ?? 'false') === 'true';
  const strict = new StrictMapping(mapping, index, unmappedAsText);
  const rewritten = rewriteQuery(query, {
    index,
    mapping: strict.snapshot,
    analysis,
    limits: limitsOf(settings, mapping),
    dialect: mapping.dialect,
    nowMs: Date.now(),
    nestedPath: null,
    shard: 0,
    requestSize: 10,
    storedScript: () => null,
    record: () => null,
  });
  // Fields that are not mapped yet will be text, so their terms are not known yet.
  const terms = strict.hasUnmapped ? null : extractedTerms(rewritten);
  return { json: Buffer.from(writeJson(body)), terms };
}

function limitsOf(settings: StoredQueryEnvironment['settings'], { dialect }: MappingSnapshot): QueryLimits {
  const fields = settings['index.query.default_field'];
  return {
    ...DEFAULT_LIMITS,
    maxClauseCount: dialect.maxClauseCount,
    // Otherwise it would fail the percolations of others.
    determinizesRegexps: true,
    defaultFields: fields === undefined ? DEFAULT_LIMITS.defaultFields : [fields].flat().map(String),
  };
}

/** A mapping in which a query may not name fields that are not mapped. */
class StrictMapping {
  readonly snapshot: MappingSnapshot;
  hasUnmapped = false;

  constructor(mapping: MappingSnapshot, index: string, unmappedAsText: boolean) {
    const field = (name: string) => {
      const type = mapping.field(name);
      if (type === null && !mapping.isObject(name)) {
        if (!unmappedAsText) throw queryShardError(index, `No field mapping can be found for the field with name [${name}]`);
        this.hasUnmapped = true;
      }
      return type;
    };
    this.snapshot = new Proxy(mapping, {
      get(target, key) {
        if (key === 'field') return field;
        const member: unknown = Reflect.get(target, key, target);
        return typeof member === 'function' ? member.bind(target) : member;
      },
    });
  }
}
