// Variables: looked up once when the configuration is read, evaluated on demand, cached per request unless volatile.
import type { VariableDef, VariableFamily, VariableTable } from '../model/types.ts';

/** value of a variable that is not defined yet */
export const unset = () => null;

export class Variables implements VariableTable {
  readonly #builtIn = new Map<string, VariableDef>();
  readonly #families: VariableFamily[] = [];
  /** defined or referenced by the configuration */
  readonly #used = new Map<string, VariableDef>();
  readonly #pending = new Set<string>();
  count = 0;

  add(defs: readonly VariableDef[], families: readonly VariableFamily[] = []): void {
    for (const def of defs) this.#builtIn.set(def.name.toLowerCase(), def);
    this.#families.push(...families);
    this.#families.sort((a, b) => b.prefix.length - a.prefix.length);
  }

  /** Names of the built-in variables, without those of families such as `http_`. */
  get builtIn(): string[] {
    return [...this.#builtIn.keys()];
  }

  /** The variable of a reference in the configuration; `resolve` binds it at the latest. */
  lookup(text: string): VariableDef {
    const name = text.toLowerCase();
    let def = this.#used.get(name);
    if (!def) {
      def = { name, get: unset, index: this.count++ };
      this.#used.set(name, def);
      this.#pending.add(name);
    }
    return def;
  }

  /**
   * Defines a variable (`set`, `map`, `geo`, captures). A later definition of the same name replaces the evaluation.
   * @throws string the name belongs to a built-in variable that cannot change
   */
  define(text: string, parts: Pick<VariableDef, 'get' | 'volatile'> & Partial<VariableDef>): VariableDef {
    const name = text.toLowerCase();
    const own = this.#builtIn.get(name);
    if (own?.fixed !== false && own && !own.set) throw `the duplicate "${name}" variable`;
    const def = this.lookup(name);
    this.#pending.delete(name);
    if (own) Object.assign(def, own, { index: def.index });
    else Object.assign(def, parts);
    return def;
  }

  /** Variables that `set` and captures assign: null until assigned; a definition by `map` and others takes precedence. */
  declare(text: string): VariableDef {
    const name = text.toLowerCase();
    const own = this.#builtIn.get(name);
    if (own) {
      if (!own.set) throw `the duplicate "${name}" variable`;
      return this.define(name, own);
    }
    const def = this.lookup(name);
    this.#pending.delete(name);
    const family = this.#familyOf(name);
    if (family && def.get === unset) def.get = family.make(name.slice(family.prefix.length)).get;
    return def;
  }

  /** A bare prefix such as `http_` belongs to its family, too: it has no value. */
  #familyOf(name: string): VariableFamily | undefined {
    return this.#families.find((f) => name.startsWith(f.prefix));
  }

  /** Binds all referenced names. @throws string unknown "x" variable */
  resolve(): void {
    for (const name of this.#pending) {
      const def = this.lookup(name);
      const own = this.#builtIn.get(name);
      if (own) {
        Object.assign(def, own, { index: def.index });
        continue;
      }
      const family = this.#familyOf(name);
      if (!family) throw `unknown "${name}" variable`;
      Object.assign(def, family.make(name.slice(family.prefix.length)));
    }
    this.#pending.clear();
  }

  /** A variable that a program may assign at run time: one defined by the configuration, or a built-in that `set` may change. */
  assignable(text: string): VariableDef | null {
    const name = text.toLowerCase();
    const own = this.#builtIn.get(name);
    return own ? ((own.set && own) ?? null) : (this.#used.get(name) ?? null);
  }

  /** Looks a variable up at run time (SSI); null if there is none of that name. */
  find(text: string): VariableDef | null {
    const name = text.toLowerCase();
    const def = this.#used.get(name) ?? this.#builtIn.get(name);
    if (def) return def;
    const family = this.#familyOf(name);
    return (family && { name, ...family.make(name.slice(family.prefix.length)) }) ?? null;
  }
}
