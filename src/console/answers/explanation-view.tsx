// Explains the score of a hit: a sum with its parts as bars, each of which expands to its factors.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { call, pathPart } from '../service.ts';
import { type Explanation, type ScorePart, scoreParts, scoreText, sumText } from './explain-model.ts';
import type { Hit } from './search-answer.ts';

export interface WhyProps {
  readonly hit: Hit;
  /** Query of the search; null if `_explain` cannot repeat the search, so that only an explanation in the hit is shown. */
  readonly query: unknown;
}

/** Requests the explanation when it is opened. */
export function Why({ hit, query }: WhyProps): JSX.Element | null {
  const [explanation, setExplanation] = useState<Explanation | null>(hit._explanation ?? null);
  const [error, setError] = useState<string | null>(null);
  if (explanation === null && (query === null || hit._score === null)) return null;
  const load = (): void => {
    if (explanation !== null) return;
    const routing = hit._routing === undefined ? '' : `?routing=${encodeURIComponent(hit._routing)}`;
    call<{ explanation: Explanation }>('POST', `/${pathPart(hit._index)}/_explain/${pathPart(hit._id)}${routing}`, { query }).then(
      (answer) => setExplanation(answer.explanation),
      (failure: Error) => setError(failure.message),
    );
  };
  return (
    <details class="why" onToggle={(event) => event.currentTarget.open && load()}>
      <summary class="muted">Why this score?</summary>
      {error !== null && <p class="notice error">{error}</p>}
      {explanation && <ExplanationView explanation={explanation} />}
    </details>
  );
}

function ExplanationView({ explanation }: { readonly explanation: Explanation }): JSX.Element {
  const root = scoreParts(explanation);
  return (
    <div class="explanation">
      <p class="mono score-sum">{sumText(root)}</p>
      <PartList parts={root.parts.length > 0 ? root.parts : [root]} whole={root} />
    </div>
  );
}

function PartList({ parts, whole }: { readonly parts: readonly ScorePart[]; readonly whole: ScorePart }): JSX.Element {
  const largest = Math.max(...parts.map(({ value }) => Math.abs(value)), 0) || 1;
  const isAdded = whole.joint === '+' || whole.joint === 'max';
  return (
    <ul class="score-parts">
      {parts.map((part, i) => (
        <li key={i}>
          <p class="score-part">
            <span class="score-joint muted" aria-hidden="true">
              {i === 0 ? '' : (whole.joint ?? '')}
            </span>
            <b class="mono score-value">{scoreText(part.value)}</b>
            {isAdded && (
              <span class="score-track">
                <span style={{ width: `${(Math.abs(part.value) / largest) * 100}%` }} />
              </span>
            )}
            <span class="score-label mono">{part.label}</span>
            {part.note !== '' && <span class="muted small">{part.note}</span>}
          </p>
          {part.parts.length > 0 && <PartList parts={part.parts} whole={part} />}
        </li>
      ))}
    </ul>
  );
}
