/** Token types by id: what kernels keep in a token's `type` field (assembly/analysis/token.ts) and the API writes out. */
export const TOKEN_TYPES = [
  'word',
  '<ALPHANUM>',
  '<NUM>',
  '<SOUTHEAST_ASIAN>',
  '<IDEOGRAPHIC>',
  '<HIRAGANA>',
  '<KATAKANA>',
  '<HANGUL>',
  '<EMOJI>',
  '<URL>',
  '<EMAIL>',
  '<APOSTROPHE>',
  '<ACRONYM>',
  '<COMPANY>',
  '<HOST>',
  '<CJ>',
  '<ACRONYM_DEP>',
  '<SINGLE>',
  '<DOUBLE>',
  'SYNONYM',
  'shingle',
  'gram',
  'fingerprint',
  'MIN_HASH',
] as const;

export type TokenType = (typeof TOKEN_TYPES)[number];

const key = (name: string): string => name.replace(/[<>]/g, '').toUpperCase();

/** Id by name without angle brackets, upper case: `TYPE.ALPHANUM`. */
export const TYPE: Record<string, number> = Object.fromEntries(TOKEN_TYPES.map((name, id) => [key(name), id]));

/** Id of a type's full name, -1 if no component makes it. */
export function tokenTypeId(name: string): number {
  return (TOKEN_TYPES as readonly string[]).indexOf(name);
}
