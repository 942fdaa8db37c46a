// Pipelines: lists of processors that a document goes through before it is indexed, with conditions and what to do when one fails.
import { isObject, type MutableJsonObject } from '../common/json-value.ts';
import { ApiError } from '../errors/api-error.ts';
import { illegalArgument } from '../errors/catalog.ts';
import { toApiError } from '../errors/error-body.ts';
import { type CompiledScript, compileScript } from '../scripting/painless.ts';
import { parseScript, resolveScript } from '../scripting/script-spec.ts';
import { toScript } from '../scripting/update-script.ts';
import { type IngestDocument, javaType } from './ingest-document.ts';
import { ProcessorConfig } from './processor-config.ts';
import { PROCESSORS } from './processors/registry.ts';

/** What a processor does to the document. @returns false: the document is dropped */
export type Action = (document: IngestDocument) => boolean | undefined;

/** `if` of a processor. */
export interface Condition {
  readonly text: string;
  holds(document: IngestDocument): boolean;
}

export interface Step {
  readonly type: string;
  readonly tag: string | null;
  readonly description: string | null;
  readonly condition: Condition | null;
  readonly ignoreFailure: boolean;
  readonly onFailure: readonly Step[];
  readonly run: Action;
  /** Of a `pipeline` processor: the pipeline that it means for this document. */
  readonly pipelineOf: ((document: IngestDocument) => Pipeline | null) | null;
}

export interface Pipeline {
  readonly id: string;
  readonly steps: readonly Step[];
  readonly onFailure: readonly Step[];
}

/** A failure on its way out, with the processor it came from. */
export class ProcessorFailure extends Error {
  constructor(
    readonly error: ApiError,
    readonly step: Step,
    readonly pipeline: string | null,
  ) {
    super(error.reason ?? error.type);
  }
}

const PIPELINE_KEYS = ['description', 'version', '_meta'];
const MAX_DEPTH = 32;

/** @throws ApiError parse_exception, script_exception: what is wrong with the pipeline's body */
export function compilePipeline(id: string, body: unknown): Pipeline {
  if (!isObject(body)) throw new ApiError('parse_exception', 400, 'a pipeline is an object');
  const config = new ProcessorConfig('pipeline', body);
  const processors = listOf(config, 'processors');
  if (processors === null)
    throw new ApiError('parse_exception', 400, '[processors] required property is missing', { details: { property_name: 'processors' } });
  const steps = processors.map((item) => compileStep(item));
  const failureSteps = listOf(config, 'on_failure');
  if (failureSteps?.length === 0)
    throw new ApiError('parse_exception', 400, `pipeline [${id}] cannot have an empty on_failure option defined`);
  const onFailure = (failureSteps ?? []).map((item) => compileStep(item));
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
export function compileStep(value: unknown, depth = 0): Step {
  if (depth > MAX_DEPTH) throw illegalArgument(`processors nest deeper than ${MAX_DEPTH}`);
  if (!isObject(value) || Object.keys(value).length !== 1)
    throw new ApiError('parse_exception', 400, 'a processor is an object with its type as the only key');
  const [type] = Object.keys(value);
  const make = PROCESSORS.get(type);
  if (!make) {
    const details = { processor_type: type };
    throw new ApiError('parse_exception', 400, `No processor type exists with name [${type}]`, { details });
  }
  const body = value[type];
  // A script may be its source alone.
  const isScript = type === 'script' && typeof body === 'string';
  if (!isObject(body) && !isScript)
    throw new ApiError('parse_exception', 400, `property isn't a map, but of type [${javaType(body)}]`, {
      details: { processor_type: type },
    });
  const config = new ProcessorConfig(type, isScript ? { source: body } : (body as MutableJsonObject));
  config.optionalText('tag');
  const description = config.optionalText('description');
  const ignoreFailure = config.boolean('ignore_failure');
  const failureItems = config.optionalList('on_failure');
  if (failureItems?.length === 0) throw config.error('on_failure', 'processors list cannot be empty');
  const onFailure = (failureItems ?? []).map((item) => compileStep(item, depth + 1));
  const conditionSpec = config.take('if');
  const condition = conditionSpec === undefined ? null : compileCondition(conditionSpec);
  const made = make(config, (inner) => compileStep(inner, depth + 1));
  const left = config.left();
  if (left.length > 0)
    throw config.error(null, `processor [${type}] doesn't support one or more provided configuration parameters [${left.join(', ')}]`);
  const { run, pipelineOf } = typeof made === 'function' ? { run: made, pipelineOf: null } : made;
  return { type, tag: config.tag, description, condition, ignoreFailure, onFailure, run, pipelineOf };
}

function compileCondition(value: unknown): Condition {
  const spec = parseScript(value);
  const compile = (source: string): CompiledScript => compileScript(source, { ctx: { kind: 'value' }, params: { kind: 'value' } });
  let compiled = spec.source === null ? null : compile(spec.source);
  return {
    text: spec.source ?? spec.id!,
    holds(document) {
      compiled ??= compile(resolveScript(spec, (id) => document.env.storedScript(id)).source);
      const result = compiled.run({ ctx: toScript(document.fields), params: toScript(spec.params) });
      if (typeof result !== 'boolean') throw new ApiError('script_exception', 400, `[if] must give a boolean: ${spec.source}`);
      return result;
    },
  };
}

/**
 * Sends a document through a pipeline. @returns false: it is dropped
 * @throws ProcessorFailure a processor failed and nothing took care of it
 */
export function runPipeline(pipeline: Pipeline, document: IngestDocument): boolean {
  if (document.running.has(pipeline.id)) throw illegalArgument(`Cycle detected for pipeline: ${pipeline.id}`);
  document.running.add(pipeline.id);
  const outer = document.ingest.pipeline;
  document.ingest.pipeline = pipeline.id;
  try {
    return handling(document, pipeline.onFailure, () => runSteps(pipeline.steps, document));
  } finally {
    document.running.delete(pipeline.id);
    if (outer === undefined) delete document.ingest.pipeline;
    else document.ingest.pipeline = outer;
  }
}

function runSteps(steps: readonly Step[], document: IngestDocument): boolean {
  for (const step of steps) if (!runStep(step, document)) return false;
  return true;
}

export function runStep(step: Step, document: IngestDocument): boolean {
  if (!conditionHolds(step, document)) return true;
  try {
    return runAction(step, document);
  } catch (error) {
    if (step.ignoreFailure) return true;
    return handling(document, step.onFailure, () => {
      throw error;
    });
  }
}

/** @throws ProcessorFailure the condition itself failed: nothing of the processor takes care of that */
export function conditionHolds(step: Step, document: IngestDocument): boolean {
  try {
    return step.condition === null || step.condition.holds(document);
  } catch (error) {
    throw failureOf(error, step, document);
  }
}

/** The processor alone, without its condition and what it does about failures. @throws ProcessorFailure */
export function runAction(step: Step, document: IngestDocument): boolean {
  try {
    return step.run(document) !== false;
  } catch (error) {
    throw failureOf(error, step, document);
  }
}

function failureOf(error: unknown, step: Step, document: IngestDocument): ProcessorFailure {
  if (error instanceof ProcessorFailure) return error;
  return new ProcessorFailure(toApiError(error), step, (document.ingest.pipeline as string | undefined) ?? null);
}

const FAILURE_KEYS = ['on_failure_message', 'on_failure_processor_type', 'on_failure_processor_tag', 'on_failure_pipeline'];

/** `run`, and if it fails the steps for that, which see the failure under `_ingest`. */
export function handling(document: IngestDocument, onFailure: readonly Step[], run: () => boolean, runFailureSteps = runSteps): boolean {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof ProcessorFailure) || onFailure.length === 0) throw error;
    const before = FAILURE_KEYS.map((key) => document.ingest[key]);
    const values = [rootReason(error.error), error.step.type, error.step.tag, error.pipeline];
    const note = (list: readonly unknown[]) =>
      FAILURE_KEYS.forEach((key, i) => {
        if (list[i] === undefined || list[i] === null) delete document.ingest[key];
        else document.ingest[key] = list[i];
      });
    note(values);
    try {
      return runFailureSteps(onFailure, document);
    } finally {
      note(before);
    }
  }
}

function rootReason(error: ApiError): string {
  return error.causedBy ? rootReason(error.causedBy) : (error.reason ?? error.type);
}
