// Parser of `combined_fields`.
import type { JsonObject } from '../../common/json/json-value.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';
import { numberFormatError } from '../../errors/search-errors.ts';
import { readBase } from '../field-body.ts';
import type { CombinedFieldsQuery, Operator, WeightedField, ZeroTerms } from '../leaf-query.ts';
import { BASE_KINDS, ObjectParser } from '../parameters.ts';
import { readBoolean, readList, readText, readValue } from '../read-json.ts';

const NAME = 'combined_fields';

type Options = { -readonly [K in 'fields' | 'operator' | 'minimumShouldMatch' | 'zeroTerms' | 'autoPhrase']: CombinedFieldsQuery[K] };

/** @throws ApiError x_content_parse_exception, illegal_argument_exception */
export function parseCombinedFields(body: JsonObject): CombinedFieldsQuery {
  const options: Options = { fields: [], operator: 'or', minimumShouldMatch: null, zeroTerms: 'none', autoPhrase: true };
  PARSER.check(body);
  for (const [key, value] of Object.entries(body)) if (Object.hasOwn(READERS, key)) PARSER.read(key, () => READERS[key](value, options));
  if (body['query'] === undefined) throw illegalArgumentError('Required [query]');
  return { kind: NAME, value: readText(body['query'], NAME), ...options, ...readBase(NAME, body, PARSER) };
}

const PARSER = new ObjectParser(NAME, {
  query: 'string',
  fields: 'strings',
  operator: 'string',
  minimum_should_match: 'stringOrNumber',
  auto_generate_synonyms_phrase_query: 'boolean',
  zero_terms_query: 'string',
  ...BASE_KINDS,
});

const READERS: Readonly<Record<string, (value: unknown, options: Options) => void>> = {
  fields: (value, options) => {
    options.fields = readList(value).map((field) => weightedField(readValue(field)));
  },
  operator: (value, options) => {
    options.operator = operatorOf(readText(value, NAME));
  },
  minimum_should_match: (value, options) => {
    options.minimumShouldMatch = value === null ? null : readText(value, NAME);
  },
  auto_generate_synonyms_phrase_query: (value, options) => {
    options.autoPhrase = readBoolean(value, NAME);
  },
  zero_terms_query: (value, options) => {
    options.zeroTerms = zeroTermsOf(readText(value, NAME));
  },
};

function weightedField(text: string): WeightedField {
  const caret = text.indexOf('^');
  if (caret < 0) return { field: text, boost: 1 };
  const number = text.slice(caret + 1);
  const boost = Math.fround(Number(number));
  if (number.trim() === '' || Number.isNaN(boost)) throw numberFormatError(number);
  if (boost < 1) throw illegalArgumentError(`[${NAME}] requires field boosts to be >= 1.0`);
  return { field: text.slice(0, caret), boost };
}

function operatorOf(text: string): Operator {
  const lower = text.toLowerCase();
  if (lower === 'and' || lower === 'or') return lower;
  throw illegalArgumentError(`No enum constant org.elasticsearch.index.query.Operator.${text.toUpperCase()}`);
}

function zeroTermsOf(text: string): ZeroTerms {
  const lower = text.toLowerCase();
  if (lower === 'none' || lower === 'all') return lower;
  throw illegalArgumentError(`Unsupported [zero_terms_query] value [${text}]`);
}
