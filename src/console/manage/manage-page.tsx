// The management page: pipelines with simulation, templates, lifecycles, snapshots, users, roles and API keys.
import type { JSX } from 'preact';
import { useCell } from '../cell.ts';
import { address, go } from '../shell/router.ts';
import { ApiKeys } from './api-keys.tsx';
import { ResourceList } from './resource-list.tsx';
import { KINDS, type KindName } from './resources.ts';
import { Snapshots } from './snapshots.tsx';

const OTHERS = { snapshots: 'Snapshots', keys: 'API keys' } as const;
type Part = KindName | keyof typeof OTHERS;

const PARTS: readonly Part[] = [
  'pipelines',
  'templates',
  'components',
  'lifecycles',
  'repositories',
  'snapshots',
  'snapshotPolicies',
  'users',
  'roles',
  'keys',
];
const titleOf = (part: Part): string => (part in OTHERS ? OTHERS[part as keyof typeof OTHERS] : KINDS[part as KindName].title);

export function ManagePage(): JSX.Element {
  const { params } = useCell(address);
  const part = PARTS.find((name) => name === params.part) ?? 'pipelines';
  return (
    <div class="page manage">
      <header class="page-head">
        <h1>Manage</h1>
      </header>
      <div class="tabs" role="tablist" aria-label="Kinds of definitions">
        {PARTS.map((name) => (
          <button key={name} type="button" role="tab" aria-selected={name === part} onClick={() => go('manage', { part: name })}>
            {titleOf(name)}
          </button>
        ))}
      </div>
      {part === 'snapshots' ? <Snapshots /> : part === 'keys' ? <ApiKeys /> : <ResourceList key={part} kind={part} />}
    </div>
  );
}
