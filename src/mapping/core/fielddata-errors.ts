// The error for fields whose values cannot be read document by document, which sorts, aggregations and scripts need.
import type { ApiError } from '../../errors/api-error.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';
import type { FieldType } from './field-type.ts';
import { METADATA_FIELDS } from './model.ts';

export function noFielddataError({ name: fieldName, family, keyPrefix, spec, typeName }: FieldType): ApiError {
  const name = keyPrefix ? spec.name : fieldName;
  if (family === 'text') {
    return illegalArgumentError(
      'Text fields are not optimised for operations that require per-document field data like aggregations and sorting, so these operations ' +
        `are disabled by default. Please use a keyword field instead. Alternatively, set fielddata=true on [${name}] in order to load field ` +
        'data by uninverting the inverted index. Note that this can use significant memory.',
    );
  }
  if (METADATA_FIELDS.has(name)) return illegalArgumentError(`Fielddata is not supported on field [${name}] of type [${typeName}]`);
  return illegalArgumentError(
    `Can't load fielddata on [${name}] because fielddata is unsupported on fields of type [${typeName}]. Use doc values instead.`,
  );
}
