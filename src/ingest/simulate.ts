// Simulates a pipeline: the documents at its end or, if verbose, after each processor.

import type { MutableJsonObject } from '../common/json/json-value.ts';
import { present } from '../common/present.ts';
import { javaText } from '../common/text/java-text.ts';
import { TooHeavy } from '../common/turns/turn.ts';
import { ApiError } from '../errors/api-error.ts';
import { errorBody, toApiError } from '../errors/error-body.ts';
import { type IngestDocument, METADATA, type Pipeline, type Step } from './ingest-document.ts';
import { conditionHolds, handling, ProcessorFailure, runAction, runPipeline, withinPipeline } from './run-pipeline.ts';

/** `{ doc }`, `{ error }`, or null if the document is dropped. */
export function simulate(pipeline: Pipeline, document: IngestDocument): MutableJsonObject | null {
  try {
    return runPipeline(pipeline, document) ? { doc: render(document, false) } : null;
  } catch (error) {
    return { error: errorBody(failed(error)).error };
  }
}

/** `{ processor_results }`. */
export function simulateVerbosely(pipeline: Pipeline, document: IngestDocument): MutableJsonObject {
  const results: MutableJsonObject[] = [];
  try {
    tracePipeline(pipeline, document, results);
  } catch (error) {
    // The failed processor already has its own result.
    if (!(error instanceof ProcessorFailure) && !(error instanceof ApiError)) throw error;
  }
  return { processor_results: results };
}

/** @throws TooHeavy: no failure */
function failed(error: unknown): ApiError {
  if (error instanceof TooHeavy) throw error;
  return error instanceof ProcessorFailure ? error.error : toApiError(error);
}

/** The document in the form of the response, with its metadata as strings. @param isRunning  shows the pipeline that runs */
function render(document: IngestDocument, isRunning = true): MutableJsonObject {
  const out: MutableJsonObject = {};
  for (const name of METADATA) if (document.metadata(name) !== null) out[name] = javaText(document.metadata(name));
  const { pipeline, ...ingest } = document.ingest;
  return { ...out, _source: document.source(), _ingest: isRunning && pipeline !== undefined ? { pipeline, ...ingest } : ingest };
}

function tracePipeline(pipeline: Pipeline, document: IngestDocument, results: MutableJsonObject[]): boolean {
  return withinPipeline(pipeline, document, () => {
    const traceAll = (steps: readonly Step[]): boolean => {
      for (const step of steps) {
        if (!traceStep(step, document, results)) return false;
        if (document.rerouted) break;
      }
      return true;
    };
    return handling(document, pipeline.onFailure, () => traceAll(pipeline.steps), traceAll);
  });
}

/** @returns false if the document is dropped */
function traceStep(step: Step, document: IngestDocument, results: MutableJsonObject[]): boolean {
  const about: MutableJsonObject = { processor_type: step.type };
  const note = (status: string, more: MutableJsonObject) =>
    results.push({
      ...about,
      status,
      ...(step.description === null ? {} : { description: step.description }),
      ...(step.tag === null ? {} : { tag: step.tag }),
      ...more,
    });
  const condition = step.condition ? { condition: step.condition.text } : null;
  try {
    if (!conditionHolds(step, document)) {
      note('skipped', { if: { ...condition, result: false } });
      return true;
    }
  } catch (error) {
    note('error', { error: errorBody(failed(error)).error });
    throw error;
  }
  const held: MutableJsonObject = condition ? { if: { ...condition, result: true } } : {};
  const traceAll = (steps: readonly Step[]) => steps.every((inner) => traceStep(inner, document, results));
  try {
    if (step.pipelineOf) return traceCall(step, document, results, () => note('success', held));
    if (!runAction(step, document)) {
      note('dropped', held);
      return false;
    }
    note('success', { ...held, doc: render(document.snapshot()) });
    return true;
  } catch (error) {
    const body = errorBody(failed(error)).error;
    if (step.ignoreFailure) {
      note('error_ignored', { ...held, ignored_error: { error: body }, doc: render(document.snapshot()) });
      return true;
    }
    // The processors of a called pipeline add their own results.
    if (step.pipelineOf === null || !(error instanceof ProcessorFailure) || error.step === step) note('error', { ...held, error: body });
    return handling(
      document,
      step.onFailure,
      () => {
        throw error;
      },
      traceAll,
    );
  }
}

/** A `pipeline` processor is replaced by the processors of its pipeline. */
function traceCall(step: Step, document: IngestDocument, results: MutableJsonObject[], note: () => void): boolean {
  try {
    const called = present(step.pipelineOf)(document);
    note();
    return called === null || tracePipeline(called, document, results);
  } catch (error) {
    throw error instanceof ProcessorFailure ? error : new ProcessorFailure(toApiError(error), step, null);
  }
}
