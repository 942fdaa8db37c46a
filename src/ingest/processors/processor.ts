// Interface of processors.
import type { ConfigFolders } from '../../common/config-folder.ts';
import type { Action, IngestDocument, Pipeline, Step } from '../ingest-document.ts';
import type { ProcessorConfig } from '../processor-config.ts';

export interface PipelineAction {
  readonly run: Action;
  readonly pipelineOf: (document: IngestDocument) => Pipeline | null;
}

/** Builds a processor from its parameters. @throws ApiError parse_exception: a parameter is missing or invalid */
export type ProcessorFactory = (
  config: ProcessorConfig,
  compileInner: (value: unknown) => Step,
  folders: ConfigFolders,
) => Action | PipelineAction;
