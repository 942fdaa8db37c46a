// Entries of the metadata log that a node cannot apply.
import { expect, test } from 'vitest';
import { loadSettings } from '../../../../src/config/load-settings.ts';
import { ApiError } from '../../../../src/errors/api-error.ts';
import { emptyClusterState } from '../../../../src/metadata/empty-state.ts';
import { MetadataCommands, type MetadataCommandsParts } from '../../../../src/node/main/metadata-commands.ts';
import { commandEntry } from '../../../../src/node/metadata/metadata-log.ts';

test('an entry that fails although other nodes have applied it is no error of a request, so that the node stops', async () => {
  let saved = 0;
  const settings = loadSettings({ flags: {}, file: null });
  const commands = new MetadataCommands({
    metadata: { state: emptyClusterState('uuid'), save: () => saved++ },
    log: { position: 7 },
    options: () => ({ settings, configPath: settings['path.config'] }),
  } as unknown as MetadataCommandsParts);
  const missing = commandEntry('deleteIndex', { indices: ['missing'] });
  expect(() => commands.dryRun('deleteIndex', missing.args)).toThrow(ApiError);
  for (const use of [async () => commands.replay(missing), () => commands.apply(missing)]) {
    const error = await use().then(
      () => null,
      (thrown: Error) => thrown,
    );
    expect(error).not.toBeInstanceOf(ApiError);
    expect(error?.message).toMatch(/^\[deleteIndex\] of the metadata log, .* fails here: no such index \[missing\]/);
  }
  expect(saved).toBe(0);
});
