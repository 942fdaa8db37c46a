// Loads besides bulk requests in the crash test: metadata that changes, with a record of its possible states after a crash, and
// operations that rewrite files without changing what is served.
import type { Rng } from '../support/rng.ts';

export type Call = (
  method: string,
  url: string,
  body?: string,
  type?: string,
  authorization?: string,
) => Promise<{ status: number; json: any }>;

/** A load, and the check of its results. */
export interface SideLoad {
  /** Sends requests until the connection breaks or it is stopped. */
  run(stopped: () => boolean): Promise<void>;
  /** Problems that are found after a restart. */
  verify(): Promise<string[]>;
}

/** An object with one value at a time: the acknowledged value, and the possible one of a request without an answer. */
interface Cell {
  acknowledged: string | null;
  pending: (string | null)[];
  readonly write: (call: Call, value: string) => ReturnType<Call>;
  readonly remove: ((call: Call) => ReturnType<Call>) | null;
  /** The current value, null if there is none. */
  readonly read: (call: Call) => Promise<string | null>;
}

const SLOTS = 3;

/** Aliases, fields, settings, templates, pipelines and stored scripts. */
export class MetadataLoad implements SideLoad {
  readonly #call: Call;
  readonly #rng: Rng;
  readonly #cells: Cell[] = [];
  #counter = 0;

  constructor(call: Call, rng: Rng) {
    this.#call = call;
    this.#rng = rng;
    for (let slot = 0; slot < SLOTS; slot++) this.#cells.push(alias(slot), template(slot), pipeline(slot), script(slot));
    this.#cells.push(setting(), mappingMeta());
  }

  async run(stopped: () => boolean): Promise<void> {
    while (!stopped()) {
      const cell = this.#rng.pick(this.#cells);
      const isRemoval = cell.remove !== null && cell.acknowledged !== null && cell.pending.length === 0 && this.#rng.int(0, 3) === 0;
      const value = isRemoval ? null : `v${++this.#counter}`;
      cell.pending.push(value);
      let status: number;
      try {
        ({ status } =
          value === null ? await (cell.remove as NonNullable<Cell['remove']>)(this.#call) : await cell.write(this.#call, value));
      } catch {
        return;
      }
      // The index does not exist yet, right after the first start.
      if (status === 404) cell.pending.pop();
      else if (status >= 300) throw new Error(`a change of metadata was answered with ${status}`);
      else {
        cell.acknowledged = value;
        cell.pending = [];
      }
    }
  }

  async verify(): Promise<string[]> {
    const problems: string[] = [];
    for (const [i, cell] of this.#cells.entries()) {
      const found = await cell.read(this.#call);
      if (found !== cell.acknowledged && !cell.pending.includes(found))
        problems.push(`metadata ${i}: ${found} instead of ${cell.acknowledged} or ${cell.pending.join(', ')}`);
      cell.acknowledged = found;
      cell.pending = [];
    }
    return problems;
  }
}

/** Force merges, flushes, refreshes, and searches that hold snapshots. */
export class MaintenanceLoad implements SideLoad {
  readonly #call: Call;
  readonly #rng: Rng;

  constructor(call: Call, rng: Rng) {
    this.#call = call;
    this.#rng = rng;
  }

  async run(stopped: () => boolean): Promise<void> {
    while (!stopped()) {
      const url = this.#rng.pick([
        '/crash/_forcemerge?max_num_segments=1',
        '/crash/_forcemerge?only_expunge_deletes=true',
        '/crash/_flush',
        '/crash/_refresh',
        '/crash/_search?scroll=1m&size=5',
      ]);
      try {
        const { status } = await this.#call('POST', url, url.includes('scroll') ? '{}' : undefined);
        if (status >= 500) throw new Error(`${url} was answered with ${status}`);
      } catch (error) {
        if ((error as Error).message.includes('answered with')) throw error;
        return;
      }
      await new Promise((resolve) => setTimeout(resolve, this.#rng.int(5, 60)));
    }
  }

  async verify(): Promise<string[]> {
    return [];
  }
}

function cell(write: Cell['write'], remove: Cell['remove'], read: Cell['read']): Cell {
  return { acknowledged: null, pending: [], write, remove, read };
}

function alias(slot: number): Cell {
  const url = `/crash/_alias/crash-alias-${slot}`;
  return cell(
    (call, value) => call('PUT', url, JSON.stringify({ filter: { term: { mark: value } } })),
    (call) => call('DELETE', url),
    async (call) => (await call('GET', url)).json.crash?.aliases[`crash-alias-${slot}`].filter.term.mark ?? null,
  );
}

function template(slot: number): Cell {
  const url = `/_index_template/crash-${slot}`;
  return cell(
    (call, value) => call('PUT', url, JSON.stringify({ index_patterns: [`none-${slot}-*`], _meta: { value } })),
    (call) => call('DELETE', url),
    async (call) => (await call('GET', url)).json.index_templates?.[0].index_template._meta.value ?? null,
  );
}

function pipeline(slot: number): Cell {
  const url = `/_ingest/pipeline/crash-${slot}`;
  return cell(
    (call, value) => call('PUT', url, JSON.stringify({ description: value, processors: [] })),
    (call) => call('DELETE', url),
    async (call) => (await call('GET', url)).json[`crash-${slot}`]?.description ?? null,
  );
}

function script(slot: number): Cell {
  const url = `/_scripts/crash-${slot}`;
  return cell(
    (call, value) => call('PUT', url, JSON.stringify({ script: { lang: 'painless', source: `return '${value}'` } })),
    (call) => call('DELETE', url),
    async (call) => /'(.+)'/.exec((await call('GET', url)).json.script?.source ?? '')?.[1] ?? null,
  );
}

/** A setting of the index whose value is a number. */
function setting(): Cell {
  return cell(
    (call, value) => call('PUT', '/crash/_settings', JSON.stringify({ 'index.max_result_window': 10_000 + Number(value.slice(1)) })),
    null,
    async (call) => {
      const window = (await call('GET', '/crash/_settings')).json.crash.settings.index.max_result_window;
      return window === undefined ? null : `v${Number(window) - 10_000}`;
    },
  );
}

function mappingMeta(): Cell {
  return cell(
    (call, value) => call('PUT', '/crash/_mapping', JSON.stringify({ _meta: { value } })),
    null,
    async (call) => (await call('GET', '/crash/_mapping')).json.crash.mappings._meta?.value ?? null,
  );
}
