// First steps with sample data: each opens a page of the console with an example.
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { countText } from '../format.ts';
import { profiledSheets } from '../profile/kept-sheets.ts';
import { go } from '../shell/router.ts';
import { showToast } from '../shell/toast.tsx';
import { hasSample, loadSample, removeSample, SAMPLE_INDEX } from './sample.ts';

interface Step {
  readonly title: string;
  readonly about: string;
  readonly label: string;
  open(): void;
}

const sheetOf = (body: object): string => `POST ${SAMPLE_INDEX}/_search\n${JSON.stringify(body, null, 2)}\n`;

const STEPS: readonly Step[] = [
  {
    title: 'Search with the Elasticsearch API',
    about:
      'Cities called “san”, with more than a million inhabitants, the largest first. Ctrl-Enter runs the request, Ctrl-Space completes it.',
    label: 'Open the request',
    open: () =>
      go('requests', {
        text: sheetOf({
          query: { bool: { must: { match: { name: 'san' } }, filter: { range: { population: { gte: 1_000_000 } } } } },
          sort: [{ population: 'desc' }],
        }),
      }),
  },
  {
    title: 'Aggregate, and see a chart',
    about: 'Countries by number of large cities, split by size: run it, then choose Charts. Click a bar to filter by it.',
    label: 'Open the request',
    open: () =>
      go('requests', {
        text: sheetOf({
          size: 0,
          aggs: {
            countries: {
              terms: { field: 'country', size: 15 },
              aggs: {
                sizes: { range: { field: 'population', ranges: [{ to: 500_000 }, { from: 500_000, to: 2_000_000 }, { from: 2_000_000 }] } },
              },
            },
          },
        }),
      }),
  },
  {
    title: 'Explore without writing requests',
    about: 'Search words, look at fields and their values, and add filters.',
    label: 'Discover the cities',
    open: () => go('discover', { index: SAMPLE_INDEX }),
  },
  {
    title: 'See where the time goes',
    about: 'Two searches for the same cities: profile the first, then run both in turns. Each hit explains its score.',
    label: 'Profile them',
    open: () => {
      profiledSheets.a.set(sheetOf({ query: { match: { name: 'new york' } } }));
      profiledSheets.b.set(sheetOf({ query: { wildcard: { 'name.raw': '*New York*' } } }));
      go('profile');
    },
  },
  {
    title: 'See how text becomes terms',
    about: 'What an analyzer does with text, updated at every keystroke.',
    label: 'Analyze a text',
    open: () => go('analysis'),
  },
];

export function TourPage(): JSX.Element {
  const [isLoaded, setLoaded] = useState<boolean | null>(null);
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);
  useEffect(() => {
    hasSample().then(setLoaded, (failure: Error) => setError(failure.message));
  }, []);
  const act = async (work: () => Promise<string>, after: boolean): Promise<void> => {
    setBusy(true);
    setError(null);
    try {
      showToast(await work());
      setLoaded(after);
    } catch (failure) {
      setError((failure as Error).message);
    }
    setBusy(false);
  };
  return (
    <div class="page tour">
      <header class="page-head">
        <h1>First steps</h1>
        <p class="muted">with the largest cities of the world, in an index of their own</p>
      </header>
      <section class="card tour-sample" aria-label="Sample">
        <p>
          {isLoaded === true ? (
            <>
              The sample is in the index <code>{SAMPLE_INDEX}</code>.
            </>
          ) : (
            'The sample data is part of the service; nothing is downloaded.'
          )}
        </p>
        {isLoaded === false && (
          <button
            type="button"
            class="primary"
            disabled={isBusy}
            onClick={() => void act(async () => `${countText(await loadSample(), 'city', 'cities')} were indexed`, true)}
          >
            Load the sample
          </button>
        )}
        {isLoaded === true && (
          <button
            type="button"
            class="plain"
            disabled={isBusy}
            onClick={() => void act(() => removeSample().then(() => 'The sample was removed'), false)}
          >
            Remove the sample
          </button>
        )}
      </section>
      {error !== null && (
        <p class="notice error" role="alert">
          {error}
        </p>
      )}
      <ol class="tour-steps">
        {STEPS.map(({ title, about, label, open }) => (
          <li key={title} class="card">
            <h2>{title}</h2>
            <p class="muted">{about}</p>
            <p>
              <button type="button" class="plain" disabled={isLoaded !== true} onClick={open}>
                {label}
              </button>
            </p>
          </li>
        ))}
      </ol>
      <p class="muted small">
        Cities: <a href="https://www.geonames.org">GeoNames</a>, CC BY 4.0.
      </p>
    </div>
  );
}
