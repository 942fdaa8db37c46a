// The live slow log: searches and documents that took longer than the thresholds of their index.
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { clockText, msText } from '../format.ts';
import { indentJson } from '../json-text.ts';
import { call } from '../service.ts';
import { go } from '../shell/router.ts';

interface SlowEntry {
  readonly timestamp: string;
  readonly level: string;
  readonly phase: 'query' | 'fetch' | 'index';
  readonly index: string;
  readonly shard: number;
  readonly took_millis: number;
  readonly source: string;
  readonly id?: string;
}

const POLL_MS = 3000;
const SHOWN = 50;
const KINDS: Readonly<Record<string, string>> = { warn: 'bad', info: 'warn' };

export function SlowLogList(): JSX.Element | null {
  const [entries, setEntries] = useState<readonly SlowEntry[] | null>(null);
  useEffect(() => {
    const load = (): void => {
      // Users without the privilege do not see the list.
      call<{ entries: SlowEntry[] }>('GET', `/_slowlog?size=${SHOWN}`).then(
        (found) => setEntries(found.entries),
        () => {},
      );
    };
    load();
    const timer = setInterval(load, POLL_MS);
    return () => clearInterval(timer);
  }, []);
  if (entries === null) return null;
  return (
    <section class="card slow-log" aria-label="Slow log">
      <h2>Slow log</h2>
      {entries.length === 0 ? (
        <p class="muted">
          Nothing so far. Settings like <code>index.search.slowlog.threshold.query.warn</code> say what is slow.
        </p>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
        <section class="table-scroll" aria-label="Entries of the slow log" tabIndex={0}>
          <table class="data-table">
            <thead>
              <tr>
                {['Time', 'Level', 'Index', 'Phase', 'Took', 'Source'].map((title) => (
                  <th key={title} scope="col" class={title === 'Took' ? 'number' : ''}>
                    <span>{title}</span>
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {entries.map((entry, i) => (
                <tr key={`${entry.timestamp} ${i}`}>
                  <td>{clockText(Date.parse(entry.timestamp))}</td>
                  <td>
                    <span class={`badge ${KINDS[entry.level] ?? ''}`}>{entry.level}</span>
                  </td>
                  <td>{entry.index}</td>
                  <td>{entry.phase}</td>
                  <td class="number">{msText(entry.took_millis)}</td>
                  <td class="mono slow-source">
                    {entry.phase === 'index' ? (
                      `${entry.id ?? ''} ${entry.source}`
                    ) : (
                      <button type="button" class="link" title="Open as a request" onClick={() => openRequest(entry)}>
                        {entry.source === '' ? 'without a body' : entry.source}
                      </button>
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
    </section>
  );
}

function openRequest({ index, source }: SlowEntry): void {
  go('requests', { text: `POST ${index}/_search\n${source === '' ? '' : indentJson(source)}` });
}
