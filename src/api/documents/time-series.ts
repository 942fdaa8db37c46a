// Writes to indices of time series: the id of a document is derived from its series and time, documents cannot be updated, and have no
// routing.
import { parseJsonBytes } from '../../common/json/json-parse.ts';
import { isObject } from '../../common/json/json-value.ts';
import { ApiError } from '../../errors/api-error.ts';
import { illegalArgumentError, mapperParsingError } from '../../errors/catalog.ts';
import { documentError } from '../../mapping/core/document-error.ts';
import type { MappingSnapshot } from '../../mapping/core/mapping-snapshot.ts';
import type { IndexState } from '../core/index-state.ts';
import type { WriteOperation } from '../core/write.ts';

/**
 * Adds the id to a write to a time series index; leaves a write to another index unchanged.
 * @throws ApiError illegal_argument_exception, document_parsing_exception: an update, a routing value, another id, a document of no series
 */
export function inTimeSeries({ meta: { name }, mapping, routing }: IndexState, op: WriteOperation): WriteOperation {
  if (!routing.isTimeSeries) return op;
  const unsupported = (what: string) =>
    illegalArgumentError(`${what} is not supported because the destination index [${name}] is in time series mode`);
  if (op.kind === 'update') throw unsupported('update');
  if (op.routing !== null) throw unsupported('specifying routing');
  if (op.source === null) return op;
  const id = seriesIdOf(mapping, op.source);
  if (!op.autoId && op.id !== id) {
    const reason = `_id must be unset or set to [${id}] but was [${op.id}] because [${name}] is in time_series mode`;
    throw documentError(mapperParsingError('failed to parse', illegalArgumentError(reason)), mapping.dialect);
  }
  return { ...op, id, autoId: false };
}

function seriesIdOf(mapping: MappingSnapshot, bytes: Uint8Array): string {
  let source: unknown;
  try {
    source = parseJsonBytes(bytes);
  } catch (error) {
    if (error instanceof ApiError) throw illegalArgumentError(`Error extracting routing: ${error.reason}`);
    throw error;
  }
  try {
    return mapping.seriesIdOf(isObject(source) ? source : {});
  } catch (error) {
    throw error instanceof ApiError ? documentError(error, mapping.dialect) : error;
  }
}
