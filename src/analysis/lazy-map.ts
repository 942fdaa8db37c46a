// Values by name that are made on first use: a thread needs few of the components that an index defines, and some take seconds to build.

export class LazyMap<T> {
  readonly #made = new Map<string, T>();
  readonly #makers = new Map<string, () => T>();

  /** @param make  called once, or again if it throws */
  define(name: string, make: () => T): void {
    this.#makers.set(name, make);
    this.#made.delete(name);
  }

  has(name: string): boolean {
    return this.#makers.has(name);
  }

  names(): string[] {
    return [...this.#makers.keys()];
  }

  /** @throws Error of `make` */
  get(name: string): T | undefined {
    const found = this.#made.get(name);
    const make = this.#makers.get(name);
    if (found !== undefined || make === undefined) return found;
    const made = make();
    this.#made.set(name, made);
    return made;
  }
}
