// Queries over range fields (integer_range, date_range, ip_range...): evaluated by the host over the ranges that a document's binary
// column holds. PLACEHOLDER

import { illegalArgument } from '../errors/catalog.ts';
import type { FieldType } from '../mapping/field-type.ts';
import type { IndexQuery } from './index-query.ts';
import type { RewriteContext } from './rewrite-context.ts';

export function rangeFieldQuery(field: FieldType, _range: unknown, _relation: string, _context: RewriteContext): IndexQuery {
  throw illegalArgument(`Field [${field.name}] of type [${field.typeName}] does not support range queries`);
}
