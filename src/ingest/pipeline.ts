// Compiles the bodies of pipelines: lists of processors that a document goes through before it is indexed, with conditions and with handlers of
// failures.

import { type ConfigFolders, NO_FOLDERS } from '../common/config-folder.ts';
import type { MutableJsonObject } from '../common/json/json-value.ts';
import { isJsonObject } from '../common/json/source-numbers.ts';
import { ApiError, asCause } from '../errors/api-error.ts';
import { illegalArgumentError } from '../errors/catalog.ts';
import { CONTEXTS } from '../scripting/contexts.ts';
import { type CompiledScript, compileScript } from '../scripting/painless.ts';
import { parseScript, resolveScript } from '../scripting/script-spec.ts';
import { toScript } from '../scripting/update-script.ts';
import { type Condition, javaType, type Pipeline, type Step } from './ingest-document.ts';
import { ProcessorConfig } from './processor-config.ts';
import { MISSING_PROCESSORS, PROCESSORS } from './processors/registry.ts';

const PIPELINE_KEYS = ['description', 'version', '_meta'];

const MAX_DEPTH = 32;

/** @throws ApiError parse_exception, script_exception: the body is invalid */
export function compilePipeline(id: string, body: unknown, folders: ConfigFolders = NO_FOLDERS): Pipeline {
  if (!isJsonObject(body)) throw new ApiError('parse_exception', 400, 'a pipeline is an object');
  const config = new ProcessorConfig('pipeline', body);
  const processors = listOf(config, 'processors');
  if (processors === null)
    throw new ApiError('parse_exception', 400, '[processors] required property is missing', { details: { property_name: 'processors' } });
  const steps = compileAll(processors, (item) => compileStep(item, folders));
  const failureSteps = listOf(config, 'on_failure');
  if (failureSteps?.length === 0)
    throw new ApiError('parse_exception', 400, `pipeline [${id}] cannot have an empty on_failure option defined`);
  const onFailure = compileAll(failureSteps ?? [], (item) => compileStep(item, folders));
  for (const key of PIPELINE_KEYS) config.take(key);
  const left = config.left();
  if (left.length > 0)
    throw new ApiError(
      'parse_exception',
      400,
      `pipeline [${id}] doesn't support one or more provided configuration parameters [${left.join(', ')}]`,
    );
  return { id, steps, onFailure };
}

/** @throws ApiError the error of the first item that has one, with those of the others as `suppressed` */
function compileAll(items: readonly unknown[], compile: (item: unknown) => Step): Step[] {
  const steps: Step[] = [];
  const errors: ApiError[] = [];
  for (const item of items) {
    try {
      steps.push(compile(item));
    } catch (error) {
      errors.push(asCause(error));
    }
  }
  const [first, ...others] = errors;
  if (first === undefined) return steps;
  if (others.length === 0) throw first;
  const { type, status, reason, causedBy, rootCauses } = first;
  const details = { ...first.details, suppressed: others.map(suppressedBody) };
  throw new ApiError(type, status, reason, { details, causedBy, rootCauses });
}

function suppressedBody({ type, reason, details, causedBy }: ApiError): Record<string, unknown> {
  return { type, reason, ...details, ...(causedBy === null ? {} : { caused_by: suppressedBody(causedBy) }) };
}

function listOf(config: ProcessorConfig, name: string): unknown[] | null {
  const value = config.take(name);
  if (value === undefined) return null;
  if (!Array.isArray(value))
    throw new ApiError('parse_exception', 400, `[${name}] property isn't a list, but of type [${javaType(value)}]`, {
      details: { property_name: name },
    });
  return value;
}

/** `{ type: { ...parameters } }`. @throws ApiError parse_exception */
export function compileStep(value: unknown, folders: ConfigFolders = NO_FOLDERS, depth = 0): Step {
  if (depth > MAX_DEPTH) throw illegalArgumentError(`processors nest deeper than ${MAX_DEPTH}`);
  if (!isJsonObject(value) || Object.keys(value).length !== 1)
    throw new ApiError('parse_exception', 400, 'a processor is an object with its type as the only key');
  const [type] = Object.keys(value);
  const make = PROCESSORS.get(type);
  if (!make) {
    const details = { processor_type: type };
    const reason = MISSING_PROCESSORS.includes(type)
      ? `processor [${type}] is not supported`
      : `No processor type exists with name [${type}]`;
    throw new ApiError('parse_exception', 400, reason, { details });
  }
  const body = value[type];
  // A script may be given as its source only.
  const isScript = type === 'script' && typeof body === 'string';
  if (!isJsonObject(body) && !isScript)
    throw new ApiError('parse_exception', 400, `property isn't a map, but of type [${javaType(body)}]`, {
      details: { processor_type: type },
    });
  const config = new ProcessorConfig(type, isScript ? { source: body } : (body as MutableJsonObject));
  config.optionalText('tag');
  const description = config.optionalText('description');
  const ignoreFailure = config.boolean('ignore_failure');
  const failureItems = config.optionalList('on_failure');
  if (failureItems?.length === 0) throw config.error('on_failure', 'processors list cannot be empty');
  const onFailure = compileAll(failureItems ?? [], (item) => compileStep(item, folders, depth + 1));
  const conditionSpec = config.take('if');
  const condition = conditionSpec === undefined ? null : compileCondition(conditionSpec);
  const made = make(config, (inner) => compileStep(inner, folders, depth + 1), folders);
  const left = config.left();
  if (left.length > 0)
    throw config.error(null, `processor [${type}] doesn't support one or more provided configuration parameters [${left.join(', ')}]`);
  const { run, pipelineOf } = typeof made === 'function' ? { run: made, pipelineOf: null } : made;
  return { type, tag: config.tag, description, condition, ignoreFailure, onFailure, run, pipelineOf };
}

function compileCondition(value: unknown): Condition {
  if (typeof value !== 'string' && !isJsonObject(value))
    throw new ProcessorConfig('conditional', {}).error('script', `property isn't a map or string, but of type [${javaType(value)}]`);
  const spec = parseScript(value);
  const compile = (source: string): CompiledScript => compileScript(source, CONTEXTS.processor_conditional);
  let compiled = spec.source === null ? null : compile(spec.source);
  return {
    text: spec.source ?? String(spec.id),
    holds(document) {
      compiled ??= compile(resolveScript(spec, (id) => document.env.storedScript(id)).source);
      const result = compiled.run({ ctx: toScript(document.fields), params: toScript(spec.params) });
      if (typeof result !== 'boolean') throw new ApiError('script_exception', 400, `[if] must give a boolean: ${spec.source}`);
      return result;
    },
  };
}
