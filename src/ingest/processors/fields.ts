// Processors that set, move and remove fields: set, append, remove, rename, copy, remove_by_pattern, dot_expander.
import { isJsonObject } from '../../common/json/source-numbers.ts';
import { matchesPattern } from '../../common/text/wildcard.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';
import { type IngestDocument, isMetadata } from '../ingest-document.ts';
import type { ProcessorConfig } from '../processor-config.ts';
import type { ProcessorFactory } from './processor.ts';

const set: ProcessorFactory = (config) => {
  const field = config.template('field');
  const from = config.optionalText('copy_from');
  const value = from === null ? config.requiredTemplates('value') : null;
  const override = config.boolean('override', true);
  const ignoreEmpty = config.boolean('ignore_empty_value');
  return (document) => {
    const path = document.render(field);
    if (!override && document.has(path) && document.get(path) !== null) return;
    const rendered = from === null ? document.renderValue(value) : document.copyOf(from);
    if (ignoreEmpty && (rendered === null || rendered === '')) return;
    document.set(path, rendered);
  };
};

const append: ProcessorFactory = (config) => {
  const field = config.template('field');
  const value = config.requiredTemplates('value');
  const allowDuplicates = config.boolean('allow_duplicates', true);
  return (document) => {
    document.append(document.render(field), document.renderValue(value), allowDuplicates);
  };
};

const UNREMOVABLE = ['_index', '_version', '_version_type'];

function checkRemovable(document: IngestDocument, path: string): void {
  if (UNREMOVABLE.includes(path)) throw illegalArgumentError(`cannot remove metadata field [${path}]`);
  const versionType = document.metadata('_version_type');
  if (path === '_id' && versionType !== null && versionType !== 'internal')
    throw illegalArgumentError(
      `cannot remove metadata field [_id] when specifying external version for the document, version: ${String(document.metadata('_version'))}, version_type: ${String(versionType)}`,
    );
}

const remove: ProcessorFactory = (config) => {
  const fields = config.textOrTexts('field');
  const kept = config.textOrTexts('exclude_field');
  const ignoreMissing = config.boolean('ignore_missing');
  if (fields === null && kept === null) throw config.error('field', 'required property is missing');
  if (fields !== null && kept !== null) throw config.error('field', 'Either field or exclude_field should be set');
  if (kept !== null) {
    return (document) => {
      const names = new Set(kept.map((name) => document.render(name)));
      for (const key of Object.keys(document.fields)) if (!isMetadata(key) && !names.has(key)) delete document.fields[key];
    };
  }
  return (document) => {
    for (const field of fields ?? []) {
      const path = document.render(field);
      if (path === '' || !document.has(path)) {
        if (ignoreMissing) continue;
        throw path === ''
          ? illegalArgumentError('field path cannot be null nor empty')
          : illegalArgumentError(`field [${path}] doesn't exist`);
      }
      checkRemovable(document, path);
      document.remove(path);
    }
  };
};

const removeByPattern: ProcessorFactory = (config) => {
  const patterns = config.textOrTexts('field_pattern');
  const kept = config.textOrTexts('exclude_field_pattern');
  if ((patterns === null) === (kept === null))
    throw config.error('field_pattern', 'either field_pattern or exclude_field_pattern must be set');
  return (document) => {
    for (const key of Object.keys(document.fields)) {
      if (isMetadata(key)) continue;
      if ((patterns ?? kept ?? []).some((pattern) => matchesPattern(pattern, key)) === (patterns !== null)) delete document.fields[key];
    }
  };
};

function pathsOf(config: ProcessorConfig, from: string): { from: string; to: string; ignoreMissing: boolean } {
  return { from: config.template(from), to: config.template('target_field'), ignoreMissing: config.boolean('ignore_missing') };
}

const rename: ProcessorFactory = (config) => {
  const { from, to, ignoreMissing } = pathsOf(config, 'field');
  const override = config.boolean('override_target');
  return (document) => {
    const path = document.render(from);
    if (path === '' || !document.has(path)) {
      if (ignoreMissing) return;
      throw path === ''
        ? illegalArgumentError('field path cannot be null nor empty')
        : illegalArgumentError(`field [${path}] doesn't exist`);
    }
    const target = document.render(to);
    if (!override && document.has(target)) throw illegalArgumentError(`field [${target}] already exists`);
    const value = document.get(path);
    document.remove(path);
    try {
      document.set(target, value);
    } catch (error) {
      document.set(path, value);
      throw error;
    }
  };
};

const copy: ProcessorFactory = (config) => {
  const { from, to, ignoreMissing } = pathsOf(config, 'source_field');
  const removeSource = config.boolean('remove_source');
  const override = config.boolean('override_target');
  return (document) => {
    const source = document.render(from);
    if (source === '' || !document.has(source)) {
      if (ignoreMissing) return;
      throw source === ''
        ? illegalArgumentError('source field path cannot be null nor empty')
        : illegalArgumentError(`source field [${source}] doesn't exist`);
    }
    const target = document.render(to);
    if (target === '') throw illegalArgumentError('target field path cannot be null nor empty');
    if (source === target) throw illegalArgumentError('source field path and target field path cannot be same');
    if (!override && document.has(target)) throw illegalArgumentError(`target field [${target}] already exists`);
    document.set(target, document.copyOf(source));
    if (removeSource) document.remove(source);
  };
};

const dotExpander: ProcessorFactory = (config) => {
  const field = config.text('field');
  const path = config.optionalText('path');
  const override = config.boolean('override');
  if (field !== '*') {
    if (!field.includes('.')) throw config.error('field', 'field does not contain a dot');
    if (field.startsWith('.') || field.endsWith('.')) throw config.error('field', "Field can't start or end with a dot");
    if (field.split('.').includes('')) throw config.error('field', 'No space between dots');
  }
  return (document) => {
    const parent = path === null ? document.fields : document.get(path);
    if (!isJsonObject(parent)) throw illegalArgumentError(`field [${path}] of type is not an object`);
    const prefix = path === null ? '' : `${path}.`;
    const names = field === '*' ? Object.keys(parent).filter((key) => key.includes('.')) : [field];
    for (const name of names) if (Object.hasOwn(parent, name)) expand(document, parent, name, prefix, override);
  };
};

function expand(document: IngestDocument, parent: Record<string, unknown>, name: string, prefix: string, override: boolean): void {
  const value = parent[name];
  const target = prefix + name;
  if (document.has(target)) {
    delete parent[name];
    if (override) document.set(target, value);
    else document.append(target, value);
    return;
  }
  const parts = name.split('.');
  let at: Record<string, unknown> = parent;
  for (let i = 0; i < parts.length - 1 && Object.hasOwn(at, parts[i]); i++) {
    const next = at[parts[i]];
    if (!isJsonObject(next)) {
      const partial = prefix + parts.slice(0, i + 1).join('.');
      throw illegalArgumentError(`cannot expand [${target}] because [${partial}] is not an object field, but a value field`);
    }
    at = next;
  }
  delete parent[name];
  document.set(target, value);
}

export const FIELD_PROCESSORS: Readonly<Record<string, ProcessorFactory>> = {
  set,
  append,
  remove,
  remove_by_pattern: removeByPattern,
  rename,
  copy,
  dot_expander: dotExpander,
};
