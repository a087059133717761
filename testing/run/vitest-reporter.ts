// Writes results of a Vitest run for scripts/suites.mjs: number of passed tests, names of failures, durations of files.
// Errors outside tests have no name, so their text is used.
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
      // failed hook, or file that failed to load
      ...modules.flatMap((module) => [
        ...module.errors().map((error) => `${module.relativeModuleId}: ${textOf(error)}`),
        ...[...module.children.allSuites()].flatMap((suite) =>
          suite.errors().map((error) => `${module.relativeModuleId} > ${suite.fullName}: ${textOf(error)}`),
        ),
      ]),
      ...unhandled.map((error) => `vitest, outside of every test: ${textOf(error)}`),
    ];
    const passed = tests.filter((test) => test.result().state === 'passed').length;
    const files = modules.map((module) => {
      const { setupDuration, collectDuration, duration } = module.diagnostic();
      return { name: module.relativeModuleId, ms: setupDuration + collectDuration + duration };
    });
    writeFileSync('test-results/vitest.json', JSON.stringify({ passed, failed, files }));
  }
}

/** Returns message, origin and current test file on one line. */
function textOf({ name, message, stack = '', VITEST_TEST_PATH: file }: SerializedError): string {
  const where = /^ +at .+$/m.exec(stack)?.[0] ?? '';
  const during = typeof file === 'string' ? ` (during ${file})` : '';
  return stripVTControlCharacters(`${name}: ${message}${where}${during}`).replaceAll(/\s+/g, ' ');
}
