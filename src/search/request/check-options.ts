// Options of a search that exclude each other, or that a scroll does not have.
import type { Dialect } from '../../compat/dialect.ts';
import { illegalArgumentError, parsingError, validationFailedError } from '../../errors/catalog.ts';
import { xContentParseError } from '../../errors/search-errors.ts';
import type { SearchRequest } from './search-request.ts';

/** Checks of options that exclude each other. @throws ApiError action_request_validation_exception, illegal_argument_exception */
export function checkOptions(request: SearchRequest, { validatesSearchesWhole, sortsHaveFormat, boostsIndicesByObject }: Dialect): void {
  if (!sortsHaveFormat && request.sort.some((spec) => spec.by === 'field' && spec.format !== null))
    throw xContentParseError('[field_sort] unknown field [format]');
  if (!boostsIndicesByObject && request.isBoostObject) throw parsingError('Unknown key for a START_OBJECT in [indices_boost].');
  const isAfter = request.searchAfter !== null && request.from > 0;
  if (!validatesSearchesWhole) {
    if (isAfter) throw illegalArgumentError('`from` parameter must be set to 0 when `search_after` is used.');
    return;
  }
  const problems: string[] = [];
  if (isAfter) problems.push('[from] parameter must be set to 0 when [search_after] is used');
  if (request.storedFields?.includes('_none_')) {
    if (request.source?.enabled) problems.push('[stored_fields] cannot be disabled if [_source] is requested');
    if (request.fields.length > 0) problems.push('[stored_fields] cannot be disabled when using the [fields] option');
  }
  if (problems.length > 0) throw validationFailedError(problems);
}

/** Checks that apply to scrolls only. @throws ApiError action_request_validation_exception */
export function checkScroll(request: SearchRequest, dialect: Dialect): void {
  const problems: string[] = [];
  if (request.from > 0) problems.push('using [from] is not allowed in a scroll context');
  if (request.rank !== null) problems.push('using [rank] is not allowed in a scroll context');
  if (request.size === 0) problems.push('[size] cannot be [0] in a scroll context');
  if (dialect.validatesSearchesWhole) {
    if (request.rescore.length > 0) problems.push('using [rescore] is not allowed in a scroll context');
    if (request.searchAfter) problems.push('[search_after] cannot be used in a scroll context');
    if (request.collapse) problems.push('cannot use `collapse` in a scroll context');
  }
  if (problems.length > 0) throw validationFailedError(problems);
}
