// Writes results of a Playwright run for scripts/suites.mjs: number of passed tests, names of failures, durations of
// files. Errors outside tests (global setup, workers) have no name, so their text is used.
import { mkdirSync, writeFileSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';
import type { FullConfig, Reporter, Suite, TestCase, TestError } from '@playwright/test/reporter';

export default class Results implements Reporter {
  #suite: Suite | undefined;
  readonly #errors: string[] = [];

  onBegin(_: FullConfig, suite: Suite): void {
    this.#suite = suite;
  }

  onError({ message = '', value = '' }: TestError): void {
    const [text = ''] = stripVTControlCharacters(message || value).split('\n');
    this.#errors.push(`playwright, outside of every test: ${text}`);
  }

  onEnd(): void {
    const tests = this.#suite?.allTests() ?? [];
    const passed = tests.filter((test) => test.outcome() === 'expected').length;
    const broken = tests.filter((test) => ['unexpected', 'flaky'].includes(test.outcome()));
    // drops the project name, the second element
    const nameOf = (test: TestCase) => test.titlePath().slice(2).join(' > ');
    const failed = broken.map(nameOf);
    const files = Object.entries(Object.groupBy(tests, (test) => test.titlePath()[2] ?? '')).map(
      ([name, testsOfFile = []]) => ({
        name,
        ms: testsOfFile.flatMap(({ results }) => results).reduce((sum, { duration }) => sum + duration, 0),
      }),
    );
    mkdirSync('test-results', { recursive: true });
    writeFileSync(
      'test-results/playwright.json',
      JSON.stringify({ passed, failed: [...failed, ...this.#errors], files }),
    );
  }
}
