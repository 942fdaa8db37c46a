// The files of examples/cluster name settings that exist, with values that they accept.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { loadSettings } from '../../src/config/load-settings.ts';

const folder = path.resolve(import.meta.dirname, '../../examples/cluster');

function documentsOf(file: string): any[] {
  return parseAllDocuments(readFileSync(path.join(folder, file), 'utf8'), { merge: true }).map((document) => {
    expect(document.errors).toEqual([]);
    return document.toJS();
  });
}

const SECRET = 'a secret of at least sixteen characters';

test('the services of compose.yaml have settings that a node accepts, and names of their own', () => {
  const [{ services }] = documentsOf('compose.yaml');
  const nodes = Object.entries<any>(services).filter(([name]) => name.startsWith('node-'));
  const names = nodes.map(([name, { environment }]) => {
    const settings = loadSettings({ environment: { ...environment, GANNET_CLUSTER_SECRET: SECRET } });
    expect(settings['cluster.nats.servers']).toEqual([1, 2, 3].map((server) => `nats://nats-${server}:4222`));
    expect(settings['transport.publish_address']).toBe(`${name}:9300`);
    return settings['node.name'];
  });
  expect(names).toEqual(['node-1', 'node-2', 'node-3']);
});

test('the StatefulSet has settings that a node accepts', () => {
  const set = documentsOf('kubernetes.yaml').find(({ kind }) => kind === 'StatefulSet');
  const [{ env }] = set.spec.template.spec.containers;
  const environment = Object.fromEntries(env.map(({ name, value }: { name: string; value?: string }) => [name, value ?? SECRET]));
  const settings = loadSettings({ environment });
  expect(settings['cluster.nats.servers']).toEqual(['nats://nats:4222']);
  expect(settings['cluster.secret']).toBe(SECRET);
});

test('gannet.yml has settings that a node accepts', () => {
  const settings = loadSettings({ file: path.join(folder, 'gannet.yml'), environment: { GANNET_CLUSTER_SECRET: SECRET } });
  expect(settings['cluster.nats.servers']).toHaveLength(3);
  expect(settings['node.name']).toBe('node-1');
});
