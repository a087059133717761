// Order of Vitest's files: a one-minute file started last would leave the other worker idle.
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Test files that take nine seconds or more, the longest first. A missing file only makes the run slower. */
const LONGEST = [
  'lib/management/endings.db.test.ts',
  'lib/management-api/fuzz.db.test.ts',
  'cli/cli.db.test.ts',
  'cli/remote.db.test.ts',
  'cli/people.db.test.ts',
  'cli/npm-start.db.test.ts',
  'lib/management/at-once.db.test.ts',
  'lib/keys/rotation.db.test.ts',
  'lib/config/apply.db.test.ts',
  'lib/config/fuzz.test.ts',
  'lib/http/adopted-connections.test.ts',
];

const rank = ({ moduleId }: TestSpecification) => {
  const at = LONGEST.findIndex((file) => moduleId.endsWith(`/${file}`));
  return at === -1 ? LONGEST.length : at;
};

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).sort(
      (one, other) =>
        rank(one) - rank(other) ||
        // files stay grouped by project, because Vitest reuses processes only within a project
        one.project.name.localeCompare(other.project.name),
    );
  }
}
