// Options of an update that its body states: `_source`, `if_seq_no`, `if_primary_term`.
import { parseJsonBytes } from '../../common/json/json-parse.ts';
import type { SourceFilter } from '../../common/json/source-filter.ts';
import { ApiError } from '../../errors/api-error.ts';
import { readSource } from '../../search/request/request-parts.ts';
import type { WriteConditions } from '../core/write.ts';

/** Options in the body of an update. They override parameters. */
export interface UpdateBodyOptions {
  /** The part of the document that the response shows. */
  readonly source: SourceFilter | null;
  readonly conditions: Partial<Pick<WriteConditions, 'ifSeqNo' | 'ifPrimaryTerm'>>;
}

const NO_OPTIONS: UpdateBodyOptions = { source: null, conditions: {} };

export function updateBodyOptions(body: Uint8Array | null): UpdateBodyOptions {
  const bytes = body && Buffer.from(body.buffer, body.byteOffset, body.length);
  if (!bytes || !(bytes.includes('"_source"') || bytes.includes('"if_'))) return NO_OPTIONS;
  let json: unknown;
  try {
    json = parseJsonBytes(bytes);
  } catch {
    // The update reports the syntax error when it runs.
    return NO_OPTIONS;
  }
  if (typeof json !== 'object' || json === null) return NO_OPTIONS;
  const { _source, if_seq_no: seqNo, if_primary_term: term } = json as Record<string, unknown>;
  return {
    source: _source === undefined ? null : readSource(_source),
    conditions: {
      ...(seqNo === undefined ? {} : { ifSeqNo: wholeNumber('if_seq_no', seqNo) }),
      ...(term === undefined ? {} : { ifPrimaryTerm: wholeNumber('if_primary_term', term) }),
    },
  };
}

function wholeNumber(name: string, value: unknown): number {
  const number = typeof value === 'string' ? Number(value) : value;
  if (!Number.isSafeInteger(number))
    throw new ApiError('x_content_parse_exception', 400, `[UpdateRequest] failed to parse field [${name}]`);
  return number as number;
}
