// The grok processor: sets the fields captured by the first expression that matches a string.
import { setOwn } from '../../common/json/own-property.ts';
import { ApiError } from '../../errors/api-error.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';
import { Grok } from '../../scripting/extraction/grok.ts';
import type { Action, IngestDocument } from '../ingest-document.ts';
import type { ProcessorConfig } from '../processor-config.ts';
import { fieldText } from './parse.ts';

export function grokProcessor(config: ProcessorConfig): Action {
  const field = config.text('field');
  const sources = config.texts('patterns');
  const tracesMatch = config.boolean('trace_match');
  const ignoreMissing = config.boolean('ignore_missing');
  if (sources.length === 0) throw config.error('patterns', 'List of patterns must not be empty');
  const definitions: Record<string, string> = {};
  for (const [name, source] of Object.entries(config.optionalObject('pattern_definitions') ?? {}))
    setOwn(definitions, name, String(source));
  const expressions = sources.map((source) => compile(source, definitions, sources, config));
  return (document: IngestDocument) => {
    const text = fieldText(document, field, ignoreMissing, 'process it');
    if (text === null) return;
    for (const [i, expression] of expressions.entries()) {
      const values = expression.match(text);
      if (values === null) continue;
      for (const [name, value] of values) document.set(name, value);
      if (tracesMatch) document.ingest._grok_match_index = String(i);
      return;
    }
    throw illegalArgumentError(`Provided Grok expressions do not match field value: [${text}]`);
  };
}

function compile(source: string, definitions: Record<string, string>, all: readonly string[], config: ProcessorConfig): Grok {
  try {
    return new Grok(source, definitions);
  } catch (error) {
    if (error instanceof ApiError) throw config.error('patterns', `Invalid regex pattern found in: [${all.join(', ')}]. ${error.reason}`);
    throw error;
  }
}
