// The field with the time of documents in data streams, as named by templates and mappings.
import { isObject, type JsonObject } from '../../common/json/json-value.ts';

const TIMESTAMP = '@timestamp';

/** The part of the mapping that marks a backing index. Only OpenSearch has streams whose time is in another field. */
export function timestampMark(field: string): JsonObject {
  return { enabled: true, ...(field === TIMESTAMP ? {} : { timestamp_field: { name: field } }) };
}

/** The field with the time of documents, by the mapping of a backing index. */
export function timestampFieldOf(mappings: JsonObject): string {
  const mark = mappings._data_stream_timestamp;
  return isObject(mark) ? timestampName(mark) : TIMESTAMP;
}

/** The name in `timestamp_field` of a template or a mapping. */
export function timestampName(options: JsonObject): string {
  const { timestamp_field: field } = options;
  return isObject(field) && typeof field.name === 'string' ? field.name : TIMESTAMP;
}
