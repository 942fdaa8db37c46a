// Edit distances in requests: 0, 1, 2, AUTO, AUTO:low,high.
import { illegalArgumentError } from '../../errors/catalog.ts';
import { numberFormatError, parseFailureError } from '../../errors/search-errors.ts';

export interface Fuzziness {
  /** null derives the number of edits from the length of the word. */
  readonly edits: number | null;
  /** AUTO: words shorter than `low` code units must match exactly, words from `high` on allow two edits, those between allow one. */
  readonly low: number;
  readonly high: number;
}

export const AUTO_FUZZINESS: Fuzziness = { edits: null, low: 3, high: 6 };
const MAX_EDITS = 2;

/** @throws ApiError illegal_argument_exception, parsing errors with Elasticsearch's messages */
export function parseFuzziness(value: unknown): Fuzziness {
  if (typeof value === 'number' || typeof value === 'bigint') return ofEdits(Number(value), String(value));
  const text = String(value);
  const upper = text.toUpperCase();
  if (upper === 'AUTO') return AUTO_FUZZINESS;
  if (upper.startsWith('AUTO:')) {
    const parts = text.slice(5).split(',');
    if (parts.length !== 2) throw parseFailureError('failed to find low and high distance values');
    const [low, high] = parts.map((part) => {
      if (!/^[+-]?\d+$/.test(part)) throw parseFailureError(`failed to parse [${text}] as a "auto:int,int"`, numberFormatError(part));
      return Number(part);
    });
    if (low < 0 || high < 0 || low > high) {
      throw illegalArgumentError(
        `fuzziness wrongly configured, must be: lowDistance > 0, highDistance > 0 and lowDistance <= highDistance`,
      );
    }
    return { edits: null, low, high };
  }
  if (!/^[+-]?(\d+\.?\d*|\.\d+)$/.test(text.trim())) throw illegalArgumentError(`Invalid fuzziness value: ${text}`);
  return ofEdits(Number(text), text);
}

/** Truncates fractions, and limits the number to two edits. */
function ofEdits(edits: number, text: string): Fuzziness {
  if (!(edits >= 0)) throw illegalArgumentError(`Invalid fuzziness value: ${text}`);
  return { edits: Math.min(Math.trunc(edits), MAX_EDITS), low: 0, high: 0 };
}

/** Number of edits allowed for a word. */
export function editsFor(fuzziness: Fuzziness, word: string): number {
  if (fuzziness.edits !== null) return fuzziness.edits;
  const length = [...word].length;
  if (length < fuzziness.low) return 0;
  return length < fuzziness.high ? 1 : 2;
}
