// Clients that work on an index while faults happen, and record what they did and what they were answered.
import type { ClusterNodeProcess } from '../support/cluster.ts';
import type { Rng } from '../support/rng.ts';
import type { DocumentAction, IndexAction } from './document-model.ts';
import type { Operation } from './linearizable.ts';

const REQUEST_MS = 20_000;
/** Documents that all writers share at a time, and operations on each before another one takes its place. */
const SHARED = 6;
const OPERATIONS = 30;
const SEARCH_SIZE = 10_000;

interface Answer {
  readonly status: number;
  readonly body: any;
}

/** What became of a request: an answer; a refusal, which changed nothing; or an unknown outcome. */
export type Outcome = Answer | 'refused' | 'unknown';

/** Sends a request. 503 and 429 are refusals, unless they say that the outcome is not known. */
export async function ask(node: ClusterNodeProcess, method: string, target: string, body?: unknown): Promise<Outcome> {
  let answer: Response;
  let text: string;
  try {
    answer = await fetch(node.url + target, {
      method,
      signal: AbortSignal.timeout(REQUEST_MS),
      ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    });
    text = await answer.text();
  } catch (error) {
    const { code } = ((error as Error).cause ?? {}) as { code?: string };
    return code === 'ECONNREFUSED' ? 'refused' : 'unknown';
  }
  if (answer.status === 503 || answer.status === 429) return /not known|disconnected/.test(text) ? 'unknown' : 'refused';
  return { status: answer.status, body: text === '' ? null : JSON.parse(text) };
}

/** Everything that happened to an index in a round. */
export class History {
  readonly index: string;
  readonly documents = new Map<string, Operation<DocumentAction>[]>();
  readonly indices = new Map<string, Operation<IndexAction>[]>();
  /** Sequence number and primary term of each value that was acknowledged or read. */
  readonly writes = new Map<string, { id: string; seqNo: number; primaryTerm: number }>();
  /** Documents that are written once: refused, acknowledged, or of unknown fate. */
  readonly entries = new Map<string, 'acknowledged' | 'unknown' | 'refused'>();
  readonly problems: string[] = [];
  acknowledged = 0;
  refused = 0;
  unknown = 0;
  searches = 0;
  #values = 0;

  constructor(index: string) {
    this.index = index;
  }

  newValue(): string {
    return `v${++this.#values}`;
  }

  add<Action>(all: Map<string, Operation<Action>[]>, key: string, operation: Operation<Action>): void {
    const found = all.get(key);
    if (found === undefined) all.set(key, [operation]);
    else found.push(operation);
  }

  /** A value has one place in the log, whoever reads it. */
  sawWrite(id: string, value: string, { _seq_no, _primary_term }: { _seq_no: number; _primary_term: number }): void {
    const known = this.writes.get(value);
    if (known === undefined) this.writes.set(value, { id, seqNo: _seq_no, primaryTerm: _primary_term });
    else if (known.seqNo !== _seq_no || known.primaryTerm !== _primary_term)
      this.problems.push(`${id}: ${value} has place ${_seq_no}/${_primary_term} and ${known.seqNo}/${known.primaryTerm}`);
  }
}

export interface Load {
  readonly history: History;
  readonly nodes: readonly ClusterNodeProcess[];
  readonly rng: Rng;
  readonly isOver: () => boolean;
}

/** Writes, replaces, deletes and reads documents that other writers change at the same time. */
export async function runWriter({ history, nodes, rng, isOver }: Load): Promise<void> {
  while (!isOver()) {
    const slot = rng.int(0, SHARED - 1);
    const isOf = (id: string) => id.startsWith(`d${slot}-`);
    const generations = [...history.documents.keys()].filter(isOf).length;
    const newest = `d${slot}-${generations - 1}`;
    const isFull = generations === 0 || (history.documents.get(newest)?.length ?? 0) >= OPERATIONS;
    await actOn(isFull ? `d${slot}-${generations}` : newest, history, rng.pick(nodes), rng);
  }
}

async function actOn(id: string, history: History, node: ClusterNodeProcess, rng: Rng): Promise<void> {
  const kind = rng.pick(['index', 'index', 'create', 'replace', 'replace', 'delete', 'read', 'read', 'read'] as const);
  // A read first, as a client does that changes a document.
  if (kind === 'read' || kind === 'replace') {
    const found = await readDocument(id, history, node);
    if (kind === 'read' || found === null || found === undefined) return;
    const { seqNo, primaryTerm } = history.writes.get(found) as { seqNo: number; primaryTerm: number };
    return write(id, history, node, 'replace', `?if_seq_no=${seqNo}&if_primary_term=${primaryTerm}`, found);
  }
  if (kind === 'delete') return remove(id, history, node);
  return write(id, history, node, kind, kind === 'create' ? '?op_type=create' : '', '');
}

/** @returns the value; null if there is none; undefined without an answer */
export async function readDocument(id: string, history: History, node: ClusterNodeProcess): Promise<string | null | undefined> {
  const callMs = performance.now();
  const outcome = await ask(node, 'GET', `/${history.index}/_doc/${id}`);
  if (outcome === 'refused' || outcome === 'unknown') return undefined;
  const { status, body } = outcome;
  if (status !== 200 && status !== 404) {
    history.problems.push(`read of ${id} on ${node.name}: ${status} ${JSON.stringify(body)}`);
    return null;
  }
  const value = status === 200 ? (body._source.value as string) : null;
  if (value !== null) history.sawWrite(id, value, body);
  history.add(history.documents, id, { action: { kind: 'read', value }, callMs, returnMs: performance.now() });
  return value;
}

/** @returns false without an answer */
export async function readIndex(name: string, history: History, node: ClusterNodeProcess): Promise<boolean> {
  const callMs = performance.now();
  const outcome = await ask(node, 'HEAD', `/${name}`);
  const returnMs = performance.now();
  if (typeof outcome === 'string') return false;
  if (outcome.status !== 200 && outcome.status !== 404) history.problems.push(`HEAD of ${name} on ${node.name}: ${outcome.status}`);
  else history.add(history.indices, name, { action: { kind: 'read', exists: outcome.status === 200 }, callMs, returnMs });
  return true;
}

async function write(
  id: string,
  history: History,
  node: ClusterNodeProcess,
  kind: 'index' | 'create' | 'replace',
  parameters: string,
  expected: string,
): Promise<void> {
  const value = history.newValue();
  const callMs = performance.now();
  const outcome = await ask(node, 'PUT', `/${history.index}/_doc/${id}${parameters}`, { value, [`field_${value.length}`]: value });
  const returnMs = performance.now();
  const record = (result: any, endMs: number) =>
    history.add(history.documents, id, {
      action: { kind, value, result, ...(kind === 'replace' ? { expected } : {}) } as DocumentAction,
      callMs,
      returnMs: endMs,
    });
  if (!isAnswer(outcome, history)) {
    if (outcome === 'unknown') record(null, Infinity);
    return;
  }
  const { status, body } = outcome;
  if (status === 409 && kind !== 'index') return record('conflict', returnMs);
  if (status !== 200 && status !== 201) {
    history.problems.push(`${kind} of ${id} on ${node.name}: ${status} ${JSON.stringify(body)}`);
    return;
  }
  history.acknowledged++;
  history.sawWrite(id, value, body);
  record(body.result, returnMs);
}

async function remove(id: string, history: History, node: ClusterNodeProcess): Promise<void> {
  const callMs = performance.now();
  const outcome = await ask(node, 'DELETE', `/${history.index}/_doc/${id}`);
  const returnMs = performance.now();
  if (!isAnswer(outcome, history)) {
    if (outcome === 'unknown') history.add(history.documents, id, { action: { kind: 'delete', result: null }, callMs, returnMs: Infinity });
    return;
  }
  const { status, body } = outcome;
  if (status !== 200 && status !== 404) history.problems.push(`delete of ${id} on ${node.name}: ${status} ${JSON.stringify(body)}`);
  else {
    history.acknowledged++;
    history.add(history.documents, id, { action: { kind: 'delete', result: body.result }, callMs, returnMs });
  }
}

function isAnswer(outcome: Outcome, history: History): outcome is Answer {
  if (outcome === 'refused') history.refused++;
  else if (outcome === 'unknown') history.unknown++;
  return outcome !== 'refused' && outcome !== 'unknown';
}

/** Creates documents that are never changed, and refreshes. Calls back with all that a successful refresh must have made searchable. */
export async function runEntries({ history, nodes, rng, isOver }: Load, onRefreshed: (ids: ReadonlySet<string>) => void): Promise<void> {
  for (let n = 0; !isOver(); n++) {
    const id = `e${n}`;
    const outcome = await ask(rng.pick(nodes), 'PUT', `/${history.index}/_create/${id}`, { entry: true, value: id });
    if (!isAnswer(outcome, history)) history.entries.set(id, outcome);
    else if (outcome.status === 201) history.entries.set(id, 'acknowledged');
    else history.problems.push(`create of ${id}: ${outcome.status} ${JSON.stringify(outcome.body)}`);
    if (n % 5 !== 0) continue;
    const before = new Set([...history.entries].filter(([, fate]) => fate === 'acknowledged').map(([key]) => key));
    const refreshed = await ask(rng.pick(nodes), 'POST', `/${history.index}/_refresh`);
    if (typeof refreshed === 'object' && refreshed.status === 200 && refreshed.body._shards.failed === 0) onRefreshed(before);
  }
}

/** Searches on any node: what was refreshed before a search is found, unless shards failed; nothing that was refused is found. */
export async function runSearcher({ history, nodes, rng, isOver }: Load, refreshed: () => ReadonlySet<string>): Promise<void> {
  while (!isOver()) {
    const node = rng.pick(nodes);
    const expected = refreshed();
    const body = { size: SEARCH_SIZE, _source: false, query: { term: { entry: true } } };
    const startMs = performance.now();
    const outcome = await ask(node, 'POST', `/${history.index}/_search`, body);
    if (typeof outcome === 'string') continue;
    if (outcome.status !== 200) {
      history.problems.push(`search on ${node.name}: ${outcome.status} ${JSON.stringify(outcome.body)}`);
      continue;
    }
    const { _shards, hits, timed_out } = outcome.body;
    if (_shards.failed > 0 || timed_out) continue;
    history.searches++;
    const found = new Set<string>(hits.hits.map(({ _id }: { _id: string }) => _id));
    const missing = [...expected].filter((id) => !found.has(id));
    const tookMs = Math.round(performance.now() - startMs);
    if (missing.length > 0)
      history.problems.push(
        `search on ${node.name} (${tookMs} ms) lacks ${missing.length} of ${expected.size} refreshed documents: ${missing.slice(0, 3)}`,
      );
    const refused = [...found].filter((id) => history.entries.get(id) === 'refused');
    if (refused.length > 0) history.problems.push(`search on ${node.name} finds refused documents: ${refused.slice(0, 3)}`);
  }
}

/** Creates, deletes and reads indices that other clients create and delete at the same time. */
export async function runMetadata({ history, nodes, rng, isOver }: Load): Promise<void> {
  for (let n = 0; !isOver(); n++) {
    // Another name after some operations, so that histories stay short.
    const name = `${history.index}-m${Math.floor(n / 15)}`;
    const kind = rng.pick(['create', 'create', 'delete', 'read', 'read'] as const);
    const node = rng.pick(nodes);
    if (kind === 'read') {
      await readIndex(name, history, node);
      continue;
    }
    const callMs = performance.now();
    const outcome = await ask(node, kind === 'create' ? 'PUT' : 'DELETE', `/${name}`);
    const returnMs = performance.now();
    const add = (action: IndexAction, endMs = returnMs) => history.add(history.indices, name, { action, callMs, returnMs: endMs });
    if (outcome === 'unknown') add({ kind, result: null }, Infinity);
    if (typeof outcome === 'string') continue;
    const type = outcome.body?.error?.type;
    if (outcome.status === 200) add({ kind, result: 'acknowledged' });
    else if (kind === 'create' && type === 'resource_already_exists_exception') add({ kind, result: 'exists' });
    else if (kind === 'delete' && type === 'index_not_found_exception') add({ kind, result: 'missing' });
    else history.problems.push(`${kind} of ${name} on ${node.name}: ${outcome.status} ${JSON.stringify(outcome.body)}`);
  }
}
