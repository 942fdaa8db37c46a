import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { KINDS, type ResourceKind, simulatedSteps } from '../../../src/console/manage/resources.ts';
import { openRestNode, type RestNode } from '../../support/rest-node.ts';

let node: RestNode;
beforeAll(async () => {
  node = await openRestNode({ 'path.repo': ['/tmp'] });
});
afterAll(() => node.close());

/** Kinds whose example needs something else first: a password, a repository, a folder. */
const SAVED = ['pipelines', 'templates', 'components', 'lifecycles', 'roles'] as const;

describe('definitions', () => {
  test.each(SAVED)('of the kind %s are saved, listed and saved again without change', async (name) => {
    const kind: ResourceKind = KINDS[name];
    await node.ok(`PUT ${kind.path}mine`, kind.example);
    const find = async () => kind.read(await node.ok(`GET ${kind.listPath}`)).find((resource) => resource.name === 'mine');
    const saved = await find();
    expect(saved?.body).toBeDefined();
    await node.ok(`PUT ${kind.path}mine`, saved?.body);
    expect(await find()).toEqual(saved);
    await node.ok(`DELETE ${kind.path}mine`);
    expect(await find()).toBeUndefined();
  });
});

describe('simulations', () => {
  test('show what each processor changes, and where it fails', async () => {
    const processors = [
      { set: { field: 'n', value: 1, tag: 'one' } },
      { remove: { field: 'missing', ignore_failure: true } },
      { rename: { field: 'a', target_field: 'b' } },
      { fail: { message: 'no' } },
    ];
    const sources = [{ a: 'x' }];
    const docs = sources.map((_source) => ({ _source }));
    const answer = await node.ok('POST /_ingest/pipeline/_simulate?verbose=true', { pipeline: { processors }, docs });
    const [steps] = simulatedSteps(answer, sources);
    expect(steps.map(({ processor, status }) => [processor, status])).toEqual([
      ['set one', 'success'],
      ['remove', 'error_ignored'],
      ['rename', 'success'],
      ['fail', 'error'],
    ]);
    expect(steps[0].changes).toEqual([{ field: 'n', before: null, after: '1' }]);
    expect(steps[2].changes).toEqual([
      { field: 'a', before: '"x"', after: null },
      { field: 'b', before: null, after: '"x"' },
    ]);
    expect(steps[1].reason).toContain('missing');
    expect(steps[3].reason).toBe('no');
  });
});
