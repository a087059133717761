// What the same tests run: the check of the package, and those of the files for other languages.
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { type Caller, needsOf, type Options, type Requirement } from '#verify/options.ts';
import { type Header, type Outcome, verifier } from '#verify/verifier.ts';
import { endPrograms, hasGo, hasPhp, hasPython, PROGRAMS } from './programs.ts';

type Check = (header: Header, requirement?: Requirement) => Promise<Outcome>;
export type Implementation = {
  name: string;
  /** `clock` gives milliseconds, for what is kept. */
  given: (options: Options, clock?: () => number) => Check;
};

const javaScript: Implementation = {
  name: 'JavaScript',
  given(options, clock) {
    const check = verifier(options, clock);
    return async (header, requirement) => check(header, needsOf(requirement));
  },
};

let apis = 0;
const folders: string[] = [];

const another = (name: keyof typeof PROGRAMS): Implementation => ({
  name,
  given({ onProblem, ...options }, clock = () => 0) {
    apis += 1;
    const api = apis;
    // what PHP keeps between requests
    const cache = mkdtempSync(path.join(os.tmpdir(), 'gatehouse-verify-'));
    folders.push(cache);
    return async (header, needs = {}) => {
      const asked = { api, now: clock() / 1_000, options, header: header ?? null, needs, cache };
      const { caller, refused, error } = await PROGRAMS[name].ask(asked, onProblem);
      if (error !== undefined) throw new Error(error);
      if (refused) return { refused };
      const { client_id: clientId, ...others } = caller ?? {};
      return { caller: { clientId, ...others } as Caller };
    };
  },
});

const has = { Python: hasPython('jwt, cryptography'), Go: hasGo(), PHP: hasPhp() };
const names = Object.keys(has) as (keyof typeof has)[];

export const implementations = [javaScript, ...names.filter((name) => has[name]).map(another)];
/** Those that this machine cannot run. */
export const lacking = names.filter((name) => !has[name]);

/** Ends what the tests of a file started. */
export function endImplementations(): void {
  endPrograms();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
}
