/** Numbers keys from 0 on, in the order in which they are first seen. */
export class Numbering<K> {
  readonly #numbers = new Map<K, number>();

  get size(): number {
    return this.#numbers.size;
  }

  keys(): K[] {
    return [...this.#numbers.keys()];
  }

  of(key: K): number {
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    this.#numbers.set(key, this.#numbers.size);
    return this.#numbers.size - 1;
  }
}

/** The first code point of a string. @throws Error the string is empty */
export function codePoint(string: string): number {
  const found = string.codePointAt(0);
  if (found === undefined) throw new Error('an empty string has no code point');
  return found;
}
