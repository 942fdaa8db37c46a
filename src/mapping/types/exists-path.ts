// The record that a document has a field whose existence no column shows.

import type { FieldSpec } from '../core/document-sink.ts';
import type { FieldDefinition } from '../core/mapper.ts';
import { utf8 } from '../values/utf8.ts';

/** Path to record for the `exists` query. null if the column shows it, or if the field is neither searchable nor stored: then no document has it. */
export function existsPathOf(definition: FieldDefinition, spec: Pick<FieldSpec, 'column' | 'postings'>): Uint8Array | null {
  if (spec.column !== 'none') return null;
  return spec.postings !== 'none' || definition.get<boolean | undefined>('store') === true ? utf8(definition.path) : null;
}
