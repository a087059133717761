// What a provider does at the first sign-in of a person. Here everybody with an account there gets one: where Keycloak
// made none, that is decided by you.
import type { Part } from '../reading/part.ts';

type Step = Readonly<Record<string, unknown>>;
const DEFAULT_ALIAS = 'first broker login';
const MAKES_ACCOUNTS = 'idp-create-user-if-unique';

export class FirstSignIns {
  readonly #byAlias = new Map<unknown, Step[]>();

  constructor(about: Part) {
    const listed = about.value('authenticationFlows');
    about.leaveOut('authenticationFlows', 'a sign-in follows the API');
    for (const { alias, authenticationExecutions: steps } of Array.isArray(listed) ? listed.map(Object) : [])
      this.#byAlias.set(alias, Array.isArray(steps) ? steps.map(Object) : []);
  }

  /** False: it is to be decided, or left out. */
  agreed(broker: Part): boolean {
    const alias = broker.text('firstBrokerLoginFlowAlias');
    const key =
      broker.flag('linkOnly') === true
        ? 'linkOnly'
        : this.#makesAccounts(alias ?? DEFAULT_ALIAS)
          ? null
          : 'firstBrokerLoginFlowAlias';
    if (key !== 'linkOnly') broker.leaveOut('linkOnly', 'a sign-in follows the API');
    if (key !== 'firstBrokerLoginFlowAlias')
      broker.leaveOut('firstBrokerLoginFlowAlias', 'a sign-in follows the API');
    if (key === null) return true;
    const question =
      'makes no accounts there, and here everybody with an account there gets one: say open, if they may';
    return broker.decide(key, question, (answer) => (answer === 'open' ? answer : undefined)) === 'open';
  }

  /** A flow that the export does not have is Keycloak's own, by its name. */
  #makesAccounts(alias: unknown, seen: readonly unknown[] = []): boolean {
    const steps = this.#byAlias.get(alias);
    if (!steps) return alias === DEFAULT_ALIAS;
    return steps.some((step) => {
      const inner = step['flowAlias'];
      if (step['requirement'] === 'DISABLED') return false;
      if (step['authenticator'] === MAKES_ACCOUNTS) return true;
      return inner != null && !seen.includes(inner) && this.#makesAccounts(inner, [...seen, alias]);
    });
  }
}
