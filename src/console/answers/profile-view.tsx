// The profile of a search as an icicle chart: the width of a clause is its time, and its subclauses are drawn below it. Selecting a clause
// shows its steps and counters.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { msText, numberText } from '../format.ts';
import { type ProfileNode, type ShardProfile, sharesOf } from './profile-model.ts';

const nanosText = (nanos: number): string => (nanos < 10_000 ? `${(nanos / 1000).toFixed(1)} µs` : msText(nanos / 1e6));

export interface ProfileViewProps {
  readonly shards: readonly ShardProfile[];
  /** Time that corresponds to the full width; by default that of each shard. */
  readonly wholeNanos?: number;
  readonly label?: string;
}

export function ProfileView({ shards, wholeNanos, label = 'Times of clauses' }: ProfileViewProps): JSX.Element {
  const [chosen, setChosen] = useState<ProfileNode | null>(shards[0]?.parts[0]?.roots[0] ?? null);
  return (
    <div class="profile">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
      <section class="profile-shards" aria-label={label} tabIndex={0}>
        {shards.map(({ title, nanos, parts }) => (
          <section key={title} aria-label={title}>
            <h2>
              {title} <span class="muted">{nanosText(nanos)}</span>
            </h2>
            {parts.map((part) => (
              <div key={part.title} class="icicle" style={{ width: `${widthOf(part.roots, wholeNanos)}%` }}>
                <h3 class="muted small">{part.title}</h3>
                <Level parent={{ nanos: 0, children: part.roots }} chosen={chosen} onChoose={setChosen} depth={0} />
              </div>
            ))}
          </section>
        ))}
      </section>
      {chosen && <NodeDetails node={chosen} />}
    </div>
  );
}

/** Percent of the width. */
function widthOf(roots: readonly ProfileNode[], wholeNanos: number | undefined): number {
  if (wholeNanos === undefined || wholeNanos === 0) return 100;
  return Math.min(100, (roots.reduce((sum, { nanos }) => sum + nanos, 0) / wholeNanos) * 100);
}

interface LevelProps {
  readonly parent: Pick<ProfileNode, 'nanos' | 'children'>;
  readonly chosen: ProfileNode | null;
  onChoose(node: ProfileNode): void;
  readonly depth: number;
}

const DEPTHS = 6;

function Level({ parent, chosen, onChoose, depth }: LevelProps): JSX.Element {
  const shares = sharesOf(parent);
  return (
    <div class="icicle-level">
      {parent.children.map((node, i) => (
        <div key={i} class="icicle-node" style={{ width: `${shares[i] * 100}%` }}>
          <button
            type="button"
            class={`depth-${depth % DEPTHS}`}
            aria-pressed={node === chosen}
            title={`${node.name} ${node.description}\n${nanosText(node.nanos)}`}
            onClick={() => onChoose(node)}
          >
            <b>{node.name}</b> {nanosText(node.nanos)} <span class="clause">{node.description}</span>
          </button>
          {node.children.length > 0 && <Level parent={node} chosen={chosen} onChoose={onChoose} depth={depth + 1} />}
        </div>
      ))}
    </div>
  );
}

function NodeDetails({ node }: { readonly node: ProfileNode }): JSX.Element {
  const inChildren = node.children.reduce((sum, child) => sum + child.nanos, 0);
  return (
    <section class="node-details" aria-label="Chosen clause">
      <h2>{node.name}</h2>
      <p class="mono">{node.description}</p>
      <dl class="figures">
        <Figure label="time" value={nanosText(node.nanos)} />
        {node.children.length > 0 && inChildren <= node.nanos && (
          <Figure label="of it in this clause itself" value={nanosText(node.nanos - inChildren)} />
        )}
        {node.times.map(([name, nanos]) => (
          <Figure key={name} label={name} value={nanosText(nanos)} />
        ))}
      </dl>
      {node.counts.length + node.facts.length > 0 && (
        <dl class="figures counters">
          {node.counts.map(([name, count]) => (
            <Figure key={name} label={`calls of ${name}`} value={numberText(count)} />
          ))}
          {node.facts.map(([name, value]) => (
            <Figure key={name} label={name.replaceAll('_', ' ')} value={value} />
          ))}
        </dl>
      )}
    </section>
  );
}

function Figure({ label, value }: { readonly label: string; readonly value: string }): JSX.Element {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{value}</dd>
    </div>
  );
}
