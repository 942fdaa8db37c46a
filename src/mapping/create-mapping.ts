// Implementation of MappingSnapshot: one version of an index's mapping with everything derived from it.

import type { JsonObject, MutableJsonObject } from '../common/json/json-value.ts';
import { writeJson } from '../common/json/json-write.ts';
import { DEFAULT_DIALECT, type Dialect } from '../compat/dialect.ts';
import { ApiError } from '../errors/api-error.ts';
import { mapperParsingError } from '../errors/catalog.ts';
import type { DocumentSink, FieldSpec } from './core/document-sink.ts';
import type { FieldType } from './core/field-type.ts';
import type { MappingAnalysis } from './core/mapping-analysis.ts';
import type { MappingSnapshot, NamedTemplates, ParseOutcome } from './core/mapping-snapshot.ts';
import { EMPTY_MAPPING, type MappingNode, type RootMapping } from './core/model.ts';
import { NULL_SINK } from './core/null-sink.ts';
import { compileStoredQuery } from './core/stored-query.ts';
import { routingPathOf } from './core/time-series.ts';
import { timestampName } from './core/timestamp-field.ts';
import { checkMapping, DEFAULT_LIMITS, fieldCount } from './definition/check-mapping.ts';
import { type CompiledMapping, findBelow, MappingCompiler, type MappingEnvironment } from './definition/compiled-mapping.ts';
import { matchesWildcard } from './definition/dynamic-templates.ts';
import { mappingToJson, nodeToJson } from './definition/mapping-json.ts';
import { mergeMappings } from './definition/merge-mappings.ts';
import { parseMappings } from './definition/parse-mappings.ts';
import { mergeRuntime, parseRuntime } from './definition/runtime-fields.ts';
import { fieldTypeWithoutStorage } from './definition/runtime-types.ts';
import { DocumentParser } from './document/document-parser.ts';
import { adds, DynamicMapper } from './document/dynamic-mapping.ts';
import { routingHashOf, seriesId } from './document/series.ts';
import { synthesize } from './document/synthetic-source.ts';
import { MAPPER_TYPES } from './types/registry.ts';

export type IndexSettings = Readonly<Record<string, unknown>>;

/**
 * Creates the mapping of a new index.
 * @param mappings  a mappings body, as `GET _mapping` shows it
 * @param settings  flat index settings with the prefix `index.`; the limits are `index.mapping.*`
 * @throws ApiError mapper_parsing_exception, illegal_argument_exception
 */
export function createMapping(
  mappings: MutableJsonObject,
  analysis: MappingAnalysis,
  settings: IndexSettings,
  dialect: Dialect = DEFAULT_DIALECT,
): MappingSnapshot {
  const root = parseMappings(mappings, analysis, dialect);
  checkMapping(root, settings, null);
  return new Mapping(root, { analysis, settings, dialect }, 1, []);
}

/**
 * Restores the mapping of an existing index. Limits are not checked again: they may have been lowered since.
 * @param before  the previous version, whose fields keep their numbers
 */
export function restoreMapping(
  mappings: MutableJsonObject,
  analysis: MappingAnalysis,
  settings: IndexSettings,
  before: MappingSnapshot | null = null,
  dialect: Dialect = DEFAULT_DIALECT,
): MappingSnapshot {
  return new Mapping(
    parseMappings(mappings, analysis, dialect, true),
    { analysis, settings, dialect },
    (before?.version ?? 0) + 1,
    before?.fields ?? [],
  );
}

const DEFAULT_NESTED_OBJECTS = 10_000;
const DEFAULT_DEPTH = 20;
const MAX_OVERLAYS = 64;

class Mapping implements MappingSnapshot {
  readonly version: number;
  readonly #root: RootMapping;
  readonly #environment: MappingEnvironment;
  readonly #compiled: CompiledMapping;
  readonly #parser: DocumentParser;
  /** null if no object of this mapping accepts new fields. */
  readonly #dynamic: DynamicMapper | null;
  readonly source: MappingSnapshot['source'];
  /** Paths of fields with `copy_to`, by target; null until it is needed. */
  #sourcesOfCopies: Map<string, readonly string[]> | null = null;
  /** Snapshots with the runtime fields of searches, by their JSON. */
  readonly #overlays = new Map<string, Mapping>();

  constructor(root: RootMapping, environment: MappingEnvironment, version: number, before: readonly FieldSpec[]) {
    const { settings } = environment;
    this.version = version;
    this.#root = root;
    this.#environment = environment;
    this.#compiled = new MappingCompiler(environment, before).compile(root);
    const mark = root.otherMeta._data_stream_timestamp;
    this.#parser = new DocumentParser(
      this.#compiled,
      Number(settings['index.mapping.nested_objects.limit'] ?? DEFAULT_NESTED_OBJECTS),
      String(mark?.enabled) === 'true' ? timestampName(mark) : null,
      environment.dialect,
      (query) => compileStoredQuery(query, { ...environment, mapping: this }),
    );
    const { root: object, objects } = this.#compiled;
    const isDynamic =
      adds(object.dynamic) ||
      [...objects.values()].some(({ dynamic }) => adds(dynamic)) ||
      this.#compiled.copiesToUnmapped ||
      this.#compiled.isIncomplete;
    const depthLimit = Number(settings['index.mapping.depth.limit'] ?? DEFAULT_DEPTH);
    const fieldLimit = Number(settings['index.mapping.total_fields.limit'] ?? DEFAULT_LIMITS.total_fields);
    const ignoresMore = String(settings['index.mapping.total_fields.ignore_dynamic_beyond_limit'] ?? 'false') === 'true';
    const room = ignoresMore ? Math.max(0, fieldLimit - fieldCount(root)) : null;
    this.#dynamic = isDynamic
      ? new DynamicMapper(this.#compiled, root, { depthLimit, fieldLimit, room, dialect: environment.dialect })
      : null;
    this.source = {
      enabled: (root.source?.enabled ?? true) && root.source?.mode !== 'disabled',
      includes: root.source?.includes ?? [],
      excludes: root.source?.excludes ?? [],
    };
  }

  get dialect(): Dialect {
    return this.#environment.dialect;
  }

  get fields(): readonly FieldSpec[] {
    return this.#compiled.fields;
  }

  get routingRequired(): boolean {
    return this.#root.routing?.required ?? false;
  }

  get nestedPaths(): readonly string[] {
    return this.#compiled.nestedPaths;
  }

  get objectPaths(): readonly string[] {
    return [...this.#compiled.objects.keys()];
  }

  toJson(): MutableJsonObject {
    return mappingToJson(this.#root);
  }

  fieldJson(path: string, defaults: boolean): MutableJsonObject | null {
    const node = nodeAt(this.#root.object, path);
    return node === null || node.kind === 'object' ? null : { [node.name]: nodeToJson(node, defaults ? this.#environment.dialect : null) };
  }

  field(name: string): FieldType | null {
    return this.#compiled.fieldTypes.get(name) ?? findBelow(this.#compiled.fieldTypes, name);
  }

  anonymousField(type: string): FieldType | null {
    return MAPPER_TYPES.has(type) ? fieldTypeWithoutStorage('__anonymous_', { type, given: {} }, this.#environment.analysis) : null;
  }

  copiedFrom(name: string): readonly string[] {
    if (this.#sourcesOfCopies === null) {
      this.#sourcesOfCopies = new Map();
      for (const { path, copyTo } of this.#compiled.byPath.values())
        for (const target of copyTo) this.#sourcesOfCopies.set(target, [...(this.#sourcesOfCopies.get(target) ?? []), path]);
    }
    return this.#sourcesOfCopies.get(name) ?? [];
  }

  matchFields(pattern: string): string[] {
    if (!pattern.includes('*')) return this.#compiled.fieldTypes.has(pattern) ? [pattern] : [];
    return this.#compiled.leafNames.filter((name) => matchesWildcard(pattern, name));
  }

  isObject(path: string): boolean {
    return this.#compiled.objects.has(path);
  }

  isNested(path: string): boolean {
    return this.#compiled.objects.get(path)?.isNested ?? false;
  }

  nestedPathsOf(path: string): string[] {
    return this.#compiled.nestedPaths.filter((nested) => path === nested || path.startsWith(`${nested}.`));
  }

  parseDocument(
    id: string,
    source: MutableJsonObject,
    sink: DocumentSink,
    routing: string | null,
    typed: () => MutableJsonObject = () => source,
    templates: NamedTemplates = {},
    sourceBytes?: () => number,
  ): ParseOutcome {
    const update = this.#dynamic === null ? null : this.#findUpdate(this.#dynamic, source, typed, templates);
    const conflict = this.#dynamic?.conflict ?? null;
    if (conflict !== null) {
      // Everything else that is wrong with the document is reported first.
      const name = conflict.path.split('.')[0];
      try {
        this.parseDocument(id, without(source, name), NULL_SINK, routing, () => without(typed(), name), templates);
      } catch (error) {
        if (!(error instanceof ApiError && error.type === 'illegal_argument_exception')) throw error;
      }
      throw conflict.error;
    }
    if (update !== null) {
      // A refused document must not change the mapping, so it is first parsed with the mapping that it would cause.
      const merged = this.#withNewFields(update);
      if (merged !== this) {
        merged.parseDocument(id, source, NULL_SINK, routing, typed, templates);
        return { kind: 'needsMapping', update: { mappings: update } };
      }
    }
    this.#parser.parse(id, source, sink, routing, { ignored: this.#dynamic?.ignored, sourceBytes });
    return { kind: 'parsed' };
  }

  #withNewFields(update: MutableJsonObject): MappingSnapshot {
    try {
      return this.merge(update, 'dynamic');
    } catch (error) {
      // Limits are reported as errors of the document.
      if (!this.dialect.wrapsDocumentErrors || !(error instanceof ApiError) || error.type !== 'illegal_argument_exception') throw error;
      throw mapperParsingError('failed to parse', error);
    }
  }

  #findUpdate(
    dynamic: DynamicMapper,
    source: MutableJsonObject,
    typed: () => MutableJsonObject,
    templates: NamedTemplates,
  ): MutableJsonObject | null {
    let update = dynamic.find(source, templates, false);
    // Only the typed source distinguishes 1.0 from 1, which decides the type of a new field.
    if (update !== null) update = dynamic.find(typed(), templates);
    if (!this.#compiled.copiesToUnmapped) return update;
    for (const { path, mapping } of dynamic.takeCopies()) {
      update ??= {};
      update.properties = { ...((update.properties as MutableJsonObject | undefined) ?? {}), [path]: mapping };
    }
    return update;
  }

  seriesIdOf(source: MutableJsonObject): string {
    const { settings } = this.#environment;
    const routingHash = routingHashOf(source, routingPathOf(settings));
    const update = this.#dynamic === null ? null : this.#findUpdate(this.#dynamic, source, () => source, {});
    const merged = update === null ? this : this.#withNewFields(update);
    if (merged !== this) return merged.seriesIdOf(source);
    const { tsid, timestamp } = this.#parser.seriesOf(source);
    return seriesId(routingHash, tsid, timestamp);
  }

  syntheticSource(source: JsonObject): JsonObject | null {
    return this.#root.source?.mode === 'synthetic' ? synthesize(this.#compiled.root, source) : null;
  }

  get hasRuntime(): boolean {
    return this.#root.runtime.size > 0;
  }

  withRuntime(runtime: MutableJsonObject): MappingSnapshot {
    const key = writeJson(runtime);
    let overlay = this.#overlays.get(key);
    if (!overlay) {
      const root = { ...this.#root, runtime: mergeRuntime(this.#root.runtime, parseRuntime(runtime, this.#environment.analysis)) };
      overlay = new Mapping(root, this.#environment, this.version, this.#compiled.fields);
      if (this.#overlays.size >= MAX_OVERLAYS) this.#overlays.clear();
      this.#overlays.set(key, overlay);
    }
    return overlay;
  }

  merge(mappings: MutableJsonObject, reason: 'put' | 'dynamic' | 'create'): MappingSnapshot {
    const update = parseMappings(mappings, this.#environment.analysis, this.dialect);
    const merged = mergeMappings(this.#root, update, this.#environment.dialect.canDisableSource);
    checkMapping(merged, this.#environment.settings, reason === 'create' ? EMPTY_MAPPING : this.#root);
    if (reason === 'dynamic' && merged.object === this.#root.object && merged.runtime === this.#root.runtime) return this;
    return new Mapping(merged, this.#environment, this.version + 1, this.#compiled.fields);
  }
}

/** A document without a member, and without dotted names below it. */
function without(source: MutableJsonObject, name: string): MutableJsonObject {
  return Object.fromEntries(Object.entries(source).filter(([key]) => key !== name && !key.startsWith(`${name}.`)));
}

/** The node at a full name below a node; null if there is none. */
function nodeAt(node: MappingNode, path: string): MappingNode | null {
  if (node.kind === 'alias') return null;
  const members: ReadonlyMap<string, MappingNode> = node.kind === 'object' ? node.properties : node.fields;
  const whole = members.get(path);
  if (whole) return whole;
  // Names contain dots in objects without objects.
  for (let dot = path.indexOf('.'); dot > 0; dot = path.indexOf('.', dot + 1)) {
    const inner = members.get(path.slice(0, dot));
    const found = inner ? nodeAt(inner, path.slice(dot + 1)) : null;
    if (found) return found;
  }
  return null;
}
