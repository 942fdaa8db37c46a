// Names of token types. Kernels store the ids of TokenType in a token's `type` field; types that only definitions name get ids from FIRST_CUSTOM on.
import { TokenType } from '../../wasm/generated/analysis.ts';

const NAMES: Readonly<Record<keyof typeof TokenType, string>> = {
  WORD: 'word',
  ALPHANUM: '<ALPHANUM>',
  NUM: '<NUM>',
  SOUTHEAST_ASIAN: '<SOUTHEAST_ASIAN>',
  IDEOGRAPHIC: '<IDEOGRAPHIC>',
  HIRAGANA: '<HIRAGANA>',
  KATAKANA: '<KATAKANA>',
  HANGUL: '<HANGUL>',
  EMOJI: '<EMOJI>',
  URL: '<URL>',
  EMAIL: '<EMAIL>',
  APOSTROPHE: '<APOSTROPHE>',
  ACRONYM: '<ACRONYM>',
  COMPANY: '<COMPANY>',
  HOST: '<HOST>',
  CJ: '<CJ>',
  ACRONYM_DEP: '<ACRONYM_DEP>',
  SINGLE: '<SINGLE>',
  DOUBLE: '<DOUBLE>',
  SYNONYM: 'SYNONYM',
  SHINGLE: 'shingle',
  GRAM: 'gram',
  FINGERPRINT: 'fingerprint',
  MIN_HASH: 'MIN_HASH',
};

const FIRST_CUSTOM = 1000;
/** Names by id; the ids of kernels are consecutive from 0. */
const kernelTypes: readonly string[] = Object.entries(TokenType)
  .sort(([, a], [, b]) => a - b)
  .map(([key]) => NAMES[key as keyof typeof TokenType]);
/** Types that no component produces: keep_types and custom sources of synonyms may name them. */
const customTypes: string[] = [];

export function typeName(id: number): string {
  return id < FIRST_CUSTOM ? kernelTypes[id] : customTypes[id - FIRST_CUSTOM];
}

/** Id of a type's full name; an unknown name gets the next free id. */
export function typeIdOf(name: string): number {
  const known = kernelTypes.indexOf(name);
  if (known >= 0) return known;
  const custom = customTypes.indexOf(name);
  return FIRST_CUSTOM + (custom >= 0 ? custom : customTypes.push(name) - 1);
}
