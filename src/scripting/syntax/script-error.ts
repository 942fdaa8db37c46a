// Errors with their place in a script, worded and shaped as Elasticsearch does.
import { ApiError } from '../../errors/api-error.ts';

/** Characters before and after the place of a compile error that are shown. */
const SHOWN = 25;

function placedError(kind: string, source: string, place: Place, cause: ApiError, more: Record<string, unknown>): ApiError {
  const { at, start, end, isCut } = place;
  const before = isCut && start > 0 ? '... ' : '';
  const after = isCut && end < source.length ? ' ...' : '';
  const stack = [before + source.slice(start, end) + after, `${' '.repeat(Math.max(0, at - start) + before.length)}^---- HERE`];
  return new ApiError('script_exception', 400, kind, {
    details: { ...more, script_stack: stack, script: source, lang: 'painless', position: { offset: at, start, end } },
    causedBy: cause,
  });
}

/** The part of a script that an error shows. */
interface Place {
  readonly at: number;
  readonly start: number;
  readonly end: number;
  /** Dots show that there is more before or after it. */
  readonly isCut: boolean;
}

/** A compile error at an offset. @param type  of the cause */
export function scriptError(
  source: string,
  at: number,
  reason: string | null,
  type = 'illegal_argument_exception',
  cause: ApiError | null = null,
): ApiError {
  const start = Math.max(0, at - SHOWN);
  const end = Math.min(source.length, at + SHOWN);
  return placedError('compile error', source, { at, start, end, isCut: true }, new ApiError(type, 400, reason, { causedBy: cause }), {});
}

/** A compile error without a place. */
export function unplacedError(source: string, reason: string, type = 'illegal_argument_exception'): ApiError {
  return new ApiError('script_exception', 400, 'compile error', {
    details: { script_stack: [], script: source, lang: 'painless' },
    causedBy: new ApiError(type, 400, reason),
  });
}

/**
 * An error of a run. The statement that contains the place is shown.
 * @param statements  offsets of all statements, ascending
 * @param more  additional members of the error
 */
export function runtimeError(
  source: string,
  at: number,
  statements: readonly number[],
  cause: ApiError,
  more: Record<string, unknown> = {},
): ApiError {
  const start = statements.findLast((offset) => offset <= at) ?? 0;
  const end = statements.find((offset) => offset > start) ?? source.length;
  return placedError('runtime error', source, { at, start, end, isCut: false }, cause, more);
}
