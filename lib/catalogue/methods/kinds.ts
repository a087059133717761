// The kinds of sign-in methods, one line each.
import { brokerKind } from './broker/broker-kind.ts';
import { externalKind } from './external/external-kind.ts';
import type { MethodKind } from './kind.ts';
import { ldapKind } from './ldap/ldap-kind.ts';
import { localKind } from './local/local-kind.ts';

const KINDS = [localKind, externalKind, brokerKind, ldapKind] as const;

export type AuthMethodType = (typeof KINDS)[number]['type'];
type Kind = MethodKind<AuthMethodType>;
export const METHOD_KINDS: readonly [Kind, ...Kind[]] = KINDS;
