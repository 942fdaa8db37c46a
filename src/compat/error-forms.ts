// Errors that servers report under different types or messages although they mean the same. Code throws the form of OpenSearch; the border to the
// client translates it.
import { ApiError } from '../errors/api-error.ts';
import type { Dialect } from './dialect.ts';

/** The error of one server for the error of another. `text` holds the groups of the pattern. */
interface Form {
  readonly type: string;
  readonly reason: RegExp;
  readonly as: (text: RegExpExecArray, error: ApiError) => ApiError;
}

const illegalError = (reason: string): ApiError => new ApiError('illegal_argument_exception', 400, reason);

const COERCION = /^\[.*\] expects a (number|boolean), but found \[VALUE_(BOOLEAN|NUMBER)\]$/s;
const coercionAs = (type: string): Form => ({
  type: 'parsing_exception',
  reason: COERCION,
  as: ([, wanted, found]) => {
    const what = wanted === 'number' ? 'not numeric, can not use numeric value accessors' : 'not of boolean type';
    return new ApiError(type, 400, `Current token (VALUE_${found === 'NUMBER' ? 'NUMBER_INT' : 'TRUE'}) ${what}`);
  },
});

/** Errors of both Elasticsearch 7 and 8. */
const FORMS_OF_ELASTICSEARCH: readonly Form[] = [
  { type: 'settings_exception', reason: /^unknown setting \[/, as: (_text, { reason }) => illegalError(reason ?? '') },
  {
    type: 'parsing_exception',
    reason: /^no points provided for _geo_distance sort\.$/,
    as: () => illegalError('Geo distance sorting needs at least one point.'),
  },
];

/** Errors of Elasticsearch 8. */
const FORMS_OF_8: readonly Form[] = [
  {
    type: 'x_content_parse_exception',
    reason: /^\[docvalues_field\] (.*)$/s,
    as: ([, rest], { type, status }) => new ApiError(type, status, `[fetch_field_and_format] ${rest}`),
  },
  coercionAs('x_content_parse_exception'),
  {
    type: 'illegal_argument_exception',
    reason: /^\[(from|size)\] parameter cannot be negative, found \[(-?\d+)\]$/,
    as: ([, name, value]) => illegalError(`[${name}] parameter cannot be negative but was [${value}]`),
  },
  {
    type: 'invalid_index_name_exception',
    reason: /^(.*, must not contain the following characters )\[ , ", .*\]$/s,
    as: ([, start], { type, status, details }) =>
      new ApiError(type, status, `${start}['"',' ','\\','/',',','|','>','?','*','<']`, { details }),
  },
];

const JSON_ERRORS = new Set(['json_parse_exception', 'unexpected_end_of_input_exception']);

/** The error as the server that the service speaks like reports it. */
export function inDialect(error: ApiError, dialect: Dialect): ApiError {
  if (JSON_ERRORS.has(error.type)) return jsonErrorIn(error, dialect);
  if (dialect.errorForms !== 'own' && error.rootCauses === null && error.causedBy?.type === 'named_object_not_found_exception')
    return asOwnRoot(error);
  for (const { type, reason, as } of formsOf(dialect)) {
    const text = type === error.type ? reason.exec(error.reason ?? '') : null;
    if (text) return as(text, error);
  }
  return error;
}

/** The error as its own root cause: Elasticsearch does not look into the exceptions of its parsers. */
function asOwnRoot({ type, status, reason, details, causedBy }: ApiError): ApiError {
  return new ApiError(type, status, reason, { details, causedBy, rootCauses: [new ApiError(type, status, reason, { details })] });
}

const FORMS: Readonly<Record<Dialect['errorForms'], readonly Form[]>> = {
  own: [coercionAs('input_coercion_exception')],
  '7': [coercionAs('json_parse_exception'), ...FORMS_OF_ELASTICSEARCH],
  '8': [...FORMS_OF_8, ...FORMS_OF_ELASTICSEARCH],
};

function formsOf({ errorForms }: Dialect): readonly Form[] {
  return FORMS[errorForms];
}

/** JSON that cannot be parsed: version 7 names the parser's exception, version 8 wraps it. */
function jsonErrorIn(error: ApiError, { errorForms }: Dialect): ApiError {
  if (errorForms === 'own') return error;
  const type = error.type === 'unexpected_end_of_input_exception' ? 'json_e_o_f_exception' : error.type;
  const plain = new ApiError(type, error.status, error.reason, { details: errorForms === '8' ? {} : error.details });
  if (errorForms !== '8') return plain;
  const { line, col } = error.details;
  return new ApiError('x_content_parse_exception', error.status, `[${line}:${col}] ${error.reason}`, { causedBy: plain });
}
