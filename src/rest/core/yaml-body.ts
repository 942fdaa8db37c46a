// YAML request bodies. The library `yaml` takes about ten microseconds a token and has no limits, and comparing keys and looking up anchors
// takes it quadratic time, so that bodies are counted before and duplicate keys are found here.
import { type Alias, type Document, isScalar, parseDocument, visit, type YAMLMap } from 'yaml';
import { MAX_JSON_DEPTH } from '../../common/json/json-syntax-error.ts';
import { ApiError } from '../../errors/api-error.ts';

const MAX_BYTES = 4 * 2 ** 20;
/** Lines, separators and brackets. */
const MAX_TOKENS = 20_000;
const MAX_ALIASES = 100;

/** @throws ApiError x_content_parse_exception: invalid YAML, too long, too deep, too many values, repeated keys */
export function parseYaml(bytes: Buffer): unknown {
  if (bytes.length > MAX_BYTES) throw yamlError(1, 1, `a YAML body may have at most ${MAX_BYTES} bytes, got ${bytes.length}`);
  checkSize(bytes);
  const document = parseDocument(bytes.toString('utf8'), { uniqueKeys: false, merge: false });
  const [error] = document.errors;
  if (error) throw yamlError(error.linePos?.[0].line ?? 1, error.linePos?.[0].col ?? 1, error.message.split('\n')[0]);
  checkNodes(document, bytes);
  try {
    return document.toJS({ maxAliasCount: MAX_ALIASES }) as unknown;
  } catch (failure) {
    // The library reports aliases of aliases and unresolved ones this way.
    if (failure instanceof ReferenceError) throw yamlError(1, 1, failure.message);
    throw failure;
  }
}

function yamlError(line: number, col: number, reason: string): ApiError {
  return new ApiError('x_content_parse_exception', 400, `[${line}:${col}] ${reason}`);
}

/** Computes upper bounds of the tokens and the depth, without knowing which characters belong to strings. */
function checkSize(bytes: Buffer): void {
  let tokens = 0;
  let brackets = 0;
  let line = 1;
  let lineStart = 0;
  // Collections without brackets are as deep as their first value is indented, indicators included.
  let isIndent = true;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i];
    if (byte === 0x0a) {
      tokens++;
      line++;
      lineStart = i + 1;
      isIndent = true;
      continue;
    }
    if (isIndent) {
      if (i - lineStart > 2 * MAX_JSON_DEPTH) throw yamlError(line, i - lineStart, `nested deeper than ${MAX_JSON_DEPTH}`);
      isIndent = byte === 0x20 || byte === 0x2d || byte === 0x3a || byte === 0x3f || byte === 0x09;
    }
    if (byte === 0x2c || byte === 0x3a || byte === 0x3f || byte === 0x2d) tokens += isIndent || byte !== 0x2d ? 1 : 0;
    else if (byte === 0x5b || byte === 0x7b) {
      tokens++;
      if (++brackets > MAX_JSON_DEPTH) throw yamlError(line, i - lineStart + 1, `nested deeper than ${MAX_JSON_DEPTH}`);
    } else if (byte === 0x5d || byte === 0x7d) brackets = Math.max(0, brackets - 1);
    if (tokens > MAX_TOKENS)
      throw yamlError(line, i - lineStart + 1, `a YAML body may have at most ${MAX_TOKENS} lines, separators and brackets`);
  }
}

/** Refuses repeated keys and many aliases. */
function checkNodes(document: Document, bytes: Buffer): void {
  let aliases = 0;
  visit(document, {
    Alias(_key, node: Alias) {
      if (++aliases > MAX_ALIASES) throw offsetError(node.range?.[0] ?? 0, bytes, `a YAML body may have at most ${MAX_ALIASES} aliases`);
    },
    Map(_key, node: YAMLMap) {
      const seen = new Set<unknown>();
      for (const { key } of node.items) {
        if (!isScalar(key)) continue;
        if (seen.has(key.value)) throw offsetError(key.range?.[0] ?? 0, bytes, 'Map keys must be unique');
        seen.add(key.value);
      }
    },
  });
}

function offsetError(offset: number, bytes: Buffer, reason: string): ApiError {
  const before = bytes.toString('utf8').slice(0, offset);
  return yamlError(before.split('\n').length, offset - before.lastIndexOf('\n'), reason);
}
