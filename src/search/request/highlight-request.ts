// `highlight` of a search body. Options of a field override the global ones.
import { isObject, type JsonObject, tokenOf } from '../../common/json/json-value.ts';
import { illegalArgumentError, parsingError } from '../../errors/catalog.ts';
import { xContentParseError } from '../../errors/search-errors.ts';
import { parseQuery } from '../../query/parse-query.ts';
import type { Query } from '../../query/query.ts';
import { readBoolean, readInt, readList, readText } from '../../query/read-json.ts';
import type { ReportUncacheable } from '../../query/uncacheable.ts';
import { checkListLimit } from './list-limits.ts';

export type HighlighterType = 'unified' | 'plain' | 'fvh';

export interface HighlightOptions {
  readonly type: HighlighterType;
  readonly fragmentSize: number;
  /** 0 returns whole values. */
  readonly numberOfFragments: number;
  readonly preTags: readonly string[];
  readonly postTags: readonly string[];
  readonly encoder: 'default' | 'html';
  readonly orderByScore: boolean;
  readonly requireFieldMatch: boolean;
  readonly noMatchSize: number;
  readonly query: Query | null;
  readonly fragmenter: 'simple' | 'span';
  readonly boundaryChars: string;
  readonly boundaryMaxScan: number;
  readonly boundaryScanner: 'sentence' | 'word' | 'chars' | null;
  readonly locale: string;
  readonly matchedFields: readonly string[];
  readonly phraseLimit: number;
  readonly fragmentOffset: number;
  readonly maxAnalyzedOffset: number | null;
  /** The problem of an option that shards reject when they highlight a field; null if there is none. */
  readonly unknown: string | null;
}

export interface HighlightField {
  /** A name or a pattern. */
  readonly field: string;
  readonly options: HighlightOptions;
}

const STYLED_TAGS = Array.from({ length: 10 }, (_, i) => `<em class="hlt${i + 1}">`);
const DEFAULTS: HighlightOptions = {
  type: 'unified',
  unknown: null,
  fragmentSize: 100,
  numberOfFragments: 5,
  preTags: ['<em>'],
  postTags: ['</em>'],
  encoder: 'default',
  orderByScore: false,
  requireFieldMatch: true,
  noMatchSize: 0,
  query: null,
  fragmenter: 'span',
  boundaryChars: '.,!? \t\n',
  boundaryMaxScan: 20,
  boundaryScanner: null,
  locale: 'en',
  matchedFields: [],
  phraseLimit: 256,
  fragmentOffset: -1,
  maxAnalyzedOffset: null,
};

type Draft = { -readonly [K in keyof HighlightOptions]: HighlightOptions[K] };

/** @throws ApiError x_content_parse_exception, illegal_argument_exception */
export function parseHighlight(body: JsonObject, report: ReportUncacheable): HighlightField[] {
  const global: Draft = { ...DEFAULTS };
  if (Object.hasOwn(body, 'fragment_offset')) throw xContentParseError('[highlight] unknown field [fragment_offset]');
  checkTags(body);
  for (const [key, value] of Object.entries(body)) {
    if (key !== 'fields') readOption('highlight', key, value, global, report);
  }
  checkListLimit('highlight', body['fields']);
  const fields: HighlightField[] = [];
  for (const entry of readList(body['fields'] ?? [])) {
    if (!isObject(entry)) throw parsingError(`[highlight] fields expects objects, but found [${tokenOf(entry)}]`);
    for (const [field, options] of Object.entries(entry)) {
      if (!isObject(options)) throw parsingError(`[highlight_field] expects an object, but found [${tokenOf(options)}]`);
      checkTags(options);
      const own: Draft = { ...global };
      for (const [key, value] of Object.entries(options)) readOption('highlight_field', key, value, own, report);
      fields.push({ field, options: own });
    }
  }
  return fields;
}

/** @throws ApiError parsing_exception: tags that begin matches without those that end them */
function checkTags(options: JsonObject): void {
  if (options['pre_tags'] !== undefined && options['post_tags'] === undefined)
    throw parsingError('pre_tags are set but post_tags are not set');
}

function isHighlighter(type: string): type is HighlighterType {
  return type === 'unified' || type === 'plain' || type === 'fvh';
}

function readOption(where: string, key: string, value: unknown, into: Draft, report: ReportUncacheable): void {
  switch (key) {
    case 'type': {
      if (typeof value !== 'string') throw xContentParseError(`[${where}] ${key} doesn't support values of type: ${tokenOf(value)}`);
      const type = value;
      into.unknown = isHighlighter(type) ? into.unknown : `unknown highlighter type [${type}]`;
      if (isHighlighter(type)) into.type = type;
      return;
    }
    case 'fragment_size':
      into.fragmentSize = readInt(value, key);
      return;
    case 'number_of_fragments':
      into.numberOfFragments = readInt(value, key);
      return;
    case 'pre_tags':
      into.preTags = readList(value).map((tag) => readText(tag, key));
      return;
    case 'post_tags':
      into.postTags = readList(value).map((tag) => readText(tag, key));
      return;
    case 'tags_schema': {
      const schema = readText(value, key);
      if (schema !== 'styled' && schema !== 'default')
        throw illegalArgumentError(`Unknown tag schema [${schema} must be either [default] or [styled]`);
      into.preTags = schema === 'styled' ? STYLED_TAGS : DEFAULTS.preTags;
      into.postTags = DEFAULTS.postTags;
      return;
    }
    case 'encoder':
      into.encoder = readText(value, key) === 'html' ? 'html' : 'default';
      return;
    case 'order':
      into.orderByScore = readText(value, key) === 'score';
      return;
    case 'require_field_match':
      into.requireFieldMatch = readBoolean(value, key);
      return;
    case 'no_match_size':
      into.noMatchSize = readInt(value, key);
      return;
    case 'highlight_query':
      into.query = parseQuery(value, report);
      return;
    case 'fragmenter': {
      const fragmenter = readText(value, key);
      if (fragmenter === 'simple' || fragmenter === 'span') into.fragmenter = fragmenter;
      else into.unknown = `unknown fragmenter option [${fragmenter}]`;
      return;
    }
    case 'boundary_chars':
      into.boundaryChars = readText(value, key);
      return;
    case 'boundary_max_scan':
      into.boundaryMaxScan = readInt(value, key);
      return;
    case 'boundary_scanner': {
      const scanner = readText(value, key).toLowerCase();
      if (scanner !== 'sentence' && scanner !== 'word' && scanner !== 'chars') {
        throw illegalArgumentError(`No enum constant for boundary_scanner [${scanner}]`);
      }
      into.boundaryScanner = scanner;
      return;
    }
    case 'boundary_scanner_locale':
      into.locale = readText(value, key);
      return;
    case 'matched_fields':
      into.matchedFields = readList(value).map((name) => readText(name, key));
      return;
    case 'phrase_limit':
      into.phraseLimit = readInt(value, key);
      return;
    case 'fragment_offset':
      into.fragmentOffset = readInt(value, key);
      return;
    case 'max_analyzer_offset':
    case 'max_analyzed_offset':
      into.maxAnalyzedOffset = readInt(value, key);
      if (into.maxAnalyzedOffset < 1)
        throw xContentParseError(`[${where}] failed to parse field [${key}]`, illegalArgumentError(`[${key}] must be a positive integer`));
      return;
    case 'force_source':
    case 'options':
    case 'use_explicit_field_order':
      return;
    default:
      throw xContentParseError(`[${where}] unknown field [${key}]`);
  }
}
