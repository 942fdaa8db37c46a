// percolator: a field whose values are queries, which the query `percolate` matches against documents. The JSON of the query is kept in a column,
// since the source may be filtered; terms that matching documents must have are kept in postings, from which candidates are selected.
import { illegalArgumentError } from '../../errors/catalog.ts';
import type { DocumentContext, Mapper, MapperType } from '../core/mapper.ts';
import { META_PARAM } from '../core/params.ts';
import { utf8 } from '../values/utf8.ts';
import { BaseFieldType, NO_SPEC } from './base-field-type.ts';

/** Internal fields of a percolator field. */
export const QUERY_COLUMN = 'query_builder_field';
export const EXTRACTED_TERMS = 'extracted_terms';
export const EXTRACTION_RESULT = 'extraction_result';
/** The extraction result of queries that may match any document. */
export const UNEXTRACTED = 'failed';

class PercolatorMapper implements Mapper {
  readonly takesArrays = false;
  readonly refusal = 'document';
  /** A null is refused like any other value that is not a query. */
  readonly nullValue = null;
  readonly ignoreMalformed = false;
  readonly #path: Uint8Array;

  constructor(
    readonly fieldType: BaseFieldType,
    readonly fields: { readonly query: number; readonly terms: number; readonly result: number },
  ) {
    this.#path = utf8(fieldType.name);
  }

  index(context: DocumentContext, value: unknown): void {
    const { query, terms, result } = this.fields;
    if (context.countValue(query) > 1) throw illegalArgumentError('a document can only contain one percolator query');
    const stored = context.compileQuery(value);
    context.appendBinary(query, stored.json);
    if (stored.terms === null) context.sink.term(result, utf8(UNEXTRACTED));
    else for (const term of stored.terms) context.sink.term(terms, term);
    context.exists(this.#path);
  }
}

export const PERCOLATOR_TYPES: Readonly<Record<string, MapperType>> = {
  percolator: {
    params: { meta: META_PARAM },
    create(definition) {
      const inner = (name: string) => ({ ...NO_SPEC, name: `${definition.path}.${name}` });
      const fields = {
        query: definition.field({ ...inner(QUERY_COLUMN), column: 'binary' }),
        terms: definition.field({ ...inner(EXTRACTED_TERMS), postings: 'docs' }),
        result: definition.field({ ...inner(EXTRACTION_RESULT), postings: 'docs' }),
      };
      const type = new BaseFieldType(definition, {
        spec: { ...NO_SPEC, name: definition.path },
        family: 'other',
        isSearchable: true,
        isAggregatable: false,
      });
      return new PercolatorMapper(type, fields);
    },
  },
};
