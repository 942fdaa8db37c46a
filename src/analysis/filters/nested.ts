// Filters that contain other filters: multiplexer and condition; and predicate_token_filter, which uses the same scripts.
import { illegalArgumentError } from '../../errors/catalog.ts';
import { ConditionConfig, ONLY_ON_SAME_POSITION, StageId } from '../../wasm/generated/analysis.ts';
import { numberOfCall } from '../../wasm/host-calls.ts';
import { mayStop } from '../analyzer.ts';
import { chainBlob, type KernelStage, recordBytes, words } from '../blob.ts';
import type { BuildContext, ChainContext, ComponentEntry, FilterEnvironment, FilterFactory, TokenFilter } from '../component.ts';
import { fuse, givesPayloads } from '../fusion.ts';
import { checkTokenCount, makeToken, type Token, type TokenStream } from '../tokens/token-stream.ts';
import { termFilter } from './host-terms.ts';
import { filterEntry } from './kernel-filters.ts';
import { scriptToken, TokenPredicate } from './token-predicate.ts';

/** Whether filters can run in kernels inside others: all must be kernels and set no payloads, which only the outer chain can look up. */
function areKernels(filters: readonly TokenFilter[]): boolean {
  return filters.every((filter) => filter.kind === 'kernel' && !filter.stages.some(givesPayloads));
}

/** Encodes a chain of filters after a stage that supplies its tokens; the size is a multiple of eight. */
function innerBlob(source: KernelStage, filters: readonly TokenFilter[]): Uint8Array {
  return chainBlob(fuse([source, ...filters.flatMap((filter) => (filter.kind === 'kernel' ? filter.stages : []))]));
}

const INPUT: KernelStage = { id: StageId.INPUT, config: new Uint8Array(0) };

/** Emits each token once per branch, and equal terms at one position once (assembly/analysis/filters/nested/multiplexer.ts). */
export function multiplexerFilter(branches: readonly (readonly TokenFilter[])[]): TokenFilter {
  // Without branches, tokens are unchanged.
  if (!branches.length) return { kind: 'kernel', stages: [REMOVE_DUPLICATES] };
  if (!branches.every(areKernels)) return multiplexerOnHost(branches);
  const select = { id: StageId.SELECT, config: words([branches.length]) };
  const turns: TokenFilter[] = branches.flatMap((filters, turn) => {
    // A branch without filters is omitted, unless it is the only one: then it suppresses the hole at the end of the text.
    if (!filters.length && branches.length > 1) return [];
    return [
      {
        kind: 'kernel',
        stages: [{ id: StageId.CONDITION, config: recordBytes(ConditionConfig, { script: 0, turn }, innerBlob(INPUT, filters)) }],
      },
    ];
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

/** Applies filters to runs of tokens that a script selects (assembly/analysis/filters/nested/condition.ts). */
function conditionFilter(predicate: TokenPredicate, filters: readonly TokenFilter[]): TokenFilter {
  if (!areKernels(filters)) return conditionOnHost(predicate, filters);
  const config = recordBytes(ConditionConfig, { script: numberOfCall(predicate.call), turn: 0 }, innerBlob(INPUT, filters));
  return { kind: 'kernel', stages: [{ id: StageId.CONDITION, config, keeps: [predicate, filters], stops: filters.some(mayStop) }] };
}

function predicateFilter(predicate: TokenPredicate): TokenFilter {
  if (predicate.isOfTerm) {
    return termFilter('dropOthers', (term) => (predicate.test(scriptToken(makeToken(term, 0, 0), 0)) ? [term] : []));
  }
  const config = words([numberOfCall(predicate.call)]);
  return { kind: 'kernel', stages: [{ id: StageId.PREDICATE, config, keeps: predicate }] };
}

/** Applies filters to a run of the stream, as a separate stream without holes at its end. */
function runOver(tokens: Token[], stream: TokenStream, filters: readonly TokenFilter[], env: FilterEnvironment): TokenStream {
  const run = { tokens, endOffset: stream.endOffset, endPosInc: 0 };
  return filters.length ? env.run(filters, run) : run;
}

/** A multiplexer with host filters in a branch. A single branch sees the whole stream. Only the last branch reports holes at the end. */
function multiplexerOnHost(branches: readonly (readonly TokenFilter[])[]): TokenFilter {
  return {
    kind: 'host',
    apply(stream, env) {
      if (!stream.tokens.length) return stream;
      const tokens: Token[] = [];
      if (branches.length === 1) return env.run(DEDUPLICATE, runOver(stream.tokens, stream, branches[0], env));
      let endPosInc = 0;
      // Increments of tokens that all branches drop are added to the next token.
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

/** A condition with host filters. */
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

/** @throws ApiError: the script is missing or not supported */
function scriptOf({ name, settings }: BuildContext): TokenPredicate {
  const source = settings.get('script.source') ?? settings.get('script.inline');
  if (settings.get('script.id') !== undefined) throw illegalArgumentError(`Cannot use stored scripts in tokenfilter [${name}]`);
  if (source === undefined) throw illegalArgumentError('must specify either [source] for an inline script or [id] for a stored script');
  const language = settings.get('script.lang', 'painless');
  if (language !== 'painless') throw illegalArgumentError(`script_lang not supported [${language}]`);
  return new TokenPredicate(source);
}

/** Limits for filters inside others, since filters that name each other multiply quickly: their number in a chain, and their depth. */
const MAX_NESTED_FILTERS = 1024;
const MAX_DEPTH = 64;

/**
 * Creates the filters of a list inside the filter `outer`; each can see those before it.
 * @throws ApiError illegal_argument_exception: a missing filter, with the message of `missing`; a filter inside itself; too many filters
 */
function createAll(outer: string, names: readonly string[], chain: ChainContext, missing: (name: string) => string): TokenFilter[] {
  const factories: FilterFactory[] = [];
  const around = [...chain.around, outer];
  return names.map((name) => {
    const factory = chain.filterNamed(name);
    if (!factory) throw illegalArgumentError(missing(name));
    if (around.includes(name)) throw illegalArgumentError(`Token filter [${outer}] refers to [${name}], which it is part of`);
    if (++chain.nested.count > MAX_NESTED_FILTERS || around.length > MAX_DEPTH) {
      throw illegalArgumentError(`too many token filters inside others: [${outer}] refers to [${name}]`);
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
      if (!names.length) throw illegalArgumentError(`Empty list of filters provided to tokenfilter [${name}]`);
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
