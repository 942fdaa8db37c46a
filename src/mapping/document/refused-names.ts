// Names that a document may not contain: of metadata fields, of new fields in strict objects, and malformed ones.

import { javaHashText } from '../../common/text/java-text.ts';
import type { Dialect } from '../../compat/dialect.ts';
import { ApiError } from '../../errors/api-error.ts';
import { illegalArgumentError, mapperParsingError } from '../../errors/catalog.ts';
import { METADATA_FIELDS } from '../core/model.ts';
import type { CompiledObject } from '../definition/compiled-mapping.ts';

const PREVIEW_LENGTH = 50;

/** @throws ApiError mapper_parsing_exception: a document contains a metadata field */
export function refuseMetadata(key: string, value: unknown, id: string): void {
  if (!METADATA_FIELDS.has(key)) return;
  const cause = `Field [${key}] is a metadata field and cannot be added inside a document. Use the index API request parameters.`;
  throw mapperParsingError(
    `failed to parse field [${key}] of type [${key}] in document with id '${id}'. Preview of field's value: '${preview(value)}'`,
    mapperParsingError(cause),
  );
}

/** @throws ApiError strict_dynamic_mapping_exception: the object accepts no new fields */
export function refuseStrict({ dynamic, path }: CompiledObject, name: string, value: unknown, { mapsPathsOfNull }: Dialect): void {
  if (dynamic !== 'strict' && dynamic !== 'strict_allow_templates') return;
  if (value === null && path !== '' && !mapsPathsOfNull) return;
  // A template may match the name.
  if (dynamic === 'strict_allow_templates' && value !== null && isEmpty(value)) return;
  throw new ApiError(
    'strict_dynamic_mapping_exception',
    400,
    `mapping set to ${dynamic}, dynamic introduction of [${name}] within [${path === '' ? '_doc' : path}] is not allowed`,
  );
}

/** The first characters of a value, for messages. */
export function preview(value: unknown): string {
  const text = javaHashText(value);
  return text.length > PREVIEW_LENGTH ? `${text.slice(0, PREVIEW_LENGTH)}...` : text;
}

/** True for values from which no field can be derived. */
export function isEmpty(value: unknown): boolean {
  return value === null || (Array.isArray(value) && value.every(isEmpty));
}

/**
 * The name as a path, without dots at its end.
 * @throws ApiError mapper_parsing_exception: an empty name, or a name with empty parts
 */
export function checkedName(name: string, { refusesBlankNames }: Dialect): string {
  const refused = (reason: string) => mapperParsingError('failed to parse', illegalArgumentError(reason));
  if (name === '') throw refused('field name cannot be an empty string');
  if (!name.includes('.')) {
    if (refusesBlankNames && name.trim() === '') throw mapperParsingError(`Field name cannot contain only whitespace: [${name}]`);
    return name;
  }
  const path = name.replace(/\.+$/, '');
  if (path === '') throw refused(`field name cannot contain only ${refusesBlankNames ? 'dots' : 'the character [.]'}`);
  for (const part of path.split('.')) {
    if (part.trim() !== '') continue;
    const ambiguous = 'starting or ending with a [.] makes object resolution ambiguous';
    const isEmpty = part === '';
    if (refusesBlankNames)
      throw refused(isEmpty ? `field name cannot contain only whitespace: ['${name}']` : `field name ${ambiguous}: [${name}]`);
    throw refused(isEmpty ? `object field ${ambiguous}: [${name}]` : `object field cannot contain only whitespace: ['${name}']`);
  }
  return path;
}
