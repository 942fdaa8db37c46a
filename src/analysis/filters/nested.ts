// Filters that hold other filters: multiplexer, condition; and predicate_token_filter, which shares the script.
import { illegalArgument } from '../../errors/catalog.ts';
import { ONLY_ON_SAME_POSITION, StageId } from '../../wasm/generated/analysis.ts';
import { numberOfCall } from '../../wasm/host-calls.ts';
import { mayStop } from '../analyzer.ts';
import { chainBlob, type KernelStage, words } from '../blob.ts';
import type { BuildContext, ChainContext, ComponentEntry, FilterEnvironment, FilterFactory, TokenFilter } from '../component.ts';
import { fuse, givesPayloads } from '../fusion.ts';
import { checkTokenCount, makeToken, type Token, type TokenStream } from '../tokens/token-stream.ts';
import { termFilter } from './host-terms.ts';
import { filterEntry } from './kernel-filters.ts';
import { scriptToken, TokenPredicate } from './token-predicate.ts';

/** Whether filters run in kernels inside others: all of them, and payloads, which only the outer chain finds, are none of their business. */
function areKernels(filters: readonly TokenFilter[]): boolean {
  return filters.every((filter) => filter.kind === 'kernel' && !filter.stages.some(givesPayloads));
}

/** Chain of filters behind a stage that hands it tokens, as bytes, a multiple of eight. */
function innerBlob(source: KernelStage, filters: readonly TokenFilter[]): Uint8Array {
  return chainBlob(fuse([source, ...filters.flatMap((filter) => (filter.kind === 'kernel' ? filter.stages : []))]));
}

const INPUT: KernelStage = { id: StageId.INPUT, config: new Uint8Array(0) };

/** Each token once per branch; equal terms at one position once (assembly/analysis/filters/nested/multiplexer.ts). */
export function multiplexerFilter(branches: readonly (readonly TokenFilter[])[]): TokenFilter {
  // Without a branch tokens stay as they are.
  if (!branches.length) return { kind: 'kernel', stages: [REMOVE_DUPLICATES] };
  if (!branches.every(areKernels)) return multiplexerOnHost(branches);
  const select = { id: StageId.SELECT, config: words([branches.length]) };
  const turns: TokenFilter[] = branches.flatMap((filters, turn) => {
    // A branch that changes nothing is none, unless it is the only one: then it keeps back what the text leaves as a hole at its end.
    if (!filters.length && branches.length > 1) return [];
    return [{ kind: 'kernel', stages: [{ id: StageId.CONDITION, config: words([0, turn], innerBlob(INPUT, filters)) }] }];
  });
  const stage = {
    id: StageId.MULTIPLEXER,
    config: innerBlob(select, turns),
    keeps: branches,
    stops: branches.some((filters) => filters.some(mayStop)),
  };
  return { kind: 'kernel', stages: [stage, REMOVE_DUPLICATES] };
}

const REMOVE_DUPLICATES: KernelStage = { id: StageId.UNIQUE, config: words([ONLY_ON_SAME_POSITION]) };
const DEDUPLICATE: readonly TokenFilter[] = [{ kind: 'kernel', stages: [REMOVE_DUPLICATES] }];

/** Tokens that a script takes go through filters, a run of them at a time (assembly/analysis/filters/nested/condition.ts). */
function conditionFilter(predicate: TokenPredicate, filters: readonly TokenFilter[]): TokenFilter {
  if (!areKernels(filters)) return conditionOnHost(predicate, filters);
  const config = words([numberOfCall(predicate.call), 0], innerBlob(INPUT, filters));
  return { kind: 'kernel', stages: [{ id: StageId.CONDITION, config, keeps: [predicate, filters], stops: filters.some(mayStop) }] };
}

function predicateFilter(predicate: TokenPredicate): TokenFilter {
  if (predicate.isOfTerm) {
    return termFilter('dropOthers', (term) => (predicate.test(scriptToken(makeToken(term, 0, 0), 0)) ? [term] : []));
  }
  const config = words([numberOfCall(predicate.call)]);
  return { kind: 'kernel', stages: [{ id: StageId.PREDICATE, config, keeps: predicate }] };
}

/** A run of the stream through filters, as a stream of its own, which knows of no holes behind it. */
function runOver(tokens: Token[], stream: TokenStream, filters: readonly TokenFilter[], env: FilterEnvironment): TokenStream {
  const run = { tokens, endOffset: stream.endOffset, endPosInc: 0 };
  return filters.length ? env.run(filters, run) : run;
}

/** The same with a filter of the host in a branch; a single branch sees the whole stream. At its end the last branch alone tells of holes. */
function multiplexerOnHost(branches: readonly (readonly TokenFilter[])[]): TokenFilter {
  return {
    kind: 'host',
    apply(stream, env) {
      if (!stream.tokens.length) return stream;
      const tokens: Token[] = [];
      if (branches.length === 1) return env.run(DEDUPLICATE, runOver(stream.tokens, stream, branches[0], env));
      let endPosInc = 0;
      // Increments of tokens that no branch keeps go to the next one.
      let carry = 0;
      for (const token of stream.tokens) {
        const posInc = token.posInc + carry;
        const before = tokens.length;
        for (const branch of branches) {
          const made = runOver([{ ...token, posInc }], stream, branch, env);
          const isFirst = tokens.length === before;
          made.tokens.forEach((item, i) => {
            tokens.push(i === 0 && !isFirst ? { ...item, posInc: 0 } : item);
          });
          endPosInc = made.endPosInc;
          checkTokenCount(tokens.length);
        }
        carry = tokens.length > before ? 0 : posInc;
      }
      return env.run(DEDUPLICATE, { ...stream, tokens, endPosInc });
    },
  };
}

/** The same with a filter of the host among the filters. */
function conditionOnHost(predicate: TokenPredicate, filters: readonly TokenFilter[]): TokenFilter {
  return {
    kind: 'host',
    apply(stream, env) {
      const tokens: Token[] = [];
      let run: Token[] = [];
      const flush = (): void => {
        if (run.length) for (const token of runOver(run, stream, filters, env).tokens) tokens.push(token);
        checkTokenCount(tokens.length);
        run = [];
      };
      let position = -1;
      for (const token of stream.tokens) {
        position += token.posInc;
        if (predicate.test(scriptToken(token, position))) run.push(token);
        else {
          flush();
          tokens.push(token);
        }
      }
      flush();
      return { ...stream, tokens };
    },
  };
}

/** @throws ApiError: no script, or one that is not understood */
function scriptOf({ name, settings }: BuildContext): TokenPredicate {
  const source = settings.get('script.source') ?? settings.get('script.inline') ?? settings.get('script');
  if (settings.get('script.id') !== undefined) throw illegalArgument(`Cannot use stored scripts in tokenfilter [${name}]`);
  if (source === undefined) throw illegalArgument('must specify either [source] for an inline script or [id] for a stored script');
  const language = settings.get('script.lang', 'painless');
  if (language !== 'painless') throw illegalArgument(`script_lang not supported [${language}]`);
  return new TokenPredicate(source);
}

/** Filters of a chain that may stand in others, which name each other and so grow quickly; and how deep they may stand. */
const MAX_NESTED_FILTERS = 1024;
const MAX_DEPTH = 64;

/**
 * Filters of a list inside the filter `outer`, each seeing those before it.
 * @throws ApiError illegal_argument_exception: the text that `missing` gives; a filter inside itself; too many
 */
function createAll(outer: string, names: readonly string[], chain: ChainContext, missing: (name: string) => string): TokenFilter[] {
  const factories: FilterFactory[] = [];
  const around = [...chain.around, outer];
  return names.map((name) => {
    const factory = chain.filterNamed(name);
    if (!factory) throw illegalArgument(missing(name));
    if (around.includes(name)) throw illegalArgument(`Token filter [${outer}] refers to [${name}], which it is part of`);
    if (++chain.nested.count > MAX_NESTED_FILTERS || around.length > MAX_DEPTH) {
      throw illegalArgument(`too many token filters inside others: [${outer}] refers to [${name}]`);
    }
    const filter = factory.create({ ...chain, around, previous: [...chain.previous, ...factories] });
    factories.push(factory);
    return filter;
  });
}

const splitNames = (text: string): string[] =>
  text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');

export const NESTED_FILTERS: readonly ComponentEntry<FilterFactory>[] = [
  {
    type: 'multiplexer',
    params: ['filters: list', 'preserve_original: bool = true'],
    build({ name, settings }) {
      const branches = (settings.list('filters') ?? []).map(splitNames);
      const preserve = settings.bool('preserve_original', true);
      return {
        name,
        normalizing: false,
        inSynonymRules: 'refused',
        create(chain) {
          const built = branches.map((names) =>
            createAll(name, names, chain, (missing) => `Multiplexing filter [${name}] refers to undefined tokenfilter [${missing}]`),
          );
          return multiplexerFilter(preserve ? [[], ...built] : built);
        },
      };
    },
  },
  {
    type: 'condition',
    params: ['filter: list', 'script: script'],
    build(context) {
      const { name } = context;
      const test = scriptOf(context);
      const names = context.settings.list('filter') ?? [];
      if (!names.length) throw illegalArgument(`Empty list of filters provided to tokenfilter [${name}]`);
      return {
        name,
        normalizing: false,
        inSynonymRules: 'used',
        create: (chain) =>
          conditionFilter(
            test,
            createAll(
              name,
              names,
              chain,
              (missing) => `ScriptedConditionTokenFilter [${name}] refers to undefined token filter [${missing}]`,
            ),
          ),
      };
    },
  },
  filterEntry('predicate_token_filter', ['script: script'], (context) => predicateFilter(scriptOf(context))),
];
