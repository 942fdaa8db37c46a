// Names of token types. Kernels store the ids of TokenType in a token's `type` field.
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

/** Names by id; the ids of kernels are consecutive from 0. */
const names: readonly string[] = Object.entries(TokenType)
  .sort(([, a], [, b]) => a - b)
  .map(([key]) => NAMES[key as keyof typeof TokenType]);
const ids: ReadonlyMap<string, number> = new Map(names.map((name, id) => [name, id]));

export function typeName(id: number): string {
  return names[id];
}

/** Id of a type's full name; null if no component produces tokens of that type. */
export function typeIdOf(name: string): number | null {
  return ids.get(name) ?? null;
}
