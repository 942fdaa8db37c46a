// search_as_you_type at search time: short phrases are terms of the fields of shingles, and what is typed last is a term of the field of prefixes.
// Source: the Elasticsearch reference, "Search-as-you-type field type".
import type { FieldType } from '../../mapping/field-type.ts';
import type { IndexQuery } from '../index-query/index-query.ts';
import { type Term, termOfText } from '../index-query/term.ts';
import type { RewriteContext } from '../shard/rewrite-context.ts';
import { bySimilarity, termQuery } from './leaf.ts';

const decoder = new TextDecoder();
/** Longest prefix, in characters, that the field of prefixes keeps. */
const MAX_TYPED_PREFIX = 20;

type Positions = ReadonlyArray<{ readonly position: number; readonly terms: readonly Term[] }>;

/** The field of prefixes that a search_as_you_type field, or one of its fields of shingles, has; null for all others. */
function prefixesOf(field: FieldType, context: RewriteContext): FieldType | null {
  if (field.typeName !== 'search_as_you_type') return null;
  return context.mapping.field(`${field.name.replace(/\._(?:\d+gram|index_prefix)$/, '')}._index_prefix`);
}

/** The one term that stands for a prefix; null where prefixes have to be looked for among the terms. */
export function typedPrefix(field: FieldType, prefix: string, context: RewriteContext): IndexQuery | null {
  const prefixes = prefixesOf(field, context);
  return prefixes && prefix !== '' && [...prefix].length <= MAX_TYPED_PREFIX ? termQuery(prefixes, prefix, context) : null;
}

/** A field that keeps prefixes only. */
export function isPrefixField(field: FieldType): boolean {
  return field.typeName === 'search_as_you_type' && field.name.endsWith('._index_prefix');
}

/**
 * A phrase without gaps as shingles, its last word unfinished if `isPrefix`.
 * @returns null: the words are looked for as they are
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
  const places = terms.map((term, position) => ({ position, terms: [termOfText(name, term)] }));
  return bySimilarity(shingles, { op: 'phrase', field: name, positions: places, slop: 0, prefixExpansions: null });
}
