// Runs recorded requests of `_analyze`. Cases with equal settings are next to each other and share an index.
import type { RestNode } from '../../support/rest-node.ts';
import { isObject, type Json, type JsonObject } from './json.ts';

export interface AnalysisCase {
  readonly id: string;
  /** Body of `_analyze` without the text. */
  readonly request: JsonObject;
  /** Settings of the index that analyzes; absent: `/_analyze` without an index. */
  readonly settings?: JsonObject;
  readonly text?: Json;
  /** `[term, start, end, type, position, positionLength]`. */
  readonly tokens?: Json;
  /** One word a line instead of a text, with the term or terms of each in `stems` and their types in `types`. */
  readonly words?: readonly string[];
  readonly stems?: Json;
  readonly types?: Json;
  readonly error?: Json;
}

const INDEX = 'golden-analysis';

/** @param report  called for each case with null or the first difference */
export async function runAnalysisCases(
  node: RestNode,
  cases: readonly AnalysisCase[],
  report: (recorded: AnalysisCase, difference: string | null) => void,
): Promise<void> {
  let settings: string | undefined;
  let refusal: JsonObject | null = null;
  for (const recorded of cases) {
    const wanted = JSON.stringify(recorded.settings);
    if (wanted !== settings) {
      await node.send(`DELETE /${INDEX}?ignore_unavailable=true`);
      settings = wanted;
      refusal = null;
      if (recorded.settings) {
        const body = { settings: { number_of_shards: 1, number_of_replicas: 0, ...recorded.settings } };
        const { status, json } = await node.send(`PUT /${INDEX}`, body);
        if (status !== 200) refusal = errorOf(status, json, 'create');
      }
    }
    report(recorded, differenceOf(recorded, refusal === null ? await analyze(node, recorded) : { error: refusal }));
  }
  await node.send(`DELETE /${INDEX}?ignore_unavailable=true`);
}

async function analyze(node: RestNode, { request, settings, text, words }: AnalysisCase): Promise<JsonObject> {
  const path = settings ? `/${INDEX}/_analyze` : '/_analyze';
  const { status, json } = await node.send(`POST ${path}`, { ...request, text: words ? words.join('\n') : text });
  if (status !== 200) return { error: errorOf(status, json, 'analyze') };
  const tokens = (json.tokens as JsonObject[]).map(({ token, start_offset, end_offset, type, position, positionLength }) => [
    token,
    start_offset,
    end_offset,
    type,
    position,
    positionLength ?? 1,
  ]);
  return words ? byWord(words, tokens) : { tokens };
}

/** The compared parts of an error; the index is called `<index>` in the recorded ones. */
function errorOf(status: number, json: Json, at: 'create' | 'analyze'): JsonObject {
  const error = isObject(json) && isObject(json.error) ? json.error : {};
  const named = (value: Json): Json =>
    typeof value === 'string' ? value.replaceAll(INDEX, '<index>').replaceAll(/<index>\/[\w-]{22}\b/g, '<index>/<uuid>') : value;
  const brief = ({ type, reason }: JsonObject): JsonObject => ({ type, reason: named(reason) });
  return {
    at,
    status,
    ...brief(error),
    ...(isObject(error.caused_by) ? { caused_by: brief(error.caused_by) } : {}),
    ...(Array.isArray(error.suppressed) ? { suppressed: error.suppressed.filter(isObject).map(brief) } : {}),
  };
}

/** Terms and types by word: null for a word without tokens, a list for one with several. A token belongs to the word in which it starts. */
function byWord(words: readonly string[], tokens: readonly Json[][]): JsonObject {
  const starts: number[] = [];
  let end = 0;
  for (const word of words) {
    starts.push(end);
    end += word.length + 1;
  }
  const terms: Json[][] = words.map(() => []);
  const types: Json[][] = words.map(() => []);
  let word = 0;
  for (const [term, start, , type] of tokens) {
    while (word + 1 < words.length && starts[word + 1] <= Number(start)) word++;
    while (word > 0 && starts[word] > Number(start)) word--;
    terms[word].push(term);
    types[word].push(type);
  }
  const brief = (lists: readonly Json[][]): Json => lists.map((list) => (list.length === 0 ? null : list.length === 1 ? list[0] : list));
  return { stems: brief(terms), types: brief(types) };
}

function differenceOf(recorded: AnalysisCase, found: JsonObject): string | null {
  if (recorded.error !== undefined || found.error !== undefined) {
    const [want, got] = [isObject(recorded.error) ? recorded.error : {}, isObject(found.error) ? found.error : {}];
    for (const key of ['at', 'status', 'type', 'reason', 'caused_by', 'suppressed']) {
      const [a, b] = [JSON.stringify(want[key]), JSON.stringify(got[key])];
      if (a !== b) return `error.${key}: expected ${a}, got ${b}`;
    }
    return null;
  }
  for (const field of ['tokens', 'stems', 'types'] as const) {
    const want = recorded[field];
    const got = found[field];
    if (!Array.isArray(want) || !Array.isArray(got)) continue;
    for (let i = 0; i < Math.max(want.length, got.length); i++) {
      const [a, b] = [JSON.stringify(want[i]), JSON.stringify(got[i])];
      if (a !== b) return `${field}.${i}${recorded.words ? ` (${recorded.words[i]})` : ''}: expected ${a}, got ${b}`;
    }
  }
  return null;
}
