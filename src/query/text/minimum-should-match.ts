// `minimum_should_match`: 3, -1, 75%, -25%, 2<75%, 2<-25% 9<-3.
import { numberFormatError } from '../../errors/search-errors.ts';

/**
 * The number of optional clauses, out of `count`, that must match.
 * @throws ApiError number_format_exception
 */
export function calculateMinimumShouldMatch(count: number, spec: string): number {
  const text = spec.trim();
  if (text.includes('<')) {
    let result = count;
    for (const condition of text.replace(/\s*<\s*/g, '<').split(/\s+/)) {
      const [bound, rest] = condition.split('<', 2);
      if (count <= integer(bound)) return result;
      result = calculateMinimumShouldMatch(count, rest ?? '');
    }
    return result;
  }
  let result: number;
  if (text.endsWith('%')) {
    const percent = integer(text.slice(0, -1));
    const share = Math.trunc((count * percent) / 100);
    result = percent < 0 ? count + share : share;
  } else {
    const wanted = integer(text);
    result = wanted < 0 ? count + wanted : wanted;
  }
  return Math.max(result, 0);
}

function integer(text: string): number {
  if (!/^[+-]?\d+$/.test(text)) throw numberFormatError(text);
  return Number(text);
}
