// search_as_you_type at search time: short phrases are terms of the shingle subfields, and an unfinished word is a term of the prefix subfield.
// Source: the Elasticsearch reference, "Search-as-you-type field type".
import type { FieldType } from '../../../mapping/core/field-type.ts';
import type { IndexQuery } from '../../index-query/index-query.ts';
import { type Term, termOfText } from '../../index-query/term.ts';
import type { RewriteContext } from '../../shard/rewrite-context.ts';
import { bySimilarity, termQuery } from '../leaf.ts';

const decoder = new TextDecoder();
/** Longest prefix, in characters, that the prefix subfield indexes. */
const MAX_TYPED_PREFIX = 20;

type Positions = ReadonlyArray<{ readonly position: number; readonly terms: readonly Term[] }>;

/** The prefix subfield of a search_as_you_type field or of one of its shingle subfields, null for all other fields. */
function prefixesOf(field: FieldType, context: RewriteContext): FieldType | null {
  if (field.typeName !== 'search_as_you_type') return null;
  return context.mapping.field(`${field.name.replace(/\._(?:\d+gram|index_prefix)$/, '')}._index_prefix`);
}

/** The indexed term of a prefix, null if the prefix must be expanded. */
export function typedPrefix(field: FieldType, prefix: string, context: RewriteContext): IndexQuery | null {
  const prefixes = prefixesOf(field, context);
  return prefixes && prefix !== '' && [...prefix].length <= MAX_TYPED_PREFIX ? termQuery(prefixes, prefix, context) : null;
}

/** Whether the field indexes prefixes only. */
export function isPrefixField(field: FieldType): boolean {
  return field.typeName === 'search_as_you_type' && field.name.endsWith('._index_prefix');
}

/**
 * A phrase without gaps as shingles. Its last word is unfinished if `isPrefix`.
 * @returns null if the words must be searched as they are
 */
export function typedPhrase(field: FieldType, positions: Positions, isPrefix: boolean, context: RewriteContext): IndexQuery | null {
  if (prefixesOf(field, context) === null) return null;
  const isPlain = positions.every(({ position, terms }, i) => terms.length === 1 && position === positions[0].position + i);
  if (!isPlain) return null;
  const words = positions.map(({ terms }) => decoder.decode(terms[0].bytes));
  const isShingles = /\._\d+gram$/.test(field.name);
  if (isShingles) return isPrefix && words.length === 1 ? typedPrefix(field, words[0], context) : null;
  if (words.length < 2) return null;
  const size = Math.min(words.length, Number(field.params['max_shingle_size'] ?? 3));
  if (isPrefix) return size === words.length ? typedPrefix(field, words.join(' '), context) : null;
  const shingles = context.mapping.field(`${field.name}._${size}gram`);
  if (!shingles?.isSearchable) return null;
  const terms = words.slice(size - 1).map((_, i) => words.slice(i, i + size).join(' '));
  if (terms.length === 1) return termQuery(shingles, terms[0], context);
  const { name } = shingles.spec;
  const shinglePositions = terms.map((term, position) => ({ position, terms: [termOfText(name, term)] }));
  return bySimilarity(shingles, { op: 'phrase', field: name, positions: shinglePositions, slop: 0, prefixExpansions: null });
}
