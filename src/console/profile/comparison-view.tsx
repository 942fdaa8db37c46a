// Two searches side by side: the interval of the ratio of their times, their counters, and their profiles on one scale.
import type { JSX } from 'preact';
import { shardProfiles } from '../answers/profile-model.ts';
import { ProfileView } from '../answers/profile-view.tsx';
import { type Comparison, comparisonRows, intervalMarks, type Ratio, scoredOf, skippedTexts, verdictText } from './comparison.ts';

export function ComparisonView({ comparison }: { readonly comparison: Comparison }): JSX.Element {
  const sides = [
    { name: 'A', side: comparison.a, shards: shardProfiles(comparison.a) },
    { name: 'B', side: comparison.b, shards: shardProfiles(comparison.b) },
  ];
  const whole = Math.max(...sides.flatMap(({ shards }) => shards.map(({ nanos }) => nanos)), 0);
  return (
    <>
      <section class="card comparison" aria-label="Result of the comparison">
        <p class="verdict">{verdictText(comparison)}</p>
        {!comparison.same_hits && <p class="notice warn">The hits differ: the two requests do not answer the same question.</p>}
        {comparison.ratio && <Interval ratio={comparison.ratio} />}
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
        <section class="table-scroll" aria-label="Counters" tabIndex={0}>
          <table class="data-table">
            <thead>
              <tr>
                {['', 'A', 'B', 'B to A'].map((title) => (
                  <th key={title} scope="col" class={title === '' ? '' : 'number'}>
                    <span>{title === '' ? 'Figure' : title}</span>
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {comparisonRows(comparison).map(([name, a, b, change]) => (
                <tr key={name}>
                  <th scope="row">{name}</th>
                  <td class="number">{a}</td>
                  <td class="number">{b}</td>
                  <td class="number">{change}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      </section>
      <div class="compared-profiles">
        {sides.map(({ name, side, shards }) => (
          <section key={name} class="card" aria-label={`Profile of ${name}`}>
            <p class="profile-sheet-head">
              <b class="badge">{name}</b>
              <span class="muted small">widths of A and B have one scale</span>
            </p>
            {skippedTexts({ ...side, scored: scoredOf(shards) }).map((text) => (
              <p key={text} class="notice">
                {text}
              </p>
            ))}
            <ProfileView shards={shards} wholeNanos={whole} label={`Times of clauses of ${name}`} />
          </section>
        ))}
      </div>
    </>
  );
}

function Interval({ ratio }: { readonly ratio: Ratio }): JSX.Element {
  const { low, middle, high, ticks } = intervalMarks(ratio);
  return (
    <div class="interval" aria-hidden="true">
      <p class="interval-sides muted small">
        <span>B is faster</span>
        <span>A is faster</span>
      </p>
      <div class="interval-track">
        {ticks.map(([label, at]) => (
          <span key={label} class="interval-tick" style={{ left: `${at}%` }}>
            {label}
          </span>
        ))}
        <span class="interval-bar" style={{ left: `${low}%`, width: `${high - low}%` }} />
        <span class="interval-dot" style={{ left: `${middle}%` }} />
      </div>
    </div>
  );
}
