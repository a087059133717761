// Implementations under test: the package's checker, plus files for other languages.
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Caller, Options, Requirement } from '#verify/options.ts';
import type { Header } from '#verify/sent.ts';
import { type Outcome, verifier } from '#verify/verifier.ts';
import { endPrograms, hasGo, hasPhp, hasPython, PROGRAMS } from './programs.ts';

/** Request that contains the token. */
export type Called = { method: string; url: string; proof: string | string[] | null };
type Check = (header: Header, requirement?: Requirement, called?: Called) => Promise<Outcome>;
export type Implementation = {
  name: string;
  /**
   * true if the implementation checks the proofs of bound tokens (DPoP); other implementations reject such
   * tokens
   */
  proves: boolean;
  /** creates a checker; `clock`: returns the milliseconds that its caches use */
  given: (options: Options, clock?: () => number) => Check;
};

const ORDERS: Called = { method: 'GET', url: 'https://api.example/orders', proof: null };

const javaScript: Implementation = {
  name: 'JavaScript',
  proves: true,
  given(options, clock) {
    const rule = verifier({ onRefused: () => {}, ...options }, clock);
    return async (header, requirement, { method, url, proof } = ORDERS) =>
      rule(requirement)({ request: { method }, url: URL.parse(url), header, proof });
  },
};

let apis = 0;
const folders: string[] = [];

const another = (name: keyof typeof PROGRAMS): Implementation => ({
  name,
  proves: name === 'Python',
  given({ onProblem, onRefused, ...options }, clock = () => 0) {
    apis += 1;
    const api = apis;
    // folder in which PHP stores data between requests
    const cache = mkdtempSync(path.join(os.tmpdir(), 'gatehouse-verify-'));
    folders.push(cache);
    return async (header, needs = {}, called = ORDERS) => {
      const asked = { api, now: clock() / 1_000, options, header: header ?? null, needs, called, cache };
      const { caller, refused, error } = await PROGRAMS[name].ask(asked, { onProblem, onRefused });
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
/** Names of implementations that this machine cannot run. */
export const lacking = names.filter((name) => !has[name]);

/** Stops the processes that the tests of a file started. */
export function endImplementations(): void {
  endPrograms();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
}
