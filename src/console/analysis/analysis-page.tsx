// The analysis page: shows how char filters, tokenizer and token filters process a text. The analyzer module computes it in the browser at
// every keystroke; two chains can be compared.
import type { JSX } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { TextAnalysis } from '../../analyzer.ts';
import { loadCatalog } from '../catalog.ts';
import type { Catalog } from '../catalog-types.ts';
import { isString, keptCell, useCell } from '../cell.ts';
import { countText } from '../format.ts';
import { Icon } from '../shell/icons.tsx';
import { copyText } from '../shell/toast.tsx';
import {
  type Chain,
  chainText,
  isExplained,
  isPlacedAlike,
  PRESETS,
  parseChain,
  placeTokens,
  type Stage,
  settingsOf,
  stagesOf,
  type Token,
} from './chain.ts';
import { TokenGraphView } from './token-graph-view.tsx';

const FIRST_TEXT = "The QUICK brown foxes jumped over O'Neill's café in New York.";
const MAX_TEXT = 2000;

const text = keptCell('analysis.text', FIRST_TEXT, isString);
const chains = [keptCell('analysis.a', chainText(PRESETS.english), isString), keptCell('analysis.b', '', isString)] as const;

export function AnalysisPage(): JSX.Element {
  const analysis = useAnalyzer();
  const catalog = useCatalog();
  const analyzed = useCell(text);
  const [first, second] = [useCell(chains[0]), useCell(chains[1])];
  const a = useStages(analysis.module, first, analyzed);
  const b = useStages(analysis.module, second, analyzed);
  const isCompared = second !== '';
  const lastOf = (stages: readonly Stage[] | null): readonly Token[] => stages?.at(-1)?.tokens ?? [];
  return (
    <div class="page analysis">
      <header class="page-head">
        <h1>Analysis</h1>
        <p class="muted">What an analyzer makes of a text, step by step. It runs in this page; nothing is sent.</p>
      </header>
      <label class="field">
        <span>Text</span>
        <textarea
          class="mono"
          rows={2}
          maxLength={MAX_TEXT}
          value={analyzed}
          onInput={(event) => text.set(event.currentTarget.value)}
          spellcheck={false}
        />
      </label>
      {analysis.error !== null && (
        <p class="notice error" role="alert">
          The analyzer module cannot be loaded: {analysis.error}
        </p>
      )}
      <div class={isCompared ? 'chains two' : 'chains'}>
        <ChainSection
          title={isCompared ? 'First analyzer' : 'Analyzer'}
          cell={0}
          value={first}
          catalog={catalog}
          outcome={a}
          text={analyzed}
          others={isCompared ? lastOf(b.stages) : null}
        />
        {isCompared && (
          <ChainSection
            title="Second analyzer"
            cell={1}
            value={second}
            catalog={catalog}
            outcome={b}
            text={analyzed}
            others={lastOf(a.stages)}
          />
        )}
      </div>
      <p>
        <button type="button" class="plain" onClick={() => chains[1].set(isCompared ? '' : chainText(PRESETS.standard))}>
          {isCompared ? 'Stop comparing' : 'Compare with another analyzer'}
        </button>
      </p>
    </div>
  );
}

interface Module {
  readonly module: TextAnalysis | null;
  readonly error: string | null;
}

function useAnalyzer(): Module {
  const [state, setState] = useState<Module>({ module: null, error: null });
  useEffect(() => {
    const load = async (): Promise<TextAnalysis> => {
      const { loadAnalyzer } = await import('../../analyzer.ts');
      return loadAnalyzer({ wasm: fetch(new URL('analyzer.wasm', location.href.replace(/#.*$/, ''))) });
    };
    load().then(
      (module) => setState({ module, error: null }),
      (error: Error) => setState({ module: null, error: error.message }),
    );
  }, []);
  return state;
}

function useCatalog(): Catalog | null {
  const [catalog, setCatalog] = useState<Catalog | null>(null);
  useEffect(() => {
    loadCatalog().then(setCatalog, () => setCatalog(null));
  }, []);
  return catalog;
}

interface Outcome {
  readonly chain: Chain | null;
  readonly stages: readonly Stage[] | null;
  readonly error: string | null;
}

function useStages(module: TextAnalysis | null, chainJson: string, analyzed: string): Outcome {
  return useMemo((): Outcome => {
    if (chainJson === '') return { chain: null, stages: null, error: null };
    try {
      const chain = parseChain(chainJson);
      if (module === null) return { chain, stages: null, error: null };
      const answer = module.request({ ...chain, text: analyzed, explain: true });
      return { chain, stages: isExplained(answer) ? stagesOf(answer, chain) : [], error: null };
    } catch (error) {
      return { chain: null, stages: null, error: error instanceof Error ? error.message : String(error) };
    }
  }, [module, chainJson, analyzed]);
}

interface ChainSectionProps {
  readonly title: string;
  readonly cell: 0 | 1;
  readonly value: string;
  readonly catalog: Catalog | null;
  readonly outcome: Outcome;
  readonly text: string;
  /** Final tokens of the other analyzer; null if there is none. */
  readonly others: readonly Token[] | null;
}

function ChainSection({ title, cell, value, catalog, outcome, text: analyzed, others }: ChainSectionProps): JSX.Element {
  const { chain, stages, error } = outcome;
  const set = (next: Chain): void => chains[cell].set(chainText(next));
  const add = (kind: 'char_filter' | 'filter', name: string): void => {
    if (chain) set({ ...chain, [kind]: [...chain[kind], name] });
  };
  return (
    <section class="chain card" aria-label={title}>
      <div class="chain-tools">
        <h2>{title}</h2>
        <Choice label="Start from" names={Object.keys(PRESETS)} onChoose={(name) => set(PRESETS[name])} />
        <Choice label="Add char filter" names={catalog?.charFilters ?? []} onChoose={(name) => add('char_filter', name)} />
        <Choice label="Set tokenizer" names={catalog?.tokenizers ?? []} onChoose={(name) => chain && set({ ...chain, tokenizer: name })} />
        <Choice label="Add filter" names={catalog?.tokenFilters ?? []} onChoose={(name) => add('filter', name)} />
        <button
          type="button"
          class="tool"
          disabled={chain === null}
          onClick={() => chain && void copyText(JSON.stringify(settingsOf(chain), null, 2), 'Settings')}
        >
          <Icon name="copy" />
          <span>Copy settings</span>
        </button>
      </div>
      <textarea
        class="mono"
        aria-label={`Definition of the ${title.toLowerCase()}`}
        rows={Math.min(14, value.split('\n').length + 1)}
        value={value}
        onInput={(event) => chains[cell].set(event.currentTarget.value || ' ')}
        spellcheck={false}
      />
      {error !== null && (
        <p class="notice error" role="alert">
          {error}
        </p>
      )}
      {stages?.map((stage, i) => (
        <Lane
          key={i}
          stage={stage}
          text={analyzed}
          before={i === 0 ? null : stages[i - 1].kind === 'char filter' ? null : stages[i - 1].tokens}
          others={i === stages.length - 1 ? others : null}
        />
      ))}
    </section>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly names: readonly string[];
  onChoose(name: string): void;
}

function Choice({ label, names, onChoose }: ChoiceProps): JSX.Element {
  return (
    <select
      aria-label={label}
      value=""
      onChange={(event) => {
        const name = event.currentTarget.value;
        event.currentTarget.value = '';
        if (name !== '') onChoose(name);
      }}
    >
      <option value="">{label}…</option>
      {names.map((name) => (
        <option key={name} value={name}>
          {name}
        </option>
      ))}
    </select>
  );
}

/** Width of a character and height of a row in `em`, so that most terms fit above their text. */
const CHAR_EM = 1;
const ROW_EM = 2.9;

function Lane({
  stage,
  text: analyzed,
  before,
  others,
}: {
  readonly stage: Stage;
  readonly text: string;
  readonly before: readonly Token[] | null;
  readonly others: readonly Token[] | null;
}): JSX.Element {
  const { placed, rows } = placeTokens(stage.tokens, before);
  const different =
    others &&
    new Set(
      placeTokens(stage.tokens, others, isPlacedAlike)
        .placed.filter(({ isNew }) => isNew)
        .map(({ token }) => token),
    );
  const removed = before === null ? 0 : before.length - stage.tokens.length;
  return (
    <div class="lane">
      <h3>
        <span class="muted">{stage.kind}</span> {stage.name}
        {stage.text === null && (
          <span class="muted small">
            {' '}
            {countText(stage.tokens.length, 'token')}
            {removed > 0 && `, ${removed} fewer`}
            {different && different.size > 0 && `, ${different.size} only here`}
            {different?.size === 0 && ', all of them in both'}
          </span>
        )}
      </h3>
      {stage.text !== null ? (
        <p class="filtered mono">{stage.text}</p>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
        <section class="lane-scroll" aria-label={`Tokens of ${stage.kind} ${stage.name}`} tabIndex={0}>
          <ol class="tokens mono" style={{ width: `${(analyzed.length + 2) * CHAR_EM}em`, height: `${Math.max(1, rows) * ROW_EM}em` }}>
            {placed.map(({ token, row, isNew }) => (
              <li
                key={`${token.token} ${token.start_offset} ${token.end_offset} ${token.position} ${row}`}
                class={`${isNew ? 'changed' : ''} ${different?.has(token) ? 'different' : ''}`}
                title={`${token.token}\nposition ${token.position}${token.positionLength ? ` to ${token.position + token.positionLength}` : ''}\noffsets ${token.start_offset} to ${token.end_offset}\ntype ${token.type}`}
                style={{
                  left: `${token.start_offset * CHAR_EM}em`,
                  top: `${row * ROW_EM}em`,
                  width: `${Math.max(1, token.end_offset - token.start_offset) * CHAR_EM}em`,
                }}
              >
                <span class="term">{token.token}</span>
                <span class="position" aria-hidden="true">
                  {token.position}
                  {(token.positionLength ?? 1) > 1 && ` to ${token.position + (token.positionLength ?? 1)}`}
                </span>
              </li>
            ))}
          </ol>
        </section>
      )}
      {stage.text === null && <TokenGraphView tokens={stage.tokens} different={different} />}
    </div>
  );
}
