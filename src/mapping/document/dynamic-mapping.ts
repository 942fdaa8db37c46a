// Finds the fields that a document would add to the mapping: a mappings body with the new fields, or null if there are none.
import { MAX_DIMS } from '../../common/encoding/vector-format.ts';
import { DecimalLiteral } from '../../common/json/json-parse.ts';
import { isObject, type MutableJsonObject } from '../../common/json/json-value.ts';
import { present } from '../../common/present.ts';
import type { Dialect } from '../../compat/dialect.ts';
import { DateFormatter } from '../../dates/date-format.ts';
import { ApiError } from '../../errors/api-error.ts';
import { mapperParsingError } from '../../errors/catalog.ts';
import type { NamedTemplates } from '../core/mapping-snapshot.ts';
import { type Dynamic, type DynamicTemplate, METADATA_FIELDS, type RootMapping } from '../core/model.ts';
import { longNamesError, nameCharsLimit } from '../definition/check-mapping.ts';
import type { CompiledField, CompiledMapping, CompiledObject } from '../definition/compiled-mapping.ts';
import { type DynamicType, findTemplate, isRuntimeTemplate, mappingOf, RUNTIME_TYPES } from '../definition/dynamic-templates.ts';
import { type Draft, draftOf, isDraft, isInTemplate, mixedError, pathOf, toMapping, typeConflict } from './field-draft.ts';
import { checkedName, isEmpty } from './refused-names.ts';

const DEFAULT_DATE_FORMATS: readonly string[] = ['strict_date_optional_time', 'yyyy/MM/dd HH:mm:ss||yyyy/MM/dd||epoch_millis'];

/** Unknown names may become fields: all of them, or only those that match a template. */
export function adds(dynamic: Dynamic): boolean {
  return dynamic === 'true' || dynamic === 'strict_allow_templates' || dynamic === 'runtime';
}

const LONG_TEXT = /^[+-]?\d{1,19}$/;
const DOUBLE_TEXT = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;

/** Lists of this many floats become vectors. */
const MIN_VECTOR_DIMS = 128;

export interface DynamicOptions {
  /** `index.mapping.depth.limit` */
  readonly depthLimit: number;
  /** `index.mapping.total_fields.limit` */
  readonly fieldLimit: number;
  /** Number of fields that the mapping still has room for; null: fields beyond its limit are an error. */
  readonly room: number | null;
  readonly dialect: Dialect;
}

export class DynamicMapper {
  readonly #mapping: CompiledMapping;
  readonly #root: RootMapping;
  readonly #depthLimit: number;
  readonly #fieldLimit: number;
  readonly #charsLimit: number;
  readonly #room: number | null;
  #taken = 0;
  /** Paths of fields of the last source that the mapping has no room for. */
  ignored: string[] = [];
  /** The first new field of the last source with values of different types: reported if nothing else is wrong with the document. */
  conflict: { readonly path: string; readonly error: ApiError } | null = null;
  readonly #dialect: Dialect;
  readonly #mapsVectors: boolean;
  readonly #mapsPathsOfNull: boolean;
  readonly #dateFormats: readonly DateFormatter[];
  #depth = 0;
  /** New fields of the source so far. */
  #added = 0;
  #isTyped = true;
  /** Characters in their names. */
  #addedChars = 0;
  #templates: NamedTemplates = {};
  /** Runtime fields that the last source would add, by full name. */
  readonly #runtime = new Map<string, MutableJsonObject>();

  constructor(mapping: CompiledMapping, root: RootMapping, { depthLimit, fieldLimit, room, dialect }: DynamicOptions) {
    this.#room = room;
    this.#mapping = mapping;
    this.#root = root;
    this.#depthLimit = depthLimit;
    this.#fieldLimit = fieldLimit;
    this.#charsLimit = nameCharsLimit(fieldLimit);
    this.#dialect = dialect;
    this.#mapsVectors = dialect.mapsFloatListsAsVectors;
    this.#mapsPathsOfNull = dialect.mapsPathsOfNull;
    const formats = root.dynamicDateFormats ?? DEFAULT_DATE_FORMATS;
    this.#dateFormats = root.dateDetection === false ? [] : formats.map((format) => DateFormatter.of(format));
  }

  /**
   * @param templates  names of the dynamic templates for new fields at these paths, overriding the templates' own conditions
   * @param isTyped    false if `1.0` and `1` look alike in the source, so that types of new fields are only guessed and may not be compared
   * @throws ApiError: an invalid name, nesting that is too deep, or names that are too long together
   */
  find(source: MutableJsonObject, templates: NamedTemplates = {}, isTyped = true): MutableJsonObject | null {
    this.#isTyped = isTyped;
    this.#templates = templates;
    const { root } = this.#mapping;
    if (!root.enabled) return null;
    this.#depth = 1;
    this.#added = 0;
    this.#taken = 0;
    this.ignored = [];
    this.conflict = null;
    this.#addedChars = 0;
    const draft = draftOf(root);
    this.#runtime.clear();
    this.#walk(draft, source);
    if (draft.fields.size === 0 && this.#runtime.size === 0) return null;
    return { ...toMapping(draft), ...(this.#runtime.size > 0 ? { runtime: Object.fromEntries(this.#runtime) } : {}) };
  }

  #walk(draft: Draft, value: MutableJsonObject): void {
    if (!draft.hasObjects) {
      this.#walkDotted(draft, '', value);
      return;
    }
    for (const key in value) {
      // More new fields than the mapping may have: it will be refused, whatever follows.
      if (this.#added > this.#fieldLimit) return;
      const item = value[key];
      const child = draft.object?.children.get(key);
      if (child !== undefined) {
        if (child.kind === 'object') this.#walkObject(draft, key, child, item);
        else if (child.kind === 'field') this.#walkField(draft, key, child, item);
      } else if (adds(draft.dynamic) && !isInTemplate(draft, key) && !(draft.path === '' && METADATA_FIELDS.has(key))) {
        this.#unknown(draft, key, item);
      } else if (key.includes('.')) {
        this.#dotted(draft, key, item);
      }
    }
  }

  /** Members of an object whose fields have dotted names. */
  #walkDotted(draft: Draft, prefix: string, value: MutableJsonObject): void {
    for (const key in value) {
      if (this.#added > this.#fieldLimit) return;
      const name = prefix + key;
      const child = draft.object?.children.get(name);
      if (child?.kind === 'field') this.#walkField(draft, name, child, value[key]);
      else if (child === undefined && adds(draft.dynamic) && !(draft.path === '' && METADATA_FIELDS.has(name)))
        this.#addDotted(draft, name, value[key]);
    }
  }

  #addDotted(draft: Draft, name: string, value: unknown): void {
    if (name.trim() === '') checkedName(name, this.#dialect);
    if (Array.isArray(value)) {
      if (!this.#addVector(draft, name, value)) for (const item of value) this.#addDotted(draft, name, item);
    } else if (isObject(value) && !(value instanceof DecimalLiteral)) {
      this.#enter();
      this.#walkDotted(draft, `${name}.`, value as MutableJsonObject);
      this.#depth--;
    } else if (value !== null) this.#addLeaf(draft, name, value);
  }

  #walkField(draft: Draft, key: string, { mapper, copyTo }: CompiledField, value: unknown): void {
    if (copyTo.length > 0 && this.#mapping.copiesToUnmapped) this.#copies(copyTo, value);
    const completed = mapper.complete?.(value) ?? null;
    if (completed !== null) draft.fields.set(key, completed);
  }

  #walkObject(draft: Draft, key: string, child: CompiledObject, value: unknown): void {
    if (typeof value !== 'object' || value === null || !child.enabled) return;
    const known = draft.fields.get(key);
    const inner = isDraft(known) ? known : draftOf(child);
    if (Array.isArray(value)) {
      for (const item of value) if (!Array.isArray(item)) this.#walkInto(inner, item);
    } else this.#walkInto(inner, value);
    if (inner.fields.size > 0) draft.fields.set(key, inner);
  }

  #walkInto(draft: Draft, value: unknown): void {
    if (typeof value !== 'object' || value === null || value instanceof DecimalLiteral) return;
    this.#enter();
    this.#walk(draft, value as MutableJsonObject);
    this.#depth--;
  }

  /** @throws ApiError mapper_parsing_exception: too many objects inside each other */
  #enter(): void {
    if (++this.#depth <= this.#depthLimit) return;
    throw mapperParsingError(
      'failed to parse',
      new ApiError(
        'parse_exception',
        400,
        `The depth of the field has exceeded the allowed limit of [${this.#depthLimit}]. This limit can be set by changing the [index.mapping.depth.limit] index level setting.`,
      ),
    );
  }

  /** A dotted name: its first part is an existing object or a new one. */
  #dotted(draft: Draft, key: string, value: unknown): void {
    const dot = key.indexOf('.');
    const head = key.slice(0, dot);
    const rest = { [key.slice(dot + 1)]: value };
    const child = draft.object?.children.get(head);
    if (child?.kind === 'object') this.#walkObject(draft, head, child, rest);
    else if (child === undefined && adds(draft.dynamic)) this.#newObject(draft, head, rest);
  }

  #unknown(draft: Draft, key: string, value: unknown): void {
    const name = checkedName(key, this.#dialect);
    if (name !== key) {
      this.#walk(draft, { [name]: value as MutableJsonObject });
      return;
    }
    if (key.includes('.')) {
      if (!isEmpty(value) || this.#mapsEmptyPath(draft, value)) this.#dotted(draft, key, value);
      return;
    }
    if (value === null) return;
    if (Array.isArray(value)) {
      if (this.#addVector(draft, key, value)) return;
      for (const item of value) this.#unknown(draft, key, item);
    } else if (typeof value === 'object' && !(value instanceof DecimalLiteral)) this.#newObject(draft, key, value as MutableJsonObject);
    else this.#addLeaf(draft, key, value);
  }

  /** Whether the objects of a dotted name are mapped although its value gives no field. */
  #mapsEmptyPath(draft: Draft, value: unknown): boolean {
    return draft.dynamic === 'true' && (value !== null || this.#mapsPathsOfNull);
  }

  #addLeaf(draft: Draft, key: string, value: unknown): void {
    const path = pathOf(draft, key);
    // The last value of a document decides the type of a new runtime field.
    if (this.#root.runtime.has(path)) return;
    const leaf = this.#leaf(key.slice(key.lastIndexOf('.') + 1), path, value, draft.dynamic);
    const known = draft.fields.get(key);
    if (known !== undefined) {
      if (leaf && this.#isTyped) this.#refuse(path, typeConflict(path, known, leaf));
    } else if (leaf && this.#takes(path, 1 + Object.keys(leaf.fields ?? {}).length)) {
      draft.fields.set(key, leaf);
      this.#count(draft, key);
    }
  }

  #refuse(path: string, error: ApiError | null): void {
    if (error) this.conflict ??= { path, error };
  }
  /** Whether the mapping has room for this many more fields. If not, and fields beyond its limit are ignored, records the path as ignored. */
  #takes(path: string, fields: number): boolean {
    if (this.#room === null) return true;
    if (this.#taken + fields <= this.#room) {
      this.#taken += fields;
      return true;
    }
    if (!this.ignored.includes(path)) this.ignored.push(path);
    return false;
  }

  /** Maps a long list of floats as a vector, unless a template or the mapping says otherwise. */
  #addVector(draft: Draft, key: string, values: readonly unknown[]): boolean {
    if (!this.#mapsVectors || draft.dynamic !== 'true' || draft.fields.has(key)) return false;
    if (values.length < MIN_VECTOR_DIMS || values.length > MAX_DIMS || !values.every(isFloat)) return false;
    const path = pathOf(draft, key);
    if (this.#isRuntime(path) || this.#template(key, path, 'double')) return false;
    if (!this.#takes(path, 1)) return true;
    draft.fields.set(key, { type: 'dense_vector', dims: values.length });
    this.#count(draft, key);
    return true;
  }

  #count(draft: Draft, key: string): void {
    this.#added++;
    this.#addedChars += pathOf(draft, key).length;
    if (this.#addedChars > this.#charsLimit) throw longNamesError(this.#charsLimit);
  }

  /** @throws ApiError mapper_parsing_exception: the template that the request names for this path does not exist */
  #template(name: string, path: string, type: DynamicType): DynamicTemplate | null {
    const all = this.#root.dynamicTemplates ?? [];
    if (!Object.hasOwn(this.#templates, path)) return findTemplate(all, name, path, type);
    const wanted = this.#templates[path];
    const template = all.find((one) => one.name === wanted);
    if (!template) throw mapperParsingError(`Can't find dynamic template for dynamic template name [${wanted}] of field [${path}]`);
    return template;
  }

  /** Documents do not change runtime fields. */
  #isRuntime(path: string): boolean {
    return this.#root.runtime.has(path) || this.#runtime.has(path);
  }

  #newObject(draft: Draft, key: string, value: MutableJsonObject): void {
    const known = draft.fields.get(key);
    if (known !== undefined && !isDraft(known)) {
      if (this.#objectDraft(draft, key) !== null && !this.#isMappedAsField(draft, key))
        this.#refuse(pathOf(draft, key), mixedError(pathOf(draft, key)));
      return;
    }
    const inner = known ?? this.#objectDraft(draft, key);
    if (inner === null) return;
    if (known === undefined && draft.dynamic !== 'runtime' && !this.#takes(pathOf(draft, key), 1)) return;
    if (!isDraft(inner)) {
      // A template mapped the object itself as a field (a flat object, a point...).
      draft.fields.set(key, inner);
      return;
    }
    // Runtime fields need no enclosing object.
    if (draft.dynamic !== 'runtime') {
      if (known === undefined) this.#added++;
      draft.fields.set(key, inner);
    }
    if (inner.mapping?.enabled !== false) this.#walkInto(inner, value);
    if (inner.fields.size > 0) draft.fields.set(key, inner);
  }

  /** Whether a template maps the objects of this name as values. */
  #isMappedAsField(draft: Draft, key: string): boolean {
    const made = this.#objectDraft(draft, key);
    return made !== null && !isDraft(made);
  }

  /** null if no template matches and only templates may add fields. */
  #objectDraft(draft: Draft, key: string): Draft | MutableJsonObject | null {
    const path = pathOf(draft, key);
    // Below `dynamic: runtime` objects are not mapped.
    const template = draft.dynamic === 'runtime' ? null : this.#template(key, path, 'object');
    if (!template && draft.dynamic === 'strict_allow_templates') return null;
    const mapping = template ? mappingOf(template, key, 'object') : {};
    if (mapping.type !== undefined && mapping.type !== 'object' && mapping.type !== 'nested') return mapping;
    const dynamic = mapping.dynamic === undefined ? draft.dynamic : (String(mapping.dynamic) as Dynamic);
    const hasObjects = String(mapping.subobjects ?? true) !== 'false';
    return { path, dynamic, isNested: mapping.type === 'nested', hasObjects, object: null, fields: new Map(), mapping };
  }

  #copies(targets: readonly string[], value: unknown): void {
    // Targets are full paths; their fields are inserted at the end (see toMapping).
    const first = Array.isArray(value) ? value.find((item) => item !== null && typeof item !== 'object') : value;
    if (first === undefined || first === null || typeof first === 'object') return;
    for (const target of targets) {
      if (this.#mapping.byPath.has(target) || this.#pendingCopies.has(target)) continue;
      this.#pendingCopies.set(target, first);
    }
  }
  readonly #pendingCopies = new Map<string, unknown>();

  #runtimeOf(type: DynamicType, value: unknown): MutableJsonObject {
    return type === 'date' ? dateMapping(this.#dateFormatOf(value as string)) : { type: RUNTIME_TYPES[type] ?? type };
  }

  #addRuntime(path: string, field: MutableJsonObject): null {
    if (!this.#runtime.has(path)) this.#added++;
    this.#runtime.set(path, field);
    return null;
  }

  /** Mapping for a value; null if no template matches and only templates may add fields, or if the value becomes a runtime field. */
  #leaf(name: string, path: string, value: unknown, dynamic: Dynamic): MutableJsonObject | null {
    const type = this.#typeOf(value);
    const template = this.#template(name, path, type);
    if (template) {
      const mapping = mappingOf(template, name, type);
      if (isRuntimeTemplate(template)) return this.#addRuntime(path, mapping);
      const format =
        type === 'date' && mapping.type === 'date' && mapping.format === undefined ? this.#dateFormatOf(value as string) : null;
      return format === null || format === 'strict_date_optional_time' ? mapping : { ...mapping, format };
    }
    if (dynamic === 'strict_allow_templates') return null;
    if (dynamic === 'runtime') return this.#addRuntime(path, this.#runtimeOf(type, value));
    switch (type) {
      case 'string':
        return { type: 'text', fields: { keyword: { type: 'keyword', ignore_above: 256 } } };
      case 'date':
        return dateMapping(this.#dateFormatOf(value as string));
      case 'double':
        return { type: 'float' };
      default:
        return { type };
    }
  }

  #typeOf(value: unknown): DynamicType {
    if (typeof value === 'boolean') return 'boolean';
    if (typeof value === 'number') return Number.isInteger(value) ? 'long' : 'double';
    if (value instanceof DecimalLiteral) return 'double';
    if (typeof value === 'bigint') return 'long';
    const text = value as string;
    const isLong = LONG_TEXT.test(text);
    const isDouble = isLong || DOUBLE_TEXT.test(text);
    if (isDouble) return this.#root.numericDetection ? (isLong ? 'long' : 'double') : 'string';
    return this.#dateFormatOf(text) !== null ? 'date' : 'string';
  }

  #dateFormatOf(text: string): string | null {
    if (text.length < 4 || text.length > 64) return null;
    return this.#dateFormats.find((format) => format.tryParse(text) !== null)?.pattern ?? null;
  }

  /** Mappings of the copy_to targets found by the last `find`, by full path. */
  takeCopies(): Array<{ path: string; mapping: MutableJsonObject }> {
    const copies = [...this.#pendingCopies].map(([path, value]) => ({
      path,
      mapping: present(this.#leaf(path.slice(path.lastIndexOf('.') + 1), path, value, 'true')),
    }));
    this.#pendingCopies.clear();
    return copies;
  }
}

function dateMapping(format: string | null): MutableJsonObject {
  return format === null || format === 'strict_date_optional_time' ? { type: 'date' } : { type: 'date', format };
}

function isFloat(value: unknown): boolean {
  return value instanceof DecimalLiteral || (typeof value === 'number' && !Number.isInteger(value));
}
