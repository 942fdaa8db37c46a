// Runs the steps of a recorded case and finds the first difference. Objects that a case creates are called `tmp-...` and removed before and after it.
import type { RestNode } from '../../support/rest-node.ts';
import { type Answer, type Compare, type Recorded, recordedForm } from './answer.ts';
import { type Difference, differenceOf } from './difference.ts';
import { isObject, type Json, jsonOf, valueAt } from './json.ts';

interface RequestOfCase {
  readonly method: string;
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  /** null: the header is not sent. */
  readonly headers?: Readonly<Record<string, string | null>>;
  readonly body?: Json;
  readonly ndjson?: readonly Json[];
  readonly text?: string;
}

interface Step {
  readonly request: RequestOfCase;
  readonly compare?: Compare;
  readonly expect: Recorded;
  /** Values of the answer by the name under which later steps use them: `${name}`. */
  readonly set?: Readonly<Record<string, string>>;
}

export interface RecordedCase extends Partial<Step> {
  readonly id: string;
  readonly group: string;
  /** Data sets that the case reads. */
  readonly index?: string | readonly string[];
  readonly steps?: readonly Step[];
}

/** @param reads  changes an answer before it is compared @returns null if every step's answer is the recorded one */
export async function runCase(node: RestNode, recorded: RecordedCase, reads: (answer: Answer) => Answer): Promise<Difference | null> {
  const steps = recorded.steps ?? [recorded as Step];
  const leftovers = createdBy(steps);
  const variables = new Map<string, Json>();
  await removeAll(node, leftovers);
  try {
    for (const { request, compare = {}, expect, set = {} } of steps) {
      const answer = await send(node, substitute(request as unknown as Json, variables) as unknown as RequestOfCase);
      for (const [name, path] of Object.entries(set)) variables.set(name, valueAt(jsonOf(answer.text), path) ?? null);
      const difference = differenceOf(expect, recordedForm(reads(answer), compare, request.method), compare);
      if (difference) return difference;
    }
    return null;
  } finally {
    await removeAll(node, leftovers);
  }
}

async function send(node: RestNode, { method, path, query = {}, headers = {}, body, ndjson, text }: RequestOfCase): Promise<Answer> {
  const lines = ndjson?.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join('');
  const payload = text ?? lines ?? (body === undefined ? '' : JSON.stringify(body));
  const sent: Record<string, string> = payload === '' ? {} : { 'content-type': ndjson ? 'application/x-ndjson' : 'application/json' };
  for (const [name, value] of Object.entries(headers)) sent[name.toLowerCase()] = value ?? '-';
  const parameters = new URLSearchParams(query).toString();
  const answer = await node.exchange(`${method} ${path}${parameters === '' ? '' : `?${parameters}`}`, { headers: sent, body: payload });
  const shown = Object.fromEntries(Object.entries(answer.headers).map(([name, value]) => [name, String(value)]));
  return { status: answer.status, headers: shown, text: answer.text };
}

const RESOURCE = /^\/(?:_index_template|_template|_component_template|_ingest\/pipeline|_scripts|_data_stream)\/[^/*,]+$/;

/** Paths that remove what the steps create: indices first. */
function createdBy(steps: readonly Step[]): string[] {
  const resources = steps.filter(({ request }) => /PUT|POST/.test(request.method) && RESOURCE.test(request.path));
  const indices = JSON.stringify(steps.map(({ request }) => request)).match(/\btmp-[\w.-]*\w/g) ?? [];
  return [...new Set([...indices.map((name) => `/${name}`), ...resources.map(({ request }) => request.path).reverse()])];
}

async function removeAll(node: RestNode, paths: readonly string[]): Promise<void> {
  for (const path of paths) await node.send(`DELETE ${path}`);
}

/** Replaces each `${name}`; a string that consists of one alone becomes the value itself. */
function substitute(value: Json, variables: ReadonlyMap<string, Json>): Json {
  if (variables.size === 0) return value;
  if (typeof value === 'string') {
    const whole = /^\$\{(\w+)\}$/.exec(value);
    if (whole) return variables.get(whole[1]) ?? null;
    return value.replaceAll(/\$\{(\w+)\}/g, (_, name: string) => String(variables.get(name)));
  }
  if (Array.isArray(value)) return value.map((item) => substitute(item, variables));
  return isObject(value) ? Object.fromEntries(Object.entries(value).map(([key, item]) => [key, substitute(item, variables)])) : value;
}
