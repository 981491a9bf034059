import { isMap } from '../../../types/plain.ts';
import { type Loss, lose } from '../shared/draft.ts';
import { embeddingModel } from '../shared/models.ts';
import type { Node } from '../shared/node.ts';
import { ASSERTION_KEYS } from './assertions.ts';
import type { ForeignAssertion, ValueReader } from './promptfoo-values.ts';

export function readAssertions(list: Node, said: Loss[]): ForeignAssertion[] {
  if (list.value !== null && !Array.isArray(list.value))
    lose(said, list.place, 'assert', 'it is not a list');
  return list.items().flatMap((assertion): ForeignAssertion[] => {
    const { value, map, place } = assertion;
    // An `assert-set` without a threshold means the same as its assertions.
    if (map['type'] === 'assert-set' && map['threshold'] === undefined)
      return readAssertions(assertion.at('assert'), said);
    if (isMap(value) && !('$ref' in map)) return [{ value: map, place, file: null }];
    lose(
      said,
      place,
      'an assertion',
      isMap(value) ? 'references to other parts of the file are not supported' : 'it is not a map',
    );
    return [];
  });
}

export async function withValues(
  assertions: readonly ForeignAssertion[],
  { files }: ValueReader,
): Promise<ForeignAssertion[]> {
  return Promise.all(
    assertions.map(async (assertion) => {
      const { value, place } = assertion;
      const named = value['value'];
      if (typeof named !== 'string' || !/^file:\/\/(?!.*\.(?:[cm]?[jt]s|py|rb)(?::|$))/.test(named))
        return assertion;
      const isData = /\.(?:json|ya?ml)$/i.test(named);
      const [found] = isData
        ? (await files.documents(named, place)).map(({ file, value: data }) => ({
            file,
            read: data,
          }))
        : (await files.texts(named, place)).map(({ file, text }) => ({ file, read: text }));
      return found === undefined
        ? assertion
        : { place, value: { ...value, value: found.read }, file: found.file };
    }),
  );
}

export function reportUnreadAssertionKeys(
  { value, place }: ForeignAssertion,
  type: string,
  left: Loss[],
): void {
  const compares = /similar(?::cosine)?$/.test(type) && embeddingModel(value['provider']) !== null;
  for (const key of Object.keys(value).filter(
    (each) => !ASSERTION_KEYS.includes(each) && !(each === 'provider' && compares),
  )) {
    lose(
      left,
      place,
      `${key} of the assertion ${type}`,
      key === 'provider' ? "the settings' grader gives all grades" : 'evaldiff has no equivalent',
    );
  }
  const weight = value['weight'];
  if (weight !== undefined && weight !== 0 && weight !== 1)
    lose(left, place, `weight of the assertion ${type}`, 'all gating metrics count equally');
}
