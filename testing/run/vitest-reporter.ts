// Writes what a vitest run came to, for scripts/test.mjs: how many tests passed, the name of everything that failed,
// and how long each took. An error outside of any test has no name: its text takes that place.
import { writeFileSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';
import type { Reporter, SerializedError, TestModule } from 'vitest/node';

export default class Results implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const failed = [
      ...tests
        .filter((test) => test.result().state === 'failed')
        .map((test) => `${test.module.relativeModuleId} > ${test.fullName}`),
      // a hook of a file, or a file that could not be loaded
      ...modules.flatMap((module) => [
        ...module.errors().map((error) => `${module.relativeModuleId}: ${textOf(error)}`),
        ...[...module.children.allSuites()].flatMap((suite) =>
          suite.errors().map((error) => `${module.relativeModuleId} > ${suite.fullName}: ${textOf(error)}`),
        ),
      ]),
      ...unhandled.map((error) => `vitest, outside of every test: ${textOf(error)}`),
    ];
    const passed = tests.filter((test) => test.result().state === 'passed').length;
    const times = tests.map((test) => ({
      name: `${test.module.relativeModuleId} > ${test.fullName}`,
      ms: test.diagnostic()?.duration ?? 0,
    }));
    writeFileSync('test-results/vitest.json', JSON.stringify({ passed, failed, times }));
  }
}

/** The message, where it came from and which file ran meanwhile, on one line. */
function textOf({ name, message, stack = '', VITEST_TEST_PATH: file }: SerializedError): string {
  const where = /^ +at .+$/m.exec(stack)?.[0] ?? '';
  const during = typeof file === 'string' ? ` (during ${file})` : '';
  return stripVTControlCharacters(`${name}: ${message}${where}${during}`).replaceAll(/\s+/g, ' ');
}
