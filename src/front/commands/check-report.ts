// The report of `gannet front check` for a terminal: each problem with the lines around it, then what has no effect, then a summary.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Paint } from '../../common/terminal/paint.ts';
import type { CheckResult, Problem } from './check.ts';

/** Number of preceding lines searched for the word of an error: nginx reports the line on which a directive ends. */
const LONGEST_DIRECTIVE = 12;
const WIDEST_LINE = 160;

/** @param shown  folder that file names are relative to, if they are inside */
export function checkReport(result: CheckResult, shown: string, paint: Paint): string {
  const out: string[] = [];
  for (const problem of result.problems) out.push(...problemText(problem, shown, paint), '');
  if (result.ineffective.length > 0) {
    out.push(paint.bold('directives without effect'));
    for (const { file, line, name, why } of result.ineffective) out.push(`  ${shortName(file, shown)}:${line}  ${name}: ${why}`);
    out.push('');
  }
  const count = (level: Problem['level']): number => result.problems.filter((problem) => problem.level === level).length;
  const plural = (n: number, word: string): string => `${n} ${word}${n === 1 ? '' : 's'}`;
  const summary = `${plural(count('error'), 'error')}, ${plural(count('warning'), 'warning')}, ${plural(result.ineffective.length, 'directive')} without effect`;
  out.push(count('error') > 0 ? paint.red(summary) : paint.green(summary));
  return `${out.join('\n')}\n`;
}

function shortName(file: string, shown: string): string {
  const relative = path.relative(shown, file);
  return relative.startsWith('..') ? file : relative;
}

/** null if the source is not a file, such as the command line */
function linesOf(file: string): string[] | null {
  try {
    return readFileSync(file, 'latin1').split('\n');
  } catch {
    return null;
  }
}

/** Removes control characters, which must not reach the terminal, and shows bytes as UTF-8. */
const plain = (text: string): string =>
  Buffer.from(text, 'latin1')
    .toString('utf8')
    .replaceAll('\t', '  ')
    .replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, '\ufffd');

function problemText({ level, place, message, hint }: Problem, shown: string, paint: Paint): string[] {
  const title = level === 'error' ? paint.red('error') : paint.yellow('warning');
  const out = [`${place ? `${paint.bold(`${shortName(place.file, shown)}:${place.line}`)}: ` : ''}${title}: ${plain(message)}`];
  const text = place && linesOf(place.file);
  if (place && text) out.push(...excerpt(text, place.line, message, paint));
  if (hint) out.push(`  ${paint.cyan('hint')}: ${plain(hint)}`);
  return out;
}

/** The line with the word that the message quotes, the one before it, and the word underlined. */
function excerpt(text: readonly string[], line: number, message: string, paint: Paint): string[] {
  const word = /"([^"]+)"/.exec(message)?.[1] ?? '';
  let at = line;
  if (word !== '') for (let back = 0; back < LONGEST_DIRECTIVE && at > 1 && !text[at - 1]?.includes(word); back++) at--;
  if (!text[at - 1]?.includes(word)) at = line;
  const width = String(line).length;
  const out: string[] = [];
  for (let n = Math.max(1, at - 1); n <= Math.max(at, Math.min(line, at + 2)); n++) {
    const shownLine = plain(text[n - 1] ?? '').slice(0, WIDEST_LINE);
    out.push(`  ${paint.dim(`${String(n).padStart(width)} |`)} ${shownLine}`.trimEnd());
    if (n !== at || word === '') continue;
    const column = shownLine.indexOf(plain(word));
    if (column >= 0) out.push(`  ${paint.dim(`${' '.repeat(width)} |`)} ${' '.repeat(column)}${paint.red('^'.repeat(plain(word).length))}`);
  }
  return out;
}
