// Validates mappings with synthetic sources, which do not allow fields whose values cannot be rebuilt from doc values.
import type { ApiError } from '../../errors/api-error.ts';
import { illegalArgumentError, mapperParsingError } from '../../errors/catalog.ts';
import { isLogsMode } from '../core/index-sort.ts';
import type { FieldNode, MappingNode, RootMapping } from '../core/model.ts';
import { isTimeSeries } from '../core/time-series.ts';

/** @throws ApiError illegal_argument_exception, mapper_parsing_exception */
export function checkSynthetic(
  mapping: RootMapping,
  nodes: ReadonlyMap<string, MappingNode>,
  settings: Readonly<Record<string, unknown>>,
): void {
  const isLogs = isLogsMode(settings);
  const isSeries = isTimeSeries(settings);
  if ((isLogs || isSeries) && mapping.source?.enabled === false) {
    const reason = `Indices with with index mode [${isLogs ? 'logsdb' : 'time_series'}] only support synthetic source`;
    throw mapperParsingError(`Failed to parse mapping: ${reason}`, mapperParsingError(reason));
  }
  if (isSeries && mapping.source?.mode !== undefined && mapping.source.mode !== 'synthetic') {
    const reason = 'time series indices only support synthetic source';
    throw mapperParsingError(`Failed to parse mapping: ${reason}`, illegalArgumentError(reason));
  }
  const isSynthetic = mapping.source?.mode === 'synthetic';
  if (isSynthetic && [...(mapping.source?.includes ?? []), ...(mapping.source?.excludes ?? [])].length > 0) {
    const reason = 'filtering the stored _source is incompatible with synthetic source';
    throw mapperParsingError(`Failed to parse mapping: ${reason}`, illegalArgumentError(reason));
  }
  for (const node of nodes.values()) {
    if (node.kind === 'object' && node.keepsLists !== null && !isSynthetic)
      throw mapperParsingError('Parameter [store_array_source] can only be set in synthetic source mode.');
  }
  if (isSynthetic) checkObject(mapping.object.properties, isLogs);
}

/** @param keepsTexts  the index holds logs, and keeps the strings of all text fields */
function checkObject(properties: ReadonlyMap<string, MappingNode>, keepsTexts: boolean): void {
  for (const node of properties.values()) {
    if (node.kind === 'object') checkObject(node.properties, keepsTexts);
    else if (node.kind === 'field') checkField(node, keepsTexts);
  }
}

function checkField(node: FieldNode, keepsTexts: boolean): void {
  if (node.copyTo.length > 0) throw notSyntheticError(node, 'because it declares copy_to');
  if (node.type === 'keyword' && node.given['normalizer'] !== undefined) throw notSyntheticError(node, 'because it declares a normalizer');
  if (node.type === 'binary' && node.given['doc_values'] !== true) throw notSyntheticError(node, "because it doesn't have doc values");
  if (
    !keepsTexts &&
    (node.type === 'text' || node.type === 'annotated_text') &&
    node.given['store'] !== true &&
    ![...node.fields.values()].some(hasStrings)
  ) {
    throw notSyntheticError(
      node,
      'unless it is stored or has a sub-field of type [keyword] with doc values or stored and without a normalizer',
    );
  }
}

function hasStrings({ type, given }: FieldNode): boolean {
  return type === 'keyword' && given['normalizer'] === undefined && (given['doc_values'] !== false || given['store'] === true);
}

function notSyntheticError({ path, type }: FieldNode, why: string): ApiError {
  return illegalArgumentError(`field [${path}] of type [${type}] doesn't support synthetic source ${why}`);
}
