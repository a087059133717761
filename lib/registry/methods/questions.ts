// What the code asks of a method: its kind, a capability, and two settings that depend on one.
import { SECOND_FACTORS, type SecondFactor } from '../claims.ts';
import type { Capability, MethodConfig, MethodKind } from './kind.ts';
import { type AuthMethodType, METHOD_KINDS } from './kinds.ts';

export const METHOD_TYPES = METHOD_KINDS.map(({ type }) => type);
export const METHOD_TYPES_IN_WORDS = `${METHOD_TYPES.slice(0, -1).join(', ')} or ${METHOD_TYPES.at(-1)}`;

export function methodKind(type: AuthMethodType): MethodKind<AuthMethodType> {
  const found = METHOD_KINDS.find((kind) => kind.type === type);
  if (!found) throw new Error(`no kind of method is called ${type}`);
  return found;
}

/** The configuration with what it leaves out and its kind knows. */
export const wholeConfig = ({ type, config }: { type: AuthMethodType; config: MethodConfig }): MethodConfig =>
  methodKind(type).whole?.(config) ?? config;

/** What is no kind of this version can do nothing. */
export const methodCan = ({ type }: { type: string }, capability: Capability): boolean =>
  METHOD_KINDS.some((kind) => kind.type === type && kind.capabilities[capability]);

export const typesThat = (capability: Capability): AuthMethodType[] =>
  METHOD_TYPES.filter((type) => methodCan({ type }, capability));

/** Is there a service behind its methods, which can be tested? */
export const asksElsewhere = (type: AuthMethodType): boolean => {
  const { probes, trial } = methodKind(type);
  return probes !== undefined || trial !== undefined;
};

type Configured = { type: AuthMethodType; config: MethodConfig };

/** The key of `config` that makes a secret another one: it signs with it, or is for it. Null: there is no such key. */
export const secretRestsOn = (type: AuthMethodType): string | null => {
  const { signing, within = null } = methodKind(type).secret ?? {};
  return signing?.in ?? within;
};

const hasPart = ({ type, config }: Configured): boolean => {
  const part = secretRestsOn(type);
  return part !== null && config[part] !== undefined;
};

/** A key that signs is never sent, and what is sent signs nothing: it is no secret of such a change. */
export const keepsSecret = (before: Configured, after: Configured): boolean =>
  before.type === after.type && hasPart(before) === hasPart(after);

type Method = { type: string; config: MethodConfig };

/** `own`: the method says nothing, and people who have a second factor are asked for it. */
export type SecondFactorPolicy = SecondFactor | 'own';

/** What a method says, or where it says nothing what goes for its kind. */
export function secondFactorOf(method: Method): SecondFactorPolicy {
  const said = SECOND_FACTORS.find((one) => one === method.config['second_factor']);
  return said ?? (methodCan(method, 'hasAccounts') ? 'own' : 'off');
}

const lets = (method: Method, ...modes: unknown[]) =>
  methodCan(method, 'hasAccounts') && modes.includes(method.config['registration']);

/** May people register without an invitation? */
export const isOpenToAll = (method: Method): boolean => lets(method, 'open', 'approval');

/** Does such a registration wait for an approval? */
export const asksApproval = (method: Method): boolean => lets(method, 'approval');
