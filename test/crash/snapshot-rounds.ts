// Kills the real service with SIGKILL while it creates, deletes, clones or restores snapshots, and checks after each restart that the repository is
// intact and that restores return the documents unchanged. Run by snapshots.ts on demand, and for a few rounds by the tests.
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Rng } from '../support/rng.ts';
import { startService, type TestService } from '../support/service.ts';

const DOCUMENTS = 3000;
const OPERATIONS = 600;
const PADDING = 'x'.repeat(400);

/** Value of each document by id. */
type Contents = ReadonlyMap<string, number>;

interface Round {
  readonly operation: string;
  /** Whether the operation was answered before the kill. */
  readonly answered: boolean;
}

export class SnapshotRounds {
  readonly #rng: Rng;
  readonly #data = mkdtempSync(path.join(tmpdir(), 'gannet-snapshot-data-'));
  readonly #repo = mkdtempSync(path.join(tmpdir(), 'gannet-snapshot-repo-'));
  readonly #flags: readonly string[];
  /** Contents of the index when each snapshot was made. */
  readonly #snapshots = new Map<string, Contents>();
  /** Snapshots of which the last operation was not answered: they may exist or not. */
  readonly #uncertain = new Set<string>();
  #documents = new Map<string, number>();
  #service: TestService | null = null;
  #next = 0;
  #typicalMs = 0;

  constructor(seed: number) {
    this.#rng = new Rng(seed);
    this.#flags = [`--path.repo=${this.#repo}`, '--threads=2', '--memory.limit=1gb'];
  }

  async start(): Promise<void> {
    await this.#startService();
    await this.#ok('PUT', '/_snapshot/r', { type: 'fs', settings: { location: 'r' } });
    await this.#ok('PUT', '/docs', {
      settings: { number_of_shards: 2, number_of_replicas: 0 },
      mappings: { properties: { n: { type: 'long' }, pad: { type: 'text' } } },
    });
  }

  /** Writes, runs an operation, kills the service in the middle, and checks. @throws AssertionError */
  async round(): Promise<Round> {
    await this.#write();
    if (this.#snapshots.size < 2) await this.#createUndisturbed();
    const [operation, run] = this.#chooseOperation();
    let answered = false;
    const running = run().then(
      (status) => {
        answered = status < 300;
      },
      () => undefined,
    );
    await new Promise((resolve) => setTimeout(resolve, this.#rng.float() * 1.2 * this.#typicalMs));
    await this.#kill();
    await running;
    await this.#startService();
    await this.#check(operation, answered);
    return { operation, answered };
  }

  /** Checks that nothing is left over, and ends. */
  async end(): Promise<void> {
    try {
      await this.#ok('PUT', '/_snapshot/r/last?wait_for_completion=true', { indices: 'docs' });
      const { results } = await this.#ok('POST', '/_snapshot/r/_cleanup');
      assert.equal(results.deleted_blobs, 0, 'leftovers after a snapshot');
      await this.#ok('DELETE', '/_snapshot/r/*');
      const left = readdirSync(path.join(this.#repo, 'r'), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
      assert.deepEqual(
        left.map(({ name }) => name).filter((name) => !name.startsWith('index')),
        [],
        'blobs without a snapshot',
      );
      const { metadata } = await this.#ok('GET', '/_cluster/state/metadata');
      const uuids = Object.values(metadata.indices as Record<string, { settings: { index: { uuid: string } } }>).map(
        ({ settings }) => settings.index.uuid,
      );
      assert.deepEqual(readdirSync(path.join(this.#data, 'indices')).sort(), uuids.sort(), 'folders without an index');
    } finally {
      await this.#service?.stop();
      rmSync(this.#data, { recursive: true, force: true });
      rmSync(this.#repo, { recursive: true, force: true });
    }
  }

  // ------------------------------------------------------------------------------------------------------ operations

  #chooseOperation(): [string, () => Promise<number>] {
    const known = [...this.#snapshots.keys()];
    const kind = this.#rng.pick(['create', 'create', 'delete', 'clone', 'restore', 'replace']);
    switch (kind) {
      case 'delete': {
        const name = this.#rng.pick(known);
        this.#uncertain.add(name);
        return [`delete ${name}`, () => this.#status('DELETE', `/_snapshot/r/${name}`)];
      }
      case 'clone': {
        const source = this.#rng.pick(known);
        const name = this.#newSnapshot(this.#snapshots.get(source) ?? new Map());
        return [`clone ${source} ${name}`, () => this.#status('PUT', `/_snapshot/r/${source}/_clone/${name}`, { indices: '*' })];
      }
      case 'restore': {
        const name = this.#rng.pick(known);
        return [`restore ${name}`, () => this.#restore(name, 'interrupted')];
      }
      case 'replace': {
        const name = this.#rng.pick(known);
        return [
          `replace ${name}`,
          async () => {
            await this.#status('POST', '/docs/_close');
            return this.#status('POST', `/_snapshot/r/${name}/_restore?wait_for_completion=true`, {});
          },
        ];
      }
      default: {
        const name = this.#newSnapshot(new Map(this.#documents));
        return [`create ${name}`, () => this.#status('PUT', `/_snapshot/r/${name}?wait_for_completion=true`, { indices: 'docs' })];
      }
    }
  }

  /** Creates data for the other operations, and measures how long they take on this machine. */
  async #createUndisturbed(): Promise<void> {
    const started = performance.now();
    const name = this.#newSnapshot(new Map(this.#documents));
    await this.#ok('PUT', `/_snapshot/r/${name}?wait_for_completion=true`, { indices: 'docs' });
    this.#uncertain.delete(name);
    this.#typicalMs = performance.now() - started;
  }

  #newSnapshot(contents: Contents): string {
    const name = `s${this.#next++}`;
    this.#snapshots.set(name, contents);
    this.#uncertain.add(name);
    return name;
  }

  #restore(snapshot: string, target: string): Promise<number> {
    return this.#status('POST', `/_snapshot/r/${snapshot}/_restore?wait_for_completion=true`, {
      rename_pattern: '.+',
      rename_replacement: target,
    });
  }

  async #write(): Promise<void> {
    const lines: string[] = [];
    for (let i = 0; i < OPERATIONS; i++) {
      const id = String(this.#rng.int(0, DOCUMENTS - 1));
      if (this.#rng.bool(0.2)) {
        lines.push(JSON.stringify({ delete: { _id: id } }));
        this.#documents.delete(id);
      } else {
        const n = this.#next++;
        lines.push(JSON.stringify({ index: { _id: id } }), JSON.stringify({ n, pad: `${n} ${PADDING}` }));
        this.#documents.set(id, n);
      }
    }
    const { errors } = await this.#ok('POST', `/docs/_bulk?refresh=${this.#rng.bool()}`, `${lines.join('\n')}\n`);
    assert.equal(errors, false);
    if (this.#rng.bool(0.2)) await this.#ok('POST', '/docs/_forcemerge?max_num_segments=1');
  }

  // ----------------------------------------------------------------------------------------------------------- checks

  async #check(operation: string, answered: boolean): Promise<void> {
    const { snapshots } = await this.#ok('GET', '/_snapshot/r/_all');
    const listed = new Map<string, string>(snapshots.map(({ snapshot, state }: { snapshot: string; state: string }) => [snapshot, state]));
    const [kind, name, created] = operation.split(' ');
    const subject = created ?? name;
    for (const [known, state] of listed) {
      assert.ok(this.#snapshots.has(known), `unknown snapshot ${known}`);
      assert.equal(state, 'SUCCESS');
    }
    for (const known of this.#snapshots.keys()) if (!this.#uncertain.has(known)) assert.ok(listed.has(known), `${known} is lost`);
    if (answered && kind === 'delete') assert.ok(!listed.has(subject), `${subject} is still there`);
    if (answered && (kind === 'create' || kind === 'clone')) assert.ok(listed.has(subject), `${subject} was acknowledged`);
    for (const known of [...this.#snapshots.keys()]) if (!listed.has(known)) this.#snapshots.delete(known);
    this.#uncertain.clear();
    await this.#checkIndices(kind, name, answered);
    const chosen = listed.size === 0 ? [] : [this.#rng.pick([...listed.keys()]), [...listed.keys()][listed.size - 1]];
    for (const snapshot of new Set(chosen)) await this.#checkRestore(snapshot);
  }

  /** An interrupted restore has created or replaced the index as a whole, or not at all. */
  async #checkIndices(kind: string, snapshot: string, answered: boolean): Promise<void> {
    if ((await this.#status('HEAD', '/interrupted')) === 200) {
      assert.deepEqual(await this.#contents('interrupted'), this.#snapshots.get(snapshot));
      await this.#ok('DELETE', '/interrupted');
    } else if (kind === 'restore') assert.ok(!answered, 'a restore was acknowledged');
    if (kind === 'replace') await this.#ok('POST', '/docs/_open');
    const found = await this.#contents('docs');
    const restored = this.#snapshots.get(snapshot);
    const isReplaced = kind === 'replace' && (answered || !isEqual(found, this.#documents));
    assert.deepEqual(found, isReplaced ? restored : this.#documents);
    if (isReplaced && restored) this.#documents = new Map(restored);
  }

  async #checkRestore(snapshot: string): Promise<void> {
    assert.equal(await this.#restore(snapshot, 'restored'), 200, `restore of ${snapshot}`);
    assert.deepEqual(await this.#contents('restored'), this.#snapshots.get(snapshot), `contents of ${snapshot}`);
    await this.#ok('DELETE', '/restored');
  }

  /** All documents, from their sources. */
  async #contents(index: string): Promise<Map<string, number>> {
    await this.#ok('POST', `/${index}/_refresh`);
    const { hits } = await this.#ok('POST', `/${index}/_search`, { size: 10_000, _source: ['n', 'pad'], docvalue_fields: ['n'] });
    const found = new Map<string, number>();
    for (const { _id, _source, fields } of hits.hits) {
      assert.equal(_source.pad, `${_source.n} ${PADDING}`);
      assert.deepEqual(fields.n, [_source.n]);
      found.set(_id, _source.n);
    }
    assert.equal(hits.total.value, found.size);
    return new Map([...found].sort(([a], [b]) => Number(a) - Number(b)));
  }

  // ---------------------------------------------------------------------------------------------------------- service

  async #startService(): Promise<void> {
    this.#service = await startService(this.#flags, this.#data);
    this.#documents = new Map([...this.#documents].sort(([a], [b]) => Number(a) - Number(b)));
  }

  /** Kills the service and its parent, which would restart it. */
  async #kill(): Promise<void> {
    const { process: parent, servicePid } = this.#service as TestService;
    const ended = new Promise((resolve) => parent.once('exit', resolve));
    const pid = servicePid();
    parent.kill('SIGKILL');
    process.kill(pid, 'SIGKILL');
    await ended;
  }

  async #status(method: string, target: string, body?: unknown): Promise<number> {
    return (await (this.#service as TestService).request(method, target, body)).status;
  }

  async #ok(method: string, target: string, body?: unknown): Promise<any> {
    const answer = await (this.#service as TestService).request(method, target, body);
    assert.ok(answer.status < 300, `${method} ${target}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  }
}

function isEqual(a: Contents, b: Contents): boolean {
  return a.size === b.size && [...a].every(([id, n]) => b.get(id) === n);
}
