// Field level security: which fields of an index a caller sees, and the sources of documents without the others.
import { setOwn } from '../common/json/own-property.ts';
import { isJsonObject } from '../common/json/source-numbers.ts';
import { matchesName, matchesPrefix } from './name-pattern.ts';
import type { FieldSecurity } from './role.ts';

type JsonObject = Record<string, unknown>;

/** Metadata fields that contain names of other fields. */
const NAMES_OF_FIELDS = new Set(['_field_names', '_ignored']);

export class FieldAccess {
  readonly #limits: ReadonlyArray<readonly FieldSecurity[]>;
  readonly #permitted = new Map<string, boolean>();

  /** @param limits  every entry limits; each permits what one of its grants does */
  constructor(limits: ReadonlyArray<readonly FieldSecurity[]>) {
    this.#limits = limits;
  }

  /** True if the field is granted by its full name. Metadata fields are. Internal fields such as `join#parent` follow the field that they belong to. */
  permits(name: string): boolean {
    let isPermitted = this.#permitted.get(name);
    if (isPermitted === undefined) {
      isPermitted = this.#decide(name);
      // Names of unmapped fields come from requests.
      if (this.#permitted.size < 10_000 && name.length < 1000) this.#permitted.set(name, isPermitted);
    }
    return isPermitted;
  }

  /** True if fields below an object may be granted. */
  permitsBelow(path: string): boolean {
    const prefix = `${path}.`;
    return this.#limits.every((entries) =>
      entries.some(
        ({ grant, except }) =>
          grant.some((pattern) => matchesPrefix(pattern, prefix)) &&
          !except.some((pattern) => pattern.endsWith('*') && matchesName(pattern, prefix)),
      ),
    );
  }

  /**
   * The granted part of a source. Objects lose the fields that are not granted; empty objects stay where something below them could be granted.
   * @param isField  true for the path of a field, whose value may be an object (`geo_point`, ranges)
   */
  filterSource(source: JsonObject, isField: (path: string) => boolean): JsonObject {
    return this.#filterObject(source, '', isField);
  }

  #filterObject(object: JsonObject, prefix: string, isField: (path: string) => boolean): JsonObject {
    const out: JsonObject = {};
    for (const [key, value] of Object.entries(object)) {
      const kept = this.#filterValue(value, prefix + key, isField);
      if (kept !== undefined) setOwn(out, key, kept);
    }
    return out;
  }

  /** undefined if nothing of the value is granted. */
  #filterValue(value: unknown, path: string, isField: (path: string) => boolean): unknown {
    if (Array.isArray(value)) {
      const items = value.flatMap((item: unknown) => {
        const kept = this.#filterValue(item, path, isField);
        return kept === undefined ? [] : [kept];
      });
      return items.length > 0 || this.permits(path) ? items : undefined;
    }
    if (!isJsonObject(value)) return this.permits(path) ? value : undefined;
    if (isField(path)) return this.permits(path) ? value : undefined;
    return this.permitsBelow(path) ? this.#filterObject(value, `${path}.`, isField) : undefined;
  }

  #decide(name: string): boolean {
    const internal = name.indexOf('#');
    if (internal > 0) return this.permits(name.slice(0, internal));
    if (name.startsWith('_')) return !NAMES_OF_FIELDS.has(name);
    return this.#limits.every((entries) =>
      entries.some(
        ({ grant, except }) => grant.some((pattern) => matchesName(pattern, name)) && !except.some((pattern) => matchesName(pattern, name)),
      ),
    );
  }
}
