// Date math in index names: `<logs-{now/d{yyyy.MM.dd|+02:00}}>`. The text in braces is a date math expression with an optional format and zone.
import { printDateMath } from '../dates/date-math.ts';
import { ApiError } from '../errors/api-error.ts';

const DEFAULT_PATTERN = 'uuuu.MM.dd';

/** Resolves a name in `<...>`; other names are returned unchanged. @throws ApiError parse_exception, and the errors of formats and zones */
export function resolveDateMathName(name: string, nowMs: number): string {
  if (!name.startsWith('<') || !name.endsWith('>')) return name;
  const inner = name.slice(1, -1);
  let out = '';
  for (let at = 0; at < inner.length; ) {
    const character = inner[at];
    if (character === '\\') {
      out += inner[at + 1] ?? '';
      at += 2;
    } else if (character === '{') {
      const end = closingBrace(inner, at, name);
      out += evaluate(inner.slice(at + 1, end), nowMs, name);
      at = end + 1;
    } else if (character === '}') {
      throw dateMathError(
        name,
        `invalid character at position [${at}], \`{\` and \`}\` are reserved characters and should be escaped when used as part of the index name using \`\\\` (e.g. \`\\{text\\}\`)`,
      );
    } else {
      out += character;
      at++;
    }
  }
  return out;
}

function closingBrace(text: string, start: number, name: string): number {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    if (text[at] === '{') depth++;
    else if (text[at] === '}' && --depth === 0) return at;
  }
  throw dateMathError(name, 'date math placeholder is open ended');
}

/** The text of a placeholder: date math with an optional format, which is also that of an anchor such as `2024||/y`, and zone. */
function evaluate(placeholder: string, nowMs: number, name: string): string {
  const brace = placeholder.indexOf('{');
  if (brace < 0) return printDateMath(placeholder, { pattern: DEFAULT_PATTERN, zone: 'UTC', nowMs });
  if (!placeholder.endsWith('}')) throw dateMathError(name, 'missing closing `}` for date math format');
  const [pattern, zone = 'UTC'] = placeholder.slice(brace + 1, -1).split('|');
  if (pattern === '') throw dateMathError(name, 'missing date format');
  return printDateMath(placeholder.slice(0, brace), { pattern, zone, nowMs });
}

function dateMathError(name: string, reason: string): ApiError {
  return new ApiError('parse_exception', 400, `invalid dynamic name expression [${name.slice(1, -1)}]. ${reason}`);
}
