// The dissect processor: sets the fields that a pattern of delimiters and keys finds in a string.
import { ApiError } from '../../errors/api-error.ts';
import { Dissect } from '../../scripting/extraction/dissect.ts';
import type { Action, IngestDocument } from '../ingest-document.ts';
import type { ProcessorConfig } from '../processor-config.ts';
import { fieldText } from './parse.ts';

export function dissectProcessor(config: ProcessorConfig): Action {
  const field = config.text('field');
  const pattern = config.text('pattern');
  const separator = config.text('append_separator', '');
  const ignoreMissing = config.boolean('ignore_missing');
  const dissect = new Dissect(pattern, separator);
  return (document: IngestDocument) => {
    const text = fieldText(document, field, ignoreMissing, 'process it');
    if (text === null) return;
    const values = dissect.match(text);
    if (values === null)
      throw new ApiError('find_match', 500, `Unable to find match for dissect pattern: ${pattern} against source: ${text}`);
    for (const [name, value] of values) document.set(name, value);
  };
}
