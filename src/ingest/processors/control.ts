// Processors of control flow: drop, fail, foreach, pipeline, script.

import { jsonDouble } from '../../common/json/json-float.ts';
import type { MutableJsonObject } from '../../common/json/json-value.ts';
import { setOwn } from '../../common/json/own-property.ts';
import { isJsonObject } from '../../common/json/source-numbers.ts';
import { ApiError } from '../../errors/api-error.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';
import type { ScriptMap } from '../../scripting/java/values.ts';
import { INGEST_CONTEXT, withCtx } from '../../scripting/library/documents/ctx-functions.ts';
import { type CompiledScript, compileScript } from '../../scripting/painless.ts';
import { parseScript, resolveScript } from '../../scripting/script-spec.ts';
import { fromScript, toScript } from '../../scripting/update-script.ts';
import { type IngestDocument, javaType } from '../ingest-document.ts';
import { runPipeline, runStep } from '../run-pipeline.ts';
import type { ProcessorFactory } from './processor.ts';

const drop: ProcessorFactory = () => () => false;

const fail: ProcessorFactory = (config) => {
  const message = config.template('message');
  return (document) => {
    throw new ApiError('fail_processor_exception', 500, document.render(message));
  };
};

/** Runs a processor for each value of a list or an object. The processor reads it from `_ingest._value` (and `_ingest._key`). */
const foreach: ProcessorFactory = (config, compileInner) => {
  const field = config.text('field');
  const ignoreMissing = config.boolean('ignore_missing');
  const processor = config.required('processor');
  if (isJsonObject(processor) && Object.keys(processor).length !== 1)
    throw config.error('processor', 'Must specify exactly one processor type');
  const inner = compileInner(processor);
  const each = (document: IngestDocument, value: unknown, key: string | null): unknown => {
    const before = { value: document.ingest._value, key: document.ingest._key };
    document.ingest._value = value;
    if (key !== null) document.ingest._key = key;
    try {
      return runStep(inner, document) ? document.ingest._value : undefined;
    } finally {
      restore(document.ingest, '_value', before.value);
      restore(document.ingest, '_key', before.key);
    }
  };
  return (document) => {
    if (ignoreMissing && (!document.has(field) || document.get(field) === null)) return;
    const value = document.get(field);
    if (Array.isArray(value)) {
      const out: unknown[] = [];
      for (const item of value) {
        const changed = each(document, item, null);
        if (changed === undefined) return false;
        out.push(changed);
      }
      document.set(field, out);
    } else if (isJsonObject(value)) {
      const out: MutableJsonObject = {};
      for (const [key, item] of Object.entries(value)) {
        const changed = each(document, item, key);
        if (changed === undefined) return false;
        setOwn(out, key, changed);
      }
      document.set(field, out);
    } else if (value === null) throw illegalArgumentError(`field [${field}] is null, cannot loop over its elements.`);
    else throw illegalArgumentError(`field [${field}] of type [${javaType(value)}] cannot be cast to a list or map`);
  };
};

function restore(object: MutableJsonObject, key: string, value: unknown): void {
  if (value === undefined) delete object[key];
  else setOwn(object, key, value);
}

const pipeline: ProcessorFactory = (config) => {
  const name = config.template('name');
  const ignoreMissing = config.boolean('ignore_missing_pipeline');
  const pipelineOf = (document: IngestDocument) => {
    const id = document.render(name);
    const found = document.env.pipeline(id);
    if (!found && !ignoreMissing)
      throw new ApiError('illegal_state_exception', 500, `Pipeline processor configured for non-existent pipeline [${id}]`);
    return found;
  };
  return {
    pipelineOf,
    run: (document) => {
      const called = pipelineOf(document);
      return called === null || runPipeline(called, document);
    },
  };
};

const SCRIPT_KEYS = ['source', 'inline', 'lang', 'params', 'id', 'stored', 'options'];

/** Runs a script that changes the document through `ctx`, which contains its fields and metadata. */
const script: ProcessorFactory = (config) => {
  const body: MutableJsonObject = {};
  for (const key of SCRIPT_KEYS) {
    const value = config.take(key);
    if (value !== undefined) setOwn(body, key, value);
  }
  const spec = parseScript(body);
  const compile = ({ lang, source }: { lang: string; source: string }): CompiledScript => {
    if (lang !== 'painless') throw illegalArgumentError(`script_lang not supported [${lang}]`);
    return compileScript(source, INGEST_CONTEXT);
  };
  const compiled = spec.source === null ? null : compile({ lang: spec.lang, source: spec.source });
  return (document) => {
    // Not cached: a stored script may be replaced.
    const current = compiled ?? compile(resolveScript(spec, (id) => document.env.storedScript(id)));
    const ctx = toScript(document.fields) as ScriptMap;
    withCtx(ctx, () => current.run({ ctx, params: toScript(spec.params) }));
    const changed = fromScript(ctx, jsonDouble) as MutableJsonObject;
    for (const key of Object.keys(document.fields)) delete document.fields[key];
    for (const [key, value] of Object.entries(changed)) setOwn(document.fields, key, value);
  };
};

export const CONTROL_PROCESSORS: Readonly<Record<string, ProcessorFactory>> = { drop, fail, foreach, pipeline, script };
