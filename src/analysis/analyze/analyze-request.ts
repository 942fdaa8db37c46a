// Parses and validates the body of `_analyze`.

import { javaText } from '../../common/text/java-text.ts';
import { didYouMean } from '../../common/text/nearest-name.ts';
import { ApiError } from '../../errors/api-error.ts';
import { illegalArgumentError, validationFailedError } from '../../errors/catalog.ts';
import { checkSettingLists, type SettingTree } from '../settings.ts';
import { type JsonNode, placeOf, readJsonTree, settingOf, tokenName } from './json-tree.ts';

/** A component by name or by definition. */
export type Part = string | SettingTree;

export interface AnalyzeRequest {
  text: string[];
  analyzer: string | null;
  field: string | null;
  normalizer: string | null;
  tokenizer: Part | null;
  filters: Part[];
  charFilters: Part[];
  explain: boolean;
  /** In lower case; empty selects all. */
  attributes: Set<string>;
}

const FIELDS = ['text', 'analyzer', 'field', 'tokenizer', 'filter', 'char_filter', 'explain', 'attributes', 'normalizer'];

/** A request without contradictions. @throws ApiError: the body is malformed, or its fields exclude each other */
export function readAnalyzeRequest(body: string, hasIndex: boolean): AnalyzeRequest {
  const request = parseAnalyzeRequest(body);
  validateAnalyzeRequest(request, hasIndex);
  return request;
}

/**
 * @param body JSON as received, for the positions in errors
 * @throws ApiError x_content_parse_exception: a value of the wrong type, or an unknown field
 */
function parseAnalyzeRequest(body: string): AnalyzeRequest {
  const root = readJsonTree(body);
  if (root.kind !== 'object') throw refusedError(body, root.at, `Expected START_OBJECT but was: ${tokenName(root)}`);
  const request: AnalyzeRequest = {
    text: [],
    analyzer: null,
    field: null,
    normalizer: null,
    tokenizer: null,
    filters: [],
    charFilters: [],
    explain: false,
    attributes: new Set(),
  };
  for (const { key, keyAt, node } of root.members) {
    if (!FIELDS.includes(key)) throw refusedError(body, keyAt, `unknown field [${key}]${didYouMean(key, FIELDS)}`);
    readField(request, key, node, body);
  }
  return request;
}

function readField(request: AnalyzeRequest, key: string, node: JsonNode, body: string): void {
  const wrongType = (): ApiError => refusedError(body, node.at, `${key} doesn't support values of type: ${tokenName(node)}`);
  switch (key) {
    case 'text':
    case 'attributes': {
      if (node.kind !== 'string' && node.kind !== 'array') throw wrongType();
      const texts = node.kind === 'string' ? [node.value] : node.items.map((item) => textOf(item, key, body));
      if (key === 'text') request.text = texts;
      else request.attributes = new Set(texts.map((name) => name.toLowerCase()));
      return;
    }
    case 'analyzer':
    case 'field':
    case 'normalizer':
      if (node.kind !== 'string') throw wrongType();
      request[key] = node.value;
      return;
    case 'tokenizer':
      if (node.kind !== 'string' && node.kind !== 'object') throw wrongType();
      request.tokenizer = partOf(node, key, body);
      return;
    case 'filter':
    case 'char_filter': {
      // A single definition may be given without a list; a single name may not.
      if (node.kind !== 'array' && node.kind !== 'object') throw wrongType();
      const parts = (node.kind === 'object' ? [node] : node.items).map((item) => partOf(item, key, body));
      if (key === 'filter') request.filters = parts;
      else request.charFilters = parts;
      return;
    }
    case 'explain':
      if (node.kind === 'boolean') request.explain = node.value;
      else if (node.kind === 'string') request.explain = booleanOf(node, body);
      else throw wrongType();
  }
}

function booleanOf(node: JsonNode & { kind: 'string' }, body: string): boolean {
  if (node.value === 'true') return true;
  if (node.value === 'false' || node.value === '') return false;
  const cause = illegalArgumentError(`Failed to parse value [${node.value}] as only [true] or [false] are allowed.`);
  throw unreadableError(body, 'explain', node, cause);
}

/** An item of a list of strings; numbers keep the form in which they are written. */
function textOf(item: JsonNode, key: string, body: string): string {
  if (item.kind === 'string') return item.value;
  if (item.kind === 'number') return item.text;
  if (item.kind === 'boolean') return String(item.value);
  const reason =
    item.kind === 'array' ? 'expected value but got [START_ARRAY]' : `Can't get text on a ${tokenName(item)} at ${placeOf(body, item.at)}`;
  throw unreadableError(body, key, item, new ApiError('illegal_state_exception', 500, reason));
}

function partOf(node: JsonNode, key: string, body: string): Part {
  if (node.kind === 'string') return node.value;
  if (node.kind === 'array') {
    throw unreadableError(body, key, node, new ApiError('illegal_state_exception', 500, 'expected value but got [START_ARRAY]'));
  }
  if (node.kind !== 'object') {
    const reason = `[${placeOf(body, node.at)}] Expected [VALUE_STRING] or [START_OBJECT], got ${tokenName(node)}`;
    throw unreadableError(body, key, node, new ApiError('x_content_parse_exception', 400, reason));
  }
  const tree = settingOf(node) as SettingTree;
  try {
    checkSettingLists(tree);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw unreadableError(body, key, node, illegalArgumentError(`Failed to parse [${javaText(tree)}]`, error));
  }
  return tree;
}

function unreadableError(body: string, key: string, node: JsonNode, causedBy: ApiError): ApiError {
  return refusedError(body, node.at, `failed to parse field [${key}]`, causedBy);
}

function refusedError(body: string, at: number, reason: string, causedBy: ApiError | null = null): ApiError {
  return new ApiError('x_content_parse_exception', 400, `[${placeOf(body, at)}] [analyze_request] ${reason}`, { causedBy });
}

/** @throws ApiError action_request_validation_exception: mutually exclusive fields, or missing text */
function validateAnalyzeRequest(request: AnalyzeRequest, hasIndex: boolean): void {
  const problems: string[] = [];
  const parts = request.tokenizer !== null || request.filters.length > 0 || request.charFilters.length > 0;
  if (!request.text.length) problems.push('text is missing');
  if (!hasIndex && request.normalizer !== null) problems.push('index is required if normalizer is specified');
  if (request.normalizer !== null && (request.tokenizer !== null || request.analyzer !== null)) {
    problems.push('tokenizer/analyze should be null if normalizer is specified');
  }
  if (request.analyzer !== null && parts) problems.push('cannot define extra components on a named analyzer');
  if (request.normalizer !== null && parts) problems.push('cannot define extra components on a named normalizer');
  if (request.field !== null && parts) problems.push('cannot define extra components on a field-specific analyzer');
  if (problems.length) throw validationFailedError(problems);
}
