// A node with data that belongs to nobody but root, next to users with different privileges: the target of the walks over routes and bodies.
import { hashPassword } from '../../../../src/security/password-hash.ts';
import { openRestNode, type RestNode } from '../../../support/rest-node.ts';

const on = (privileges: string[], cluster: string[] = []) => ({ cluster, indices: [{ names: ['own-*'], privileges }] });
const ROLES = {
  owner: on(['all'], ['all']),
  operator: { cluster: ['all'] },
  reader: on(['read', 'view_index_metadata'], ['monitor']),
  writer: on(['write', 'create_index', 'maintenance']),
  manager: on(['manage'], ['manage_index_templates', 'monitor']),
  nobody: {},
};
export type User = keyof typeof ROLES;
export const USER_NAMES = Object.keys(ROLES) as User[];

/** Only in foreign indices: contents, fields, aliases, settings. `zzhidden`, `zzveil` and the data stream `zzflow` are never named by a request. */
export const CANARY = /canaryword|canaryfield|canarykey|zzhidden|zzveil|zzflow|canaryid/;

const FIELDS = {
  k: { type: 'keyword' },
  text: { type: 'text' },
  place: { type: 'geo_shape' },
  canaryfield: { type: 'text', fielddata: true },
};

const OWN_FIELDS = {
  k: FIELDS.k,
  text: FIELDS.text,
  place: FIELDS.place,
  point: { type: 'geo_point' },
  plane: { type: 'shape' },
  n: { type: 'long' },
  kids: { type: 'nested' },
  stored: { type: 'percolator' },
  relation: { type: 'join', relations: { above: 'below' } },
  vector: { type: 'dense_vector', dims: 2, similarity: 'l2_norm' },
};

type Answer = ReturnType<RestNode['send']>;

export class ForeignData {
  readonly node: RestNode;
  /** Ids that belong to root, by the placeholders that stand for them in requests. */
  readonly ids: Readonly<Record<string, string>>;
  #ownMeta: unknown = null;

  private constructor(node: RestNode, ids: Readonly<Record<string, string>>) {
    this.node = node;
    this.ids = ids;
  }

  static async open(): Promise<ForeignData> {
    const hash = await hashPassword('pw');
    const users = Object.fromEntries(USER_NAMES.map((name) => [name, { password_hash: hash, roles: [name] }]));
    const node = await openRestNode({
      'security.users': { ...users, root: { password_hash: hash, roles: ['superuser'] } },
      'security.roles': ROLES,
    });
    return new ForeignData(node, await fill((line, body) => send(node, 'root', line, body)));
  }

  as(user: User | 'root', line: string, body?: unknown): Answer {
    return send(this.node, user, line, body);
  }

  close(): Promise<void> {
    return this.node.close();
  }

  /** Replaces placeholders by ids. */
  withIds(body: unknown): unknown {
    if (body === undefined || typeof body === 'string') return body;
    return JSON.parse(JSON.stringify(body).replaceAll(/ROOT_\w+/g, (key) => this.ids[key]));
  }

  /** The state of everything that does not belong to the users. */
  async state(): Promise<string> {
    const { cluster } = this.node.engine;
    const own = ['own-1', 'own-2'];
    const metas = Object.entries(cluster.indices).filter(
      ([name, { aliases }]) => !own.includes(name) && /^(\.ds-)?zz/.test(`${name} ${Object.keys(aliases)}`),
    );
    const stray = Object.entries(cluster.indices).filter(
      ([name, { aliases }]) => own.includes(name) && Object.keys(aliases).some((alias) => /^zz/.test(alias)),
    );
    const streams = Object.entries(cluster.dataStreams ?? {}).filter(([name]) => name.startsWith('zz'));
    const stats = await Promise.all(
      metas.map(async ([name]) => {
        const index = this.node.engine.index(name);
        return index && (await this.node.engine.shardStats(index)).map(({ maxSeqNo, docs, deleted }) => [maxSeqNo, docs, deleted]);
      }),
    );
    return JSON.stringify([metas, stray.map(([name]) => name), streams, stats]);
  }

  /** Own indices as they were before the last request. */
  async restoreOwn(): Promise<void> {
    const { indices } = this.node.engine.cluster;
    const names = Object.keys(indices).filter((name) => name.startsWith('own-'));
    if (names.length === 1 && indices['own-1'] !== undefined && indices['own-1'] === this.#ownMeta) {
      // What a request wrote is visible to the next one, whenever the index is refreshed by itself.
      await this.as('root', 'POST /own-1/_refresh');
      return;
    }
    if (names.length > 0) await this.as('root', `DELETE /${names.join(',')}`);
    await this.as('root', 'PUT /own-1', { mappings: { properties: OWN_FIELDS } });
    const stored = { prefix: { text: 'canar' } };
    await this.as('root', 'PUT /own-1/_doc/1?refresh=true', { k: 'own', text: 'mine', n: 1, kids: [{ n: 1 }], stored, vector: [1, 0] });
    this.#ownMeta = this.node.engine.cluster.indices['own-1'];
  }
}

function send(node: RestNode, user: string, line: string, body?: unknown): Answer {
  return node.send(line, body, { authorization: `Basic ${Buffer.from(`${user}:pw`).toString('base64')}` });
}

/** @returns ids that belong to root */
async function fill(root: (line: string, body?: unknown) => Answer): Promise<Record<string, string>> {
  const ok = async (line: string, body?: unknown) => {
    const { status, json, text } = await root(line, body);
    if (status >= 300) throw new Error(`${line}: ${status} ${text}`);
    return json;
  };
  const source = { k: 'canarykey', text: 'canaryword', canaryfield: 'canaryword', place: 'POINT (1 1)' };
  for (const [index, alias] of [
    ['zzsecret', 'zzalias'],
    ['zzhidden', 'zzveil'],
  ]) {
    const settings = { 'index.analysis.analyzer.canaryanalyzer.type': 'standard' };
    const aliases = { [alias]: { filter: { term: { k: 'canarykey' } } } };
    await ok(`PUT /${index}`, { settings, mappings: { properties: FIELDS }, aliases });
    for (const id of ['1', 'canaryid']) await ok(`PUT /${index}/_doc/${id}?refresh=true`, source);
  }
  // Whoever may see templates sees all of them, so this one names nothing.
  await ok('PUT /_index_template/streams', { index_patterns: ['z*flow', 'z*stream'], data_stream: {} });
  for (const name of ['zzflow', 'zzstream']) await ok(`POST /${name}/_doc?refresh=true`, { '@timestamp': '2024-01-01', ...source });
  for (const name of ['zzsecret', 'zzalias', 'zzmissing'])
    await ok(`PUT /_ingest/pipeline/to-${name}`, { processors: [{ set: { field: '_index', value: name } }] });
  const { task } = await ok('POST /_reindex?wait_for_completion=false', {
    source: { index: 'zzhidden' },
    dest: { index: 'zzsecret-copy' },
  });
  await ok(`GET /_tasks/${task}?wait_for_completion=true`);
  // Statistics have a group of searches and the memory of a field to show.
  await ok('POST /zzsecret/_search', { stats: ['canarykey'], aggs: { t: { terms: { field: 'canaryfield' } } } });
  const search = await ok('POST /zzsecret,zzhidden/_async_search?keep_on_completion=true&wait_for_completion_timeout=20s', {});
  return {
    ROOT_SCROLL: (await ok('POST /zzsecret,zzhidden/_search?scroll=5m&size=1'))._scroll_id,
    ROOT_PIT: (await ok('POST /zzsecret,zzhidden/_pit?keep_alive=5m')).id,
    ROOT_TASK: task,
    ROOT_ASYNC: search.id,
  };
}
