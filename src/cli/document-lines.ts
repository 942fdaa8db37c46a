// Lines of an NDJSON file as `_bulk` lines: one JSON object per line, or alternating actions (`{"index":{}}`) and documents.
import { isObject } from '../common/json/json-value.ts';

const ACTIONS = ['index', 'create', 'update', 'delete'];

export interface ImportLine {
  /** Bulk lines of one document, with line feeds. */
  readonly text: string;
  /** Line number in the file, counted from 1. */
  readonly lineNumber: number;
}

/**
 * Bulk lines of each document of a stream. The first line decides whether the stream has actions.
 * @param idField field of each document that contains its `_id`; null generates ids
 * @throws Error a line is not a JSON object; names its number
 */
export async function* documentLines(stream: AsyncIterable<Buffer>, idField: string | null): AsyncGenerator<ImportLine> {
  let lineNumber = 0;
  let hasActions: boolean | null = null;
  let action: string | null = null;
  for await (const line of decodedLines(stream)) {
    lineNumber++;
    if (line.trim() === '') continue;
    hasActions ??= isAction(line);
    if (!hasActions) yield { text: `${actionFor(line, idField, lineNumber)}\n${line}\n`, lineNumber };
    else if (action !== null) {
      yield { text: `${action}\n${line}\n`, lineNumber };
      action = null;
    } else if (/^\s*\{\s*"delete"/.test(line)) yield { text: `${line}\n`, lineNumber };
    else action = line;
  }
  if (action !== null) throw new Error(`line ${lineNumber}: an action without its document`);
}

function isAction(line: string): boolean {
  try {
    const value: unknown = JSON.parse(line);
    if (!isObject(value)) return false;
    const [key, ...others] = Object.keys(value);
    return others.length === 0 && ACTIONS.includes(key) && isObject(value[key]);
  } catch {
    return false;
  }
}

function actionFor(line: string, idField: string | null, lineNumber: number): string {
  if (idField === null) return '{"index":{}}';
  let document: unknown;
  try {
    document = JSON.parse(line);
  } catch (error) {
    throw new Error(`line ${lineNumber}: ${error instanceof Error ? error.message : error}`);
  }
  const id = isObject(document) ? document[idField] : undefined;
  if (typeof id !== 'string' && typeof id !== 'number')
    throw new Error(`line ${lineNumber}: field [${idField}] must be a string or a number`);
  return `{"index":{"_id":${JSON.stringify(String(id))}}}`;
}

async function* decodedLines(stream: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of stream) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  rest += decoder.decode();
  if (rest !== '') yield rest;
}
