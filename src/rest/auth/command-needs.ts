// The privileges that a metadata command needs: actions on names of indices and aliases. The type makes the table complete: a new command
// needs an entry.
import type { CommandArgs, CommandName } from '../../api/core/context.ts';
import { isObject } from '../../common/json/json-value.ts';
import { type Action, AUTO_CREATE, CHANGE_ALIASES, DELETE_INDEX } from './action.ts';

export interface Need {
  /** null for the action of the engine that sends the command. */
  readonly action: Action | null;
  readonly names: readonly string[];
}

const own = (names: readonly string[]): Need[] => [{ action: null, names }];
const ofIndices = ({ indices }: { readonly indices: readonly string[] }): Need[] => own(indices);
/** The command is about the cluster: the privilege of its API suffices. */
const nothing = (): Need[] => [];

const NEEDS: { readonly [Name in CommandName]: (args: CommandArgs<Name>) => Need[] } = {
  createIndex: ({ index, body }) => {
    const aliases = namesOf(body.aliases);
    return [...own([index]), ...(aliases.length === 0 ? [] : [{ action: CHANGE_ALIASES, names: [index, ...aliases] }])];
  },
  autoCreateIndex: ({ index }) => [{ action: AUTO_CREATE, names: [index] }],
  autoCreateIndices: ({ indices }) => [{ action: AUTO_CREATE, names: indices }],
  deleteIndex: ofIndices,
  putMapping: ofIndices,
  dynamicMapping: ({ index }) => own([index]),
  putSettings: ofIndices,
  reloadAnalyzers: ofIndices,
  openIndices: ofIndices,
  closeIndices: ofIndices,
  updateAliases: ({ actions }) =>
    actions.flatMap((action) =>
      action.kind === 'removeIndex'
        ? [...own(action.indices), { action: DELETE_INDEX, names: action.indices }]
        : own([...action.indices, ...action.aliases]),
    ),
  putIndexTemplate: ({ body }) => ofTemplate(body.template),
  putComponentTemplate: ({ body }) => ofTemplate(body.template),
  putLegacyTemplate: ({ body }) => ofTemplate(body),
  deleteTemplate: nothing,
  putClusterSettings: nothing,
  putScript: nothing,
  deleteScript: nothing,
  putSynonymSet: nothing,
  putSynonymRule: nothing,
  deleteSynonymSet: nothing,
  deleteSynonymRule: nothing,
  putEnrichPolicy: nothing,
  deleteEnrichPolicy: nothing,
  putPipeline: nothing,
  deletePipeline: nothing,
  putSearchPipeline: nothing,
  deleteSearchPipeline: nothing,
  putRepository: nothing,
  deleteRepositories: nothing,
  // Sent by main alone, after src/api/snapshots has checked the rights on each index.
  restoreIndices: nothing,
  putPolicy: nothing,
  deletePolicy: nothing,
  setLifecycleMode: nothing,
  recordPolicyRun: nothing,
  recordRetention: nothing,
  // Sent by main only.
  assignPrimaries: nothing,
  useAllocation: nothing,
  startCopy: nothing,
  allocateCopies: nothing,
  addVotingExclusions: nothing,
  clearVotingExclusions: nothing,
  putLifecyclePolicy: nothing,
  deleteLifecyclePolicy: nothing,
  setIndexLifecycleMode: nothing,
  setLifecycleStates: ({ changes }) => own(changes.map(({ index }) => index)),
  removeLifecycle: ofIndices,
  replaceIndex: ({ source, target }) => own([source, target]),
  recordRollover: ({ index, target }) => own([index, target]),
  createDataStream: ({ name }) => own([name]),
  deleteDataStreams: ({ names }) => own(names),
  rolloverDataStream: ({ name }) => own([name]),
  modifyDataStreams: ({ changes }) => own(changes.flatMap(({ dataStream, index }) => [dataStream, index])),
  putDataLifecycle: ({ names }) => own(names),
  migrateToDataStream: ({ alias }) => own([alias]),
};

export function needsOf<Name extends CommandName>(name: Name, args: CommandArgs<Name>): Need[] {
  return NEEDS[name](args);
}

/** Aliases of a template become aliases of indices that others create. */
function ofTemplate(template: unknown): Need[] {
  const aliases = isObject(template) ? namesOf(template.aliases) : [];
  return aliases.length === 0 ? [] : [{ action: CHANGE_ALIASES, names: aliases }];
}

function namesOf(aliases: unknown): string[] {
  return isObject(aliases) ? Object.keys(aliases) : [];
}
