// Filters that hold other filters: multiplexer, condition; and predicate_token_filter, which shares the script.
import { illegalArgument } from '../../errors/catalog.ts';
import { fuse } from '../analyzer.ts';
import { chainBlob, joinConfigs, type KernelStage, words } from '../blob.ts';
import type { BuildContext, ChainContext, ComponentEntry, FilterEnvironment, FilterFactory, TokenFilter } from '../component.ts';
import { STAGE } from '../stage-ids.ts';
import { compileTokenPredicate, type TokenPredicate } from '../token-predicate.ts';
import { checkTokenCount, type Token, type TokenStream } from '../token-stream.ts';
import { filterEntry, ONLY_ON_SAME_POSITION } from './simple.ts';

/** A run of the stream through filters, as a stream of its own, which knows of no holes behind it. */
function runOver(tokens: Token[], stream: TokenStream, filters: readonly TokenFilter[], env: FilterEnvironment): TokenStream {
  const run = { tokens, endOffset: stream.endOffset, endPosInc: 0 };
  return filters.length ? env.run(filters, run) : run;
}

/** Each token once per branch; equal terms at one position once. In kernels, unless a branch needs the host. */
export function multiplexerFilter(branches: readonly (readonly TokenFilter[])[]): TokenFilter {
  const stages = branches.map((branch) => branch.flatMap((filter) => (filter.kind === 'kernel' ? filter.stages : [])));
  const isKernel = branches.flat().every(({ kind }) => kind === 'kernel') && !stages.flat().some(({ id }) => ON_HOST.has(id));
  // Without a branch tokens stay as they are.
  if (!branches.length) return { kind: 'kernel', stages: [REMOVE_DUPLICATES] };
  if (branches.length > 1 && isKernel) {
    return { kind: 'kernel', stages: [{ id: STAGE.MULTIPLEXER, config: multiplexerConfig(stages), keeps: branches }, REMOVE_DUPLICATES] };
  }
  return multiplexerOnHost(branches);
}

/**
 * Stages that no branch of the kernel has: those that look at the end of the text, which a branch does not know, and a multiplexer in a multiplexer,
 * which would need room that grows with each step inwards.
 */
const ON_HOST: ReadonlySet<number> = new Set([STAGE.FINGERPRINT, STAGE.MULTIPLEXER, STAGE.TRAILING_STOP]);

/** Config of the multiplexer stage (assembly/analysis/filters/multiplexer.ts has the drawing). */
function multiplexerConfig(branches: readonly (readonly KernelStage[])[]): Uint8Array {
  const replay = { id: STAGE.REPLAY, config: new Uint8Array(0) };
  const blobs = branches.map((stages) => (stages.length ? chainBlob(fuse([replay, ...stages])) : new Uint8Array(0)));
  let offset = (4 + branches.length * 4 + 7) & ~7;
  const head = new Uint8Array(offset);
  const offsets = blobs.map((blob) => {
    const at = offset;
    offset += blob.length;
    return blob.length ? at : 0;
  });
  head.set(words([branches.length, ...offsets]));
  return joinConfigs([head, ...blobs]);
}

/** The same on the host; a single branch sees the whole stream. At its end the last branch alone tells of holes. */
export function multiplexerOnHost(branches: readonly (readonly TokenFilter[])[]): TokenFilter {
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

const REMOVE_DUPLICATES: KernelStage = { id: STAGE.UNIQUE, config: words([ONLY_ON_SAME_POSITION]) };
const DEDUPLICATE: readonly TokenFilter[] = [{ kind: 'kernel', stages: [REMOVE_DUPLICATES] }];

function conditionFilter(test: TokenPredicate, filters: readonly TokenFilter[]): TokenFilter {
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
        if (test(token, position)) run.push(token);
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

function predicateFilter(test: TokenPredicate): TokenFilter {
  return {
    kind: 'host',
    apply(stream) {
      const tokens: Token[] = [];
      let position = -1;
      let carry = 0;
      for (const token of stream.tokens) {
        position += token.posInc;
        if (!test(token, position)) carry += token.posInc;
        else {
          tokens.push({ ...token, posInc: token.posInc + carry, stopPosInc: token.stopPosInc + carry });
          carry = 0;
        }
      }
      return { ...stream, tokens, endPosInc: stream.endPosInc + carry };
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
  return compileTokenPredicate(source);
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
