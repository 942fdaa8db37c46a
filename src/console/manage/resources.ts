// Named definitions stored by the service, and how each kind is listed, read and written. Independent of the page's components.

export interface Resource {
  readonly name: string;
  /** The body of a PUT that creates the same definition. */
  readonly body: Readonly<Record<string, unknown>>;
}

export interface ResourceKind {
  readonly title: string;
  /** `pipeline`, in sentences. */
  readonly noun: string;
  readonly listPath: string;
  /** Path without the name that follows it. */
  readonly path: string;
  read(answer: Json): Resource[];
  /** The body of a new one. */
  readonly example: Readonly<Record<string, unknown>>;
}

export type Json = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value);

/** `{ name: body }`, without some keys of the bodies that the service adds. */
const byName =
  (without: readonly string[] = []) =>
  (answer: Json): Resource[] =>
    sorted(Object.entries(answer).map(([name, body]) => ({ name, body: isObject(body) ? withoutKeys(body, without) : {} })));

/** `{ list: [{ name, inner }] }` */
const inList =
  (list: string, inner: string) =>
  (answer: Json): Resource[] => {
    const items = Array.isArray(answer[list]) ? answer[list] : [];
    return sorted(items.filter(isObject).map((item) => ({ name: String(item.name), body: isObject(item[inner]) ? item[inner] : {} })));
  };

const withoutKeys = (body: Json, keys: readonly string[]): Json =>
  Object.fromEntries(Object.entries(body).filter(([key, value]) => !keys.includes(key) && value !== null));

const sorted = (resources: Resource[]): Resource[] => resources.sort((a, b) => (a.name < b.name ? -1 : 1));

export const KINDS = {
  pipelines: {
    title: 'Pipelines',
    noun: 'pipeline',
    listPath: '/_ingest/pipeline',
    path: '/_ingest/pipeline/',
    read: byName(),
    example: { description: '', processors: [{ set: { field: 'imported_at', value: '{{_ingest.timestamp}}' } }] },
  },
  templates: {
    title: 'Index templates',
    noun: 'index template',
    listPath: '/_index_template',
    path: '/_index_template/',
    read: inList('index_templates', 'index_template'),
    example: { index_patterns: ['logs-*'], template: { settings: {}, mappings: { properties: {} } } },
  },
  components: {
    title: 'Component templates',
    noun: 'component template',
    listPath: '/_component_template',
    path: '/_component_template/',
    read: inList('component_templates', 'component_template'),
    example: { template: { mappings: { properties: {} } } },
  },
  lifecycles: {
    title: 'Lifecycles',
    noun: 'lifecycle policy',
    listPath: '/_ilm/policy',
    path: '/_ilm/policy/',
    read: (answer) => byName()(answer).map(({ name, body }) => ({ name, body: isObject(body.policy) ? { policy: body.policy } : {} })),
    example: {
      policy: { phases: { hot: { actions: { rollover: { max_age: '7d' } } }, delete: { min_age: '30d', actions: { delete: {} } } } },
    },
  },
  repositories: {
    title: 'Repositories',
    noun: 'repository',
    listPath: '/_snapshot',
    path: '/_snapshot/',
    read: byName(['uuid']),
    example: { type: 'fs', settings: { location: 'backups' } },
  },
  snapshotPolicies: {
    title: 'Snapshot policies',
    noun: 'snapshot policy',
    listPath: '/_slm/policy',
    path: '/_slm/policy/',
    read: (answer) => byName()(answer).map(({ name, body }) => ({ name, body: isObject(body.policy) ? body.policy : {} })),
    example: {
      schedule: '0 30 1 * * ?',
      name: '<daily-{now/d}>',
      repository: 'backups',
      config: { indices: ['*'] },
      retention: { expire_after: '30d', min_count: 5 },
    },
  },
  users: {
    title: 'Users',
    noun: 'user',
    listPath: '/_security/user',
    path: '/_security/user/',
    read: byName(['username']),
    example: { password: '', roles: [] },
  },
  roles: {
    title: 'Roles',
    noun: 'role',
    listPath: '/_security/role',
    path: '/_security/role/',
    read: byName(['transient_metadata']),
    example: { cluster: ['monitor'], indices: [{ names: ['*'], privileges: ['read'] }] },
  },
} as const satisfies Record<string, ResourceKind>;

export type KindName = keyof typeof KINDS;

/** One step of a simulated pipeline. */
export interface SimulatedStep {
  readonly processor: string;
  readonly status: string;
  /** Why it failed or dropped the document; otherwise empty. */
  readonly reason: string;
  readonly changes: readonly FieldChange[];
}

export interface FieldChange {
  readonly field: string;
  /** JSON; null if the field was absent. */
  readonly before: string | null;
  readonly after: string | null;
}

/** The steps of each document of a verbose `_simulate`. @param sources  the documents that were sent */
export function simulatedSteps(answer: Json, sources: readonly Json[]): SimulatedStep[][] {
  const documents = Array.isArray(answer.docs) ? answer.docs.filter(isObject) : [];
  return documents.map((document, i) => {
    let before: Json = sources[i] ?? {};
    const results = Array.isArray(document.processor_results) ? document.processor_results.filter(isObject) : [];
    return results.map((result): SimulatedStep => {
      const doc = isObject(result.doc) ? result.doc : null;
      const after = doc && isObject(doc._source) ? doc._source : before;
      const changes = fieldChanges(before, after);
      before = after;
      const tag = typeof result.tag === 'string' ? ` ${result.tag}` : '';
      return {
        processor: `${String(result.processor_type)}${tag}`,
        status: String(result.status ?? ''),
        reason: reasonOf(result),
        changes,
      };
    });
  });
}

function reasonOf({ error, ignored_error: ignored }: Json): string {
  const cause = isObject(error) ? error : isObject(ignored) && isObject(ignored.error) ? ignored.error : null;
  return cause && typeof cause.reason === 'string' ? cause.reason : '';
}

/** Fields at the top of two documents that differ. */
function fieldChanges(before: Json, after: Json): FieldChange[] {
  const json = (value: unknown): string | null => (value === undefined ? null : JSON.stringify(value));
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .map((field) => ({ field, before: json(before[field]), after: json(after[field]) }))
    .filter((change) => change.before !== change.after);
}
