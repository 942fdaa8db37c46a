// One factory per error type: it owns the status and the exact text. Texts are those of Elasticsearch 8 / OpenSearch 3.
import { ApiError, type ErrorDetails } from './api-error.ts';

export function illegalArgument(reason: string, causedBy: ApiError | null = null): ApiError {
  return new ApiError('illegal_argument_exception', 400, reason, { causedBy });
}

export function indexNotFound(index: string): ApiError {
  return new ApiError('index_not_found_exception', 404, `no such index [${index}]`, {
    details: { index, 'resource.id': index, 'resource.type': 'index_or_alias', index_uuid: '_na_' },
  });
}

export function mapperParsing(reason: string, causedBy: ApiError | null = null): ApiError {
  return new ApiError('mapper_parsing_exception', 400, reason, { causedBy });
}

/** `at` is the place in the request body, counted from 1. */
export function parsingError(reason: string, at: { line: number; col: number } | null = null, causedBy: ApiError | null = null): ApiError {
  const details: ErrorDetails = at ? { line: at.line, col: at.col } : {};
  return new ApiError('parsing_exception', 400, reason, { details, causedBy });
}

export function corruptIndex(file: string, reason: string): ApiError {
  return new ApiError('corrupt_index_exception', 500, `${reason} (resource=${file})`);
}
