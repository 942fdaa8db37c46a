// Hits of a profiled search with explanations of their scores.
import type { JSX } from 'preact';
import { Why } from '../answers/explanation-view.tsx';
import type { Hit } from '../answers/search-answer.ts';
import { numberText } from '../format.ts';

export function ScoredHits({ hits, query }: { readonly hits: readonly Hit[]; readonly query: unknown }): JSX.Element {
  return (
    <section class="card scored-hits" aria-label="Hits">
      <h2>Hits</h2>
      <ol>
        {hits.map((hit) => (
          <li key={`${hit._index} ${hit._id}`}>
            <p>
              <b>{hit._id}</b> <span class="muted">{hit._index}</span>{' '}
              {hit._score !== null && <span class="badge">{numberText(hit._score)}</span>}{' '}
              <span class="muted mono small hit-source">{JSON.stringify(hit._source ?? hit.fields ?? {})}</span>
            </p>
            <Why hit={hit} query={query} />
          </li>
        ))}
      </ol>
    </section>
  );
}
