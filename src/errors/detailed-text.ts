// An error and its cause in one line, as `_validate/query?explain` reports it: the names of exception classes are those of the server whose
// dialect is spoken, for clients match them.
import type { ApiError } from './api-error.ts';

/** Wording of errors in the dialect. */
interface Words {
  readonly xContentPackage: string;
  readonly nestsErrorTexts: boolean;
}

/** Classes by the type of an error. A type that is absent belongs to the package of most exceptions. */
const CLASSES: Readonly<Record<string, string>> = {
  query_shard_exception: 'index.query.QueryShardException',
};

/** Errors of Java and Lucene, and of the parser: a cause of these kinds is shown without its own causes. */
const FOREIGN: Readonly<Record<string, string>> = {
  number_format_exception: 'java.lang.NumberFormatException',
  illegal_argument_exception: 'java.lang.IllegalArgumentException',
  parse_exception: 'org.apache.lucene.queryparser.classic.ParseException',
};

const PARSER = /^(x_content_parse|named_object_not_found|x_content_e_o_f)_exception$/;

const simpleName = ({ type }: ApiError): string => type.replace(/(?:^|_)(\w)/g, (_, first: string) => first.toUpperCase());

function className(error: ApiError, { xContentPackage, nestsErrorTexts }: Words): string {
  if (Object.hasOwn(FOREIGN, error.type)) return FOREIGN[error.type];
  if (PARSER.test(error.type)) return `${xContentPackage}.${simpleName(error)}`;
  const common = nestsErrorTexts ? 'org.opensearch.core.common' : 'org.elasticsearch.common';
  const own = CLASSES[error.type];
  return own === undefined ? `${common}.${simpleName(error)}` : `${common.split('.').slice(0, 2).join('.')}.${own}`;
}

/** `A[reason]; nested: B[reason];`, or `A[reason]` without a cause. */
function nested(error: ApiError): string {
  const own = (one: ApiError): string => `${simpleName(one)}[${one.reason}]`;
  if (error.causedBy === null) return own(error);
  let text = '';
  for (let one: ApiError | null = error; one !== null; one = one.causedBy) text += `${text === '' ? '' : ' nested: '}${own(one)};`;
  return text;
}

/** An error with its causes, of which one from outside the server's own classes is the last. */
export function detailedText(error: ApiError, words: Words): string {
  const own = words.nestsErrorTexts ? nested(error) : `${className(error, words)}: ${error.reason}`;
  const cause = error.causedBy;
  if (cause === null) return own;
  const isForeign = Object.hasOwn(FOREIGN, cause.type) || PARSER.test(cause.type);
  return `${own}; ${isForeign ? `${className(cause, words)}: ${cause.reason}` : detailedText(cause, words)}`;
}
