// A mapping without the fields that are hidden from a caller. To queries, aggregations, scripts and the fetch phase they are unmapped.
import { isObject, type JsonObject } from '../common/json/json-value.ts';
import type { FieldType } from './core/field-type.ts';
import type { MappingSnapshot } from './core/mapping-snapshot.ts';

/** Decides by full names. */
export interface VisibleFields {
  permits(name: string): boolean;
  /** True if fields below this object may be visible. */
  permitsBelow(path: string): boolean;
}

export class VisibleMapping implements MappingSnapshot {
  readonly #base: MappingSnapshot;
  readonly #visible: VisibleFields;
  /** Runtime fields of the search itself: their scripts see only visible fields. */
  readonly #own: ReadonlySet<string>;

  constructor(base: MappingSnapshot, visible: VisibleFields, own: ReadonlySet<string> = new Set()) {
    this.#base = base;
    this.#visible = visible;
    this.#own = own;
  }

  get dialect(): MappingSnapshot['dialect'] {
    return this.#base.dialect;
  }
  get version(): number {
    return this.#base.version;
  }
  get fields(): MappingSnapshot['fields'] {
    return this.#base.fields;
  }
  get nestedPaths(): readonly string[] {
    return this.#base.nestedPaths.filter((path) => this.#visible.permitsBelow(path));
  }
  get source(): MappingSnapshot['source'] {
    return this.#base.source;
  }
  get routingRequired(): boolean {
    return this.#base.routingRequired;
  }
  syntheticSource(source: JsonObject): JsonObject | null {
    return this.#base.syntheticSource(source);
  }

  get hasRuntime(): boolean {
    return this.#base.hasRuntime;
  }

  toJson(): JsonObject {
    return visibleMappings(this.#base.toJson(), this.#visible);
  }

  field(name: string): FieldType | null {
    if (this.#own.has(name)) return this.#base.field(name);
    if (!this.#visible.permits(name)) return null;
    const type = this.#base.field(name);
    // An alias shows no more than its target.
    return type !== null && this.#visible.permits(type.name) ? type : null;
  }

  matchFields(pattern: string): string[] {
    return this.#base.matchFields(pattern).filter((name) => this.field(name) !== null);
  }

  anonymousField(type: string): FieldType | null {
    return this.#base.anonymousField(type);
  }
  copiedFrom(name: string): readonly string[] {
    return this.#base.copiedFrom(name).filter((origin) => this.field(origin) !== null);
  }

  get objectPaths(): readonly string[] {
    return this.#base.objectPaths.filter((path) => this.#visible.permitsBelow(path));
  }

  isObject(path: string): boolean {
    return this.#base.isObject(path) && this.#visible.permitsBelow(path);
  }
  isNested(path: string): boolean {
    return this.#base.isNested(path) && this.#visible.permitsBelow(path);
  }
  nestedPathsOf(path: string): string[] {
    return this.#base.nestedPathsOf(path).filter((nested) => this.#visible.permitsBelow(nested));
  }

  fieldJson(path: string, defaults: boolean): JsonObject | null {
    const json = this.field(path) === null ? null : this.#base.fieldJson(path, defaults);
    if (json === null) return null;
    // The field by its last name, with its subfields.
    const shown = Object.entries(json).map(([name, field]) => {
      if (!isObject(field) || !isObject(field.fields)) return [name, field];
      return [name, { ...field, fields: visibleProperties(field.fields, `${path}.`, this.#visible) }];
    });
    return Object.fromEntries(shown) as JsonObject;
  }

  parseDocument(...args: Parameters<MappingSnapshot['parseDocument']>): ReturnType<MappingSnapshot['parseDocument']> {
    return this.#base.parseDocument(...args);
  }

  seriesIdOf(source: JsonObject): string {
    return this.#base.seriesIdOf(source);
  }

  withRuntime(runtime: JsonObject): MappingSnapshot {
    // A runtime field may not replace a hidden field: its type would give access to the values of that field.
    const own = Object.keys(runtime).filter((name) => this.#visible.permits(name) || this.#base.field(name) === null);
    const allowed = Object.fromEntries(Object.entries(runtime).filter(([name]) => own.includes(name)));
    return new VisibleMapping(this.#base.withRuntime(allowed), this.#visible, new Set([...this.#own, ...own]));
  }

  merge(mappings: JsonObject, reason: 'put' | 'dynamic' | 'create'): MappingSnapshot {
    return this.#base.merge(mappings, reason);
  }
}

/** A `_mapping` body without hidden fields. */
export function visibleMappings(mappings: JsonObject, visible: VisibleFields): JsonObject {
  const out: Record<string, unknown> = { ...mappings };
  if (isObject(mappings.properties)) out.properties = visibleProperties(mappings.properties, '', visible);
  if (isObject(mappings.runtime))
    out.runtime = Object.fromEntries(Object.entries(mappings.runtime).filter(([name]) => visible.permits(name)));
  return out as JsonObject;
}

function visibleProperties(properties: JsonObject, prefix: string, visible: VisibleFields): JsonObject {
  const out: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(properties)) {
    const path = prefix + name;
    if (!isObject(field)) continue;
    if (isObject(field.properties)) {
      if (visible.permitsBelow(path)) out[name] = { ...field, properties: visibleProperties(field.properties, `${path}.`, visible) };
    } else if (visible.permits(path)) {
      const isHiddenTarget = typeof field.path === 'string' && field.type === 'alias' && !visible.permits(field.path);
      if (!isHiddenTarget)
        out[name] = isObject(field.fields) ? { ...field, fields: visibleProperties(field.fields, `${path}.`, visible) } : field;
    }
  }
  return out as JsonObject;
}
