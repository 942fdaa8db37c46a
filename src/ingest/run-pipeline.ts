// Runs compiled pipelines on documents.
import { TooHeavy } from '../common/turns/turn.ts';
import { WorkCounter } from '../common/turns/work-counter.ts';
import type { ApiError } from '../errors/api-error.ts';
import { illegalArgumentError } from '../errors/catalog.ts';
import { toApiError } from '../errors/error-body.ts';
import { withEffort } from '../regex/effort.ts';
import type { IngestDocument, Pipeline, Step } from './ingest-document.ts';

/**
 * Steps of regular expressions on a document, in all its processors: about a tenth of a second, since bulk requests run pipelines in threads with a
 * listener. Elasticsearch allows each grok expression a second.
 */
const STEPS_OF_DOCUMENT = 6_000_000;

/** A step takes about as long as this many steps of a plain loop, apart from loops of its own, which check the turn themselves. */
const STEPS_OF_STEP = 1 << 10;
const steps = new WorkCounter();

/** The failure of a processor, as it propagates. */
export class ProcessorFailure extends Error {
  constructor(
    readonly error: ApiError,
    readonly step: Step,
    readonly pipeline: string | null,
  ) {
    super(error.reason ?? error.type);
  }
}

/**
 * Runs a pipeline on a document. @returns false if the document is dropped
 * @throws ProcessorFailure a processor failed and no `on_failure` handled it
 */
export function runPipeline(pipeline: Pipeline, document: IngestDocument): boolean {
  return withEffort(STEPS_OF_DOCUMENT, () => runWithin(pipeline, document));
}

function runWithin(pipeline: Pipeline, document: IngestDocument): boolean {
  return withinPipeline(pipeline, document, () => handling(document, pipeline.onFailure, () => runSteps(pipeline.steps, document)));
}

/** Runs `run` while `_ingest.pipeline` of the document names the pipeline. @throws ApiError illegal_argument_exception: it runs already */
export function withinPipeline(pipeline: Pipeline, document: IngestDocument, run: () => boolean): boolean {
  if (document.running.has(pipeline.id)) throw illegalArgumentError(`Cycle detected for pipeline: ${pipeline.id}`);
  document.running.add(pipeline.id);
  const outer = document.ingest.pipeline;
  document.ingest.pipeline = pipeline.id;
  try {
    return run();
  } finally {
    document.running.delete(pipeline.id);
    if (outer === undefined) delete document.ingest.pipeline;
    else document.ingest.pipeline = outer;
  }
}

function runSteps(steps: readonly Step[], document: IngestDocument): boolean {
  for (const step of steps) {
    if (!runStep(step, document)) return false;
    if (document.rerouted) break;
  }
  return true;
}

export function runStep(step: Step, document: IngestDocument): boolean {
  // A `foreach` runs a step for each item.
  steps.add(STEPS_OF_STEP);
  if (!conditionHolds(step, document)) return true;
  try {
    return runAction(step, document);
  } catch (error) {
    if (error instanceof TooHeavy) throw error;
    if (step.ignoreFailure) return true;
    return handling(document, step.onFailure, () => {
      throw error;
    });
  }
}

/** @throws ProcessorFailure the condition failed, which `on_failure` of the processor does not handle */
export function conditionHolds(step: Step, document: IngestDocument): boolean {
  try {
    return step.condition === null || step.condition.holds(document);
  } catch (error) {
    throw failureOf(error, step, document);
  }
}

/** Runs only the processor, without its condition and failure handling. @throws ProcessorFailure */
export function runAction(step: Step, document: IngestDocument): boolean {
  try {
    return step.run(document) !== false;
  } catch (error) {
    throw failureOf(error, step, document);
  }
}

/** @throws TooHeavy: no failure of the processor */
function failureOf(error: unknown, step: Step, document: IngestDocument): ProcessorFailure {
  if (error instanceof TooHeavy) throw error;
  if (error instanceof ProcessorFailure) return error;
  return new ProcessorFailure(toApiError(error), step, (document.ingest.pipeline as string | undefined) ?? null);
}

const FAILURE_KEYS = ['on_failure_message', 'on_failure_processor_type', 'on_failure_processor_tag', 'on_failure_pipeline'];

/** Runs `run`. If it fails, runs the `onFailure` steps, which find the failure under `_ingest`. @throws ProcessorFailure without such steps */
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
