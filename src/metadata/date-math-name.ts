// Date math in index names: `<logs-{now/d{yyyy.MM.dd|+02:00}}>`. The text in braces is a date math expression with an optional format and zone.
import { ApiError } from '../errors/api-error.ts';

const DAY_MS = 86_400_000;

/** Resolves a name in `<...>`; other names are returned unchanged. @throws ApiError parse_exception */
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

function evaluate(placeholder: string, nowMs: number, name: string): string {
  const brace = placeholder.indexOf('{');
  const math = brace < 0 ? placeholder : placeholder.slice(0, brace);
  const [format, zone = 'Z'] = brace < 0 ? ['yyyy.MM.dd'] : placeholder.slice(brace + 1, -1).split('|');
  if (!math.startsWith('now')) throw dateMathError(name, `missing base \`now\` in date math [${math}]`);
  const offsetMs = zoneOffsetMs(zone, name);
  let date = new Date(nowMs + offsetMs);
  const steps = math.slice(3);
  const matched = steps.match(/[+-]\d*[yMwdhHms]|\/[yMwdhHms]/g) ?? [];
  if (matched.join('') !== steps) throw dateMathError(name, `invalid date math [${math}]`);
  for (const step of matched) date = step[0] === '/' ? roundDown(date, step[1]) : shift(date, step);
  return formatDate(date, format);
}

function shift(date: Date, step: string): Date {
  const unit = step[step.length - 1];
  const amount = Number(`${step[0]}${step.slice(1, -1) || '1'}`);
  const shifted = new Date(date);
  if (unit === 'y') shifted.setUTCFullYear(date.getUTCFullYear() + amount);
  else if (unit === 'M') shifted.setUTCMonth(date.getUTCMonth() + amount);
  else shifted.setTime(date.getTime() + amount * unitMs(unit));
  return shifted;
}

function roundDown(date: Date, unit: string): Date {
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
  if (unit === 'y') return new Date(Date.UTC(year, 0, 1));
  if (unit === 'M') return new Date(Date.UTC(year, month, 1));
  if (unit === 'w') return new Date(Date.UTC(year, month, day - ((date.getUTCDay() + 6) % 7)));
  const ms = unitMs(unit);
  return new Date(Math.floor(date.getTime() / ms) * ms);
}

function unitMs(unit: string): number {
  if (unit === 'w') return 7 * DAY_MS;
  if (unit === 'd') return DAY_MS;
  return unit === 'h' || unit === 'H' ? 3_600_000 : unit === 'm' ? 60_000 : 1000;
}

function formatDate(date: Date, format: string): string {
  const pad = (value: number, length: number) => String(value).padStart(length, '0');
  return format.replace(/y+|u+|M+|d+|H+|m+|s+|'[^']*'/g, (token) => {
    switch (token[0]) {
      case 'y':
      case 'u':
        return token.length === 2 ? pad(date.getUTCFullYear() % 100, 2) : pad(date.getUTCFullYear(), token.length);
      case 'M':
        return pad(date.getUTCMonth() + 1, token.length);
      case 'd':
        return pad(date.getUTCDate(), token.length);
      case 'H':
        return pad(date.getUTCHours(), token.length);
      case 'm':
        return pad(date.getUTCMinutes(), token.length);
      case 's':
        return pad(date.getUTCSeconds(), token.length);
      default:
        return token.slice(1, -1);
    }
  });
}

function zoneOffsetMs(zone: string, name: string): number {
  if (zone === 'Z' || zone === 'UTC') return 0;
  const match = /^([+-])(\d{1,2}):?(\d{2})?$/.exec(zone);
  if (!match) throw dateMathError(name, `unknown time zone [${zone}]`);
  return (match[1] === '-' ? -1 : 1) * (Number(match[2]) * 60 + Number(match[3] ?? 0)) * 60_000;
}

function dateMathError(name: string, reason: string): ApiError {
  return new ApiError('parse_exception', 400, `invalid dynamic name expression [${name.slice(1, -1)}]. ${reason}`);
}
