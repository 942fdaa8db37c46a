// Runs compiled pipelines on documents.
import type { ApiError } from '../errors/api-error.ts';
import { illegalArgument } from '../errors/catalog.ts';
import { toApiError } from '../errors/error-body.ts';
import type { IngestDocument, Pipeline, Step } from './ingest-document.ts';

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
