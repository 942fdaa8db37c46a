// Errors that servers report under different types or messages although they mean the same. Code throws the form of OpenSearch; the border to the
// client translates it.
import { ApiError } from '../errors/api-error.ts';
import { isForeign } from '../errors/search-errors.ts';
import type { Dialect } from './dialect.ts';

/** The error of one server for the error of another. `text` holds the groups of the pattern. */
interface Form {
  readonly type: string;
  readonly reason: RegExp;
  readonly as: (text: RegExpExecArray, error: ApiError) => ApiError;
}

const illegalError = (reason: string): ApiError => new ApiError('illegal_argument_exception', 400, reason);

const COERCION = /^\[.*\] expects a (number|boolean), but found \[(VALUE_BOOLEAN|VALUE_NUMBER|VALUE_NULL|START_ARRAY|START_OBJECT)\]$/s;
/** Jackson's names of tokens, where they differ. */
const JACKSON_TOKENS: Readonly<Record<string, string>> = { VALUE_BOOLEAN: 'VALUE_TRUE', VALUE_NUMBER: 'VALUE_NUMBER_INT' };
const coercionAs = (type: string): Form => ({
  type: 'parsing_exception',
  reason: COERCION,
  as: ([, wanted, found]) => {
    const what = wanted === 'number' ? 'not numeric, can not use numeric value accessors' : 'not of boolean type';
    return new ApiError(type, 400, `Current token (${JACKSON_TOKENS[found] ?? found}) ${what}`);
  },
});

/** Version 8 does not know `cutoff_frequency`; other versions look at its value first, whose error is the cause. */
const CUTOFF = { type: 'parsing_exception', reason: /query does not support \[cutoff_frequency\]$/ };
const cutoffValue: Form = { ...CUTOFF, as: (_text, error) => error.causedBy ?? error };
const unknownCutoff: Form = {
  ...CUTOFF,
  as: (_text, { type, status, reason, details }) => new ApiError(type, status, reason, { details }),
};

/** Integers that are too large, as the JSON parser of Elasticsearch reports them. @param wrapped  whether the parser's error has one around it */
const largeInteger = (wrapped: boolean): Form => ({
  type: 'input_coercion_exception',
  reason: /^(Numeric value .* out of range of )`(int|long)`(.*)$/s,
  as: ([, start, type, end], error) => {
    const reason = `${start}${type}${end}`;
    const plain = new ApiError(error.type, error.status, reason);
    return wrapped ? new ApiError('x_content_parse_exception', error.status, reason, { causedBy: plain }) : plain;
  },
});

/** The first error of several analyzers, which Elasticsearch does not collect. */
function firstSuppressed({ details }: ApiError): ApiError {
  const [first] = details['suppressed'] as { caused_by: PlainError }[];
  return errorOf(first.caused_by);
}

interface PlainError {
  readonly type: string;
  readonly reason: string;
  readonly caused_by?: PlainError;
}

function errorOf({ type, reason, caused_by: cause }: PlainError): ApiError {
  return new ApiError(type, 400, reason, { causedBy: cause ? errorOf(cause) : null });
}

const NO_VALUE = /^Current token \((\w+)\) not (numeric|of boolean type)(?:, cannot use numeric value accessors)?$/;
const ACCESSORS: Readonly<Record<string, string>> = { numeric: 'numeric, can not use numeric value accessors' };

/** A value of the wrong kind as the JSON parser of Elasticsearch reports it. @param as  the type of the error, whose cause is the parser's if they differ */
const noValue = (as: string): Form => ({
  type: 'input_coercion_exception',
  reason: NO_VALUE,
  as: ([, token, what], { status }) => {
    const reason = `Current token (${token}) not ${ACCESSORS[what] ?? what}`;
    const causedBy = as === 'json_parse_exception' ? null : new ApiError('json_parse_exception', status, reason);
    return new ApiError(as, status, reason, { causedBy });
  },
});

/** OpenSearch reports the error of its JSON parser as the cause of an equal one. */
const repeated = (reason: RegExp): Form => ({
  type: 'input_coercion_exception',
  reason,
  as: (_text, error) =>
    error.causedBy ? error : new ApiError(error.type, error.status, error.reason, { details: error.details, causedBy: error }),
});

/** Errors of both Elasticsearch 7 and 8. */
const FORMS_OF_ELASTICSEARCH: readonly Form[] = [
  { type: 'illegal_argument_exception', reason: /^Failed to build analyzers: \[/, as: (_text, error) => firstSuppressed(error) },
  {
    type: 'runtime_exception',
    reason: /^Line \[\d+\]: Invalid mapping rule ?: (\[.*)$/s,
    as: ([, rest], { type, status }) => new ApiError(type, status, `Invalid Mapping Rule : ${rest}`),
  },
  {
    type: 'runtime_exception',
    reason: /^Line \[\d+\]: Invalid keyword override rule: ?(.*)$/s,
    as: ([, rule], { type, status }) => new ApiError(type, status, `Invalid Keyword override Rule:${rule}`),
  },
  { type: 'settings_exception', reason: /^unknown setting \[/, as: (_text, { reason }) => illegalError(reason ?? '') },
  {
    type: 'parsing_exception',
    reason: /^no points provided for _geo_distance sort\.$/,
    as: () => illegalError('Geo distance sorting needs at least one point.'),
  },
];

/** Errors of Elasticsearch 8. */
const FORMS_OF_8: readonly Form[] = [
  unknownCutoff,
  {
    type: 'input_coercion_exception',
    reason: /^Current token \(START_OBJECT\) not numeric, /,
    as: () => illegalError('Cannot parse object as number'),
  },
  noValue('x_content_parse_exception'),
  { type: 'illegal_argument_exception', reason: /^cannot parse empty date$/, as: () => illegalError('cannot parse empty datetime') },
  {
    type: 'illegal_argument_exception',
    reason: /^unknown field name (\[.*\]), must be one of \[input, weight, contexts\]$/s,
    as: ([, name]) => illegalError(`unknown field name ${name}, must be one of [contexts, weight, input]`),
  },
  {
    type: 'parsing_exception',
    reason: /^(Unexpected token \w+ \[.*\] in \[.*\])\.$/s,
    as: ([, text], { type, status, details }) => new ApiError(type, status, text, { details }),
  },
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

/**
 * The cause that Elasticsearch reports for a search whose shards all failed: the innermost error of its own in that of the first shard, or null if
 * that is the shard's error itself, which is listed anyway. An exception of Java is reported with itself as its cause.
 * Source: SearchPhaseExecutionException of Elasticsearch 7.10 (Apache-2.0).
 */
function causeOfShards(error: ApiError, isOwn = true): ApiError | null {
  const { type, status, reason, causedBy } = error;
  if (isForeign(error)) return new ApiError(type, status, reason, { causedBy: error });
  if (causedBy !== null && !isForeign(causedBy)) return causeOfShards(causedBy, false);
  return isOwn ? null : error;
}

/** A failure of all shards as Elasticsearch reports it. Shards without an index are those of contexts, whose cause is always reported. */
function shardFailureOf(error: ApiError): ApiError {
  const shards = error.details['failed_shards'];
  if (error.causedBy === null || !Array.isArray(shards) || shards.length === 0 || shards[0].index === null) return error;
  const { type, status, reason, details, rootCauses } = error;
  return new ApiError(type, status, reason, { details, rootCauses, causedBy: causeOfShards(error.causedBy) });
}

/** A failure of all shards as OpenSearch reports it: an exception of Java is reported with itself as its cause. */
function repeatingForeign(error: ApiError, dialect: Dialect): ApiError {
  const shaped = inForms(error, formsOf(dialect));
  const { causedBy: cause, details } = shaped;
  const shards = details['failed_shards'];
  if (cause === null || !isForeign(cause) || cause.causedBy?.reason === cause.reason || !Array.isArray(shards) || shards.length === 0)
    return shaped;
  const { type, status, reason, rootCauses } = shaped;
  return new ApiError(type, status, reason, {
    details,
    rootCauses,
    causedBy: new ApiError(cause.type, cause.status, cause.reason, { details: cause.details, causedBy: cause }),
  });
}

const TEXT_FIELD = /^Text fields are not optimised for operations .* set fielddata=true on \[(.*?)\] in order to /s;

/** Version 8 names the field and the index of a text field without values by document. @param index  of the shard with the error */
function namingTextField(reason: string | null, index: unknown): string | null {
  const field = TEXT_FIELD.exec(reason ?? '')?.[1];
  return field === undefined || typeof index !== 'string' ? reason : `Fielddata is disabled on [${field}] in [${index}]. ${reason}`;
}

/** A failure of shards because of text fields, as version 8 reports it: each index has one root cause of a kind. */
function namingTextFields(error: ApiError): ApiError {
  const shards = error.details['failed_shards'];
  if (!Array.isArray(shards) || !shards.some(({ reason }) => TEXT_FIELD.test(reason?.reason ?? ''))) return error;
  const indices = [...new Set(shards.map(({ index }) => index))];
  const named = (one: ApiError, index: unknown): ApiError => {
    const causedBy = one.causedBy && named(one.causedBy, index);
    return new ApiError(one.type, one.status, namingTextField(one.reason, index), { details: one.details, causedBy });
  };
  const failed = shards.map((shard) => ({
    ...shard,
    reason: { ...shard.reason, reason: namingTextField(shard.reason?.reason ?? null, shard.index) },
  }));
  return new ApiError(error.type, error.status, error.reason, {
    details: { ...error.details, failed_shards: failed },
    rootCauses: error.rootCauses?.map((root, i) => named(root, indices[i] ?? indices[0])) ?? null,
    causedBy: error.causedBy && named(error.causedBy, indices[0]),
  });
}

const JSON_ERRORS = new Set(['json_parse_exception', 'unexpected_end_of_input_exception']);

/** The error as the server that the service speaks like reports it. */
export function inDialect(error: ApiError, dialect: Dialect): ApiError {
  if (JSON_ERRORS.has(error.type)) return jsonErrorIn(error, dialect);
  if (dialect.errorForms !== 'own' && error.rootCauses === null && error.causedBy?.type === 'named_object_not_found_exception')
    return asOwnRoot(error);
  if (error.type === 'search_phase_execution_exception' && dialect.errorForms === 'own') return repeatingForeign(error, dialect);
  if (error.type === 'search_phase_execution_exception')
    return shardFailureOf(dialect.errorForms === '8' ? namingTextFields(error) : error);
  return inForms(error, formsOf(dialect));
}

/** The error and its causes in the forms of a server. */
function inForms(error: ApiError, forms: readonly Form[]): ApiError {
  for (const { type, reason, as } of forms) {
    const text = type === error.type ? reason.exec(error.reason ?? '') : null;
    if (text) return as(text, error);
  }
  const causedBy = error.causedBy && inForms(error.causedBy, forms);
  const rootCauses = error.rootCauses?.map((root) => inForms(root, forms)) ?? null;
  if (causedBy === error.causedBy && (rootCauses?.every((root, i) => root === error.rootCauses?.[i]) ?? true)) return error;
  const { type, status, reason, details, headers, refusal } = error;
  return new ApiError(type, status, reason, { details, headers, refusal, causedBy, rootCauses });
}

/** The error as its own root cause: Elasticsearch does not look into the exceptions of its parsers. */
function asOwnRoot({ type, status, reason, details, causedBy }: ApiError): ApiError {
  return new ApiError(type, status, reason, { details, causedBy, rootCauses: [new ApiError(type, status, reason, { details })] });
}

const FORMS: Readonly<Record<Dialect['errorForms'], readonly Form[]>> = {
  own: [cutoffValue, coercionAs('input_coercion_exception'), repeated(NO_VALUE), repeated(/^Numeric value .* out of range of `/s)],
  '7': [cutoffValue, noValue('json_parse_exception'), coercionAs('json_parse_exception'), largeInteger(false), ...FORMS_OF_ELASTICSEARCH],
  '8': [largeInteger(true), ...FORMS_OF_8, ...FORMS_OF_ELASTICSEARCH],
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
