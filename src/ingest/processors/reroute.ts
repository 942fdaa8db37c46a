// The reroute processor: sends a document to another index or data stream and skips the rest of the pipeline.
import { isJsonObject } from '../../common/json/source-numbers.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';
import type { IngestDocument } from '../ingest-document.ts';
import type { ProcessorConfig } from '../processor-config.ts';
import type { ProcessorFactory } from './processor.ts';

const MAX_NAME = 100;
const STREAM_NAME = /^([^-]+)-([^-]+)-(.+)$/;
const REFERENCE = /^\{\{\{?([^{}]+)\}?\}\}$/;

/** A part of the name of a data stream: fixed, or the value of a field. */
type Part = (document: IngestDocument) => string | null;

function cleaned(text: string, forbidden: RegExp): string {
  return text.toLowerCase().replaceAll(forbidden, '_').slice(0, MAX_NAME);
}

/** Reads `dataset` or `namespace`: a value or a list; the first that a document has counts. */
function readParts(config: ProcessorConfig, name: 'dataset' | 'namespace'): readonly Part[] {
  const forbidden = name === 'dataset' ? /[\\/*?"<>| ,#:-]/g : /[\\/*?"<>| ,#:]/g;
  const given = config.textOrTexts(name) ?? [];
  return (given.length > 0 ? given : [`{{data_stream.${name}}}`]).map((source): Part => {
    const field = REFERENCE.exec(source)?.[1];
    if (field === undefined) {
      if (source !== cleaned(source, forbidden)) throw config.error(name, `'${source}' contains disallowed characters`);
      return () => source;
    }
    return (document) => {
      const value = fieldOf(document, field);
      return typeof value === 'string' ? cleaned(value, forbidden) : null;
    };
  });
}

/** The value of a field, which may be written with dots in its name. */
function fieldOf(document: IngestDocument, path: string): unknown {
  if (Object.hasOwn(document.fields, path)) return document.fields[path];
  return document.has(path) ? document.get(path) : null;
}

function setPart(document: IngestDocument, path: string, value: string): void {
  if (Object.hasOwn(document.fields, path)) document.fields[path] = value;
  else document.set(path, value);
}

export const rerouteProcessor: ProcessorFactory = (config) => {
  const destination = config.optionalText('destination');
  if (destination !== null) {
    if (config.left().some((name) => name === 'dataset' || name === 'namespace'))
      throw config.error('destination', 'can only be set if dataset and namespace are not set');
    return (document) => {
      document.fields._index = destination;
      document.rerouted = true;
    };
  }
  const datasets = readParts(config, 'dataset');
  const namespaces = readParts(config, 'namespace');
  return (document) => {
    const index = String(document.metadata('_index'));
    const match = STREAM_NAME.exec(index);
    if (!match) throw illegalArgumentError(`invalid data stream name: [${index}]; must follow naming scheme <type>-<dataset>-<namespace>`);
    const [, type, ownDataset, ownNamespace] = match;
    const first = (parts: readonly Part[], fallback: string): string => {
      for (const part of parts) {
        const value = part(document);
        if (value) return value;
      }
      return fallback;
    };
    const dataset = first(datasets, ownDataset);
    const namespace = first(namespaces, ownNamespace);
    document.fields._index = `${type}-${dataset}-${namespace}`;
    document.rerouted = true;
    setPart(document, 'data_stream.type', type);
    setPart(document, 'data_stream.dataset', dataset);
    setPart(document, 'data_stream.namespace', namespace);
    const event = document.fields.event;
    if ((isJsonObject(event) && Object.hasOwn(event, 'dataset')) || Object.hasOwn(document.fields, 'event.dataset'))
      setPart(document, 'event.dataset', dataset);
  };
};
