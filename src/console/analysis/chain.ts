// Analysis chains as the page edits them, the stages of an analysis, and the layout of tokens. Independent of the page's components.

/** A name, or a definition like `{ "type": "stop", "stopwords": ["a"] }`. */
export type Component = string | Readonly<Record<string, unknown>>;

export interface Chain {
  readonly char_filter: readonly Component[];
  readonly tokenizer: Component;
  readonly filter: readonly Component[];
}

/** Chains to start from: built-in analyzers as their components. */
export const PRESETS: Readonly<Record<string, Chain>> = {
  standard: { char_filter: [], tokenizer: 'standard', filter: ['lowercase'] },
  english: {
    char_filter: [],
    tokenizer: 'standard',
    filter: [{ type: 'stemmer', language: 'possessive_english' }, 'lowercase', 'stop', 'porter_stem'],
  },
  german: {
    char_filter: [],
    tokenizer: 'standard',
    filter: ['lowercase', { type: 'stop', stopwords: '_german_' }, 'german_normalization', { type: 'stemmer', language: 'light_german' }],
  },
  'search as you type': {
    char_filter: [],
    tokenizer: 'standard',
    filter: ['lowercase', { type: 'edge_ngram', min_gram: 2, max_gram: 8 }],
  },
  'synonyms of several words': {
    char_filter: [],
    tokenizer: 'standard',
    filter: ['lowercase', { type: 'synonym_graph', synonyms: ['ny, new york', 'fast => quick, rapid'] }],
  },
  'HTML pages': { char_filter: ['html_strip'], tokenizer: 'standard', filter: ['lowercase', 'asciifolding'] },
};

/** @throws Error `text` is not a chain */
export function parseChain(text: string): Chain {
  const given: unknown = JSON.parse(text);
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw new Error('A chain is an object with tokenizer, filter and char_filter.');
  const unknown = Object.keys(given).find((key) => !['char_filter', 'tokenizer', 'filter'].includes(key));
  if (unknown !== undefined) throw new Error(`A chain has tokenizer, filter and char_filter, not [${unknown}].`);
  const { char_filter: charFilters = [], tokenizer = 'standard', filter = [] } = given as Partial<Record<keyof Chain, unknown>>;
  return {
    char_filter: componentsOf('char_filter', charFilters),
    tokenizer: componentOf('tokenizer', tokenizer),
    filter: componentsOf('filter', filter),
  };
}

function componentsOf(name: string, value: unknown): Component[] {
  return (Array.isArray(value) ? value : [value]).map((item) => componentOf(name, item));
}

function componentOf(name: string, value: unknown): Component {
  if (typeof value === 'string' || (typeof value === 'object' && value !== null && !Array.isArray(value))) return value as Component;
  throw new Error(`[${name}] must be a name or a definition.`);
}

export function chainText({ char_filter: charFilters, tokenizer, filter }: Chain): string {
  const list = (items: readonly Component[]): string =>
    items.length === 0 ? '[]' : `[\n${items.map((item) => `    ${JSON.stringify(item)}`).join(',\n')}\n  ]`;
  return `{\n  "char_filter": ${list(charFilters)},\n  "tokenizer": ${JSON.stringify(tokenizer)},\n  "filter": ${list(filter)}\n}`;
}

const nameOf = (component: Component): string => (typeof component === 'string' ? component : String(component.type ?? 'custom'));

/** The chain as index settings that define an analyzer called `name`. Inline definitions get generated names. */
export function settingsOf(chain: Chain, name = 'my_analyzer'): Readonly<Record<string, unknown>> {
  const defined: Record<'char_filter' | 'tokenizer' | 'filter', Record<string, Component>> = { char_filter: {}, tokenizer: {}, filter: {} };
  const refer = (kind: keyof typeof defined, component: Component): string => {
    if (typeof component === 'string') return component;
    const own = `my_${nameOf(component)}`;
    let unique = own;
    for (let i = 2; Object.hasOwn(defined[kind], unique); i++) unique = `${own}_${i}`;
    defined[kind][unique] = component;
    return unique;
  };
  const analyzer = {
    type: 'custom',
    ...(chain.char_filter.length > 0 ? { char_filter: chain.char_filter.map((item) => refer('char_filter', item)) } : {}),
    tokenizer: refer('tokenizer', chain.tokenizer),
    filter: chain.filter.map((item) => refer('filter', item)),
  };
  const definitions = Object.fromEntries(Object.entries(defined).filter(([, parts]) => Object.keys(parts).length > 0));
  return { analysis: { analyzer: { [name]: analyzer }, ...definitions } };
}

export interface Token {
  readonly token: string;
  readonly start_offset: number;
  readonly end_offset: number;
  readonly type: string;
  readonly position: number;
  readonly positionLength?: number;
}

/** The result of one part of a chain: text for a char filter, otherwise tokens. */
export interface Stage {
  readonly kind: 'char filter' | 'tokenizer' | 'filter';
  readonly name: string;
  readonly text: string | null;
  readonly tokens: readonly Token[];
}

/** The response of `_analyze` with `explain: true`. */
export interface Explained {
  readonly detail: {
    readonly charfilters?: ReadonlyArray<{ readonly name: string; readonly filtered_text: readonly string[] }>;
    readonly tokenizer: { readonly name: string; readonly tokens: readonly Token[] };
    readonly tokenfilters?: ReadonlyArray<{ readonly name: string; readonly tokens: readonly Token[] }>;
  };
}

/** Whether a response of `_analyze` lists the stages of a chain. */
export function isExplained(answer: object): answer is Explained {
  return 'detail' in answer && typeof answer.detail === 'object' && answer.detail !== null && 'tokenizer' in answer.detail;
}

export function stagesOf({ detail }: Explained, chain: Chain): Stage[] {
  return [
    ...(detail.charfilters ?? []).map(
      ({ filtered_text: texts }, i): Stage => ({
        kind: 'char filter',
        name: nameOf(chain.char_filter[i]),
        text: texts.join(''),
        tokens: [],
      }),
    ),
    { kind: 'tokenizer', name: nameOf(chain.tokenizer), text: null, tokens: detail.tokenizer.tokens },
    ...(detail.tokenfilters ?? []).map(({ tokens }, i): Stage => ({ kind: 'filter', name: nameOf(chain.filter[i]), text: null, tokens })),
  ];
}

/** A token with its row in the lane, and whether it differs from the previous lane. */
export interface PlacedToken {
  readonly token: Token;
  readonly row: number;
  readonly isNew: boolean;
}

const identity = ({ token, start_offset: from, end_offset: to }: Token): string => `${token} ${from} ${to}`;

/** Tokens of two analyzers are alike if they also have the same place in the graph. */
export const isPlacedAlike = (token: Token): string => `${identity(token)} ${token.position} ${token.positionLength ?? 1}`;

/**
 * Puts tokens into rows in which they do not overlap.
 * @param before  the tokens to compare with; null to mark none
 * @param keyOf   what equal tokens have in common
 */
export function placeTokens(
  tokens: readonly Token[],
  before: readonly Token[] | null,
  keyOf: (token: Token) => string = identity,
): { readonly placed: readonly PlacedToken[]; readonly rows: number } {
  const known = before && new Set(before.map(keyOf));
  const ends: number[] = [];
  const placed = tokens.map((token): PlacedToken => {
    let row = ends.findIndex((end) => end <= token.start_offset);
    if (row < 0) row = ends.length;
    ends[row] = Math.max(token.end_offset, token.start_offset + 1);
    return { token, row, isNew: known !== null && !known.has(keyOf(token)) };
  });
  return { placed, rows: ends.length };
}
